"""Routers with virtual channels, one after the other: the twin of fingerpost.hdl.router."""
