"""Storage: files and folders that a kill leaves whole, and that are checked when they are read."""
