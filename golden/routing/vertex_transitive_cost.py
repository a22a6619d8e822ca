"""What the forms of vertex-transitive routing cost a router: an estimate for ECP5.

It is fitted to what Yosys makes of routers of 21 to 2,943 nodes, in
tests/golden/routing/forms.yaml, and within 15 % of that; 25 % for absolute addresses, 80 LUT4 sites
for paths of the source. Block RAMs are exact there.
"""

from fingerpost.golden.header import bits
from fingerpost.golden.routing.base import Form
from fingerpost.golden.routing.router_cost import block_rams

LOGIC_BITS = 2048
"""Up to so many bits a table that is read at a clock becomes LUTs, above that block RAM."""


def by_hop(p: int, k: int) -> Form:
    """Return the form with a table of links and four subtractions at each of five inputs."""
    width = bits(k) + bits(p)
    sites = 9 * p * k // 5 + 122 * max(width - 4, 0)
    return Form("hop", sites, 0, header_width=width, header_cycles=1)


def by_absolute(p: int, k: int) -> Form:
    """Return the form with one subtraction and a table of links, one behind the other."""
    width = bits(k) + bits(p)
    sites = 3 * p * k // 2 + 30 * max(width - 3, 0)
    return Form("hop", sites, 0, header_width=width, header_cycles=0)


def by_source(p: int, k: int, diameter: int) -> Form:
    """Return the form with one table of paths, at the terminal."""
    sites, word, rows = 7 * (bits(k) + bits(p)), 2 * diameter + 1, p << bits(k)
    blocks = 0
    if rows * word <= LOGIC_BITS:
        sites += p * k * word // 6
    else:
        blocks = block_rams(rows, word)
    return Form("source", sites, blocks, header_width=word, header_cycles=2)
