"""AXI4-Stream terminals with end-to-end flow control: a sender and a receiver for each stream."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.state import Config, State
from fingerpost.golden.terminal import axi_users, flow_receiver, flow_sender
from fingerpost.golden.terminal.axi_interface import sends_with
from fingerpost.golden.terminal.credit import return_credit
from fingerpost.golden.terminal.state import AnyConfig, AnyState


def exchanges_with(users: ModuleType) -> Callable[[int, AnyConfig, AnyState, Any], None]:
    """Return what a stream with a user of a kind does; see `sends_with`."""

    @compiled
    def exchange(stream: int, config: AnyConfig, state: AnyState, stalls: Any) -> None:
        """Let a user receive, and its sender and receiver go through a clock edge.

        The streams of a terminal follow one another; the last ends the cycle of what they share.
        """
        terminals = state.terminals
        flow_receiver.decode(stream, config, state)
        valid, source = flow_receiver.front(stream, config, state)
        ready = users.read(stream, valid, source, config, state, stalls)
        answered = terminals.replies[stream].level > 0 and not terminals.sender[stream].chosen
        flow_sender.step(stream, config, state)
        flow_receiver.step(stream, ready, answered, config, state)
        terminals.came[stream].valid = terminals.user[stream].credited = False
        if (stream + 1) % config.classes == 0:
            flow_receiver.step_pace(stream // config.classes, config, state)

    return exchange


def returns_with(
    exchange: Callable[[int, AnyConfig, AnyState, Any], None],
) -> Callable[[Slots, Config, State, Any], None]:
    """Return what lets terminals receive, of which every stream does `exchange`."""

    @compiled
    def return_credits(slots: Slots, config: Config, state: State, stalls: Any) -> None:
        """Let users receive, and receivers return their credits."""
        terminals = state.terminals
        for stream in range(config.places * config.classes):
            if terminals.receiver[stream].credit:
                return_credit(stream, slots, config)
            exchange(stream, config, state, stalls)

    return return_credits


send, exchange = sends_with(flow_sender), exchanges_with(axi_users)
return_credits = returns_with(exchange)
receive, receive_credits = axi_users.receive, axi_users.receive_credits
note_sent, note_received = axi_users.note_sent, axi_users.note_received
