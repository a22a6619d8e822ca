"""One packet of a simulation, followed through the network: a line a stage, and why it waits.

The model runs as it does in `simulate`; its registers are looked at before and after each cycle.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from fingerpost.golden.arguments import checked
from fingerpost.golden.engine import Engine, engine
from fingerpost.golden.jit.bits import SMALL, trailing_zeros
from fingerpost.golden.jit.plain import view
from fingerpost.golden.measure.simulation import CYCLES, check, default_load, make_windows
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.network.network import Network
from fingerpost.golden.router.delay_line import last_written
from fingerpost.golden.router.state import of_run
from fingerpost.golden.router.vc_buffer import out_channel, row_at
from fingerpost.golden.terminal import CreditTerminal
from fingerpost.golden.traffic import Arrivals, Lengths, Offered, Pattern, Traffic, Windows

WAITS = {
    "queue": "behind packet {}",
    "terminal": "not yet sent by its terminal",
    "class": "the terminal sends a packet of another class",
    "credit": "no credit",
    "channel": "output channel held by packet {}",
    "batch": "served in this batch; other heads are pending",
    "input": "the candidate of its input is packet {}",
    "output": "the output was granted to packet {}",
    "injection": "no free slot",
}
"""Why a packet waits, by the word for it in `Event.waits`."""

PLAIN = 50_000
"""Nodes times cycles before the packet is made, up to which nothing is worth a compilation."""


@dataclass(frozen=True)
class Event:
    """What a packet does, or what it waits for, in some cycles."""

    cycle: int
    cycles: int
    """The first cycle, and how many. Those of all events add up to the latency; the events of a
    tail, and the last one, have none."""
    stage: str
    """``terminal``, at either end; ``HG``: header generation; ``RC``, with LT of the link before
    it; ``buffer``; ``VA``, ``SA``, which is ``ST`` too with `hop_cycles` 2; ``ST``; ``LT``, of
    longer links, and to the terminal; ``tail``. Of deflection routers ``hop``."""
    node: int
    port: int
    """The input port for what happens there, up to ``buffer``; else the output port. The port of
    the terminal is the degree."""
    channel: int
    """Of that port; of the terminal the message class."""
    waits: str = ""
    """A key of `WAITS`; nothing if the packet moves."""
    packet: int | None = None
    """The packet for which it waits, if that is known."""
    why: str = ""
    """The same for people."""


@dataclass(frozen=True)
class Watch:
    """A packet that was watched."""

    packet: int
    source: int
    destination: int
    message_class: int
    length: int
    created: int
    """The cycle in which it was made."""
    delivered: int | None
    """The cycle in which its tail arrived; None: it did not."""
    hops: int
    """Links that its head has crossed."""
    events: list[Event] = field(repr=False)
    """In the order of their cycles."""

    @property
    def latency(self) -> int | None:
        """Return the cycles from its creation to the arrival of its tail; None: not yet."""
        return None if self.delivered is None else self.delivered - self.created

    @property
    def waits(self) -> Mapping[str, int]:
        """Return the cycles in which it waited, by `Event.waits`."""
        found = dict[str, int]()
        for each in self.events:
            if each.waits:
                found[each.waits] = found.get(each.waits, 0) + each.cycles
        return found

    def facts(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return asdict(self) | {"latency": self.latency, "waits": self.waits}


@checked
def watch(
    network: AnyNetwork,
    packet: int,
    *,
    load: float | None = None,
    cycles: int = CYCLES,
    warm_up: int | None = None,
    seed: int = 0,
    pattern: Pattern | str = "uniform",
    arrivals: Arrivals | str = "bernoulli",
    packet_length: Lengths | str | int | tuple[int, int] = 1,
    classes: Sequence[float] | None = None,
) -> Watch:
    """Follow one packet of the traffic that `simulate` sends with the same arguments.

    Parameters
    ----------
    packet : int
        Its number: packets are numbered from 0 in the order in which they are made; those of one
        cycle by source, then by message class.
    load, seed, pattern, arrivals, packet_length, classes
        See `fingerpost.golden.measure.simulate`.
    cycles, warm_up : int
        Packets are made, and the packet is followed, in so many cycles together.

    Raises
    ------
    ValueError
        If there is no such packet; if the load is impossible; if terminals at deflection routers
        send packets of several flits.

    Examples
    --------
    >>> from fingerpost.golden.network.network import build
    >>> star = {"topology": {"family": "star", "n": 3}, "routing": {"algorithm": "greedy"}}
    >>> found = watch(build({"name": "ring", **star}), 5, load=0.1, cycles=200)
    >>> [event.stage for event in found.events][:3], found.latency == 3 * (found.hops + 1)
    (['RC', 'SA', 'ST'], True)
    """
    FOLLOWERS[network.router_kind].check(network)
    offered = Offered(
        network,
        default_load(load, pattern),
        (warm_up or 0) + cycles,
        seed=seed,
        pattern=pattern,
        arrivals=arrivals,
        lengths=packet_length,
        classes=classes,
    )
    lengths, _, _ = offered.spelled
    check(cycles, warm_up, 0.0, lengths.most, 0.0)
    windows = make_windows(network, offered)
    last = _window_of(windows, packet)
    while True:  # what is made later than the packet is looked at only if it can matter
        some = min(last + 1, len(windows))
        found = _follow(network, windows.joined(some), packet)
        if found.delivered is not None or some == len(windows):
            return found
        last *= 2


def _window_of(windows: Windows, packet: int) -> int:
    """Return which window, counted from 1, has a packet.

    Raises
    ------
    ValueError
        If there is no such packet.
    """
    made = 0
    for number, traffic in enumerate(windows, 1):
        made += len(traffic.source)
        if 0 <= packet < made:
            return number
    had = f"0..{made - 1}" if made else "but there is none"
    raise ValueError(f"Watch needs the number of a packet of this run, {had}, not {packet}")


def _follow(network: AnyNetwork, traffic: Traffic, packet: int) -> Watch:
    """Follow a packet of this traffic until it arrives, or the cycles of the traffic are over."""
    order = np.lexsort((traffic.message_class, traffic.source, traffic.time))
    tag, numbers = int(order[packet]), np.argsort(order)
    columns = "source", "destination", "message_class", "length", "time"
    values = [int(getattr(traffic, name)[tag]) for name in columns]
    created = values.pop()
    small = created * network.topology.nodes <= PLAIN
    model = engine(network, [traffic], compiled=False if small else None)
    model.run(created)
    follower = FOLLOWERS[network.router_kind](model, tag, numbers, traffic.cycles)
    events = sorted(_joined(follower.followed()), key=lambda event: event.cycle)
    arrived = follower.delivered if follower.delivered >= 0 else None
    source, destination, message_class, length = values
    facts = packet, source, destination, message_class, length, created, arrived
    return Watch(*facts, follower.hops, events)


def _joined(events: Iterator[Event]) -> list[Event]:
    """Join events, one behind the other, that differ in their cycle alone."""
    found = list[Event]()
    for event in events:
        last = found[-1] if found else None
        if last and replace(event, cycle=last.cycle, cycles=last.cycles) == last:
            found[-1] = replace(last, cycles=last.cycles + event.cycles)
        else:
            found.append(event)
    return found


class _OverError(Exception):
    """There is no cycle to follow: the packet has arrived, or the cycles are over."""


class _Follower(ABC):
    """Follows a packet, cycle by cycle: `tag` is its index in the traffic.

    `numbers` are those of all packets by their tags; `end` is the cycle behind the last.
    """

    def __init__(self, model: Engine, tag: int, numbers: Any, end: int) -> None:
        self.model, self.tag, self.numbers, self.end = model, tag, numbers, end
        self.config, self.state = view(model.config), view(of_run(model.arrays, 0))
        traffic, self.local = model.runs[0].traffic, model.network.topology.local
        self.source, self.message_class = (
            int(column[tag]) for column in (traffic.source, traffic.message_class)
        )
        topology = model.network.topology
        node, local = divmod(self.source, topology.local_ports)
        self.node, self.port = node, topology.local + local
        self.hops, self.tails = 0, list[Event]()

    @property
    def now(self) -> int:
        return self.model.runs[0].now

    @property
    def delivered(self) -> int:
        return int(self.model.runs[0].delivered[self.tag])

    def step(self) -> None:
        """Go through a cycle."""
        if self.delivered >= 0 or self.now >= self.end:
            raise _OverError
        self.model.run(1)

    def number(self, tag: int | None) -> int | None:
        """Return the number of another packet; None if the tag is no packet's."""
        return None if tag is None or tag < 0 else int(self.numbers[tag])

    def event(
        self,
        cycle: int,
        stage: str,
        *place: int,
        waits: str = "",
        packet: int | None = None,
        why: str = "",
        cycles: int = 1,
    ) -> Event:
        """Return an event at a place (node, port, channel); `packet` is a tag."""
        number = self.number(packet)
        if waits:
            why = WAITS[waits].format("another channel" if number is None else number)
            why = why.replace("packet another", "another")
        node, port, channel = place
        return Event(cycle, cycles, stage, node, port, channel, waits, number, why)

    def followed(self) -> Iterator[Event]:
        """Yield what the packet does; afterwards, what its tail did."""
        with suppress(_OverError):
            yield from self.path()
        yield from self.tails

    @classmethod
    def check(cls, network: AnyNetwork) -> None:
        """Raise a `ValueError` if packets of this network cannot be followed."""
        del network

    @abstractmethod
    def path(self) -> Iterator[Event]:
        """Yield what the head does, until `step` raises an error or the packet is delivered."""


