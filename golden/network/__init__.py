"""A network: topology, routing, virtual channels and router parameters, built and proven."""
