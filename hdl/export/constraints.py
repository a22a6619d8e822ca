"""For synthesis and placement: clocks, crossings and pins as constraints, scripts of projects."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.emit.network import network_name
from fingerpost.hdl.emit.routers import node_names
from fingerpost.hdl.export.render import render
from fingerpost.hdl.terminal import terminal_end

PERIOD = 10.0
"""Nanoseconds of a clock: 5 of them are a bit time at 20 Mbit/s."""

CROSSINGS = {
    "produce_w_gry": "produce_cdc/stage0",
    "consume_r_gry": "consume_cdc/stage0",
    "storage": "r_port_data",
}
"""Registers and memory of a `Crossing`, and the registers of the other clock that read them."""


class Pins(NamedTuple):
    """What of a module is outside of its clock."""

    module: str
    links: int = 0
    """OS-Links: of vectors of so many bits, or none at all."""
    single: bool = False
    """There is one OS-Link, whose ports are no vectors."""
    synchronizes_reset: bool = False
    """The reset may be of any clock."""
    numbers: tuple[int, ...] = ()
    """Of these OS-Links, if they are no vectors: their ports are named as ``link_in_12``."""
    terminals: tuple[str, ...] = ()
    """Their own clocks, ports as ``axis_12_clk``, if they have any, and queues in between."""

    @property
    def clocks(self) -> list[str]:
        """Return the names of the ports that are clocks, that of the network first."""
        return ["clk", *self.terminals]

    @property
    def clock_patterns(self) -> list[str]:
        """Return patterns for these ports."""
        return [*dict.fromkeys(re.sub(r"\d+", "*", name) for name in self.clocks)]

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
    def crossings(self) -> list[tuple[str, str]]:
        """Return what is read by another clock, and by what."""
        return [*CROSSINGS.items()] if self.terminals else []

    @property
    def reset_synchronizers(self) -> list[str]:
        """Return how the names of instances end that end a reset in step with a clock."""
        there = {"reset_cdc": bool(self.terminals), "rst_cdc": bool(self.terminals)}
        there["reset"] = self.synchronizes_reset
        return [name for name, some in there.items() if some]

    @property
    def synchronizers(self) -> list[str]:
        """Return how the names of instances end that hold two flip-flops between clocks."""
        there = {"synchronizer": self.links, "produce_cdc": len(self.terminals)}
        there["consume_cdc"] = len(self.terminals)
        return [name for name, some in there.items() if some] + self.reset_synchronizers


def network_pins(network: AnyNetwork) -> list[Pins]:
    """Return the modules of a network that may be the only one of a chip.

    With clocks of their own the nodes are on boards of their own. Boards have one clock each.
    """
    if not network.link.own_clocks:
        end = terminal_end(network).text
        module, serial = end.pins()
        boards = [Pins(network_name(network, board)) for board in network.separate_boards]
        return [Pins(module, links=len(serial), numbers=serial, terminals=end.clocks()), *boards]
    return [Pins(name, network.topology.local) for name in node_names(network).values()]


def constraints(pins: Pins, banner: Sequence[str]) -> dict[str, str]:
    """Return the texts of the files for a module, by name, below a banner.

    Those that hold in any design, where it needs any; and those for it as the top of a chip.
    """
    values = {"pins": pins, "banner": banner, "period": PERIOD}
    files = {
        f"{pins.module}.{kind}": render(f"constraints/within.{kind}", **values)
        for kind in ("sdc", "xdc")
        if pins.synchronizers
    }
    return files | {
        f"{pins.module}_top.{kind}": render(f"constraints/top.{kind}", **values)
        for kind in ("sdc", "xdc", "lpf")
    }


def projects(
    name: str, verilog: Sequence[str], pins: Sequence[Pins], banner: Sequence[str]
) -> dict[str, str]:
    """Return the texts of the scripts by name, below a banner.

    Parameters
    ----------
    name : str
        What their names begin with.
    verilog : sequence of str
        Files beside them.
    pins : sequence of Pins
        The modules that may be the top of a chip. Their constraints are read if there is one
        alone; of several, such as kinds of nodes on boards of their own, a board needs but one.
    banner : sequence of str
    """
    constrained = [each for each in pins if each.synchronizers]
    values = {"name": name, "verilog": verilog, "pins": pins, "banner": banner}
    kinds = "vivado", "quartus", *(["constraints"] if constrained else [])
    return {
        f"{name}_{kind}.tcl": render(f"projects/{kind}.tcl", constrained=constrained, **values)
        for kind in kinds
    }
