"""Buses that software and other hardware know: AXI4-Lite, AXI4-Stream."""
