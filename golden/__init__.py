"""Networks, routing and its analysis, and the cycle-accurate model that hardware is as."""
