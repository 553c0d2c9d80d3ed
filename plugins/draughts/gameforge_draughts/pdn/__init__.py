"""PDN 3.0: games of draughts as text, read and written."""
