"""What neighbours of a router send over links: whole packets, with headers that routes bring."""

from collections.abc import Sequence

from fingerpost.golden.deadlock.states import states
from fingerpost.golden.flit import flit_layout
from fingerpost.golden.header import bits
from fingerpost.golden.network.network import Network
from mutation.surroundings import Surroundings, function

__all__ = ["packets"]


def packets(network: Network, places: Sequence[Sequence[int]]) -> Surroundings:
    """Return links on which a channel has a head, bodies and a tail in turn.

    A head has a header with which a packet of some terminal arrives over this link at the node.

    Parameters
    ----------
    places : sequence of sequences of int
        Nodes by the number of their constants, which is the register `node` of the proof.
    """
    topology, routing = network.topology, network.routing
    at, arrivals, headers = states(routing, topology.terminals)
    orbits = [{int(routing.orbit[v]) for v in nodes} for nodes in places]
    found = list(zip(routing.orbit[at].tolist(), arrivals.tolist(), headers.tolist(), strict=True))
    number, header = bits(len(places) + 1), routing.header.width
    flit, channels = flit_layout(network.flit_width), network.virtual_channels
    data = flit["data"].offset
    lines, driven = list[str](), dict[str, str]()
    for port in range(topology.degree):
        link = f"inputs__{port}"
        wanted, inside, known = (f"{name}_{port}" for name in ("wanted", "inside", "known"))
        rows = {
            ((place, word), 1)
            for orbit, arrival, word in found
            for place, several in enumerate(orbits)
            if arrival == port and orbit in several
        }
        if not rows:
            continue
        head, tail = (f"{link}__flit[{flit[name].offset}]" for name in ("head", "tail"))
        lines += [
            *function(known, 1, (number, header), sorted(rows)),
            f"  (* anyseq *) reg [{channels - 1}:0] {wanted};",
            f"  reg [{channels - 1}:0] {inside} = 0;",
            f"  wire [{channels - 1}:0] proper_{port} = {wanted} & ({head} ?",
            f"    ~{inside} & {{{channels}{{{known}(node, {link}__flit[{data} +: {header}])}}}}",
            f"    : {inside});",
            f"  always @(posedge clk) {inside} <= rst ? 0 :",
            f"    ({inside} & ~sent_{link}) | (sent_{link} & {{{channels}{{~{tail}}}}});",
        ]
        driven[f"{link}__valid"] = f"proper_{port}"
    return Surroundings(tuple(lines), driven)
