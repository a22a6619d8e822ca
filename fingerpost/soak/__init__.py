"""`fingerpost soak`: long runs at full load that account for every flit."""
