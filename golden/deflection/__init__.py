"""Deflection routers: what they are made of, and their model, flit by flit.

| file | what it has |
|---|---|
| switches, pairing, destinations, detours | ranks of switches, the pairing of ports, tables |
| router | the cycle of a router, stage by stage |
| cycle | the cycle of all routers and their terminals |
| single_flit, flow | the functions of terminals: packets of one flit, or AXI4-Stream |
| state, wiring, start | the arrays: records and names, slots, first values |
| engine | the engine of `fingerpost.golden.compiled.engine`, and its runs |
"""
