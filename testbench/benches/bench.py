"""The interface of every bench: what it runs, how long, and its results."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from importlib import import_module
from typing import Any, ClassVar, Self, cast

from fingerpost.golden.network.kinds import build_any
from fingerpost.golden.network.network import Network
from fingerpost.testbench.lock_step import Script


@dataclass(frozen=True, kw_only=True)
class Bench(ABC):
    """A way to try hardware: sources, a cocotb test, and its stimulus.

    A bench has its stimulus as fields, and its usual length as their defaults.
    """

    level: ClassVar[str]
    """Its name; that of its cocotb test is `fingerpost.testbench.benches.<level>_cocotb`."""
    top: ClassVar[str]
    """The top module of its sources."""
    counted: ClassVar[str] = "cycles"
    """What it counts: "decisions" or "cycles"."""
    facts: ClassVar[tuple[str, ...]] = ()
    """Further results that the command line prints, if there are any."""
    engine: str = "cocotb"
    """What runs it: "cocotb", or "compiled" for the nodes of `fingerpost.testbench.compiled`."""
    seed: int = 0

    @property
    def test(self) -> str:
        """Return the module with the cocotb test; behind "::" its name, if there are others too."""
        return f"fingerpost.testbench.benches.{self.level}_cocotb"

    @property
    def several_clocks(self) -> bool:
        """Return whether drivers write at the edges of more than one clock."""
        return False

    @property
    @abstractmethod
    def name(self) -> str:
        """Return the name of what is tried."""

    @abstractmethod
    def sources(self) -> dict[str, str]:
        """Return the files to be simulated, by name."""

    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """Return, as plain data, what the cocotb test needs, and from which `of` makes a bench."""

    @classmethod
    @abstractmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the bench that has these parameters."""


@dataclass(frozen=True, kw_only=True)
class LockStepBench(Bench):
    """A bench in which hardware and model do the same in every cycle."""

    top: ClassVar[str] = "network_bench"
    facts: ClassVar[tuple[str, ...]] = ("model_cpu_seconds", "hardware_cpu_seconds", "lines")

    @property
    def test(self) -> str:
        """Return the module with the cocotb test."""
        return "fingerpost.testbench.benches.lock_step_cocotb"

    @abstractmethod
    def script(self) -> Script:
        """Return the side of the model."""


@dataclass(frozen=True)
class OfNetwork(Bench):
    """A bench that tries a network, or a part of one."""

    OPTIONS: ClassVar[tuple[str, ...]] = ("network", "engine", "lines")
    """Fields that are no stimulus."""

    network: Network
    lines: bool = field(default=False, kw_only=True)
    """Whether to tell which lines of the Verilog are gone through, and which bits change, where
    nodes are compiled."""

    @property
    def name(self) -> str:
        """Return the name of the network."""
        return self.network.name

    def parameters(self) -> dict[str, Any]:
        """Return the description of the network, and all other fields."""
        others = {each.name: getattr(self, each.name) for each in fields(self)}
        del others["network"]
        return {"description": dict(self.network.description), **others}

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """Build the network that is described."""
        stimulus = {name: value for name, value in parameters.items() if name != "description"}
        return cls(cast(Network, build_any(parameters["description"])), **stimulus)


def stored(bench: Bench) -> dict[str, Any]:
    """Return the parameters of a bench, and its class, as plain data."""
    return {"bench": [type(bench).__module__, type(bench).__name__], **bench.parameters()}


def restored(parameters: Mapping[str, Any]) -> Any:
    """Return the bench that `stored` has stored."""
    module, name = parameters["bench"]
    kind: type[Bench] = getattr(import_module(module), name)
    return kind.of({key: value for key, value in parameters.items() if key != "bench"})
