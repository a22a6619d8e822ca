"""Stream links: ends between routers and the transceivers of boards; wires within a board."""

from collections.abc import Collection, Iterator
from typing import ClassVar

import numpy as np

from fingerpost.golden.algebra.chance import salt
from fingerpost.golden.link import StreamLink
from fingerpost.golden.link.frames import time_out
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.network.network import Network
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.ports import Port, declaration, identifier, instance
from fingerpost.hdl.link.flit_link import FlitLinkEnds
from fingerpost.hdl.link.stream_channel import StreamChannel
from fingerpost.hdl.link.stream_end import StreamEnd


class StreamLinkEnds(FlitLinkEnds):
    """A `StreamEnd` at both ends of each stream link; the other links are wires.

    Two ends in one module have a `StreamChannel` each way between them. An end whose link leaves
    the module has ports for a transceiver, named after the node and its port: ``link_3_0_tx_tdata``
    of port 0 of node 3. All ends show their state.
    """

    kind: ClassVar[str] = StreamLink.kind

    def __init__(self, network: AnyNetwork) -> None:
        super().__init__(network)
        link, streams = network.link, network.streams
        assert isinstance(link, StreamLink)
        assert streams is not None
        self.link, self.streams = link, streams
        self.prefix = f"{identifier(network.name)}_stream"

    def stages(self, node: int, port: int) -> int:
        """Return 1 for stream links: behind it are the wires from the far end to the router."""
        return int(self.streams[node, port])

    def end_ports(self, nodes: Collection[int]) -> list[Port]:
        """Return the state of all ends at nodes, and the words of those whose links leave them."""
        found = list[Port]()
        for node, port in self._ends(nodes):
            if self._peer(node, port)[0] not in nodes:
                found += self._words(node, port)
            found += self._state(node, port)
        return found

    def wires(self, nodes: Collection[int]) -> Iterator[str]:
        """Declare the wires of links, and the words between ends that are both here."""
        yield from super().wires(nodes)
        for node, port in self._ends(nodes):
            if self._peer(node, port)[0] in nodes:
                for word in self._words(node, port):
                    if not word.name.endswith("ready"):
                        yield f"  wire {declaration(word).partition(' ')[2]};"

    def end(self) -> StreamEnd:
        """Return an end of a link."""
        network, link = self.network, self.link
        assert isinstance(network, Network)
        late = time_out(link.cycles, link.frame)
        given = {"width": link.width, "depth": network.buffer_depth, "time_out": late}
        return StreamEnd(network.frames, **given)

    def components(self) -> dict[str, Component]:
        end, link = self.end(), self.link
        damaged = min(end.frames.flit.width, end.frames.end.width) - 1
        channel = {"cycles": link.cycles, "errors": link.errors, "damaged": damaged}
        return {
            f"{self.prefix}_end": end,
            f"{self.prefix}_channel": StreamChannel(width=link.width, **channel),
        }

    def instances(self, nodes: Collection[int]) -> Iterator[str]:
        ports = self.network.topology.all_ports
        for node, port in self._ends(nodes):
            own, (there, to) = f"link_{node}_{port}", self._peer(node, port)
            inside, state = there in nodes, self._state(node, port)
            ready = "1'd1" if inside else f"{own}_tx_tready"
            yield instance(
                f"{self.prefix}_end",
                f"end_{node}_{port}",
                ".clk(clk), .rst(rst)",
                self.joined("near", node, port, 0),
                self.joined("far", *self.origin[node, port], 1),
                f".tx__payload({own}_tx_tdata), .tx__valid({own}_tx_tvalid)",
                f".tx__ready({ready})",
                f".rx__payload({own}_rx_tdata), .rx__valid({own}_rx_tvalid)",
                ", ".join(f".{x.name.rpartition('_')[2]}({x.name})" for x in state),
            )
            if inside:
                received = f"link_{there}_{to}_rx"
                yield instance(
                    f"{self.prefix}_channel",
                    f"channel_{node}_{port}",
                    ".clk(clk), .rst(rst)",
                    f".salt(16'd{salt(np.array(node * ports + port))})",
                    f".sent__payload({own}_tx_tdata), .sent__valid({own}_tx_tvalid)",
                    f".received__payload({received}_tdata), .received__valid({received}_tvalid)",
                )

    def _ends(self, nodes: Collection[int]) -> Iterator[tuple[int, int]]:
        """Yield node and port of each end of a stream link at these nodes."""
        for node in nodes:
            for port in self.network.topology.node_type[node].outputs:
                if self.streams[node, port]:
                    yield node, port

    def _peer(self, node: int, port: int) -> tuple[int, int]:
        """Return node and port of the other end."""
        topology = self.network.topology
        return int(topology.neighbour[node, port]), int(topology.arrival_port[node, port])

    def _words(self, node: int, port: int) -> list[Port]:
        """Return the ports of an end for a transceiver."""
        name, width = f"link_{node}_{port}", self.link.width
        to = "node {}, port {}".format(*self._peer(node, port))
        return [
            Port(f"{name}_tx_tdata", "output", width, f"a word to {to}"),
            Port(f"{name}_tx_tvalid", "output", 1, f"{name}_tx_tdata is valid"),
            Port(f"{name}_tx_tready", "input", 1, "the word is taken"),
            Port(f"{name}_rx_tdata", "input", width, f"a word from {to}"),
            Port(f"{name}_rx_tvalid", "input", 1, f"{name}_rx_tdata is valid; it is taken at once"),
        ]

    def _state(self, node: int, port: int) -> list[Port]:
        """Return the ports of an end that show its state."""
        name, alone = f"link_{node}_{port}", "the other end was reset alone; hold both in reset"
        return [
            Port(f"{name}_up", "output", 1, "asserted while good frames arrive"),
            Port(f"{name}_downs", "output", 8, "how often it went down; saturates"),
            Port(f"{name}_restarted", "output", 1, alone),
        ]
