"""Retrograde analysis: exact values and distances of all positions of an ending, for any game with an Indexer."""
