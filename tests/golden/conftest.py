"""Hypothesis: the same examples every time, and no deadline on a noisy machine."""

from hypothesis import settings

settings.register_profile("fingerpost", deadline=None, derandomize=True, max_examples=25)
settings.load_profile("fingerpost")
