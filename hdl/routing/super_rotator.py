"""Routing in super rotator graphs in hardware; the twin of golden.routing.super_rotator."""

from collections.abc import Sequence

import numpy as np
from amaranth import Cat, Const, Module, Mux, Signal, Value

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.header import bits
from fingerpost.golden.routing import ClassRouting as Golden
from fingerpost.golden.routing.super_rotator import DOWN, HERE, STAY, UP
from fingerpost.hdl.lib.logic import at_least, encode, highest, rom, select
from fingerpost.hdl.routing.base import HeaderGenerator, RoutingUnit
from fingerpost.hdl.routing.rotator import descents, renamed


class ClassRoutingHeaderGenerator(HeaderGenerator):
    """The goal, from ROMs, and the type B link; two cycles.

    First the label of the destination, and those of the nodes above it with type B links to it.
    Then the hops to these, or from those behind the type B links up, are counted and compared.
    """

    routing: Golden

    def elaborate(self, platform: object) -> Module:
        """Look up in the first cycle, compare in the second."""
        m = Module()
        topology = self.routing.topology
        destination, own = self.header.destination, self.straps["class"]
        goal, error = self._goal(m, destination), Signal()
        down = Signal()
        m.d.sync += [error.eq(at_least(destination, Const(topology.nodes))), self.error.eq(error)]
        m.d.sync += [
            self.next_header.stage.eq(Mux(down, DOWN, STAY)),
            self.next_header.link.eq(0),
            *(self.next_header[f"place{a}"].eq(place) for a, place in enumerate(goal)),
        ]

        for i in np.flatnonzero(topology.counts)[1:].tolist():
            above, below = (
                at_least(destination, Const(int(bound[i])))
                for bound in (topology.base, topology.end)
            )
            tails = self._tails(m, i, destination)
            rises, falls = Signal(name=f"rises{i}"), Signal(name=f"falls{i}")
            m.d.sync += [
                rises.eq(above & ~below & (own < i)),
                falls.eq(below & (own == i)),
            ]
            port = int(topology.lower[i]) - 1
            if port in self.routing.compared:
                chosen = self._chosen(m, i, rises, goal, tails)
            else:
                chosen = Const(1, 1)
            with m.If(falls):
                m.d.comb += down.eq(1)
                for a in range(i + 1):
                    place = select(chosen, [tail[a] for tail in tails])
                    m.d.sync += self.next_header[f"place{a}"].eq(place)
                for a in range(i + 1, topology.n + 1):
                    m.d.sync += self.next_header[f"place{a}"].eq(a)
            with m.If(rises):
                m.d.sync += [
                    self.next_header.stage.eq(UP),
                    self.next_header.link.eq(port + encode(chosen)),
                ]
        return m

    def _registered(self, m: Module, word: Value, name: str, places: int) -> list[Signal]:
        """Return the places of letters that a ROM holds side by side, a cycle later."""
        width = bits(self.routing.topology.n + 1)
        registers = [Signal(width, name=f"{name}_{a}") for a in range(places)]
        m.d.sync += [register.eq(word[width * a :]) for a, register in enumerate(registers)]
        return registers

    def _packed(self, place: IntArray) -> list[int]:
        width = bits(self.routing.topology.n + 1)
        words: list[int] = (place << width * np.arange(place.shape[-1])).sum(axis=-1).tolist()
        return words

    def _goal(self, m: Module, destination: Value) -> list[Signal]:
        """Look up the label of the destination."""
        place = self.routing.place
        word = rom(m, "labels", destination, self._packed(place))
        return self._registered(m, word, "goal", place.shape[1])

    def _tails(self, m: Module, i: int, destination: Value) -> list[list[Signal]]:
        """Look up the labels of the nodes in class i with type B links to the destination."""
        tails = self.routing.tails(i)
        # The destinations are in a row, so that their low bits tell them apart.
        index = destination[: bits(len(tails))]
        size = 1 << len(index)
        order = (np.arange(size) - int(self.routing.topology.end[i])) % size
        registers = []
        for s in range(tails.shape[1]):
            place = np.zeros((size, i + 1), np.int64)
            place[: len(tails)] = self.routing.place[tails[:, s], : i + 1]
            word = rom(m, f"tails{i}_{s}", index, self._packed(place[order]))
            registers.append(self._registered(m, word, f"tail{i}_{s}", i + 1))
        return registers

    def _chosen(
        self, m: Module, i: int, rises: Value, goal: list[Signal], tails: list[list[Signal]]
    ) -> Value:
        """Return one-hot the first of the type B links of class i with the fewest hops."""
        port = int(self.routing.topology.lower[i]) - 1
        hops = []
        for s, tail in enumerate(tails):
            start = [
                Mux(rises, self.straps[f"head{port + s}_{t}"], self.straps[f"letter{t}"])
                for t in range(i + 1)
            ]
            end = [Mux(rises, a, b) for a, b in zip(goal, tail, strict=False)]
            hops.append(self._hops(m, f"label{i}_{s}_", i, start, end))
        return Cat(
            Cat(mine <= other for other in hops[s + 1 :]).all()
            & Cat(mine < other for other in hops[:s]).all()
            for s, mine in enumerate(hops)
        )

    def _hops(
        self, m: Module, name: str, i: int, start: Sequence[Value], place: Sequence[Value]
    ) -> Value:
        """Return the hops in class i from the label `start` to the one with letters at `place`."""
        label = renamed(m, name, place, start)
        exists = [letter < int(self.routing.topology.counts[i]) for letter in start]
        steps = descents(label)
        hops = []
        for t in range(i):
            waiting = steps[t + 1 :].any()
            # A letter that should go to the last place, but cannot, waits for another turn.
            beyond = (label[t] > label[i]) & ~exists[t]
            for u in range(t):
                beyond &= (label[t] > label[u]) | ~exists[u]
            hops += [waiting, waiting & beyond]
        count = Signal(range(2 * i), name=f"{name}hops")
        m.d.comb += count.eq(sum(hops))
        return count


