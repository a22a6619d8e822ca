"""Stream links between nodes: an end at each node, and what carries words between two ends."""

from collections.abc import Iterator
from typing import ClassVar

from fingerpost.golden.algebra.chance import salt
from fingerpost.golden.link import StreamLink
from fingerpost.golden.link.frames import time_out
from fingerpost.golden.network.network import Network
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.ports import identifier, instance
from fingerpost.hdl.link.flit_link import FlitLinkEnds
from fingerpost.hdl.link.stream_channel import StreamChannel
from fingerpost.hdl.link.stream_end import StreamEnd


class StreamLinkEnds(FlitLinkEnds):
    """The ends of stream links, between the nodes; other links are wires.

    The wires of a link end with ``_r1`` behind its two ends.
    """

    kind: ClassVar[str] = StreamLink.kind

    def registers(self, node: int, port: int) -> int:
        """Return that what is sent is on other wires behind the ends of a link."""
        assert self.network.streams is not None
        return int(self.network.streams[node, port])

    def components(self) -> dict[str, Component]:
        network, link, name = self.network, self._link, identifier(self.network.name)
        assert isinstance(network, Network)
        frames = network.frames
        damaged = min(frames.flit.width, frames.end.width) - 1
        channel = {"cycles": link.cycles, "errors": link.errors, "damaged": damaged}
        late = time_out(link.cycles, link.frame)
        end = {"width": link.width, "depth": network.buffer_depth, "time_out": late}
        return {
            f"{name}_stream_end": StreamEnd(frames, **end),
            f"{name}_stream_channel": StreamChannel(width=link.width, **channel),
        }

    @property
    def _link(self) -> StreamLink:
        link = self.network.link
        assert isinstance(link, StreamLink)
        return link

    def _ends(self) -> Iterator[tuple[int, int]]:
        for node, node_type in enumerate(self.network.topology.node_type):
            yield from ((node, port) for port in node_type.outputs if self.registers(node, port))

    def wires(self) -> Iterator[str]:
        """Declare the wires of every link, and words between the ends of stream links."""
        yield from super().wires()
        for node, port in self._ends():
            for way in ("sent", "received"):
                name = self.wire(way, node, port)
                yield f" wire {name}_valid; wire [{self._link.width - 1}:0] {name}_payload;"

    def instances(self) -> Iterator[str]:
        name, ports = identifier(self.network.name), self.network.topology.all_ports
        for node, port in self._ends():
            from_there = self.origin[node, port]
            sent, received = (self.wire(way, node, port) for way in ("sent", "received"))
            yield instance(
                f"{name}_stream_end",
                self.wire("end", node, port),
                ".clk(clk), .rst(rst)",
                *(
                    ", ".join(
                        f".{end}__{x.name}({self.wire(x.name, *start, place)})"
                        for x in self.between()
                    )
                    for end, start, place in (("near", (node, port), 0), ("far", from_there, 1))
                ),
                f".tx__valid({sent}_valid), .tx__payload({sent}_payload), .tx__ready(1'd1)",
                f".rx__valid({self.wire('received', *from_there)}_valid)",
                f".rx__payload({self.wire('received', *from_there)}_payload)",
                ".up(), .downs(), .restarted()",
            )
            yield instance(
                f"{name}_stream_channel",
                self.wire("channel", node, port),
                ".clk(clk), .rst(rst)",
                f".salt(16'd{salt(node * ports + port)})",
                f".sent__valid({sent}_valid), .sent__payload({sent}_payload)",
                f".received__valid({received}_valid), .received__payload({received}_payload)",
            )
