"""Othello for GameForge."""
