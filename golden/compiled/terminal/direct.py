"""AXI4-Stream terminals without flow control: golden.terminal.axi_interfaces."""

from typing import Any

from fingerpost.golden.compiled.delay_line import Slots
from fingerpost.golden.compiled.jit import compiled
from fingerpost.golden.compiled.state import Config, State
from fingerpost.golden.compiled.terminal import axi_receiver, axi_sender, packet_queue
from fingerpost.golden.compiled.terminal.axi_model import advance, offer, read
from fingerpost.golden.compiled.terminal.returned import return_credit
from fingerpost.golden.compiled.terminal.shared_port import granted


@compiled
def send(slots: Slots, config: Config, state: State, stalls: Any) -> None:
    """Let users offer beats, and send a flit from every terminal that can."""
    now = state.clock[0].now
    sender = state.terminals.sender
    for node in range(config.nodes):
        first = node * config.classes
        for stream in range(first, first + config.classes):
            offer(stream, config, state, now, stalls)
            axi_sender.settle(stream, config, state)
        sends = granted(node, config, state, now)
        if sends >= 0:
            sender[sends].sent = True
            sent = slots.injecting[node]
            sent.valid, sent.channel = True, sends - first
            axi_sender.make_flit(sent, sends, config, state)
        for stream in range(first, first + config.classes):
            if config.terminal.store:
                advance(stream, packet_queue.is_ready(stream, config, state), config, state)
            else:
                advance(stream, axi_sender.is_ready(stream, state), config, state)


@compiled
def return_credits(slots: Slots, config: Config, state: State, stalls: Any) -> None:
    """Let users receive, and receivers return their credits."""
    terminals = state.terminals
    for stream in range(config.nodes * config.classes):
        receiver = terminals.receiver[stream]
        if receiver.credit:
            return_credit(stream, slots, config)
        valid = axi_receiver.front(stream, config, state)
        ready = read(stream, valid, receiver.source, config, state, stalls)
        if config.terminal.store:
            front = terminals.store[stream]
            leaves = front.valid and axi_sender.is_ready(stream, state)
            axi_sender.step(stream, leaves, front.tag, front.index, config, state)
            packet_queue.step(stream, leaves, config, state)
        else:
            user = terminals.user[stream]
            axi_sender.step(stream, user.taken, user.tag, user.beat, config, state)
        axi_receiver.step(stream, ready, config, state)
        terminals.came[stream].valid = terminals.user[stream].credited = False
