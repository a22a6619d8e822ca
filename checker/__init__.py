"""A checker of certificates that imports nothing of the rooms."""
