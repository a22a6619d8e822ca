"""AXI4-Stream terminals without flow control: golden.terminal.axi_interfaces."""

from typing import Any

from fingerpost.golden.compiled.delay_line import push, slot_of
from fingerpost.golden.compiled.jit import compiled
from fingerpost.golden.compiled.state import Config, State
from fingerpost.golden.compiled.terminal import axi_receiver, axi_sender
from fingerpost.golden.compiled.terminal.axi_model import advance, offer, read
from fingerpost.golden.compiled.terminal.shared_port import granted

__all__ = ["return_credits", "send"]


@compiled
def send(config: Config, state: State, now: int, stalls: Any) -> None:
    """Let users offer beats, and send a flit from every terminal that can."""
    injected = slot_of(state.in_flight.injection, now + config.header_cycles)
    sender = state.terminals.sender
    for node in range(config.nodes):
        first = node * config.classes
        for stream in range(first, first + config.classes):
            offer(stream, config, state, now, stalls)
            axi_sender.settle(stream, config, state)
        sends = granted(node, config, state, now)
        if sends >= 0:
            sender[sends].sent = True
            sent = push(injected)
            sent.node, sent.port_index = node, node * config.ports + config.local
            sent.channel = sends - first
            axi_sender.make_flit(sent, sends, config, state)
        for stream in range(first, first + config.classes):
            advance(stream, axi_sender.is_ready(stream, state), config, state)


@compiled
def return_credits(config: Config, state: State, stalls: Any) -> int:
    """Let users receive; list the streams that return a credit in this cycle."""
    terminals, count = state.terminals, 0
    for stream in range(config.nodes * config.classes):
        receiver = terminals.receiver[stream]
        if receiver.credit:
            terminals.back[count] = stream
            count += 1
        valid = axi_receiver.front(stream, config, state)
        ready = read(stream, valid, receiver.source, config, state, stalls)
        axi_sender.step(stream, config, state)
        axi_receiver.step(stream, ready, config, state)
        terminals.came[stream].valid = terminals.user[stream].credited = False
    return count
