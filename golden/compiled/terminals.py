"""Terminals, one after the other: golden.terminal.credit and golden.traffic."""

from typing import Any

from golden.compiled.jit import compiled
from golden.compiled.layout import NEVER, Fixed, State
from golden.compiled.prefetch import prefetch

AHEAD = 8
"""Terminals that are looked at beforehand."""

__all__ = ["credit", "flit", "give_back", "receive", "send"]


@compiled
def flit(packet: Any, index: int, fixed: Fixed) -> tuple[bool, bool, int]:
    """Return head, tail and data of a flit of a packet, as `Traffic.flits` makes them."""
    data = ((packet.salt ^ (index * 0x9E3779B97F4A7C1)) * 0x2545F491) & fixed.data_mask
    head = index == 0 and not packet.headless
    tail = index == packet.length - 1 and not packet.tailless
    if tail and fixed.status:
        data = data | fixed.status if packet.poisoned else data & ~fixed.status
    if head:
        data = (data & ~fixed.header_mask) | packet.header
    return head, tail, data


@compiled
def credit(fixed: Fixed, state: State, here: int) -> None:
    """Count the credits that the routers give to their terminals."""
    for entry in range(state.moving.credit_count[here]):
        channel = fixed.returns[state.moving.credit[here, entry]]
        if channel < 0:
            state.terminals.credits[~channel] += 1


@compiled
def send(fixed: Fixed, state: State, now: int, slot: int) -> None:
    """Put what the terminals send in this cycle into their entrances."""
    terminals, moving, count = state.terminals, state.moving, 0
    for node in range(fixed.nodes):
        if node + AHEAD < fixed.nodes:
            prefetch(state.packets, terminals.packet[node + AHEAD])
        if terminals.due[node] > now or terminals.credits[node] <= 0:
            continue
        number, index = terminals.packet[node], terminals.next_flit[node]
        packet, sent = state.packets[number], moving.injection[slot, count]
        count += 1
        sent.head, sent.tail, sent.data = flit(packet, index, fixed)
        sent.node, sent.place, sent.channel = node, node * fixed.ports + fixed.local, 0
        sent.tag, sent.step = number, packet.step
        terminals.credits[node] -= 1
        if index < packet.length - 1:
            terminals.next_flit[node] = index + 1
            continue
        terminals.next_flit[node] = 0
        terminals.packet[node] = number + 1
        more = number + 1 < terminals.end[node]
        terminals.due[node] = state.packets[number + 1].time if more else NEVER
    moving.injection_count[slot] = count


@compiled
def receive(came: Any, fixed: Fixed, state: State) -> None:
    """Check and count a flit that comes out."""
    clock, node = state.clock[0], came.node
    state.terminals.backlog[node] += 1
    state.terminals.flits[node] += 1
    clock.received_flits += 1
    number = came.tag
    if number < 0:  # the end of a packet that its terminal's router has cut
        return
    packet = state.packets[number]
    index = packet.received
    _, tail, data = flit(packet, index, fixed)
    differs = data ^ came.data
    if came.head:
        differs &= ~fixed.header_mask  # the header has changed on the way
    if packet.expected and (node != packet.destination or differs or came.tail != tail):
        if clock.faults < len(state.fault):
            fault = state.fault[clock.faults]
            fault.cycle, fault.node, fault.index, fault.packet = clock.now, node, index, number
        clock.faults += 1
    packet.received = index + 1
    if came.tail:
        if packet.expected and packet.delivered < 0:
            clock.outstanding -= 1
        packet.delivered = clock.now


@compiled
def give_back(fixed: Fixed, state: State, stalls: Any) -> int:
    """List the terminals that give a credit back in this cycle; return how many they are."""
    terminals, count = state.terminals, 0
    for node in range(fixed.nodes):
        if terminals.backlog[node] > 0 and not (len(stalls) and stalls[node]):
            terminals.backlog[node] -= 1
            terminals.back[count] = node
            count += 1
    return count
