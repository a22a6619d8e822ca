"""The timing diagrams of docs/design/waves.md: what a simulation of the hardware shows, drawn."""
