"""Experiments: trials over conditions and seeds, in which order they run, and what is reported of them."""