class _Wait(NamedTuple):
    """Why a flit in a buffer waits, unless it goes: fields of `Event`, the packet by its tag."""

    stage: str
    port: int
    channel: int
    waits: str = ""
    packet: int | None = None


class _AtWormhole(_Follower):
    """Follows a packet through routers with virtual channels.

    Of packets of which the head has no tag, as with flow control, the first flit with one counts.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.granted: list[tuple[int, int, int, int]] = []  # node, port, channel, cycle: of heads

    def step(self) -> None:
        super().step()
        sent = self.granted[len(self.tails) :]
        for node, port, channel, since in sent:
            flit, cycle = self.leaving(node, port), self.now - 1
            if flit is None or flit.tag != self.tag or not flit.tail or cycle == since:
                break
            why = f"leaves; the packet held channel {channel} for {cycle - since + 1} cycles"
            self.tails.append(self.event(cycle, "tail", node, port, channel, why=why, cycles=0))

    def path(self) -> Iterator[Event]:
        node, port, channel = self.node, self.port, self.message_class
        place = node, port, channel
        yield from self.at_terminal(place)
        while True:
            yield from self.in_buffer(place)
            node, port, channel, cycle = self.granted[-1]
            yield self.event(cycle, "SA", node, port, channel, why="granted")
            for later in range(1, len(self.state.in_flight.flits) - 1):  # up to the link
                self.step()
                yield self.event(cycle + later, "ST", node, port, channel)
            if port >= self.local:
                break
            link = self.config.link[node * self.config.ports + port]
            place = link.dst_node, link.dst_port, channel
            yield from self.on_way(place, "LT")
            self.hops += 1
        place = node, port, channel
        while self.delivered < 0:
            cycle = self.now
            self.step()
            if self.delivered < 0:
                yield self.event(cycle, "LT", *place, why="the head has arrived; the rest follows")
        yield self.event(self.delivered, "terminal", *place, why="delivered", cycles=0)

    def at_terminal(self, place: tuple[int, int, int]) -> Iterator[Event]:
        """Yield why the terminal does not send, then header generation and RC of the head."""
        credit = isinstance(self.model.network.terminal, CreditTerminal)
        terminals, at = self.state.terminals, self.source * self.config.classes + place[2]
        while True:
            cycle, waits, packet = self.now, "terminal", None
            if credit and terminals.packet[at] != self.tag:
                waits, packet = "queue", terminals.packet[at]
            self.step()
            if self.is_in(*place) or self.is_injected():
                break
            if credit and waits == "terminal":
                waits = "class" if terminals.credits[at] else "credit"
            yield self.event(cycle, "terminal", *place, waits=waits, packet=packet)
        while not self.is_in(*place):
            yield self.event(cycle, "HG", *place)
            cycle = self.now
            self.step()
        yield self.arrival(cycle, *place)

    def is_injected(self) -> bool:
        """Return whether the head is in header generation."""
        lines = [line[self.source] for line in self.state.in_flight.injection]
        return any(flit.valid and flit.tag == self.tag for flit in lines)

    def on_way(self, place: tuple[int, int, int], stage: str) -> Iterator[Event]:
        """Yield what the head does on the link to an input, and its RC there."""
        while True:
            cycle = self.now
            self.step()
            if self.is_in(*place):
                yield self.arrival(cycle, *place)
                return
            yield self.event(cycle, stage, *place)

    def arrival(self, cycle: int, node: int, port: int, channel: int) -> Event:
        """Return the route computation of the head, which is in its buffer."""
        rows = self.rows(node, port * self.config.channels + channel)
        row = rows[self.ahead(rows)]
        name = self.model.network.topology.port_name
        why = f"route: output {name(row.port)}" if row.port >= 0 else "no route: discarded"
        return self.event(cycle, "RC", node, port, channel, why=why)

    def rows(self, node: int, queue: int) -> list[Any]:
        """Return the flits in a queue, the front first; also one that is not yet counted."""
        config, routers = self.config, self.state.routers
        buffer = routers.vc_buffer[node * config.queues + queue]
        count = buffer.level + (routers.router[node].push >> queue & 1)
        depth, first = config.depths[queue], buffer.read_ptr
        return [
            routers.row[row_at(node, queue, (first + index) % depth, config)]
            for index in range(count)
        ]

    def is_in(self, node: int, port: int, channel: int) -> bool:
        """Return whether a flit of the packet is in a buffer."""
        rows = self.rows(node, port * self.config.channels + channel)
        return any(row.tag == self.tag for row in rows)

    def leaving(self, node: int, port: int) -> Any:
        """Return the flit that an output was granted in the cycle before; None if there is none."""
        link, in_flight = self.config.link[node * self.config.ports + port], self.state.in_flight
        arriving = last_written(in_flight.arriving, self.now)[0]
        if not arriving[link.dst_node] >> link.dst_port & 1:
            return None
        flits = last_written(in_flight.flits, self.now)
        return flits[link.dst_node * self.config.ports + link.dst_port]

    def in_buffer(self, place: tuple[int, int, int]) -> Iterator[Event]:
        """Yield why the head waits in a buffer, until it is granted; note the grant."""
        node, port, channel = place
        queue = port * self.config.channels + channel
        buffer = self.state.routers.vc_buffer[node * self.config.queues + queue]
        while True:
            cycle, wait = self.now, self.wait(node, queue)
            output = buffer.route_port & SMALL
            self.step()
            flit = self.leaving(node, output) if wait.stage in ("VA", "SA") else None
            if flit is not None and flit.tag == self.tag:
                self.granted.append((node, output, flit.channel, cycle))
                return
            if wait.stage == "RC":
                yield self.arrival(cycle, *place)
                continue
            if wait.waits == "output":
                wait = wait._replace(packet=None if flit is None else flit.tag)
            at = node, wait.port, wait.channel
            yield self.event(cycle, wait.stage, *at, waits=wait.waits, packet=wait.packet)

    def wait(self, node: int, queue: int) -> _Wait:
        """Return what the head waits for in the next cycle, if it is not granted."""
        config, routers = self.config, self.state.routers
        router, rows, bit = routers.router[node], self.rows(node, queue), 1 << queue
        buffer = routers.vc_buffer[node * config.queues + queue]
        port, channel = divmod(queue, config.channels)
        if router.push & bit and rows[-1].tag == self.tag and buffer.level == self.ahead(rows):
            return _Wait("RC", port, channel)
        if self.ahead(rows):
            return _Wait("buffer", port, channel, "queue", rows[0].tag)
        out = out_channel(node, queue, buffer, config, routers.lane)
        output, first = buffer.route_port, out - buffer.route_port * config.channels
        outs = [out]
        if config.lanes > 1 and config.classes == 1 and output < config.local <= port:
            outs = [
                output * config.channels + buffer.route_channel + n for n in range(config.lanes)
            ]
        reasons = [self.allocation(node, each, bit) for each in outs]
        if all(reasons):
            waits = reasons[outs.index(out)]
            packet = self.holder(node, out) if waits == "channel" else None
            return _Wait("VA", output, first, waits, packet)
        candidate = trailing_zeros(router.candidate & config.siblings[queue])
        if candidate == queue:
            return _Wait("SA", output, first, "output")
        others = self.rows(node, candidate)
        return _Wait("SA", output, first, "input", others[0].tag if others else None)

    def ahead(self, rows: Sequence[Any]) -> int:
        """Return how many flits are in front of the packet in a queue."""
        return next(index for index, row in enumerate(rows) if row.tag == self.tag)

    def allocation(self, node: int, out: int, bit: int) -> str:
        """Return why a front flit is not eligible for an output channel; nothing if it is."""
        router = self.state.routers.router[node]
        if router.head & bit and router.busy >> out & 1:
            return "channel"
        if not router.has_credit >> out & 1:
            return "credit"
        served = self.state.routers.channel[node * self.config.queues + out].served
        return "batch" if router.head & bit and served & bit else ""

    def holder(self, node: int, out: int) -> int | None:
        """Return the packet that holds an output channel, also if none of it is in the router."""
        config, routers = self.config, self.state.routers
        queues = routers.channel[node * config.queues + out].request & ~routers.router[node].head
        if not queues:  # on a slow link
            return None
        queue = trailing_zeros(queues)
        rows = self.rows(node, queue)
        if rows:
            return rows[0].tag  # type: ignore[no-any-return]
        port, channel = divmod(queue, config.channels)
        place, lines = node * config.ports + port, self.state.in_flight
        if port >= config.local:
            terminal = node * config.local_ports + port - config.local
            flits = [line[terminal] for line in lines.injection]
            tags = [flit.tag for flit in flits if flit.valid and flit.channel == channel]
            if not tags and isinstance(self.model.network.terminal, CreditTerminal):
                tags = [self.state.terminals.packet[terminal * config.classes + channel]]
            return tags[0] if tags else None
        slots = len(lines.flits)
        for cycle in range(self.now, self.now + slots):
            flit = lines.flits[cycle % slots][place]
            if lines.arriving[cycle % slots, 0][node] >> port & 1 and flit.channel == channel:
                return flit.tag  # type: ignore[no-any-return]
        link = config.link[place]
        return self.holder(link.src_node, link.src_port * config.channels + channel)


class _AtDeflection(_Follower):
    """Follows a packet of one flit through deflection routers, a line a hop."""

    @classmethod
    def check(cls, network: AnyNetwork) -> None:
        if network.terminal.kind != "single-flit":
            raise ValueError(
                "Watch of deflection routers needs terminals without flow control (terminal.kind: "
                f"single-flit), not {network.terminal.kind}"
            )

    def path(self) -> Iterator[Event]:
        terminal, terminals = (self.source, self.local, 0), self.state.terminals
        while True:
            cycle, front = self.now, terminals.packet[self.source]
            waits, packet = ("injection", None) if front == self.tag else ("queue", front)
            self.step()
            if self.state.packets[self.tag].entered >= 0:
                break
            yield self.event(cycle, "terminal", *terminal, waits=waits, packet=packet)
        node = self.source
        while not self.is_ejected():
            if not self.is_in("arrived", node):
                return  # it is lost, on a link that is down
            hop, out = self.hop(cycle, node)
            yield hop
            self.hops += 1
            into = [*self.config.source].index(out)
            node = int(np.searchsorted(self.model.config.base, into, side="right")) - 1
            cycle = self.now
            self.step()
        yield self.event(cycle, "eject", node, self.local, 0)
        self.step()
        yield self.event(cycle + 1, "terminal", node, self.local, 0, why="delivered", cycles=0)

    def is_ejected(self) -> bool:
        """Return whether the flit has come out of a router in the last cycle."""
        count = self.state.clock[0].ejected
        return any(self.state.routers.ejected[n].tag == self.tag for n in range(count))

    def is_in(self, register: str, node: int) -> int:
        """Return the slot of the flit in a register of a router, counted from 1; 0: in none."""
        base, mask = self.config.base[node], getattr(self.state.routers.router[node], register)
        flits = getattr(self.state.routers, register)
        slots = range(self.config.base[node + 1] - base)
        return next((n + 1 for n in slots if mask >> n & 1 and flits[base + n].tag == self.tag), 0)

    def hop(self, cycle: int, node: int) -> tuple[Event, int]:
        """Go through a router; return what the flit does there, and the slot of its output."""
        routers, base = self.state.routers, self.config.base[node]
        self.step()
        wanted = routers.ranked[base + self.is_in("ranked", node) - 1].wanted
        while self.now < cycle + self.config.hop_cycles:
            self.step()
        links = [routers.links[self.now & 1][n] for n in range(base, self.config.base[node + 1])]
        out = next(n for n, link in enumerate(links) if link.valid and link.tag == self.tag)
        port = self.config.port_index[base + out] - node * self.config.ports
        at = cycle, "hop", node, port, 0
        if wanted >> out & 1:
            why, other = "nearer", None
        elif not wanted:
            why, other = "at its destination, which does not eject it in this cycle", None
        else:
            first = links[trailing_zeros(wanted)]
            other = first.tag if first.valid else None
            why = "deflected: the nearer output "
            why += f"was granted to packet {self.number(other)}" if first.valid else "is down"
        hops = self.config.hop_cycles
        return self.event(*at, packet=other, why=why, cycles=hops), base + out


FOLLOWERS: dict[str, type[_Follower]] = {
    Network.router_kind: _AtWormhole,
    DeflectionNetwork.router_kind: _AtDeflection,
}
"""By the kind of routers."""
