"""`fingerpost info --compare`: networks as wholes, the best use of an FPGA's area first."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fingerpost.cost.estimate import of_network
from fingerpost.golden.analysis.loads import loads
from fingerpost.golden.measure.latency import zero_load
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.jobs.console import Columns, aligned, cells, fixed
from fingerpost.netfile.schema import named

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
