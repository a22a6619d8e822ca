"""Graph formats of other tools: lists of links, CSV, BookSim, DOT, GML, GraphML, JSON."""
