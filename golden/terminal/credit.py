"""Terminals that send and receive flits by credits, as the links between routers do."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from fingerpost.golden.arrays import Array
from fingerpost.golden.header import Layout, link_layout
from fingerpost.golden.jit.bits import pop_lowest
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.jit.memory import prefetch
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.records import LATE
from fingerpost.golden.router.state import Config, State
from fingerpost.golden.terminal.base import Terminal
from fingerpost.golden.traffic import Traffic
from fingerpost.golden.traffic.carrier import Carrier


@dataclass(frozen=True)
class CreditTerminal(Terminal):
    """The port of the router itself: flits one way, credits the other, a channel for each class."""

    kind: ClassVar[str] = "credit"

    def one_class(self, *, counted: bool) -> str:
        """Return nothing: classes are channels."""
        return ""

    def given(self, network: Carrier) -> Layout:
        return link_layout(network.flit_width, channels=network.classes)

    def seen(self, network: Carrier) -> Layout:
        return self.given(network)

    @property
    def payload(self) -> tuple[str, ...]:
        return "head", "tail", "data"

    def check(self, traffic: Traffic, *, surplus: int = 0) -> None:
        """Refuse nothing: with a surplus, terminals believe in more credits than they have."""


class CreditConfig(NamedTuple):
    """Terminals of kind credit."""

    status: int


class CreditState(NamedTuple):
    """Terminals of kind credit. A channel of one is place * classes + message class.

    Packets of different classes do not wait for each other: a terminal sends a flit of the classes
    that have one and a credit, in turn.
    """

    packet: Array
    end: Array
    """Shape (channels of terminals,). The next packet, and the one behind the last."""
    turn: Array
    """Shape (places,). The class that comes first."""
    due: Array
    """Shape (channels of terminals,). The cycle of the next packet."""
    next_flit: Array
    """Shape (channels of terminals,). Of the packet."""
    credits: Array
    """Shape (channels of terminals,). The flits that may be sent."""
    backlog: Array
    """Shape (channels of terminals,). The flits that came out, of which the credit has not been
    given back."""


AHEAD = 8
"""Terminals whose packets are fetched beforehand."""


@compiled
def flit(packet: Any, index: int, config: Config) -> tuple[bool, bool, int]:
    """Return head, tail and data of a flit of a packet, as `Traffic.flits` makes them."""
    data = ((packet.salt ^ (index * 0x9E3779B97F4A7C1)) * 0x2545F491) & config.data_mask
    head = index == 0 and not packet.headless
    tail = index == packet.length - 1 and not packet.tailless
    status = config.terminal.status
    if tail and status:
        data = data | status if packet.poisoned else data & ~status
    if head:
        data = (data & ~config.header_mask) | packet.header
    return head, tail, data


@compiled
def receive_credits(slots: Slots, config: Config, state: State) -> None:
    """Count the credits that the routers return to their terminals."""
    for terminal in range(config.places):
        rest = slots.terminal_credits[terminal]
        while rest:
            message_class, rest = pop_lowest(rest)
            state.terminals.credits[terminal * config.classes + message_class] += 1


@compiled
def send(slots: Slots, config: Config, state: State, stalls: Any) -> None:
    """Send a flit from every terminal that has one due, and a credit: of its classes in turn."""
    terminals, channels = state.terminals, config.places * config.classes
    now = state.clock[0].now
    for terminal in range(config.places):
        channel = _channel_to_send(terminal, config, state, now)
        ahead = (terminal + AHEAD) * config.classes
        if ahead < channels and terminals.due[ahead] <= now:
            prefetch(state.packets, terminals.packet[ahead])
        if channel < 0:
            continue
        number, index = terminals.packet[channel], terminals.next_flit[channel]
        packet, sent = state.packets[number], slots.injecting[terminal]
        sent.head, sent.tail, sent.data = flit(packet, index, config)
        sent.valid, sent.channel = True, channel - terminal * config.classes
        sent.tag, sent.step = number, packet.step
        terminals.credits[channel] -= 1
        if index < packet.length - 1:
            terminals.next_flit[channel] = index + 1
            continue
        terminals.next_flit[channel] = 0
        terminals.packet[channel] = number + 1
        more = number + 1 < terminals.end[channel]
        terminals.due[channel] = min(state.packets[number + 1].time, LATE) if more else LATE


@compiled
def _channel_to_send(terminal: int, config: Config, state: State, now: int) -> int:
    """Return the channel on which a terminal sends, -1 if it does not."""
    terminals = state.terminals
    first = terminals.turn[terminal] if config.classes > 1 else 0
    for step in range(config.classes):
        message_class = first + step
        if message_class >= config.classes:
            message_class -= config.classes
        channel = terminal * config.classes + message_class
        if terminals.due[channel] <= now and terminals.credits[channel] > 0:
            last = message_class + 1 == config.classes
            terminals.turn[terminal] = 0 if last else message_class + 1
            return channel
    return -1


@compiled
def receive(came: Any, terminal: int, config: Config, state: State) -> None:
    """Check and count a flit that comes out."""
    clock = state.clock[0]
    state.terminals.backlog[terminal * config.classes + came.channel] += 1
    state.flits[terminal] += 1
    number = came.tag
    if number < 0:  # the tail of a packet that the overrun guard has truncated
        return
    packet = state.packets[number]
    index = packet.received
    _, tail, data = flit(packet, index, config)
    differs = data ^ came.data
    if came.head:
        differs &= ~config.header_mask  # routers change the header
    astray = terminal != packet.destination or came.channel != packet.message_class
    if packet.expected and (astray or differs or came.tail != tail):
        if clock.faults < len(state.fault):
            fault = state.fault[clock.faults]
            fault.cycle, fault.node, fault.index, fault.packet = clock.now, terminal, index, number
        clock.faults += 1
    packet.received = index + 1
    if came.tail:
        if packet.expected and packet.delivered < 0:
            clock.outstanding -= 1
        packet.delivered = clock.now


@compiled
def return_credit(channel: int, slots: Slots, config: Config) -> None:
    """Return a credit for a channel of a terminal."""
    terminal = channel // config.classes
    node = terminal // config.local_ports
    port = config.local + terminal - node * config.local_ports
    message_class = channel - terminal * config.classes
    slots.credits[node] |= 1 << (port * config.channels + message_class)


@compiled
def return_credits(slots: Slots, config: Config, state: State, stalls: Any) -> None:
    """Return a credit for each channel that has some to return, and does not stall."""
    terminals, clock = state.terminals, state.clock[0]
    channels = config.places * config.classes
    for channel in range(channels):
        if terminals.backlog[channel] > 0 and not (len(stalls) and stalls[clock.drawn + channel]):
            terminals.backlog[channel] -= 1
            return_credit(channel, slots, config)
    clock.drawn += channels


@compiled
def note_sent(noted: Any, row: int, config: Config, state: State) -> None:
    """Note nothing: what terminals send are flits."""


@compiled
def note_received(noted: Any, row: int, config: Config, state: State) -> None:
    """Note nothing: what terminals receive are flits."""