class ClassRouting(RoutingUnit):
    """The hop within a class, and over a type B link at its end; combinational."""

    algorithm = "class"
    header_generator = ClassRoutingHeaderGenerator

    routing: Golden

    def elaborate(self, platform: object) -> Module:
        """Decide by the stage, and by the longest increasing suffix of the renamed label."""
        m = Module()
        topology, n = self.routing.topology, self.routing.topology.n
        header, straps = self.header, self.straps
        place = [header[f"place{a}"] for a in range(n + 1)]
        label = renamed(m, "label", place, [straps[f"letter{t}"] for t in range(n + 1)])

        # As in a rotator graph, but that g_(i+1) may lead to no component: then it is g_k.
        smaller, rotate, over, arrived = Signal(n + 1), Signal(n - 1), Signal(), Signal()
        m.d.comb += [
            smaller.eq(Cat(letter < label[0] for letter in label)),
            over.eq(smaller.bit_select(straps["class"], 1)),  # l = i + 1
            rotate.eq((descents(label) | Mux(over, 0, smaller << 1))[2:]),
            arrived.eq(~rotate.any() & ~over),
            self.next_header.eq(header),
        ]
        with m.If(header.stage == UP):
            m.d.comb += [self.port.eq(header.link), self.next_header.stage.eq(STAY)]
        with m.Elif(header.stage == HERE):
            m.d.comb += self.port.eq(topology.local)
        with m.Elif(arrived & (header.stage == DOWN)):
            m.d.comb += [self.port.eq(topology.b_port), self.next_header.stage.eq(HERE)]
        with m.Elif(arrived):
            m.d.comb += self.port.eq(topology.local)
        with m.Elif(over & straps.across):
            m.d.comb += self.port.eq(topology.a_port)
        with m.Else():
            m.d.comb += self.port.eq(encode(highest(rotate)))
        return m
