"""The command line. Each command is a module of its own, which is imported when the command is called."""
