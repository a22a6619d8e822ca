"""What a router costs on ECP5: its LUT4 sites, its clock, and forms of vertex-transitive routing.

Routers are fitted to 25 of networks of 10 to 2,943 nodes that were placed alone, with flits of 32
bits, buffers of 8, two cycles a hop and bounded service: within 8 % of their sites and 16 % of
their clocks. docs/howto/cost.md has most of them. Paths in headers are fitted to six routers with
acyclic routing there, by least squares of relative errors.

Forms of routing are fitted to what Yosys makes of routers of 21 to 2,943 nodes, in
tests/golden/routing/forms.yaml, and within 15 % of that; 25 % for absolute addresses, 80 LUT4 sites
for paths of the source. Block RAMs are exact there.
"""

from math import ceil

from fingerpost.golden.header import bits
from fingerpost.golden.routing.base import Form

LUT_RAM = 6
"""Sites of a LUT-RAM of 16 rows of 4 bits."""

TABLE = 12
"""Bits of a table of constants in a site."""

SHIFT = 1.8
"""Sites for a bit of a path in the header, at each input: it moves down, and its end is found."""

BLOCKS = {16384: 1, 8192: 2, 4096: 4, 2048: 9, 1024: 18}
"""Bits of a row of a block RAM, by its rows."""


def block_rams(rows: int, width: int) -> int:
    """Return the block RAMs of a table with rows of so many bits."""
    return min(-(-rows // depth) * -(-width // wide) for depth, wide in BLOCKS.items())


def router_sites(
    inputs: int, turns: int, channels: int, *, flit_width: int = 32, buffer_depth: int = 8
) -> float:
    """Return the LUT4 sites of a wormhole router without its tables.

    Parameters
    ----------
    inputs, turns : int
        Ports at which packets arrive, and pairs of such a port and an output that packets take.
    channels : int
        Virtual channels.
    """
    flit = flit_width + 2  # with the bits of head and tail
    memories = inputs * ceil(flit / 4) * ceil(channels * buffer_depth / 16)
    return 0.65 * turns * flit + (18 * turns + 27 * inputs) * channels + LUT_RAM * memories


def router_clock(sites: float, steps: int) -> float:
    """Return the clock in MHz of a router alone.

    Parameters
    ----------
    sites : float
        Its LUT4 sites, without tables at the source of packets: they have cycles of their own.
    steps : int
        What a cycle decides one after the other: virtual channels, or ranks of switches.
    """
    return float(770 * sites ** (-1 / 4) * steps ** (-1 / 6))


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
