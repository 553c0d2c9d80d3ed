"""Exact values of endings with few pieces: the oracle `draughts-endings` and the command `egdb`."""
