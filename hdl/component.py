"""A network as an Amaranth component, for designs that are themselves written in Amaranth."""

from typing import Any

import numpy as np
from amaranth import C, Cat, Module, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from fingerpost.golden.arguments import fitted
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.network.network import Network
from fingerpost.golden.terminal import AxiStreamTerminal
from fingerpost.hdl.emit.routers import node, node_straps
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.table import stand_beside
from fingerpost.hdl.terminal.axi_stream import AxiStreamTerminalEnd


class NetworkComponent(Component):
    """A network with a stream of beats in and out at every terminal.

    Parameters
    ----------
    network : Network
        With AXI4-Stream terminals of one endpoint, links of kind flit and one message class.

    Members
    -------
    send : ``In(stream.Signature)``, by terminal
        Beats: data, keep (bytes in use; all, except in the last beat; not if a beat has one byte),
        last, dest (number of the terminal to send to), bad.
    receive : ``Out(stream.Signature)``, by terminal
        Beats: data, keep, last, source, bad.

    Raises
    ------
    ValueError
        If it has other terminals, endpoints, links or classes.

    Attributes
    ----------
    terminals : tuple of int
        The number of each terminal: that of its node, if no router has several.
    """

    def __init__(self, network: Network) -> None:
        terminal = network.terminal
        if terminal.kind != AxiStreamTerminal.kind or network.link.kind != "flit":
            raise ValueError(
                f"Component needs terminal: {{kind: axi-stream}} and link: {{kind: flit}}, not "
                f"{terminal.kind} and {network.link.kind}"
            )
        if terminal.endpoints > 1:
            raise ValueError("Component needs endpoints: 1; stand hdl.terminal.endpoints before it")
        if network.classes != 1:
            raise ValueError(f"Component needs one message class, not {network.classes}")
        self.network = network
        self.terminals: tuple[int, ...] = tuple(network.topology.terminals.tolist())
        self.end = AxiStreamTerminalEnd(network)
        bytes, number = self.end.spec.layout.bytes, self.end.spec.layout.number
        beat = {"data": 8 * bytes, **({"keep": bytes} if bytes > 1 else {}), "last": 1}
        sent = data.StructLayout({**beat, "dest": number, "bad": 1})
        received = data.StructLayout({**beat, "source": number, "bad": 1})
        places = len(self.terminals)
        super().__init__(
            send=In(stream.Signature(sent)).array(places),
            receive=Out(stream.Signature(received)).array(places),
        )

    def elaborate(self, platform: object) -> Module:
        """Stand a node at every place, and wire them."""
        m, network = Module(), self.network
        topology = network.topology
        nodes: list[Any] = []
        for v, node_type in enumerate(topology.node_type):
            m.submodules[f"node_{v}"] = here = node(network, node_type)
            straps, increments = node_straps(network, v)
            m.d.comb += [here.straps.as_value().eq(straps), here.increments.eq(increments)]
            stand_beside(m, network.routing.node_table, v, here)
            nodes.append(here)
        for v, node_type in enumerate(topology.node_type):
            for port in node_type.outputs:
                start = nodes[v].outputs[port]
                end = nodes[topology.neighbour[v, port]].inputs[topology.arrival_port[v, port]]
                m.d.comb += [
                    end.valid.eq(start.valid),
                    end.flit.eq(start.flit),
                    start.credit.eq(end.credit),
                ]
        for place, terminal in enumerate(self.terminals):
            v, local = divmod(terminal, topology.local_ports)
            self._terminal(m, place, terminal, self.end.at(nodes[v], local))
        return m

    def _terminal(self, m: Module, place: int, v: int, here: Any) -> None:
        """Connect the streams of a terminal, and its table of headers."""
        send, receive, number = self.send[place], self.receive[place], self.end.spec.layout.number
        beat, got = send.payload, receive.payload
        m.d.comb += [
            *(here.s_axis.tvalid.eq(send.valid), send.ready.eq(here.s_axis.tready)),
            *(here.s_axis.tdata.eq(beat.data), here.s_axis.tlast.eq(beat.last)),
            *(here.s_axis.tuser.eq(beat.bad), got.last.eq(here.m_axis.tlast)),
            *(receive.valid.eq(here.m_axis.tvalid), here.m_axis.tready.eq(receive.ready)),
            *(got.data.eq(here.m_axis.tdata), Cat(got.bad, got.source).eq(here.m_axis.tuser)),
        ]
        if self.end.spec.layout.bytes > 1:
            m.d.comb += [here.s_axis.tkeep.eq(beat.keep), got.keep.eq(here.m_axis.tkeep)]
        header = Signal(self.end.spec.layout.header, name=f"header_{v}")
        known = Signal(name=f"known_{v}")
        stores = self.end.spec.asks
        asked = here.peer if stores else beat.dest
        to = np.array(self.terminals)
        headers = self.network.routing.addresses(np.full_like(to, v), to).tolist()
        with m.Switch(asked):
            for other, word in zip(self.terminals, headers, strict=True):
                with m.Case(other):
                    m.d.comb += [header.eq(word), known.eq(1)]
        m.d.comb += here.known.eq(known)
        if stores:
            m.d.comb += here.dest.eq(beat.dest)
        if self.end.spec.flow:
            m.d.comb += [here.header.eq(header), here.source.eq(v)]
        else:
            m.d.comb += here.head.eq(Cat(header, C(v, number)))


def component(network: AnyNetwork) -> NetworkComponent:
    """Return a network as a component of Amaranth; see `NetworkComponent`."""
    return NetworkComponent(fitted("component", "network", network, Network))
