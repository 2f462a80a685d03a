"""Reading graphs from files of the usual forms; nothing in a file is run, and none takes more memory than its limit."""
