"""Exact values of endings with few pieces: the oracle `endings` and the command `egdb`."""
