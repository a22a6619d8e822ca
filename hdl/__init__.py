"""Amaranth components: the routing units, the router, and the Verilog that is made of them."""
