"""Files for users of a network: benches, headers, constraints, projects."""
