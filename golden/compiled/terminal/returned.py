"""Credits that terminals return to their routers."""

from fingerpost.golden.compiled.delay_line import Slots
from fingerpost.golden.compiled.jit import compiled
from fingerpost.golden.compiled.state import Config


@compiled
def return_credit(channel: int, slots: Slots, config: Config) -> None:
    """Return a credit for a channel of a terminal."""
    node = channel // config.classes
    message_class = channel - node * config.classes
    slots.credits[node] |= 1 << (config.local * config.channels + message_class)
