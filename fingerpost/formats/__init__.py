"""Graph formats of other tools: lists of links, CSV, BookSim, GML, GraphML, JSON."""
