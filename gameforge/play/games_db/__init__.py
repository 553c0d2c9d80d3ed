"""A database of games in one SQLite file: games by their headers and by the positions that occur in them."""
