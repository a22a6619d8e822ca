"""What a receiver keeps: in the order in which it comes, or put in order; `FlowConfig.order`."""

from types import ModuleType

from fingerpost.golden.jit.by_kind import by_kind
from fingerpost.golden.terminal import in_order, reassembly
from fingerpost.golden.terminal.state import AnyConfig, AnyState, InOrderConfig, ReorderConfig

MODULES: dict[type, tuple[ModuleType, ...]] = {
    InOrderConfig: (in_order,),
    ReorderConfig: (reassembly,),
}

of_order = by_kind(MODULES, "terminal", "order")


@of_order
def front(
    stream: int, config: AnyConfig, state: AnyState
) -> tuple[bool, int, bool, bool, int, int]:
    """Return whether there is a beat: word, last, from a window, source, tag."""
    return False, 0, False, False, 0, 0


@of_order
def rests(stream: int, config: AnyConfig, state: AnyState) -> bool:
    """Return whether nothing waits to be handed over, or granted."""
    return True


@of_order
def oldest_request(
    stream: int, config: AnyConfig, state: AnyState
) -> tuple[bool, int, int, int, int]:
    """Return whether one may be granted: peer, slot, length, sequence number to be granted."""
    return False, 0, 0, 0, 0


@of_order
def arrive(
    stream: int,
    taken: bool,
    grants: bool,
    body: bool,
    request: bool,
    source: int,
    eager: bool,
    sequence: int,
    word: int,
    last: bool,
    tag: int,
    slot: int,
    length: int,
    config: AnyConfig,
    state: AnyState,
) -> None:
    """Go through a clock edge, in which a beat or a request may arrive."""
