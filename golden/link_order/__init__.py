"""Orders of links, and routes that descend in them less often than there are channels."""

from fingerpost.golden.link_order.graph import LinkGraph, link_graph
from fingerpost.golden.link_order.routes import balanced_paths
from fingerpost.golden.link_order.search import Found, search

__all__ = ["Found", "LinkGraph", "balanced_paths", "link_graph", "search"]
