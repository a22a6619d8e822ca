"""What faults have taken from a network, as facts and as people read them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from fingerpost.golden.reliability.links import links as links_of
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.faulty import Faulty

NAMED = 8
"""Links or nodes that are named to people; JSON has them all."""


def facts(topology: Topology) -> dict[str, Any]:
    """Return `faults`, if the network has any: failed links and nodes, and the loss."""
    if not isinstance(topology, Faulty):
        return {}
    every = links_of(topology.whole)
    failed = topology.failed_links[every.start, every.kind]
    ends = np.stack([every.start[failed], every.end[failed]], axis=1)
    whole = topology.whole.terminals
    lost = whole[~topology.terminals_at[topology.whole.node_of(whole)].astype(np.bool_)]
    return {
        "faults": {
            "links": ends.tolist(),
            "nodes": topology.failed_nodes.tolist(),
            "cut_off": np.setdiff1d(topology.lost, topology.failed_nodes).tolist(),
            "lost_terminals": lost.tolist(),
            "pairs_connected": topology.connected,
        }
    }


def sentence(topology: Topology) -> str:
    """Return failed links and nodes and the loss in one line; empty without faults."""
    if not isinstance(topology, Faulty):
        return ""
    found = facts(topology)["faults"]
    arrow = "->" if topology.whole.directed else "-"
    links = [arrow.join(map(topology.name, ends)) for ends in found["links"]]
    parts = [_some("link", links), _some("node", [topology.name(v) for v in found["nodes"]])]
    line = " and ".join(part for part in parts if part) or "nothing"
    if found["cut_off"]:
        line += f"; cut off by that: {_few([topology.name(v) for v in found['cut_off']])}"
    left, before = len(topology.terminals), len(topology.whole.terminals)
    if left == before:
        return f"{line}; all {before} terminals still reach one another"
    share = found["pairs_connected"]
    return f"{line}; {left} of {before} terminals are left, {share:.1%} of the pairs"


def _some(what: str, names: Sequence[str]) -> str:
    """Return ``link 0-5`` or ``2 links 0-5, 1-7``; nothing for none."""
    if len(names) < 2:
        return f"{what} {names[0]}" if names else ""
    return f"{len(names)} {what}s {_few(names)}"


def _few(names: Sequence[str]) -> str:
    """Return some names, of which some have commas in them, and how many more there are."""
    more = len(names) - NAMED
    return " ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")
