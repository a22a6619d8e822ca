"""What stands around a module in a proof that a mutant is equivalent, and what is proven of it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from fingerpost.golden.deadlock.states import states
from fingerpost.golden.flit import flit_layout
from fingerpost.golden.header import bits
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.network import Network
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.link.flit_link import SingleFlitSignature

Rows = Iterable[tuple[tuple[int, int], int]]
"""Numbers, each by two numbers."""

VC_ALLOCATOR = re.compile(r"(?:reg|wire) \[\d+:0\] (\\output\d+\.vc_allocator\d+)\.eligible ;")

BATCHES = re.compile(r"(?:reg|wire) \[\d+:0\] (\\output\d+\.batch_arbiter\d+)\.served ")

CANDIDATE = re.compile(r"(?:reg|wire) \[\d+:0\] (\\input\d+\.candidate) ")


class Surroundings(NamedTuple):
    """Verilog around two copies of a module.

    The lines may read ``sent_LINK``: the flits that a sender with credits puts on a link.

    Attributes
    ----------
    lines : tuple of str
    driven : mapping
        What drives inputs of the module, by port.
    """

    lines: tuple[str, ...] = ()
    driven: Mapping[str, str] = {}


NOTHING = Surroundings()


def function(name: str, width: int, inputs: tuple[int, int], rows: Rows) -> Iterator[str]:
    """Yield a function of two numbers of so many bits, 0 for all that are not in a row."""
    yield f"  function [{width - 1}:0] {name}("
    yield f"    input [{inputs[0] - 1}:0] first, input [{inputs[1] - 1}:0] second);"
    yield "    case ({first, second})"
    for (first, second), value in rows:
        yield f"      {{{inputs[0]}'d{first}, {inputs[1]}'d{second}}}: {name} = {width}'d{value};"
    yield f"      default: {name} = 0;"
    yield "    endcase"
    yield "  endfunction"


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


def neighbours(network: DeflectionNetwork, node_type: NodeType) -> Surroundings:
    """Return what stands around a deflection router at some node of this type, always the same.

    That is the table of the node, and neighbours that send any flits to any terminals; the key of
    each is what the neighbour's table says of the way over this link, nearer or deflected. Where a
    link has no flit, its lines have any values.
    """
    topology, pairing = network.topology, network.pairings[node_type]
    places = [v for v in range(topology.nodes) if topology.node_type[v] is node_type]
    number, header = bits(len(places)), network.destination_width
    layout = network.entry(len(pairing.outputs))
    found = [f"found_{i}" for i in reversed(range(len(pairing.inputs)))]
    driven = {"entry": f"{{{', '.join(found)}}}"}
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


def lemmas(verilog: str, *, moving: bool) -> Iterator[str]:
    """Yield claims of contracts as Verilog, with the names of a netlist of a router.

    Parameters
    ----------
    verilog : str
        The netlist of a router, flattened.
    moving : bool
        Whether a head from the terminal may wait for one channel and then for another. The claim
        of the batch arbiter assumes that it does not.
    """
    for name in CANDIDATE.findall(verilog):
        # formal/input_port.py: candidate. A mutated register starts at 0, so not "exactly one".
        yield f"!({name} & ({name} - 1'b1))"
    for name in VC_ALLOCATOR.findall(verilog):
        # formal/output_port.py: one_packet, unmixed
        able, head = f"{name}.eligible ", f"{name}.front.head "
        yield f"!({able} & ~{head}) || !({able} & ({able} - 1'b1))"
    for name in () if moving else BATCHES.findall(verilog):
        # formal/arbiters.py: one_is_pending
        yield f"!{name}.served || |{name}.pending "
