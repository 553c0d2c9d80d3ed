"""How plain Python becomes kernels: decorators, function values, vector code, clocks, and how kernels are entered."""
