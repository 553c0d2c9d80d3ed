"""The interfaces of components, one file for each kind, and the data types that they share."""
