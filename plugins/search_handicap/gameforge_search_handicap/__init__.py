"""A searcher that errs on purpose."""
