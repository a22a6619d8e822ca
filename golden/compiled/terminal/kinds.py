"""What the cycle asks of terminals, whatever their kind: that of `Config.terminal`.

The functions of its module are compiled in the places of these.
"""

from types import ModuleType
from typing import Any

from fingerpost.golden.compiled.state import Config, State
from fingerpost.golden.compiled.terminal import axi_model, credit, direct, flow
from fingerpost.golden.compiled.terminal.by_kind import by_kind
from fingerpost.golden.compiled.terminal.state import CreditConfig, DirectConfig, FlowConfig

__all__ = ["note_received", "note_sent", "receive", "receive_credits", "return_credits", "send"]

MODULES: dict[type, tuple[ModuleType, ...]] = {
    CreditConfig: (credit,),
    DirectConfig: (direct, axi_model),
    FlowConfig: (flow, axi_model),
}

of_terminal = by_kind(MODULES, "terminal")


@of_terminal
def receive_credits(config: Config, state: State, now: int) -> None:
    """Take the credits that the routers return to their terminals."""


@of_terminal
def send(config: Config, state: State, now: int, stalls: Any) -> None:
    """Send a flit from every terminal that has one."""


@of_terminal
def receive(came: Any, config: Config, state: State) -> None:
    """Take a flit that comes out."""


@of_terminal
def return_credits(config: Config, state: State, stalls: Any) -> int:
    """List the channels of terminals that return a credit in this cycle; return how many."""
    return 0


@of_terminal
def note_sent(noted: Any, row: int, config: Config, state: State) -> None:
    """Note what terminals send, and their registers, if that is more than flits."""


@of_terminal
def note_received(noted: Any, row: int, config: Config, state: State) -> None:
    """Note what terminals receive."""
