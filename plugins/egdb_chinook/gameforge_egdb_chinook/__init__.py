"""Endgame databases of English draughts for GameForge: Chinook's files, and a solver for few pieces."""
