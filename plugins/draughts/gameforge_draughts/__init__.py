"""English draughts (American checkers) for GameForge."""
