"""Coaching: how well a side has played, and exercises and puzzles to practise."""
