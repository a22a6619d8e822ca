"""OS-Link ports as what is mutated: in pairs, on bent wires, with noise, breaks and resets."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from amaranth.lib import wiring

from fingerpost.golden.link import OsLinkParameters
from fingerpost.hdl.link import OsLink
from fingerpost.testbench.compiled.hardware import RESET_CYCLES
from fingerpost.testbench.os_link.ports import BROKEN, CALM, NOISY, PHASE, RESET, Ports, Wires
from fingerpost.testbench.packing import Columns
from mutation.lanes import InLanes, Lanes
from mutation.subject import Turn

__all__ = ["OsLinkPorts"]

PINS = {
    "tx_data": "tx__payload",
    "tx_valid": "tx__valid",
    "rx_ready": "rx__ready",
    "tx_ready": "tx__ready",
    "rx_data": "data",
    "rx_valid": "valid",
}
"""What the ports of the module are called, and here; by their names in golden."""

LANES = 48

PHASES = CALM, CALM, NOISY, BROKEN, RESET, RESET
"""What a turn goes through: noise leaves many ports waiting for ever, so that turns are short."""

TURNS = 32


@dataclass(frozen=True)
class OsLinkPorts(InLanes):
    """The OS-Link port with some parameters.

    Attributes
    ----------
    parameters : OsLinkParameters
    """

    name: str
    parameters: OsLinkParameters
    within: str = field(default="", init=False)
    module: str = field(default="os_link", init=False)
    of = "OS-Link: "
    around = "OS-Link, around them"
    count = 100
    bench = "link"
    lanes = LANES
    names: ClassVar = {"rx__payload": "data", "rx__valid": "valid"}
    restarts = True

    def component(self) -> wiring.Component:
        """Return a port."""
        return OsLink(self.parameters)

    def _turns(self, lanes: Lanes) -> Iterator[Turn]:
        """Yield resets, and phases after each.

        There is no reset but that of what is given, which comes in turns of its own.
        """
        idle = {name: np.zeros(LANES, np.int64) for name, _ in lanes.inputs}
        reset, _ = lanes.words([{**idle, "rst": idle["rst"] + 1}] * RESET_CYCLES, [])
        for seed in range(TURNS):
            yield reset, None
            yield lanes.words(*self._turn(seed))

    def _turn(self, seed: int) -> tuple[list[Columns], list[Columns]]:
        """Return what is given and expected after a reset and some idle cycles."""
        rng = np.random.default_rng(seed)
        ports = Ports(self.parameters, LANES, rng, Wires(LANES, rng), patient=True)
        zero = np.zeros(LANES, np.int64)
        for _ in range(RESET_CYCLES):
            ports.link.step(zero > 0, zero, zero > 0, zero > 0, zero > 0)
        given: list[Columns] = []
        expected: list[Columns] = []
        for cycle in range(PHASE * len(PHASES)):
            shown = ports.expected() | {"rx_data": ports.link.rx_data.copy()}
            expected.append(_renamed(shown))
            given.append(_renamed(ports.step(PHASES[cycle // PHASE])))
        return given, expected


def _renamed(columns: Columns) -> Columns:
    return {PINS.get(name, name): column for name, column in columns.items()}
