"""The timing diagrams of docs/waves.md: what a simulation of the hardware shows, drawn."""
