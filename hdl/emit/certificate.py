"""The certificate of deadlock freedom: an order of all channels, for others to check.

`checker/deadlock.py` reads it with what `hdl.export.generate.generate` writes, and believes nothing
else.
"""

import hashlib
import json
from typing import Any

import numpy as np

from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.routers import node_entries, node_names, node_straps
from fingerpost.hdl.lib.banner import description_hash


def certificate(network: Network) -> dict[str, Any]:
    """Return an order in which packets take the channels of all links, as plain data.

    Nodes of one class have the same order: `rank` is by class of the node, port and channel, null
    where there is no link. `wiring_sha256` identifies the network: straps, increments, tables and
    links. Message classes have the same ranks: no packet moves from one to another.
    """
    channels, lanes, degree = network.channels, network.lanes, network.topology.degree
    ranks = channels.dependencies(lanes.classes).ranks().reshape(-1, degree, lanes.classes)
    own = np.tile(np.repeat(np.arange(lanes.classes), lanes.count), lanes.copies)
    first = np.unique(channels.orbit, return_index=True)[1]
    linked = network.topology.neighbour[first] >= 0
    return {
        "network": network.name,
        "description_sha256": description_hash(network),
        "wiring_sha256": _wiring_hash(network),
        "class": channels.orbit.tolist(),
        "rank": [
            [row[own].tolist() if there else None for row, there in zip(rows, ports, strict=True)]
            for rows, ports in zip(ranks, linked, strict=True)
        ],
    }


def _wiring_hash(network: Network) -> str:
    topology, names = network.topology, node_names(network)
    wiring = []
    for node, node_type in enumerate(topology.node_type):
        constants = *node_straps(network, node), node_entries(network, node)
        ends = zip(topology.neighbour[node], topology.arrival_port[node], strict=True)
        links = [[p, int(to), int(by)] for p, (to, by) in enumerate(ends) if to >= 0]
        wiring.append([names[node_type], *map(hex, constants), links])
    return hashlib.sha256(json.dumps(wiring).encode()).hexdigest()
