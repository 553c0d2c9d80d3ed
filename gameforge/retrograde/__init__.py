"""Retrograde analysis: exact values of all positions of an ending. Knows no game (indexer.py: what a game supplies)."""
