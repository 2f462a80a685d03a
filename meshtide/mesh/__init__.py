"""What a surface is: meshes, where they came from, what is wrong with them, and smaller ones."""
