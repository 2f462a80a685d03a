"""Many meshes: in processes of this machine, on a cluster, in shards, from other machines' storage."""
