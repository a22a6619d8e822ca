"""What the routers in a network's Verilog decide: which output, which next header, from what."""

import numpy as np
from amaranth import Signal

from fingerpost.formal.gates import Gates
from fingerpost.formal.netlist import Node
from fingerpost.formal.prove import graph_of
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.network.network import Network
from fingerpost.golden.routing.base import TABLE_CYCLES
from fingerpost.golden.topology.base import NodeType

CHUNK = 1 << 18
"""Decisions that gates take in one step."""

Decided = tuple[IntArray, IntArray, IntArray]
"""Ports, next headers, and 1 where a packet is discarded."""


class Decisions:
    """The decisions of one node type, as gates between the ports of the node and its buffers.

    A head arrives from a link or the terminal; `push_route` and the next header are what its buffer
    gets. Everything else of the flit is an input of its own.

    Parameters
    ----------
    network : Network
    node_type : NodeType
    verilog : str
        The file of the node type.

    Raises
    ------
    ProofError
        If Yosys is missing or breaks down, or refuses the text.
    """

    def __init__(self, network: Network, node_type: NodeType, verilog: str) -> None:
        self.network, self.node = network, Node(network, node_type, verilog)
        node, routing = self.node, network.routing
        self.table = routing.node_table if node_type.terminals else None
        self.seen = dict[int, tuple[Signal, Signal]]()
        for port, outputs in node.outputs.items():
            node.arrives(port)
            route = node.buffer((port, 0), "push_route", len(outputs))
            unit = node.input(port, "route_stage.routing.next_header", routing.header.width)
            see = node.contract.see
            self.seen[port] = see(f"route{port}", route), see(f"next{port}", unit)
        width, flits, sent = 2 + network.flit_width, dict[int, Signal](), dict[int, Signal]()
        if routing.selection:
            self.selection = node.netlist.cut(f"{node.around}selection", routing.selection_width)
        for port in self.seen:
            if port >= node.degree:
                flits[port] = node.netlist.cut(node.injection(port, "next_flit"), width)
                sent[port] = node.inside(f"{node.link_in(port)}__flit", width)
            else:
                flits[port] = node.arrives(port)[1]
        known = {"straps": routing.straps.width}
        if self.table is not None:
            known["table__entry"] = self.table.width
            address = node.wire("table__address", self.table.address_width)
            self.address = node.contract.see("address", address).name
        for name, bits in known.items():
            if bits:
                node.netlist.put(name, node.contract.anything(name, bits))
        node.netlist.connect()
        self.gates = gates = Gates(graph_of([node.contract], memories="memory_map -rom-only"))
        gates.ports.setdefault("straps", [])
        own, end = 2 + routing.header.width, 2 + routing.address_layout.width
        for port, signal in flits.items():
            flit = header = gates.ports[signal.name]
            if port in sent:
                header = gates.ports[sent[port].name]
            gates.ports |= {f"head{port}": flit[:1], f"header{port}": header[2:end]}
            # The local port comes with the flit, as a header does that is not generated.
            generated = port in sent and routing.header_cycles
            gates.ports[f"local{port}"] = flit[own:end]
            gates.ports[f"again{port}"] = [*(header if generated else flit)[2:own], *flit[own:end]]

    def depends(self) -> dict[str, list[str]]:
        """Return what routes and next headers of heads depend on besides straps and header.

        By input; the selection of adaptive and random routing is known, too, what a table answers,
        and that a head is one. A header counts only in the cycle in which its flit arrives, the
        selection and the local port in that in which the routing unit gets them, and a table's
        answer two cycles after its address, which depends on the header alone.
        """
        routing, found = self.network.routing, {}
        for port, seen in self.seen.items():
            ports = self.gates.ports
            header = {*ports[f"header{port}"], *ports[f"again{port}"]}
            straps, with_flit = {*ports["straps"]}, {*ports[f"head{port}"], *ports[f"local{port}"]}
            levels = [straps | with_flit]
            if routing.selection:
                levels[0] |= {*ports[self.selection.name]}
            if port >= self.node.degree:
                levels += [straps] * routing.header_cycles
                if self.table is not None:
                    answered = routing.header_cycles - TABLE_CYCLES
                    levels[answered] = levels[answered] | {*ports["table__entry"]}
                    asked = self.gates.depends(self.address, [header])
                    found["address of the table"] = asked
            levels[-1] = levels[-1] | header
            before = [straps] * (self.network.pipeline.routing - 1)
            route, onward = (signal.name for signal in seen)
            found[f"input {port}"] = [
                *self.gates.depends(route, before + levels),
                *self.gates.depends(onward, levels),
            ]
        return found

    def decide(
        self,
        port: int,
        node: IntArray,
        straps: IntArray,
        header: IntArray,
        selection: IntArray | None,
    ) -> Decided:
        """Return what is decided of heads that arrive by one port, at nodes with these straps."""
        if port not in self.seen:
            none = np.zeros_like(header)
            return none, none, none + 1
        routing, outputs = self.network.routing, self.node.outputs[port]
        inputs = {"straps": straps, f"header{port}": header, f"again{port}": header}
        inputs[f"head{port}"] = np.ones_like(header)
        if routing.selection and selection is not None:
            inputs[self.selection.name] = selection
        if self.table is not None and port >= self.node.degree:
            (address,) = self.gates.run(inputs, [self.address])
            inputs["table__entry"] = self.table.answers(node, address)
        cycles = self.network.pipeline.routing - 1
        cycles += routing.header_cycles * (port >= self.node.degree)
        names = [signal.name for signal in self.seen[port]]
        route, onward = self.gates.run(inputs, names, cycles=cycles)
        # 0 is no output; two at a time are a port that there is not
        number = np.full(1 << len(outputs), self.network.topology.all_ports)
        number[0] = 0
        number[1 << np.arange(len(outputs))] = outputs
        above = header >> routing.header.width << routing.header.width  # the local port stays
        return number[route], onward | above, (route == 0).astype(np.int64)


class Routers:
    """The decisions of all nodes of a network.

    Parameters
    ----------
    network : Network
    types : list of Decisions
        Of each node type.
    """

    def __init__(self, network: Network, types: list[Decisions]) -> None:
        self.network, self.types = network, types
        number = {node_type: i for i, node_type in enumerate(network.topology.node_types)}
        self.type_of = np.array([number[x] for x in network.topology.node_type])
        routing = network.routing
        words = [routing.straps.at(v) for v in range(routing.topology.nodes)]
        self.straps = np.array(words, object)  # more than 63 bits do not fit into an integer

    def decide(
        self, node: IntArray, arrival: IntArray, header: IntArray, selection: IntArray | None
    ) -> Decided:
        """Return what is decided of many heads, those of terminals as they are sent."""
        answer = tuple(np.zeros_like(header) for _ in range(3))
        kind = self.type_of[node] * self.network.topology.all_ports + arrival
        for key in np.unique(kind).tolist():
            (some,) = np.nonzero(kind == key)
            number, port = divmod(key, self.network.topology.all_ports)
            for begin in range(0, len(some), CHUNK):
                at = some[begin : begin + CHUNK]
                told = None if selection is None else selection[at]
                found = self.types[number].decide(
                    port, node[at], self.straps[node[at]], header[at], told
                )
                for whole, part in zip(answer, found, strict=True):
                    whole[at] = part
        return answer[0], answer[1], answer[2]
