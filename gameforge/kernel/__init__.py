"""Compiled code: what runs inside a search or a game, written in Python and compiled by numba.

Nearly all modules of this package load numba, so the rest of gameforge imports them inside the functions that need
them.
"""
