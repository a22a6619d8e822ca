"""The Verilog of a node type in a contract: its ports, buffers and wires by what they are."""

from functools import partial
from typing import Any

from amaranth import Signal, Value

from fingerpost.formal.contract import Contract, past
from fingerpost.formal.netlist import Netlist
from fingerpost.golden.network.network import Network
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.emit.network import node_names
from fingerpost.hdl.node import additions

__all__ = ["Buffer", "Node"]

Buffer = tuple[int, int]
"""Input port and virtual channel."""


class Node:
    """The ports of a node type, and its Verilog in a contract."""

    def __init__(self, network: Network, node_type: NodeType, verilog: str) -> None:
        self.network, self.lanes, used = network, network.lanes, network.used_turns[node_type]
        self.degree = network.topology.degree
        terminal = (self.degree,) if node_type.terminal else ()
        ins, outs = node_type.inputs + terminal, node_type.outputs + terminal
        self.outputs = {p: tuple(q for q in outs if used[p, q]) for p in ins if used[p, outs].any()}
        self.inputs = {q: [p for p in self.outputs if used[p, q]] for q in outs}
        self.inputs = {q: inputs for q, inputs in self.inputs.items() if inputs}
        self.buffers = [(p, v) for p in self.outputs for v in range(self.channels(p))]
        self.contract = Contract()
        self.around = "router." if additions(network) else ""
        self.netlist = Netlist(self.contract, node_names(network)[node_type], verilog)
        self.wire, self.m = self.netlist.wire, self.contract.m
        self.past = partial(past, self.m)

    def channels(self, port: int) -> int:
        """Return the virtual channels of an input or output."""
        return self.lanes.copies if port == self.degree else self.lanes.all_channels

    def depth(self, port: int) -> int:
        """Return the flits that a buffer of an input holds."""
        return self.network.terminal_depth if port == self.degree else self.network.buffer_depth

    def input(self, port: int, name: str, width: int = 1) -> Signal:
        """Return a wire of an input port."""
        return self.wire(f"{self.around}input{port}.{name}", width)

    def output(self, port: int, name: str, width: int = 1) -> Signal:
        """Return a wire of an output port."""
        return self.wire(f"{self.around}output{port}.{name}", width)

    def buffer(self, at: Buffer, name: str, width: int = 1) -> Signal:
        """Return a wire of a buffer."""
        return self.input(at[0], f"vc_buffer{at[1]}.{name}", width)

    def cut(self, at: Buffer, name: str, width: int = 1) -> Signal:
        """Cut a wire of a buffer."""
        return self.netlist.cut(f"{self.around}input{at[0]}.vc_buffer{at[1]}.{name}", width)

    def arrives(self, port: int) -> tuple[Value, Any]:
        """Return by channel whether a flit arrives at an input, and the flit."""
        width = 2 + self.network.flit_width
        if port == self.degree:
            injection = f"{self.around}injection.next_"
            valid = self.wire(f"{injection}valid", self.lanes.copies)
            return valid, self.wire(f"{injection}flit", width)
        valid = self.contract.anything(f"inputs__{port}__valid", self.lanes.all_channels)
        flit = self.contract.anything(f"inputs__{port}__flit", width)
        self.netlist.put(valid.name, valid)
        self.netlist.put(flit.name, flit)
        return valid, flit
