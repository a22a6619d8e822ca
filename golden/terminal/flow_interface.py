"""AXI4-Stream terminals with end-to-end flow control: a sender and a receiver for each stream."""

from typing import Any

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.state import Config, State
from fingerpost.golden.terminal import flow_receiver, flow_sender, pace
from fingerpost.golden.terminal.axi_users import advance, offer, read
from fingerpost.golden.terminal.flow_layout import ANSWERS
from fingerpost.golden.terminal.local_port import granted, return_credit
from fingerpost.golden.terminal.queues import front_row
from fingerpost.golden.terminal.state import AnyConfig, AnyState


@compiled
def send(slots: Slots, config: Config, state: State, stalls: Any) -> None:
    """Let users offer beats, and send a flit from every terminal that can."""
    now = state.clock[0].now
    sender = state.terminals.sender
    for node in range(config.nodes):
        first = node * config.classes
        for stream in range(first, first + config.classes):
            offer(stream, config, state, now, stalls)
            flow_sender.settle(stream, config, state)
        sends = granted(node, config, state, now)
        if sends >= 0:
            sender[sends].sent = True
            sent = slots.injecting[node]
            sent.valid, sent.channel = True, sends - first
            flow_sender.make_flit(sent, sends, config, state)
        for stream in range(first, first + config.classes):
            advance(stream, flow_sender.is_ready(stream, config, state, now), config, state)


@compiled
def exchange(stream: int, config: AnyConfig, state: AnyState, stalls: Any) -> None:
    """Let a user receive, and its sender and receiver go through a clock edge.

    The streams of a node follow one another; the last ends the cycle of what they share.
    """
    terminals = state.terminals
    valid, source = flow_receiver.front(stream, config, state)
    ready = read(stream, valid, source, config, state, stalls)
    replies = terminals.replies[stream]
    oldest = front_row(replies, terminals.reply_rows, stream, ANSWERS)
    has_answer = replies.level > 0
    answer = oldest.peer, oldest.grant, oldest.slot, oldest.units, oldest.base
    answered = has_answer and not terminals.sender[stream].chosen
    acked_peer, acked_units, granted_slot, granted_sequence = flow_receiver.step(
        stream, ready, answered, config, state
    )
    flow_sender.step(
        stream,
        has_answer,
        answer,
        acked_peer,
        acked_units,
        granted_slot,
        granted_sequence,
        config,
        state,
    )
    terminals.came[stream].valid = terminals.user[stream].credited = False
    if (stream + 1) % config.classes == 0:
        pace.step(stream // config.classes, config, state)


@compiled
def return_credits(slots: Slots, config: Config, state: State, stalls: Any) -> None:
    """Let users receive, and receivers return their credits."""
    terminals = state.terminals
    for stream in range(config.nodes * config.classes):
        if terminals.receiver[stream].credit:
            return_credit(stream, slots, config)
        exchange(stream, config, state, stalls)
