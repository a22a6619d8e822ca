"""One cycle of a network with its terminals."""

from golden.model.model import Model
from golden.terminal import Ends

__all__ = ["cycle"]


def cycle(model: Model, terminals: Ends, number: int) -> None:
    """Run one cycle of a network and its terminals."""
    queue = model.credit // model.channels
    terminals.credit(queue[model.port[queue] == model.local] // model.ports)
    injected = terminals.send(number)
    terminals.receive(model.ejected, number)
    model.step(injected, terminals.give_back())
