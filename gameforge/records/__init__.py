"""Records of games: files in any format, annotated pages, and databases of games in one SQLite file."""
