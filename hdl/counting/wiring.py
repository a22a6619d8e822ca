"""The text in a network's module that joins its nodes with the counters."""

from collections.abc import Iterator
from functools import cached_property

from amaranth.lib import wiring

from fingerpost.golden.counters import Counter
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.bus.registers import axi_lite_ports
from fingerpost.hdl.counting.counters import Counters
from fingerpost.hdl.counting.registers import followed, register_map
from fingerpost.hdl.counting.tap import Tap
from fingerpost.hdl.lib.ports import Port, identifier, instance, part
from fingerpost.hdl.link import link_ends
from fingerpost.hdl.terminal import terminal_end


class Counting:
    """The counters of a network that has them: its hardware, and how it is wired.

    Attributes
    ----------
    map : RegisterMap
    """

    def __init__(self, network: AnyNetwork) -> None:
        self.network, self.map = network, register_map(network)
        self.name = f"{identifier(network.name)}_counters"

    @cached_property
    def followed(self) -> tuple[Counter, ...]:
        """The counters of the nodes that are followed."""
        return followed(self.network)

    @cached_property
    def events(self) -> int:
        """Events that are counted at a node."""
        return self.map.each - len(self.followed)

    @property
    def _stalls(self) -> bool:
        """Return whether cycles are counted in which flits wait for an output."""
        counters = self.network.counters
        return counters is not None and counters.ports and self.network.virtual_channels > 0

    def components(self) -> dict[str, wiring.Component]:
        """Return what is to be made Verilog, by the names of the modules."""
        totals = tuple(counter.width for counter in self.followed)
        tap = Tap(events=self.events, totals=totals, width=self.map.width)
        return {self.name: Counters(self.map), f"{self.name}_tap": tap}

    def ports(self) -> list[Port]:
        """Return the ports of the network's module for software."""
        return axi_lite_ports(self.map.address_width)

    def wires(self) -> Iterator[str]:
        """Declare what is between the nodes and the counters."""
        nodes, width = self.network.topology.nodes, self.map.width
        yield "  wire counts_tick;"
        for node in range(nodes + 1):
            yield f"  wire [{width - 1}:0] counts_{node};"
        yield f"  assign counts_{nodes} = {width}'d0;"
        if self._stalls:
            for node in range(nodes):
                yield f"  wire [{self.network.topology.degree}:0] stalled_{node};"

    def connections(self, node: int) -> Iterator[str]:
        """Connect the further outputs of a node."""
        if self._stalls:
            yield f".stalled(stalled_{node})"

    def instances(self) -> Iterator[str]:
        """Yield the tap of each node, and where all comes together."""
        for node in range(self.network.topology.nodes):
            events = ", ".join(reversed(list(self._events(node))))
            totals = ", ".join(part(c.name, node, c.width) for c in reversed(self.followed))
            chain = f".after(counts_{node + 1}), .chain(counts_{node})"
            yield instance(
                f"{self.name}_tap",
                f"tap_{node}",
                f".clk(clk), .rst(rst), .tick(counts_tick), {chain}",
                f".events({{{events}}})",
                f".totals({{{totals}}})",
            )
        bus = ", ".join(
            f".bus__{port.name.removeprefix('s_axil_')}({port.name})" for port in self.ports()
        )
        clocks = ".clk(clk), .rst(rst), .tick(counts_tick), .chain(counts_0)"
        yield instance(self.name, "counters", clocks, bus)

    def _events(self, node: int) -> Iterator[str]:
        """Yield what is counted at a node, in the order of the registers."""
        counters, topology = self.network.counters, self.network.topology
        links, terminals = link_ends(self.network), terminal_end(self.network).text
        node_type = topology.node_type[node]
        there = node_type.terminal
        yield terminals.enters(node) if there else "1'b0"
        yield terminals.leaves(node) if there else f"{self.network.ejections}'b0"
        if counters and counters.ports:
            for port in range(topology.degree):
                yield links.passes(node, port) if port in node_type.outputs else "1'b0"
        if self._stalls:
            yield f"stalled_{node}"


def counting(network: AnyNetwork) -> Counting | None:
    """Return the counters of a network, if it has any."""
    return Counting(network) if network.counters else None
