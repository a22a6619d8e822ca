"""Terminals of packets of one flit, one after the other; what a cycle asks of any terminals.

Each offers its packets in turn, and checks what comes out.
"""

from typing import Any

from fingerpost.golden.deflection.state import Config, Recording, State
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.records import NEVER


@compiled
def receive(out: Any, config: Config, state: State) -> None:
    """Check and count what came out."""
    clock, terminals = state.clock[0], state.terminals
    packet = state.packets[out.tag]
    terminals.held[out.node * config.ejections + out.port] = out.tag
    wrong = packet.destination != out.node or not packet.expected or packet.delivered >= 0
    if wrong:
        if clock.faults < len(state.fault):
            fault = state.fault[clock.faults]
            fault.cycle, fault.node, fault.packet = clock.now, out.node, out.tag
            clock.faults += 1
    else:
        clock.outstanding -= 1
    packet.delivered = clock.now


@compiled
def send(config: Config, state: State, stalls: Any) -> None:
    """Do nothing: what is due is offered."""


@compiled
def waits(node: int, config: Config, state: State) -> bool:
    """Return whether a flit is offered."""
    return state.terminals.due[node] <= state.clock[0].now  # type: ignore[no-any-return]


@compiled
def inject(node: int, config: Config, state: State) -> tuple[int, int]:
    """Take the next packet of a terminal; return it, and its destination, -1: it is refused."""
    clock, terminals = state.clock[0], state.terminals
    number = terminals.packet[node]
    packet = state.packets[number]
    packet.entered = clock.now
    more = number + 1 < terminals.end[node]
    terminals.packet[node] = number + 1
    terminals.due[node] = state.packets[number + 1].time if more else NEVER
    return number, -1 if packet.number >= config.terminal.terminals else packet.number


@compiled
def drop(tag: int, config: Config, state: State) -> None:
    """Note that a packet is lost, on a link that is down."""
    packet = state.packets[tag]
    if packet.expected and packet.delivered < 0:
        state.clock[0].outstanding -= 1
    packet.expected = False


@compiled
def end_cycle(config: Config, state: State, stalls: Any) -> None:
    """Draw which ejection ports take a flit."""
    clock, every = state.clock[0], (1 << config.ejections) - 1
    for node in range(config.nodes):
        taking = every
        if len(stalls):
            for port in range(config.ejections):
                if stalls[clock.drawn + port]:
                    taking &= ~(1 << port)
            clock.drawn += config.ejections
        state.routers.router[node].taking = taking


@compiled
def note_sent(recording: Recording, row: int, config: Config, state: State) -> None:
    """Note what terminals offer, what comes out, and the data on links."""
    clock, routers, terminals = state.clock[0], state.routers, state.terminals
    for at in range(config.nodes * config.ports):
        if recording.valid[row, at]:
            recording.data[row, at] = state.packets[recording.data[row, at]].data
    noted = recording.terminal
    for entry in range(clock.ejected):
        out = routers.ejected[entry]
        noted.out_valid[row, out.node] |= 1 << out.port
    for port in range(len(terminals.held)):
        tag = terminals.held[port]
        noted.out_data[row, port] = state.packets[tag].data if tag >= 0 else 0
    for node in range(config.nodes):
        noted.given_valid[row, node] = terminals.due[node] <= clock.now
        if terminals.packet[node] < terminals.end[node]:
            packet = state.packets[terminals.packet[node]]
            noted.given_destination[row, node] = packet.number
            noted.given_data[row, node] = packet.data


@compiled
def note_received(recording: Recording, row: int, config: Config, state: State) -> None:
    """Note where what is offered goes in, and which ejection ports take a flit."""
    noted = recording.terminal
    for node in range(config.nodes):
        router = state.routers.router[node]
        noted.ready[row, node], noted.eject_ready[row, node] = router.ready, router.taking
