"""The interfaces: one file for each kind of component, and what they speak of."""
