"""Positions of the moving phase with few men, solved: the oracle `endings` and the command `egdb`."""
