"""What the cycle asks of terminals, whatever their kind: that of `Config.terminal`.

The functions of its module are compiled in the places of these.
"""

from types import ModuleType
from typing import Any

from numba.extending import overload

from fingerpost.golden.compiled.jit import OPTIONS
from fingerpost.golden.compiled.state import Config, State
from fingerpost.golden.compiled.terminal import axi_model, credit, direct, flow
from fingerpost.golden.compiled.terminal.state import CreditConfig, DirectConfig, FlowConfig

__all__ = ["note_received", "note_sent", "receive", "receive_credits", "return_credits", "send"]

replaced: Any = overload

MODULES: dict[type, tuple[ModuleType, ...]] = {
    CreditConfig: (credit,),
    DirectConfig: (direct, axi_model),
    FlowConfig: (flow, axi_model),
}


def receive_credits(config: Config, state: State, now: int) -> None:
    """Take the credits that the routers return to their terminals."""


def send(config: Config, state: State, now: int, stalls: Any) -> None:
    """Send a flit from every terminal that has one."""


def receive(came: Any, config: Config, state: State) -> None:
    """Take a flit that comes out."""


def return_credits(config: Config, state: State, stalls: Any) -> int:
    """List the channels of terminals that return a credit in this cycle; return how many."""
    return 0


def note_sent(noted: Any, row: int, config: Config, state: State) -> None:
    """Note what terminals send, and their registers, if that is more than flits."""


def note_received(noted: Any, row: int, config: Config, state: State) -> None:
    """Note what terminals receive."""


def _of(config: Any, function: Any) -> Any:
    """Return the function of that name of a kind, given the type of the configuration."""
    kind: Any = config.types[config.fields.index("terminal")]
    modules, name = MODULES[kind.instance_class], function.__name__
    return next(getattr(module, name) for module in modules if hasattr(module, name)).py_func


WITH: dict[str, Any] = {"jit_options": OPTIONS, "strict": False}

replaced(receive_credits, **WITH)(lambda config, state, now: _of(config, receive_credits))
replaced(send, **WITH)(lambda config, state, now, stalls: _of(config, send))
replaced(receive, **WITH)(lambda came, config, state: _of(config, receive))
replaced(note_sent, **WITH)(lambda noted, row, config, state: _of(config, note_sent))
replaced(note_received, **WITH)(lambda noted, row, config, state: _of(config, note_received))
replaced(return_credits, **WITH)(lambda config, state, stalls: _of(config, return_credits))
