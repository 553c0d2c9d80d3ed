"""From Python to kernels: decorators, function values, vector code, the clock, and how kernels are entered."""
