"""Evaluator `patterns`: sums of weights that are looked up for the configurations of small groups of cells."""
