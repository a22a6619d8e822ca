"""AXI4-Stream terminals at deflection routers, one after the other.

Flits wait for a place in a queue; in the routers they are rows of `Entrance.flits`.
"""

from typing import Any

from fingerpost.golden.deflection.state import Config, Recording, State
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.terminal import axi_users, flow_sender
from fingerpost.golden.terminal.axi_interface import granted
from fingerpost.golden.terminal.axi_users import advance, offer
from fingerpost.golden.terminal.flow_interface import exchange
from fingerpost.golden.terminal.queues import front_row, step_queue, write_row


@compiled
def receive(out: Any, config: Config, state: State) -> None:
    """Keep what came out, for this cycle."""
    clock, entrance = state.clock[0], state.entrance
    flit, kept = entrance.flits[out.tag], state.terminals.came[out.node]
    kept.valid = kept.head = kept.tail = True
    kept.data, kept.tag = flit.data, flit.tag
    entrance.free[clock.free] = out.tag
    clock.free += 1


@compiled
def send(config: Config, state: State, stalls: Any) -> None:
    """Let users offer beats; put a flit behind the queue of every terminal that can send one."""
    now, sender, entrance = state.clock[0].now, state.terminals.sender, state.entrance
    depth = len(entrance.rows) // config.nodes
    for node in range(config.nodes):
        offer(node, config, state, now, stalls)
        flow_sender.settle(node, config, state)
        if granted(node, config, state, now) >= 0:
            sender[node].sent = True
            queue = entrance.queue[node]
            sent = write_row(queue, entrance.rows, node * depth, depth, False, state.clock[0])
            flow_sender.make_flit(sent, node, config, state)
        advance(node, flow_sender.is_ready(node, config, state, now), config, state)


@compiled
def waits(node: int, config: Config, state: State) -> bool:
    """Return whether a flit is offered."""
    state.entrance.entered[node] = False
    return state.entrance.queue[node].level > 0  # type: ignore[no-any-return]


@compiled
def inject(node: int, config: Config, state: State) -> tuple[int, int]:
    """Take the front of a queue; return its row in the routers, and its destination."""
    clock, entrance = state.clock[0], state.entrance
    queue = entrance.queue[node]
    depth = len(entrance.rows) // config.nodes
    front, header = front_row(queue, entrance.rows, node, depth), config.terminal.header
    entrance.entered[node] = True
    clock.free -= 1
    tag = entrance.free[clock.free]
    flit = entrance.flits[tag]
    flit.data, flit.tag = front.data >> header, front.tag
    return tag, front.data & ((1 << header) - 1)


@compiled
def drop(tag: int, config: Config, state: State) -> None:
    """Do nothing: links do not fail."""


@compiled
def end_cycle(config: Config, state: State, stalls: Any) -> None:
    """Let users receive; let terminals go through a clock edge."""
    terminals, entrance = state.terminals, state.entrance
    depth = len(entrance.rows) // config.nodes
    for node in range(config.nodes):
        exchange(node, config, state, stalls)
        entered = entrance.entered[node]
        step_queue(entrance.queue[node], entered, terminals.sender[node].sent, depth)
        terminals.user[node].credited = entered
        state.routers.router[node].taking = terminals.user[node].exists


@compiled
def note_sent(recording: Recording, row: int, config: Config, state: State) -> None:
    """Note what users send, and the data on links."""
    for at in range(config.nodes * config.ports):
        if recording.valid[row, at]:
            recording.data[row, at] = state.entrance.flits[recording.data[row, at]].data
    axi_users.note_sent(recording.terminal, row, config, state)


@compiled
def note_received(recording: Recording, row: int, config: Config, state: State) -> None:
    """Note what users receive."""
    axi_users.note_received(recording.terminal, row, config, state)
