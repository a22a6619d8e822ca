"""Bounds on the waiting of packets: stated and measured apart from how routers keep them."""
