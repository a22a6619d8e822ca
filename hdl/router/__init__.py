"""The router of a node, and the components that it is made of."""
