"""The command line. Every command stands in a module of its own and is imported when it is called."""
