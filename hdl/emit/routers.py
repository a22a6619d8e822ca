"""The hardware of every kind of router in a network: modules, text, words of the manifest."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.network.network import Network
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.deflection.node import (
    deflection_router,
    node_parameters,
    time_instance,
    time_name,
    time_ports,
    time_verilog,
)
from fingerpost.hdl.deflection.node import node_verilog as deflection_node
from fingerpost.hdl.deflection.table import (
    REGISTERS,
    TableWriter,
    table_name,
    table_on_ecp5,
    table_verilog,
    writer_name,
)
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.ports import identifier
from fingerpost.hdl.lib.table import node_table_verilog
from fingerpost.hdl.node import Node, additions
from fingerpost.hdl.node import node as around
from fingerpost.hdl.router.router import Router


class Latency(NamedTuple):
    """What the cycles of a packet consist of, for the manifest."""

    way: str
    grant: str
    """Terms for the first flit; and, where a packet needs a grant, for a request and the grant."""
    header_cycles: int | None = None
    """What the terms name so, if they do."""


class Routers(ABC):
    """The routers of a network."""

    def __init__(self, network: Any) -> None:
        self.network = network

    @cached_property
    def names(self) -> dict[NodeType, str]:
        """The name of the router module for every node type."""
        return self._named("router")

    @cached_property
    def node_names(self) -> dict[NodeType, str]:
        """The name of the module that stands at every node type.

        It is the router, or what has the ends of its links and terminal around it.
        """
        return self._named("node") if self.has_around() else self.names

    def has_around(self) -> bool:
        """Return whether something stands around the routers."""
        return bool(additions(self.network))

    def _named(self, what: str) -> dict[NodeType, str]:
        node_types = self.network.topology.node_types
        name = f"{identifier(self.network.name)}_{what}"
        if len(node_types) == 1:
            return {node_types[0]: name}
        return {node_type: f"{name}_{number}" for number, node_type in enumerate(node_types)}

    @abstractmethod
    def components(self) -> dict[str, Component]:
        """Return what stands at the nodes, one for each node type, by the names of the modules."""

    def texts(self, components: Mapping[str, Any]) -> dict[str, str]:
        """Return modules by their names that are written as text, around these `components`."""
        del components
        return {}

    def on_ecp5(self) -> dict[str, str]:
        """Return those of `texts` that an ECP5 has cells for, with instances of them."""
        return {}

    def wires(self, nodes: Iterable[int]) -> list[str]:
        """Return what all nodes share or have beside them, as lines of a module with these."""
        return []

    @abstractmethod
    def instance(self, node: int) -> tuple[str, str]:
        """Return the module at a node with its parameters, and the connections of constants."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """Return what is of one kind of router only, for the manifest."""

    @abstractmethod
    def latency(self) -> Latency:
        """Return what the cycles of a packet consist of."""


class WormholeRouters(Routers):
    """Wormhole routers: what differs between nodes of a type enters by straps, or is in tables."""

    network: Network

    def components(self) -> dict[str, Component]:
        """Return routers, perhaps with what is around them."""
        return {name: node(self.network, kind) for kind, name in self.node_names.items()}

    def texts(self, components: Mapping[str, Any]) -> dict[str, str]:
        """Return the table that stands beside routers, if there is one."""
        table = self.network.routing.node_table
        if table is None:
            return {}
        name = node_table_name(self.network)
        return {name: node_table_verilog(name, table)}

    def wires(self, nodes: Iterable[int]) -> list[str]:
        """Return the tables of nodes."""
        network = self.network
        each = network.link.own_clocks
        return [
            line
            for node in nodes
            for line in table_instance(network, node, f"clk[{node}]" if each else "clk")
        ]

    def instance(self, node: int) -> tuple[str, str]:
        """Return the module, and its straps and increments, and what joins it with its table."""
        network = self.network
        node_type = network.topology.node_type[node]
        return self.node_names[node_type], ", ".join(
            f".{port}({joined})" for port, joined in node_constants(network, node).items()
        )

    def facts(self) -> dict[str, Any]:
        """Return parameters, the proof, and the straps and tables of all nodes."""
        network, table = self.network, self.network.routing.node_table
        names = "flit_width", "buffer_depth", "virtual_channels", "classes"
        promised = "service", "service_bound", "bypass_limit", "turn_bypass_limit"
        return {
            "straps": network.routing.straps.describe(),
            "table_bits": network.routing.table_bits(),
            "node_table": None
            if table is None
            else {
                "module": node_table_name(network),
                "address_width": table.address_width,
                "entry_width": table.width,
            },
            "router": {name: getattr(network, name) for name in (*names, *promised)},
            "deadlock": self._deadlock(),
            "node_straps": [
                {"module": self.node_names[node_type]}
                | dict(
                    zip(("straps", "increments"), map(hex, node_straps(network, node)), strict=True)
                )
                | ({"table": hex(node_entries(network, node))} if table else {})
                for node, node_type in enumerate(network.topology.node_type)
            ],
        }

    def _deadlock(self) -> dict[str, Any]:
        """Return the proof that the network is free of deadlock."""
        network = self.network
        channels, order = network.channels, network.order
        graph = channels.dependencies(network.channels_per_class)
        free = channels.is_free_of_deadlock(network.channels_per_class)
        return {
            "scheme": "a packet moves to the next channel at the increments of `node_straps`"
            + ("" if order is None else ": from above in the order and up again"),
            "assumption": network.assumption,
            "order": None if order is None else order.tolist(),
            "dependency_graph": {
                "vertices": graph.vertices,
                "edges": graph.edges,
                "cycles": 0 if free else None,
                "of_orbits": int(channels.orbit.max()) + 1,
            },
        }

    def latency(self) -> Latency:
        """Return the terms of `golden.network.network.Network.flit_latency`."""
        several = self.network.registers is not None
        there, back = " + registers" * several, " + registers_back" * several
        return Latency(
            f"hop_cycles * (hops + 1) + header_cycles{there}",
            f"hop_cycles * (hops + hops_back + 2) + 2 * header_cycles{there}{back} + grant_cycles",
            self.network.routing.header_cycles,
        )


class DeflectionRouters(Routers):
    """Deflection routers: their tables stand beside them, and all nodes share the time."""

    network: DeflectionNetwork

    def has_around(self) -> bool:
        """Return that tables stand beside routers."""
        return True

    def components(self) -> dict[str, Component]:
        """Return routers, and what writes tables."""
        network = self.network
        found: dict[str, Component] = {
            name: deflection_router(network, kind) for kind, name in self.names.items()
        }
        if network.link_up:
            found[writer_name(network)] = TableWriter(network)
        return found

    def texts(self, components: Mapping[str, Any]) -> dict[str, str]:
        """Return nodes, which join routers with their tables, tables, and the time."""
        network, names = self.network, self.names
        nodes = {
            node: deflection_node(components[names[kind]], node, names[kind])
            for kind, node in self.node_names.items()
        }
        return {
            **nodes,
            time_name(network): time_verilog(network),
            table_name(network): table_verilog(network),
        }

    def on_ecp5(self) -> dict[str, str]:
        """Return the table, if it is in block RAM."""
        return table_on_ecp5(self.network)

    def wires(self, nodes: Iterable[int]) -> list[str]:
        """Return the time."""
        return time_instance(self.network)

    def instance(self, node: int) -> tuple[str, str]:
        """Return the module with its table, and the time at it."""
        network = self.network
        name = self.node_names[network.topology.node_type[node]]
        constants = ", ".join(f".{name}({name})" for name in time_ports(network))
        if network.wait_limit is not None:
            constants += f", .pending(pending[{node}])"
        return f"{name} {node_parameters(network, node)}", constants

    def facts(self) -> dict[str, Any]:
        """Return parameters and bounds, the slots of each node type, and how tables are written."""
        network, names = self.network, self.node_names
        slots = {names[kind]: pairing._asdict() for kind, pairing in network.pairings.items()}
        return {"router": {**network.router_facts(), "slots": slots, **self._written_tables()}}

    def _written_tables(self) -> dict[str, Any]:
        """Return how tables are written, if they can be."""
        network, names = self.network, self.node_names
        if not network.link_up:
            return {}
        kinds = network.topology.node_types
        entries = {names[kind]: network.entry(len(kind.outputs)) for kind in kinds}
        return {
            "tables": {
                "module": writer_name(network),
                "registers": [
                    {"name": name, "offset": 4 * number, "meaning": meaning}
                    for number, (name, meaning) in enumerate(REGISTERS.items())
                ],
                "entry": {node: layout.describe() for node, layout in entries.items()},
            }
        }

    def latency(self) -> Latency:
        """Return the terms of `golden.network.deflection.DeflectionNetwork.flit_latency`."""
        return Latency(
            "hop_cycles * hops + 1", "hop_cycles * (hops + hops_back) + 2 + grant_cycles"
        )


ROUTERS: Mapping[str, type[Routers]] = {
    Network.router_kind: WormholeRouters,
    DeflectionNetwork.router_kind: DeflectionRouters,
}
"""The hardware of every kind of router by its name."""


@lru_cache(maxsize=2)
def routers(network: AnyNetwork) -> Routers:
    """Return the hardware of a network's routers."""
    return ROUTERS[network.router_kind](network)


