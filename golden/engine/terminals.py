"""What the cycle asks of terminals, whatever their kind: that of `Config.terminal`.

The functions of its module are compiled in the places of these.
"""

from types import ModuleType
from typing import Any

from fingerpost.golden.jit.by_kind import by_kind
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.state import Config, State
from fingerpost.golden.terminal import axi_interface, axi_users, credit, flow_interface, os_link
from fingerpost.golden.terminal.credit import CreditConfig
from fingerpost.golden.terminal.state import DirectConfig, FlowConfig, OsLinkConfig

MODULES: dict[type, tuple[ModuleType, ...]] = {
    CreditConfig: (credit,),
    DirectConfig: (axi_interface, axi_users),
    FlowConfig: (flow_interface, axi_users),
    OsLinkConfig: (os_link, axi_users),
}

of_terminal = by_kind(MODULES, "terminal")


@of_terminal
def receive_credits(slots: Slots, config: Config, state: State) -> None:
    """Take the credits that the routers return to their terminals."""


@of_terminal
def send(slots: Slots, config: Config, state: State, stalls: Any) -> None:
    """Send a flit from every terminal that has one."""


@of_terminal
def receive(came: Any, node: int, config: Config, state: State) -> None:
    """Take a flit that comes out at a node."""


@of_terminal
def return_credits(slots: Slots, config: Config, state: State, stalls: Any) -> None:
    """Return credits to the routers, as those of this cycle."""


@of_terminal
def note_sent(noted: Any, row: int, config: Config, state: State) -> None:
    """Note what terminals send, and their registers, if that is more than flits."""


@of_terminal
def note_received(noted: Any, row: int, config: Config, state: State) -> None:
    """Note what terminals receive."""
