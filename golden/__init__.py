"""The reference: networks, routing and the cycle-accurate model, as arrays over all nodes."""
