"""OpenSpiel: its games as rules, and our players as its bots."""
