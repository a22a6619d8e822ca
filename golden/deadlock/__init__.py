"""Virtual channels, orders of the nodes, and the proof that nothing waits in a circle."""
