"""What synthesis and placement must know of clocks and pins: SDC, XDC and LPF."""

from collections.abc import Sequence
from typing import NamedTuple

from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.emit.network import node_names
from fingerpost.hdl.export.render import render
from fingerpost.hdl.terminal import terminal_end

PERIOD = 10.0
"""Nanoseconds of a clock: 5 of them are a bit time at 20 Mbit/s."""


class Pins(NamedTuple):
    """What of a module is outside of its clock, if its ports are pins.

    Attributes
    ----------
    module : str
    links : int, optional
        OS-Links: of vectors of so many bits, or none at all.
    numbers : tuple of int, optional
        Of these OS-Links, if they are no vectors: their ports are named as ``link_in_12``.
    single : bool
        There is one OS-Link, whose ports are no vectors.
    synchronizes_reset : bool
        The reset may be of any clock.
    terminals : tuple of int, optional
        Those with clocks of their own, ports as ``axis_12_clk``, and queues in between.
    """

    module: str
    links: int = 0
    single: bool = False
    synchronizes_reset: bool = False
    numbers: tuple[int, ...] = ()
    terminals: tuple[int, ...] = ()

    @property
    def clocks(self) -> list[str]:
        """Return the names of the ports that are clocks, that of the network first."""
        return ["clk", *(f"axis_{number}_clk" for number in self.terminals)]

    def wires(self, name: str) -> list[str]:
        """Return the names of the ports `link_in` or `link_out`, bit by bit."""
        if self.numbers:
            return [f"{name}_{number}" for number in self.numbers]
        return [name] if self.single else [f"{name}[{port}]" for port in range(self.links)]

    def all(self, name: str) -> str:
        """Return a pattern for the ports `link_in` or `link_out`."""
        if self.numbers:
            return f"{name}_*"
        return name if self.single else f"{name}[*]"

    @property
    def synchronizers(self) -> list[str]:
        """Return how the names of instances end that hold two flip-flops between clocks."""
        there = {
            "synchronizer": self.links,
            "_cdc": self.terminals,
            "reset": self.synchronizes_reset,
        }
        return [name for name, some in there.items() if some]


def network_pins(network: AnyNetwork) -> list[Pins]:
    """Return the modules of a network that may be the only one of a chip.

    With clocks of their own the nodes are on boards of their own.
    """
    if not network.link.own_clocks:
        end = terminal_end(network)
        module, serial = end.pins()
        return [Pins(module, links=len(serial), numbers=serial, terminals=end.clocks())]
    return [Pins(name, network.topology.local) for name in node_names(network).values()]


def constraints(pins: Pins, banner: Sequence[str]) -> dict[str, str]:
    """Return the texts of the three files for a module, by name, below a banner."""
    values = {"pins": pins, "banner": banner, "period": PERIOD}
    kinds = "sdc", "xdc", "lpf"
    return {f"{pins.module}.{kind}": render(f"constraints/pins.{kind}", **values) for kind in kinds}
