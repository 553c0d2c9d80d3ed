"""Exact values of positions of the moving phase with few men: the oracle `endings` and the command `egdb`."""
