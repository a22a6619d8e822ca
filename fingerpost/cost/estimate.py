"""What networks cost on ECP5, estimated within a moment instead of placed.

`fingerpost.golden.routing.router_cost` is fitted to wormhole routers, and this to deflection
routers and to the clocks of whole networks; docs/howto/cost.md has the data. An estimate is of
routers with their tables, without interfaces of terminals, OS-Links and counters.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from fingerpost.golden.analysis.loads import loads
from fingerpost.golden.measure.latency import zero_load
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.network.network import Network
from fingerpost.golden.network.switches import RANKS, in_cycles
from fingerpost.golden.routing.router_cost import TABLE, router_clock, router_sites
from fingerpost.golden.topology.base import NodeType
from fingerpost.jobs.console import Columns, aligned, cells, fixed
from fingerpost.netfile.schema import named

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


COLUMNS: Columns = {
    "network": "network",
    "nodes": "nodes",
    "routers": "kind",
    "routing": "routing",
    "channels": lambda row: row["virtual_channels"] or "-",
    "hops": fixed("mean_hops", 2),
    "limit": fixed("limit", 3),
    "sites a node": "{sites:,.0f}",
    "MHz": "{clock:.0f}",
    "flits/us/1,000 sites": fixed("merit", 1),
    "zero load [ns]": lambda row: row["zero_load_ns"] and f"{row['zero_load_ns']:.0f}",
}

CAPTION = """
Sites (LUT4, without block RAM) and MHz are estimates for ECP5, not measured. They are fitted to
placed routers of up to 2,943 nodes and placed networks of up to 21, whose clocks they miss by up to
25 %; `fingerpost cost` measures. The limit, in flits per terminal and cycle of uniform traffic, is
an upper bound by links and terminals, not a simulation: with the routes of wormhole routers, and
with shortest paths and equal loads of all links for deflection routers.
""".strip()


def facts(
    networks: Sequence[AnyNetwork], progress: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """Return what networks carry and how long they take, for their area on ECP5.

    Keys
    ----
    rows
        With `--compare` instead of all above: an object for each network, the largest `merit`
        first. `network`, `family`, `nodes`; `kind` (`wormhole` or `deflection`) and `routing`, the
        algorithm with options (`null` of deflection routers); `virtual_channels` of all message
        classes; `mean_hops` of routes, of shortest paths with deflection routers; `limit`, an upper
        bound of the flits per terminal and cycle, at most 1: of terminals and the busiest link,
        with serial ones at their rate, of deflection routers as `bound` of `loads`; for ECP5,
        estimated, LUT4 `sites` of a node in the mean, and `clock` of the network in MHz; `merit`,
        the flits per microsecond and 1,000 sites at the limit; `zero_load_ns`, the latency of a
        flit without contention, `null` where links or terminals vary.
    """
    rows = [_row(network, progress) for network in networks]
    return {"network": None, "rows": sorted(rows, key=lambda row: -row["merit"])}


def _row(network: AnyNetwork, progress: Callable[[int, int], None] | None) -> dict[str, Any]:
    topology = network.topology
    found, whole = loads(network.routing, progress=progress), of_network(network)
    links = found.link_saturation if network.has_routes else found.bound
    of_links = links * network.link.rate(network.flit_width)
    of_terminals = found.terminal_saturation * network.terminal.rate(network.data_width)
    limit = min(1.0, of_links, of_terminals)
    cycles = zero_load(network, found.mean_hops, registers=network.wire_cycles(found.load))
    return {
        "network": network.name,
        "family": topology.family,
        "nodes": topology.nodes,
        "kind": network.router_kind,
        "routing": named(network.description) if network.has_routes else None,
        "virtual_channels": network.virtual_channels,
        "mean_hops": found.mean_hops,
        "limit": limit,
        "sites": whole.sites / topology.nodes,
        "clock": whole.clock,
        "merit": 1000 * limit * len(topology.terminals) * whole.clock / whole.sites,
        "zero_load_ns": None if cycles is None else 1000 * cycles / whole.clock,
    }


def render(facts: Mapping[str, Any]) -> str:
    """Return the networks as a table."""
    rows = cells(COLUMNS, facts["rows"], none="-")
    return "\n".join([*aligned([list(COLUMNS), *rows], left=(0, 2, 3)), "", CAPTION])
