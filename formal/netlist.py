"""The Verilog of a node inside a contract, some of its wires cut; and that of a loaded router."""

from functools import partial
from typing import Any

from amaranth import ClockSignal, Const, Instance, Signal, Value
from amaranth.hdl import ValueLike

from fingerpost.formal.contract import FIRST, Contract, past
from fingerpost.formal.gates import ROUTER, flat
from fingerpost.golden.network.network import Network
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.emit.routers import node_names
from fingerpost.hdl.lib.ports import local_name
from fingerpost.hdl.node import additions

READ = """read_json node.json
rename {} netlist
"""

Buffer = tuple[int, int]
"""Input port and virtual channel."""


class Netlist:
    """A module, flattened. `connect` puts it into the contract when all is named.

    Parameters
    ----------
    contract : Contract
    name, verilog : str
        The module, and a file that has it and all its parts.
    unset : bool
        Whether registers without a reset begin with anything.
    """

    def __init__(self, contract: Contract, name: str, verilog: str, *, unset: bool = False) -> None:
        self.contract, self.name, self.verilog, self.unset = contract, name, verilog, unset
        self._seen: dict[str, Signal] = {}
        self._cut: dict[str, Signal] = {}
        self._driven: dict[str, ValueLike] = {}
        self._given: dict[str, ValueLike] = {"clk": ClockSignal(), "rst": Const(0, 1)}

    def wire(self, name: str, width: int = 1) -> Signal:
        """Return a wire, register or output of the module; of a wire that is cut what drives it.

        Of other names of the same net it is what the wire is cut to.
        """
        return self._seen.setdefault(name, Signal(width, name=name))

    def cut(self, name: str, width: int = 1) -> Signal:
        """Return what a wire is for all that it drives: anything."""
        if name not in self._cut:
            self._cut[name] = self.contract.anything(f"{name}.cut", width)
            self.drive(name, self._cut[name])
        return self._cut[name]

    def drive(self, name: str, value: ValueLike) -> None:
        """Let a wire be a value for all that it drives."""
        self._driven[name] = value

    def put(self, name: str, value: ValueLike) -> None:
        """Give an input of the module a value."""
        self._given[name] = value

    def connect(self) -> None:
        """Make the instance; what is not given is anything."""
        ports: dict[str, ValueLike] = {f"i_{name}": value for name, value in self._given.items()}
        ports |= {f"i_{name}.i": signal for name, signal in self._driven.items()}
        ports |= {f"o_{name}": signal for name, signal in self._seen.items()}
        self.contract.m.submodules.netlist = Instance("netlist", **ports)
        text = flat(self.name, self.verilog).cut(self._driven, self._seen, unset=self.unset)
        self.contract.sources |= {"node.json": text, FIRST: READ.format(self.name)}


class Node:
    """The ports of a node type, and its Verilog in a contract."""

    def __init__(self, network: Network, node_type: NodeType, verilog: str) -> None:
        self.network, self.node_type, self.lanes = network, node_type, network.lanes
        used = network.used_turns[node_type]
        self.degree = network.topology.degree
        self.terminals = tuple(range(self.degree, self.degree + node_type.terminals))
        ins, outs = node_type.inputs + self.terminals, node_type.outputs + self.terminals
        self.outputs = {p: tuple(q for q in outs if used[p, q]) for p in ins if used[p, outs].any()}
        self.inputs = {q: [p for p in self.outputs if used[p, q]] for q in outs}
        self.inputs = {q: inputs for q, inputs in self.inputs.items() if inputs}
        self.buffers = [(p, v) for p in self.outputs for v in range(self.channels(p))]
        self.contract = Contract()
        self.around = ROUTER if additions(network) else ""
        self.netlist = Netlist(self.contract, node_names(network)[node_type], verilog)
        self.wire, self.m = self.netlist.wire, self.contract.m
        self.past = partial(past, self.m)
        self._inputs: dict[str, Signal] = {}

    def channels(self, port: int) -> int:
        """Return the virtual channels of an input or output."""
        return self.lanes.copies if port >= self.degree else self.lanes.all_channels

    def depth(self, port: int) -> int:
        """Return the flits that a buffer of an input holds."""
        return self.network.terminal_depth if port >= self.degree else self.network.buffer_depth

    def input(self, port: int, name: str, width: int = 1) -> Signal:
        """Return a wire of an input port."""
        return self.wire(f"{self.around}input{port}.{name}", width)

    def output(self, port: int, name: str, width: int = 1) -> Signal:
        """Return a wire of an output port."""
        return self.wire(f"{self.around}output{port}.{name}", width)

    def buffer(self, at: Buffer, name: str, width: int = 1) -> Signal:
        """Return a wire of a buffer."""
        return self.input(at[0], f"vc_buffer{at[1]}.{name}", width)

    def inside(self, name: str, width: int) -> Signal:
        """Return what comes into the router: by a port, or from the end of the terminal."""
        if not self._is_port(name):
            return self.netlist.cut(self._of_router(name), width)
        if name not in self._inputs:
            self._inputs[name] = self.contract.anything(name, width)
            self.netlist.put(name, self._inputs[name])
        return self._inputs[name]

    def outside(self, name: str, width: int) -> Signal:
        """Return what leaves the router: by a port, or to the end of the terminal."""
        return self.wire(name if self._is_port(name) else self._of_router(name), width)

    def _of_router(self, name: str) -> str:
        """Return what a port of a module of its own is called as one of the router in it."""
        return f"{self.around}{name.replace('__', '_')}"

    def _is_port(self, name: str) -> bool:
        of_link = name.startswith(("inputs__", "outputs__"))
        return not self.around or (of_link and self.network.link.at_nodes)

    def link_in(self, port: int) -> str:
        """Return the name of an input at the ports."""
        return f"inputs__{port}" if port < self.degree else self.local("inject", port)

    def link_out(self, port: int) -> str:
        """Return the name of an output at the ports."""
        return f"outputs__{port}" if port < self.degree else self.local("eject", port)

    def local(self, name: str, port: int) -> str:
        """Return the name of a part of the router at a terminal's port."""
        return local_name(name, port - self.degree)

    def injection(self, port: int, name: str) -> str:
        """Return the name of a wire of the injection at a terminal's port."""
        return f"{self.around}{self.local('injection', port)}.{name}"

    def cut(self, at: Buffer, name: str, width: int = 1) -> Signal:
        """Cut a wire of a buffer."""
        return self.netlist.cut(f"{self.around}input{at[0]}.vc_buffer{at[1]}.{name}", width)

    def arrives(self, port: int) -> tuple[Value, Any]:
        """Return by channel whether a flit arrives at an input, and the flit."""
        width, channels = 2 + self.network.flit_width, self.channels(port)
        if port >= self.degree:
            valid, flit = (self.injection(port, f"next_{name}") for name in ("valid", "flit"))
            return self.wire(valid, channels), self.wire(flit, width)
        name = self.link_in(port)
        return self.inside(f"{name}__valid", channels), self.inside(f"{name}__flit", width)
