"""The model of deflection routers, flit by flit.

| file | what it has |
|---|---|
| router | the cycle of a router, stage by stage |
| cycle | the cycle of all routers and their terminals |
| single_flit, flow | the functions of terminals: packets of one flit, or AXI4-Stream |
| state | the arrays: records and names, slots |

`fingerpost.golden.engine.deflection` is their engine. Their switches, pairings and tables are in
`fingerpost.golden.network`.
"""
