"""The counters of a network: a tap at every node, where all is added up, and how they are wired."""

from collections.abc import Iterator
from functools import cached_property

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out, connect, flipped

from fingerpost.golden.counters import Counter
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.bus.registers import AxiLitePort, AxiLiteSignature, axi_lite_ports
from fingerpost.hdl.counting.registers import RegisterMap, followed, register_map
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.memory import NO_RW_CHECK
from fingerpost.hdl.lib.ports import Port, identifier, instance, of_node
from fingerpost.hdl.lib.registers import WORD
from fingerpost.hdl.link import link_ends
from fingerpost.hdl.terminal import terminal_end


class Tap(Component):
    """Count at one node, and hand over the counts of all nodes at once, one after another.

    At a tick all counts go to registers that are a chain through all nodes, and begin anew: so
    what is handed over is of one and the same cycle, and no event is lost. Behind the tick the
    chain moves by one place in every cycle. All that comes in passes a register first: nothing of
    the network waits for it.

    Parameters
    ----------
    events : int
        Events that are counted.
    totals : tuple of int
        The widths of counters of others that are followed: they count from the reset on, and what
        they have counted since the last tick is handed over.
    width : int
        Bits of a count: enough for an event in every cycle from tick to tick.

    Members
    -------
    tick : ``In(1)``                What came before this cycle is handed over.
    events : ``In(events)``         Bit e: event e, in this cycle.
    totals : ``In(sum(totals))``    The counters that are followed, the first lowest.
    after : ``In(width)``           The chain, from the next node.
    chain : ``Out(width)``          And to the one before; two cycles after the tick it has the
                                    first event's count.

    Raises
    ------
    ValueError
        If a counter that is followed does not fit.
    """

    def __init__(self, *, events: int, totals: tuple[int, ...], width: int) -> None:
        if max(totals, default=0) > width:
            raise ValueError(f"Tap needs a width of at least {max(totals)}, not {width}")
        self.widths, self.width = totals, width
        super().__init__(
            tick=In(1),
            events=In(events),
            totals=In(sum(totals)),
            after=In(width),
            chain=Out(width),
        )

    def elaborate(self, platform: object) -> Module:
        """Count, and move."""
        m = Module()
        tick, events, totals = Signal(), Signal.like(self.events), Signal.like(self.totals)
        m.d.sync += [tick.eq(self.tick), events.eq(self.events), totals.eq(self.totals)]
        counts: list[Value] = []
        for place, event in enumerate(events):
            count = Signal(self.width, name=f"count{place}")
            with m.If(tick):
                m.d.sync += count.eq(event)
            with m.Else():
                m.d.sync += count.eq(count + event)
            counts.append(count)
        start = 0
        for place, width in enumerate(self.widths):
            total, before = totals[start : start + width], Signal(width, name=f"before{place}")
            start += width
            with m.If(tick):
                m.d.sync += before.eq(total)
            counts.append((total - before)[:width])
        held = [Signal(self.width, name=f"held{place}") for place in range(len(counts))]
        chain: list[Value] = [*held, self.after]
        for hold, counted, following in zip(held, counts, chain[1:], strict=True):
            with m.If(tick):
                m.d.sync += hold.eq(counted)
            with m.Else():
                m.d.sync += hold.eq(following)
        m.d.comb += self.chain.eq(held[0])
        return m


