"""Terminals of the compiled model: which functions are taken is decided when they are compiled.

`kinds` has the functions that `golden.engine.cycle` calls. The others are counterparts of
`fingerpost.golden.terminal`; `axi_start` makes the arrays.
"""
