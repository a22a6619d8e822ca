"""Modules around networks with AXI4-Stream whose users are hardware: mailboxes, sides of AXI4."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

from fingerpost.hdl.lib.ports import Port, declaration, instance, module, passed
from fingerpost.hdl.terminal.around import split
from fingerpost.hdl.terminal.axi_text import AxiStreamTerminalText


class WrappedTerminalText(AxiStreamTerminalText):
    """The network with AXI4-Stream terminals, and around it a module with their users.

    This is the module to instantiate.

    Attributes
    ----------
    wrapper : str
        What the name of the module ends in.
    wraps : str
        What stands at every terminal, for people.
    """

    wrapper: ClassVar[str]
    wraps: ClassVar[str]

    @abstractmethod
    def user_ports(self) -> Iterator[Port]:
        """Yield the ports of all users."""

    @abstractmethod
    def users(self, wires: Sequence[Port]) -> Iterator[str]:
        """Yield the users as Verilog; `wires` are those of the streams."""

    def files(self, ports: list[Port]) -> dict[str, str]:
        """Return the modules of AXI4-Stream, and the one around them."""
        return {**super().files(ports), f"{self.name}_{self.wrapper}": self._around(ports)}

    def top(self, ports: list[Port]) -> tuple[str, list[Port]]:
        """Return the network with the users of its terminals."""
        every = [*split(super().top(ports)[1])[1], *self.user_ports()]
        return f"{self.name}_{self.wrapper}", every

    def pins(self) -> tuple[str, tuple[int, ...]]:
        """Return the module to instantiate."""
        return f"{self.name}_{self.wrapper}", ()

    def _around(self, ports: list[Port]) -> str:
        """Return the module around the network."""
        name, every = self.top(ports)
        network, inner = super().top(ports)
        wires = split(inner)[0]
        body = [
            *(f"  wire {declaration(port).partition(' ')[2]};" for port in wires),
            instance(network, "network", passed(inner)),
            *self.users(wires),
        ]
        return f"// {network} with {self.wraps} at every terminal.\n" + module(name, every, body)
