"""How fast things are: each module prints a table; `make bench` runs them all."""
