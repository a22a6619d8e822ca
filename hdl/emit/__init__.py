"""Verilog and the manifest of a network, as files."""