def router_names(network: AnyNetwork) -> dict[NodeType, str]:
    """Return the name of the router module for every node type."""
    return routers(network).names


def node_names(network: AnyNetwork) -> dict[NodeType, str]:
    """Return the name of the module that stands at every node type; see `Routers.node_names`."""
    return routers(network).node_names


def node_straps(network: Network, node: int) -> tuple[int, int]:
    """Return the packed constants `straps` and `increments` of the router at `node`."""
    raises = network.channels.vc_increments[node, :-1, :-1].ravel()
    increments = sum(int(bit) << place for place, bit in enumerate(raises))
    return network.routing.straps.at(node), increments


def node_entries(network: Network, node: int) -> int:
    """Return the table beside the router at `node` as one word; 0 if there is none."""
    table = network.routing.node_table
    return table.at(node) if table and network.topology.node_type[node].terminals else 0


def node_table_name(network: Network) -> str:
    """Return the name of the module of the tables beside routers."""
    return f"{identifier(network.name)}_table"


def node_constants(network: Network, node: int) -> dict[str, str]:
    """Return what constants of a node, and its table, are connected to, by port."""
    straps, increments = node_straps(network, node)
    width, found = network.routing.straps.width, dict[str, str]()
    if width:
        found["straps"] = f"{width}'h{straps:x}"
    if network.routing.node_table and network.topology.node_type[node].terminals:
        found |= {f"table__{port}": f"{port}_{node}" for port in ("address", "entry")}
    return found | {"increments": f"{network.topology.local**2}'h{increments:x}"}


