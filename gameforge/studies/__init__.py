"""Studies: variants of a pipeline, trained with the same seeds, and the report that compares them."""
