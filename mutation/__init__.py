"""Mutants of the hardware: how many small changes of it the benches notice."""
