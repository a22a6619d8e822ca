"""A part of a terminal alone behind registers, and its model: what goes in, and what comes out."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from amaranth import Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from fingerpost.golden.terminal.endpoints import Beat

__all__ = ["BUSY", "PHASE", "STREAM", "Ports", "Registered", "Stimulus", "beat_ports", "port_name"]

STREAM = "tdata", "tkeep", "tlast", "tuser"
"""What means nothing without tvalid."""

Ports = dict[str, int]
"""Values of ports by their names in Verilog."""

PHASE = 60
"""Clocks after which the surroundings change how busy they are, and how long packets are."""

BUSY = 1.0, 0.9, 0.4, 0.05
"""Chances that a beat is offered, or taken, in a clock."""


def port_name(path: tuple[str | int, ...]) -> str:
    """Return the name of a port in Verilog."""
    return "__".join(map(str, path))


class Registered(wiring.Component):
    """A component whose inputs come a clock later, and whose idle payload is 0.

    So no input reaches an output within a clock.

    Parameters
    ----------
    inner : Component
    valid : mapping
        By the name of an output that of the output which says whether it means something. If this
        has several bits, each speaks for its part of the payload. Those of AXI4-Stream are known.
    tied : mapping
        Values of inputs that are no ports here.
    """

    def __init__(
        self,
        inner: wiring.Component,
        valid: Mapping[str, str],
        tied: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self.inner, self.valid, self.tied = inner, dict(valid), dict(tied)
        members = inner.signature.members
        super().__init__({name: each for name, each in members.items() if name not in self.tied})

    def elaborate(self, platform: object) -> Module:
        """Join the component with the ports."""
        m = Module()
        m.submodules.inner = self.inner
        inside: dict[str, Value] = {
            port_name(path): Value.cast(value)
            for path, _, value in self.inner.signature.flatten(self.inner)
        }
        m.d.comb += [inside[name].eq(value) for name, value in self.tied.items()]
        for path, member, value in self.signature.flatten(self):
            outer: Any = Value.cast(value)
            name = port_name(path)
            if member.flow != Out:
                m.d.sync += inside[name].eq(outer)
                continue
            of = self.valid.get(name, "")
            if path[-1] in STREAM:
                of = port_name((*path[:-1], "tvalid"))
            if of:
                valid, parts = inside[of], len(inside[of])
                size = len(outer) // parts
                for part in range(parts):
                    own = inside[name].word_select(part, size)
                    there = outer.word_select(part, size)
                    m.d.comb += there.eq(own & valid[part].replicate(size))
            else:
                m.d.comb += outer.eq(inside[name])
        return m


def beat_ports(prefix: str, beat: Beat, bytes: int) -> Ports:
    """Return the ports of a beat; those of one byte have no tkeep."""
    values = beat.data, beat.keep, int(beat.last), beat.user
    named = zip(STREAM, values, strict=True)
    return {f"{prefix}__{name}": value for name, value in named if name != "tkeep" or bytes > 1}


class Stimulus(ABC):
    """A model of a component behind registers, in surroundings that do as they like.

    It begins a clock after a reset, as what goes in passes the registers.

    Attributes
    ----------
    after_reset : Ports
        What must be seen before.
    """

    after_reset: Ports

    @abstractmethod
    def component(self) -> Registered:
        """Return the hardware of which this has the model."""

    @abstractmethod
    def clock(self) -> tuple[Ports, Ports]:
        """Go through a clock; return what goes in, and what must be seen at the same time.

        What is seen has no payload of what is not valid.
        """
