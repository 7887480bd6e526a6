"""The things that are examined: for each a gatherer, which may do I/O, and a frozen model, which is plain data."""
