"""AXI4-Stream terminals without flow control: a sender and a receiver for each stream."""

from typing import Any

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.state import Config, State
from fingerpost.golden.terminal.axi_receiver import front, step_receiver
from fingerpost.golden.terminal.axi_sender import (
    is_ready,
    make_flit,
    queue_is_ready,
    settle,
    step_packet_queue,
    step_sender,
)
from fingerpost.golden.terminal.axi_users import advance, offer, read
from fingerpost.golden.terminal.local_port import granted, return_credit


@compiled
def send(slots: Slots, config: Config, state: State, stalls: Any) -> None:
    """Let users offer beats, and send a flit from every terminal that can."""
    now = state.clock[0].now
    sender = state.terminals.sender
    for node in range(config.nodes):
        first = node * config.classes
        for stream in range(first, first + config.classes):
            offer(stream, config, state, now, stalls)
            settle(stream, config, state)
        sends = granted(node, config, state, now)
        if sends >= 0:
            sender[sends].sent = True
            sent = slots.injecting[node]
            sent.valid, sent.channel = True, sends - first
            make_flit(sent, sends, config, state)
        for stream in range(first, first + config.classes):
            if config.terminal.store:
                advance(stream, queue_is_ready(stream, config, state), config, state)
            else:
                advance(stream, is_ready(stream, state), config, state)


@compiled
def return_credits(slots: Slots, config: Config, state: State, stalls: Any) -> None:
    """Let users receive, and receivers return their credits."""
    terminals = state.terminals
    for stream in range(config.nodes * config.classes):
        receiver = terminals.receiver[stream]
        if receiver.credit:
            return_credit(stream, slots, config)
        valid = front(stream, config, state)
        ready = read(stream, valid, receiver.source, config, state, stalls)
        if config.terminal.store:
            queue = terminals.store[stream]
            leaves = queue.valid and is_ready(stream, state)
            step_sender(stream, leaves, queue.tag, queue.index, config, state)
            step_packet_queue(stream, leaves, config, state)
        else:
            user = terminals.user[stream]
            step_sender(stream, user.taken, user.tag, user.beat, config, state)
        step_receiver(stream, ready, config, state)
        terminals.came[stream].valid = terminals.user[stream].credited = False
