"""What stands around a deflection router in its network: the table of a node, and its neighbours.

A neighbour sends any flits to any terminals; the key of each is what the neighbour's table says of
the way over this link, nearer or deflected.
"""

from itertools import product

import numpy as np

from fingerpost.golden.header import bits
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.link.single_flit import SingleFlitSignature
from mutation.surroundings import Rows, Surroundings, function

__all__ = ["neighbours"]


def neighbours(network: DeflectionNetwork, node_type: NodeType) -> Surroundings:
    """Return what stands around a router at some node of this type, always at the same one.

    Where a link has no flit, its lines have any values.
    """
    topology, pairing = network.topology, network.pairings[node_type]
    places = [v for v in range(topology.nodes) if topology.node_type[v] is node_type]
    number, header = bits(len(places)), network.destination_width
    layout = network.entry(len(pairing.outputs))
    driven = {"entry": f"{{{', '.join(f'found_{i}' for i in _down(len(pairing.inputs)))}}}"}
    lines = [
        f"  (* anyconst *) reg [{number - 1}:0] place;",
        *function("entry_of", layout.width, (number, header), _entries(network, places)),
    ]
    for slot in range(len(pairing.inputs)):
        lines += [
            f"  reg [{header - 1}:0] asked_{slot} = 0;",
            f"  reg [{layout.width - 1}:0] found_{slot} = 0;",
            "  always @(posedge clk) begin",
            f"    asked_{slot} <= one_address[{slot * header} +: {header}];",
            f"    found_{slot} <= one_clear[{slot}] ? 0 : entry_of(place, asked_{slot});",
            "  end",
        ]
    flit = SingleFlitSignature(network.link, network.flit_width).flit
    for port in pairing.inputs:
        valid, sent, keyed = f"valid_{port}", f"sent_{port}", f"keyed_{port}"
        to, key = (flit[name] for name in ("destination", "key"))
        destination = f"{sent}[{to.offset} +: {to.width}]"
        lines += [
            f"  (* anyseq *) reg [{flit.size - 1}:0] {sent};",
            f"  (* anyseq *) reg any_{port};",
            f"  wire {valid} = any_{port} & {destination} < {len(topology.terminals)};",
            *function(f"key_of_{port}", key.width, (number, header), _keys(network, places, port)),
            f"  reg [{flit.size - 1}:0] {keyed};",
            "  always @* begin",
            f"    {keyed} = {sent};",
            f"    if ({valid}) {keyed}[{key.offset} +: {key.width}] =",
            f"      key_of_{port}(place, {destination});",
            "  end",
        ]
        driven |= {f"inputs__{port}__valid": valid, f"inputs__{port}__flit": keyed}
    return Surroundings(tuple(lines), driven)


def _down(count: int) -> range:
    return range(count - 1, -1, -1)


def _entries(network: DeflectionNetwork, places: list[int]) -> Rows:
    """Yield the entries of tables by place and destination."""
    for place, node in enumerate(places):
        for number, entry in enumerate(network.packed(node, *network.entries(node)).tolist()):
            yield (place, number), entry


def _keys(network: DeflectionNetwork, places: list[int], port: int) -> Rows:
    """Yield the keys with which flits arrive at a port, by place and destination."""
    topology, known = network.topology, network.destinations
    most = (1 << network.distance_width) - 1
    for (place, node), number in product(enumerate(places), range(len(topology.terminals))):
        sender = int(topology.origin[node, port])
        leads = (topology.neighbour[sender] == node) & (topology.arrival_port[sender] == port)
        out, distance = int(np.flatnonzero(leads)[0]), int(known.distance[sender, number])
        key = most if topology.directed else min(distance + 1, most)
        if known.productive[sender, number] >> out & 1:
            key = distance - 1
        yield (place, number), key