def table_instance(network: Network, node: int, clock: str = "clk") -> list[str]:
    """Return the table of a node, if it has one, and the wires between it and the node."""
    table, name = network.routing.node_table, node_table_name(network)
    if not table or not network.topology.node_type[node].terminals:
        return []
    word = f"{table.width << table.address_width}'h{node_entries(network, node):x}"
    return [
        f"  wire [{table.address_width - 1}:0] address_{node};",
        f"  wire [{table.width - 1}:0] entry_{node};",
        f"  {name} #(.ENTRIES({word})) table_{node}(",
        f"    .clk({clock}), .address(address_{node}), .entry(entry_{node})",
        "  );",
    ]


def router(network: Network, node_type: NodeType | None = None) -> Router:
    """Return the router of a network for one node type, by default the most frequent."""
    node_type = node_type or network.topology.node_types[0]
    return Router(
        network.routing,
        lanes=network.lanes,
        depth=network.buffer_depth,
        flit_width=network.flit_width,
        batches=network.batches,
        bypass_limits=network.bypass_limits,
        pipeline=network.pipeline,
        stalls=network.counters is not None and network.counters.ports,
        node_type=node_type,
        used_turns=network.used_turns[node_type],
    )


def node(network: Network, node_type: NodeType | None = None) -> Router | Node:
    """Return what stands at a node: its router, or that with the ends of its links around it."""
    return around(network, router(network, node_type))
