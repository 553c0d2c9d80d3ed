"""Storage: what stands in folders, written so that a kill leaves it whole, and checked when it is read."""
