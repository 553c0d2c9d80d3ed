"""Playing: games, players, pipelines, analysis and matches."""
