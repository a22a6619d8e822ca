"""The two forms of the functions of the model: plain Python, and compiled by numba."""
