"""What networks cost on ECP5, estimated within a moment instead of placed.

`fingerpost.golden.routing.router_cost` is fitted to wormhole routers, and this to deflection
routers and to the clocks of whole networks; docs/howto/cost.md has the data. An estimate is of
routers with their tables, without interfaces of terminals, OS-Links and counters.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.network.network import Network
from fingerpost.golden.network.switches import RANKS, in_cycles
from fingerpost.golden.routing.router_cost import TABLE, router_clock, router_sites
from fingerpost.golden.topology.base import NodeType

SHORT, LONG = 0.82, 0.6
"""The clock of a network as a part of that of its slowest router alone: of grids of one or two
dimensions, whose links can be short wires, and of others. Placed were seven networks of 16 and 21
nodes, with 0.76 to 0.86 and 0.49 to 0.76; larger ones are assumed to lose no more."""


class Estimate(NamedTuple):
    """LUT4 sites, and the clock in MHz."""

    sites: float
    clock: float


def of_network(network: AnyNetwork) -> Estimate:
    """Return the sites of all nodes, and the clock of the network."""
    count, topology = Counter(network.topology.node_type), network.description["topology"]
    short = topology["family"] == "grid" and len(topology["sizes"]) <= 2
    each = {kind: of_node(network, kind) for kind in count}
    return Estimate(
        sum(count[kind] * found.sites for kind, found in each.items()),
        (SHORT if short else LONG) * min(found.clock for found in each.values()),
    )


def of_node(network: AnyNetwork, kind: NodeType) -> Estimate:
    """Return the sites and the clock of a node of some type by itself."""
    return OF_NODE[network.router_kind](network, kind)


def _wormhole(network: Network, kind: NodeType) -> Estimate:
    turns, routing, channels = network.used_turns[kind], network.routing, network.virtual_channels
    inputs = int(turns.any(axis=1).sum())
    router = router_sites(
        inputs,
        int(turns.sum()),
        channels,
        flit_width=network.flit_width,
        buffer_depth=network.buffer_depth,
    )
    form = routing.form
    tables = form.sites if form else inputs * sum(routing.table_bits().values()) / TABLE
    in_cycle = router + (0 if form and form.at_source else tables)
    return Estimate(router + tables, router_clock(max(1.0, in_cycle), channels))


def _deflection(network: DeflectionNetwork, kind: NodeType) -> Estimate:
    links = len(kind.outputs)
    width = network.link.seen(flit_width=network.flit_width).width
    switches = sum(map(len, RANKS[links]))
    table = links * network.entry(links).width << network.destination_width
    sites = width * (1.6 + 3.3 * switches) + (table / TABLE if network.table == "luts" else 0)
    ranks = max(map(len, in_cycles(links, network.hop_cycles - 2)))
    return Estimate(sites, router_clock(sites, max(1, ranks)))


OF_NODE: dict[str, Callable[[Any, NodeType], Estimate]] = {
    Network.router_kind: _wormhole,
    DeflectionNetwork.router_kind: _deflection,
}
"""By the kind of routers."""
