"""Minimal routing in hardware; the twin of fingerpost.golden.routing.scc_minimal."""

from amaranth import Module, Mux, Signal
from amaranth.lib.memory import Memory

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing import Minimal as Golden
from fingerpost.golden.topology.scc import Scc
from fingerpost.hdl.routing.base import RoutingUnit

__all__ = ["Minimal"]


class Minimal(RoutingUnit):
    """The shortest route, from a table; combinational (Algorithm 3 of the paper).

    Two ROMs, each addressed by the number of the permutation:
    of output ports, for every ring position of the node and the destination, and of the numbers
    behind the lateral links. A router, where the former position is a constant, keeps its part of
    them only, which is `routing.table_bits()`.
    """

    algorithm = "minimal"

    routing: Golden

    def elaborate(self, platform: object) -> Module:
        """Look up the port, and what is behind a lateral link."""
        m = Module()
        topology, header = self.routing.topology, self.header
        ports = self._rom(m, "ports", self.routing.ports, len(self.port))
        behind = self._rom(m, "behind", self.routing.behind, len(header.number))
        wrong = header.number >= len(topology.labels)
        if isinstance(topology, Scc):
            n, i = topology.n, (self.straps.i - 1)[: len(self.straps.i)]
            here = ports.word_select(i, len(ports) // (n - 1))
            number = Mux(
                self.port == topology.lateral,
                behind.word_select(i, len(header.number)),
                header.number,
            )
            wrong |= (header.i_d == 0) | (header.i_d >= n)
            m.d.comb += [
                self.port.eq(here.word_select((header.i_d - 1)[: len(header.i_d)], len(self.port))),
                self.next_header.i_d.eq(header.i_d),
                self.next_header.number.eq(number),
            ]
        else:
            m.d.comb += [self.port.eq(ports), self.next_header.number.eq(behind)]
        m.d.comb += self.error.eq((self.arrival == topology.local) & wrong)
        return m

    def _rom(self, m: Module, name: str, table: IntArray, width: int) -> Signal:
        """Return all entries for the permutation, the first lowest."""
        rows = table.reshape(len(table), -1).tolist()
        word = Signal(len(rows[0]) * width, name=name)
        init = [sum(entry << k * width for k, entry in enumerate(row)) for row in rows]
        depth = 1 << len(self.header.number)  # to the end of the addresses: nothing is undefined
        memory: Memory = Memory(shape=len(word), depth=depth, init=init)
        m.submodules[f"{name}_rom"] = memory
        port = memory.read_port(domain="comb")
        m.d.comb += [port.addr.eq(self.header.number), word.eq(port.data)]
        return word
