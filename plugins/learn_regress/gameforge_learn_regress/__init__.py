"""Learners that fit an evaluator to positions with values: once, or over generations of self-play."""
