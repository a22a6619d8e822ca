"""`fingerpost cost`: area and clock frequency of routers, by Yosys and nextpnr."""
