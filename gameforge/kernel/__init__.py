"""The compiled kernel: what runs inside a search or a game, written in Python and compiled by numba.

Nothing above this folder is imported here. Importing any module of it loads numba,
so the rest of gameforge imports the kernel only inside the functions that need it.
"""
