"""Groups, labels and words: what topologies and routings are made of."""
