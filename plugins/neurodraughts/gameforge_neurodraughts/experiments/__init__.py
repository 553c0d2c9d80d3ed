"""Experiments of the thesis and of the papers that build on it, for `gameforge reproduce`."""
