"""What a cycle of deflection routers asks of terminals, whatever their kind: `Config.terminal`.

The functions of its module are compiled in the places of these.
"""

from types import ModuleType
from typing import Any

from fingerpost.golden.compiled.deflection import flow, single
from fingerpost.golden.compiled.deflection.state import Config, SingleConfig, State
from fingerpost.golden.compiled.terminal import axi_model
from fingerpost.golden.compiled.terminal.by_kind import by_kind
from fingerpost.golden.compiled.terminal.state import FlowConfig

MODULES: dict[type, tuple[ModuleType, ...]] = {
    SingleConfig: (single,),
    FlowConfig: (flow, axi_model),
}

of_terminal = by_kind(MODULES, "terminal")


@of_terminal
def data_of(tag: int, config: Config, state: State) -> int:
    """Return the data of a flit in the routers."""
    return 0


@of_terminal
def receive(out: Any, config: Config, state: State) -> None:
    """Take what came out."""


@of_terminal
def send(config: Config, state: State, stalls: Any) -> None:
    """Go on with what is to be offered."""


@of_terminal
def waits(node: int, config: Config, state: State) -> bool:
    """Return whether a flit is offered."""
    return False


@of_terminal
def inject(node: int, config: Config, state: State) -> tuple[int, int]:
    """Take the flit that is offered; return its tag, and its destination, -1: it is refused."""
    return 0, 0


@of_terminal
def end_cycle(config: Config, state: State, stalls: Any) -> None:
    """Go through a clock edge; tell routers which ejection ports take a flit."""


@of_terminal
def note_sent(noted: Any, row: int, config: Config, state: State) -> None:
    """Note what terminals offer, and what comes out."""


@of_terminal
def note_received(noted: Any, row: int, config: Config, state: State) -> None:
    """Note what is known at the end of a cycle."""
