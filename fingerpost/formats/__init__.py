"""Graph formats of other tools: GraphML, edge lists, BookSim."""
