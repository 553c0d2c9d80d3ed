"""Playing: games, players and how they are built, and analysis."""
