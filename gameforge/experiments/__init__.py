"""Experiments: trials by condition and seed, their schedule, and reports of their figures."""