class Counters(Component):
    """Fetch the counts of all nodes round after round, add them up, and show a snapshot.

    A round begins with a tick, at which the taps hand over what they have counted. Their counts
    come along the chain in the order of the registers, one a cycle, and each is added to its sum,
    in a memory. A snapshot is a second memory, to which the sums of a round are written
    too: all of the cycle of one tick. To clear is to begin the next round from 0, so that what
    is in no snapshot is in none of the counts after it, and nothing is counted twice.

    Parameters
    ----------
    map : RegisterMap

    Members
    -------
    bus : ``In(AxiLiteSignature)``    The port of software.
    tick : ``Out(1)``                 To all taps.
    chain : ``In(width)``             From the first of them.
    """

    def __init__(self, map: RegisterMap) -> None:
        self.map, self.round = map, map.round
        super().__init__(
            bus=In(AxiLiteSignature(map.address_width)), tick=Out(1), chain=In(map.width)
        )

    def elaborate(self, platform: object) -> Module:
        """Go round, add up, and answer."""
        m = Module()
        m.submodules.port = port = AxiLitePort(self.map.address_width)
        connect(m, flipped(self.bus), port.bus)
        snapping, fresh, busy = self._commands(m, port)
        shown = self._rounds(m, snapping, fresh, port.address)
        self._registers(m, port, shown, busy)
        return m

    def _commands(self, m: Module, port: AxiLitePort) -> tuple[Signal, Signal, Value]:
        """Take what is written; return: a snapshot is taken, sums begin at 0, something is due."""
        control = self.map.named("control")
        writes = Signal()
        m.d.comb += [
            port.refuse.eq(port.written != control.address // WORD),
            writes.eq(port.write & ~port.refuse & port.strobe[0]),
        ]
        # The first round after a reset begins from 0, and is a snapshot.
        snapshot, clear = Signal(init=1), Signal()
        asked = {part.name: port.value[part.offset] & writes for part in control.fields}
        m.d.sync += [
            snapshot.eq(Mux(self.tick, 0, snapshot) | asked["snapshot"]),
            clear.eq(Mux(self.tick, 0, clear) | asked["clear"]),
        ]
        snapping, clearing, fresh = Signal(), Signal(init=1), Signal()
        with m.If(self.tick):
            m.d.sync += [snapping.eq(snapshot), clearing.eq(clear), fresh.eq(clearing)]
        return snapping, fresh, snapshot | clear | snapping

    def _rounds(self, m: Module, snapping: Signal, fresh: Signal, address: Signal) -> Value:
        """Add up; return what the snapshot has at an address."""
        counters = self.map.counters
        step, begun = Signal(range(self.round)), Signal()
        m.d.sync += [step.eq(Mux(step == self.round - 1, 0, step + 1)), begun.eq(1)]
        m.d.comb += self.tick.eq((step == 0) & begun)
        # The counter of cycles comes first, while the taps get ready.
        place, first, moves = Signal(range(self.round)), Signal(), Signal()
        m.d.sync += [place.eq(step), first.eq(self.tick)]
        with m.If(self.tick):
            m.d.sync += moves.eq(1)
        with m.Elif(step == counters):
            m.d.sync += moves.eq(0)

        # Sums are read two cycles before they are written, and software waits while busy is set.
        live: Memory = Memory(shape=32, depth=counters, init=[], attrs=NO_RW_CHECK)
        shown: Memory = Memory(shape=32, depth=counters, init=[], attrs=NO_RW_CHECK)
        m.submodules.live, m.submodules.shown = live, shown
        before, after = live.read_port(), live.write_port()
        copy, look = shown.write_port(), shown.read_port()
        count, added = Signal(len(self.chain)), Signal(32)
        places = [Signal.like(place, name=f"place{cycle}") for cycle in (1, 2)]
        valid = [Signal(name=f"valid{cycle}") for cycle in (1, 2)]
        m.d.comb += [
            before.addr.eq(place),
            after.addr.eq(places[1]),
            copy.addr.eq(places[1]),
            after.data.eq(added),
            copy.data.eq(added),
            after.en.eq(valid[1]),
            copy.en.eq(valid[1] & snapping),
            look.addr.eq(address),
        ]
        m.d.sync += [
            count.eq(Mux(first, self.round, self.chain)),
            Cat(places).eq(Cat(place, places[0])),
            Cat(valid).eq(Cat(moves, valid[0])),
            added.eq(Mux(fresh, 0, before.data) + count),
        ]
        with m.If(step == self.round - 1):
            m.d.sync += snapping.eq(0)
        return look.data

    def _registers(self, m: Module, port: AxiLitePort, shown: Value, busy: Value) -> None:
        """Give what is read."""
        words: dict[int, Value | int] = {self.map.named("status").address: busy}
        words |= dict(self.map.constants()) | {self.map.named("control").address: 0}
        first = self.map.base // WORD
        with m.If(port.address >= first):
            m.d.comb += [
                port.data.eq(shown),
                port.bad.eq(port.address >= first + self.map.counters),
            ]
            with m.If(port.bad):
                m.d.comb += port.data.eq(0)
        with m.Else():
            with m.Switch(port.address):
                for address, word in words.items():
                    with m.Case(address // WORD):
                        m.d.comb += port.data.eq(word)
                with m.Default():
                    m.d.comb += port.bad.eq(1)


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
    def followed(self) -> list[tuple[Counter, int]]:
        """The counters of a node that are followed, with the local port of those of terminals."""
        return [(c, local) for c, count in followed(self.network) for local in range(count)]

    @cached_property
    def events(self) -> int:
        """Events that are counted at a node."""
        return self.map.each - len(self.followed)

    @property
    def _stalls(self) -> bool:
        """Return whether cycles are counted in which flits wait for an output."""
        counters = self.network.counters
        return counters is not None and counters.ports and self.network.virtual_channels > 0

    def components(self) -> dict[str, Component]:
        """Return what is to be made Verilog, by the names of the modules."""
        totals = tuple(counter.width for counter, _ in self.followed)
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
                yield f"  wire [{self.network.topology.all_ports - 1}:0] stalled_{node};"

    def connections(self, node: int) -> Iterator[str]:
        """Connect the further outputs of a node."""
        if self._stalls:
            yield f".stalled(stalled_{node})"

    def instances(self) -> Iterator[str]:
        """Yield the tap of each node, and where all comes together."""
        for node in range(self.network.topology.nodes):
            events = ", ".join(reversed(list(self._events(node))))
            totals = ", ".join(self._total(node, *each) for each in reversed(self.followed))
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

    def _total(self, node: int, counter: Counter, local: int) -> str:
        """Return a counter of a node that is followed; 0 of a terminal that is not there."""
        topology, text = self.network.topology, terminal_end(self.network).text
        if counter not in self.network.terminal.counters:
            return of_node(counter.name, node)
        if local >= topology.node_type[node].terminals:
            return f"{counter.width}'d0"
        return text.wire(counter.name, node * topology.local_ports + local)

    def _events(self, node: int) -> Iterator[str]:
        """Yield what is counted at a node, in the order of the registers."""
        counters, topology = self.network.counters, self.network.topology
        links, terminals = link_ends(self.network), terminal_end(self.network).text
        node_type = topology.node_type[node]
        first, several = node * topology.local_ports, topology.local_ports
        for shown, width in ((terminals.enters, 1), (terminals.leaves, self.network.ejections)):
            for local in range(several):
                there = local < node_type.terminals
                yield shown(first + local) if there else f"{width}'b0"
        if counters and counters.ports:
            for port in range(topology.degree):
                yield links.passes(node, port) if port in node_type.outputs else "1'b0"
        if self._stalls:
            yield f"stalled_{node}"


def counting(network: AnyNetwork) -> Counting | None:
    """Return the counters of a network, if it has any."""
    return Counting(network) if network.counters else None
