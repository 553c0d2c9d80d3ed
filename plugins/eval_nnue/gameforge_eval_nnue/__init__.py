"""Evaluator `nnue`: a net of integers whose first layer is updated from move to move."""
