"""Storage: files and folders that survive a kill intact, and that are checked when they are read."""
