"""Collections packed into tar files, with all that training reads of a shape in one place."""
