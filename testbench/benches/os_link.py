"""OS-Link ports, joined in pairs, in lock-step with golden."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import BoolArray
from fingerpost.golden.link import OsLinkParameters
from fingerpost.golden.link.parameters import BYTE, ERRORS
from fingerpost.golden.link.ports import OsLink
from fingerpost.hdl import link as hdl
from fingerpost.hdl.emit.printer import module_verilog
from fingerpost.hdl.lib.ports import instance
from fingerpost.testbench.benches.bench import LockStepBench
from fingerpost.testbench.lock_step import END, Chunk, Group, Layout, Script, Turn, stacked
from fingerpost.testbench.packing import Columns, Fields, bits_of
from fingerpost.testbench.sources import no_inline

GIVEN: Fields = (
    ("rst", 1),
    ("link_in", 1),
    ("tx_data", 8),
    ("tx_valid", 1),
    ("rx_ready", 1),
    ("tx_break", 1),
)
"""What a port gets, lowest first."""

SEEN: Fields = (
    ("link_out", 1),
    ("tx_ready", 1),
    ("rx_data", 8),
    ("valid", 1),
    ("tx_done", 1),
    *((name, 1) for name in ERRORS),
    ("idle", 1),
)
"""What a port shows; ``valid`` is that of rx_data."""

NAMES = {
    "tx_data": "tx__payload",
    "tx_valid": "tx__valid",
    "tx_ready": "tx__ready",
    "rx_data": "rx__payload",
    "valid": "rx__valid",
    "rx_ready": "rx__ready",
}
"""Of the ports of the module, where they are others."""

CALM, NOISY, BROKEN, RESET = range(4)
"""What happens at a time: traffic alone, or with noise and resets, with breaks, or with all."""

PHASE = 300
"""Clocks of each, up to 7 clocks a bit."""

QUEUE = "full", "empty", "push_while_pop"
"""What happens to the queue of bytes: clocks in which it is full, or is read and is empty, or a
byte comes in as one is taken."""


class Ports:
    """Golden ports of one set of parameters, of which 2i and 2i + 1 are joined.

    Parameters
    ----------
    parameters : OsLinkParameters
    ports : int
    rng : Generator
    """

    def __init__(self, parameters: OsLinkParameters, ports: int, rng: np.random.Generator) -> None:
        # A half keep to what they do for ten times as long, and may be silent: then queues fill
        # up, and links fall idle.
        self.patient = np.arange(ports) % 2 > 0
        self.link, self.rng, self.ports = OsLink(ports, parameters), rng, ports
        self.offered = np.zeros(ports, np.bool_)
        self.data, self.noise, self.level, self.resets = np.zeros((4, ports), np.int64)
        self.forged, self.left = np.zeros((2, ports), np.int64)
        self.valid, self.ready = np.ones((2, ports))
        self.coverage = dict.fromkeys((*ERRORS, "tx_done", "resets", "bytes", *QUEUE), 0)

    def expected(self) -> Columns:
        """Return what the ports show."""
        names = {name: {"valid": "rx_valid"}.get(name, name) for name, _ in SEEN}
        return {name: np.array(getattr(self.link, x), np.int64) for name, x in names.items()}

    @property
    def phase(self) -> int:
        """Return the clocks of a phase: as many bit times where bits are long."""
        return PHASE * max(1, self.link.parameters.clocks_per_bit // 4)

    def _chance(self, probability: float | NDArray[np.float64]) -> BoolArray:
        drawn: BoolArray = self.rng.random(self.ports) < probability
        return drawn

    def step(self, phase: int) -> Columns:
        """Go through a clock edge; return what the ports were given."""
        link, rng, n = self.link, self.rng, self.link.parameters.clocks_per_bit
        new = self._chance(1 / (np.where(self.patient, 80, 8) * n))
        self.valid[new] = rng.choice([0.02, 0.3, 1], new.sum())
        self.ready[new] = rng.choice([0, 0.02, 0.3, 1], new.sum())
        self.valid[new & self.patient & self._chance(0.3)] = 0
        fresh = ~self.offered & (rng.random(self.ports) < self.valid)
        # Many bytes of equal bits: their long runs are near those of a break.
        byte = np.where(self._chance(0.5), rng.integers(256, size=self.ports), 255)
        self.data = np.where(fresh, np.where(self._chance(0.2), 0, byte), self.data)
        self.offered |= fresh
        # Now and then a byte is taken just as the next comes in, which hardly happens by chance.
        timely = link.byte & self._chance(0.5)
        ready = (rng.random(self.ports) < self.ready) | timely
        asked = self._chance(1 / (60 * n)) & (phase in (BROKEN, RESET))
        # A piece of noise inverts the wire, or holds it at a level, for up to two bits; now and
        # then for so long that it looks like a break.
        struck = self._chance(1 / (40 * n)) & (phase in (NOISY, RESET)) & (self.noise == 0)
        long = np.where(self._chance(0.1), 14 * n, 2 * n)
        self.noise = np.where(struck, rng.integers(1, long + 1), np.maximum(self.noise - 1, 0))
        self.level = np.where(struck, rng.integers(0, 3, self.ports), self.level)
        wire = link.link_out[np.arange(self.ports) ^ 1]
        odd = np.where(self.level == 2, ~wire, self.level == 1)
        # Or an unexpected byte or acknowledge arrives, rather where there is no room.
        full = link.level == link.parameters.fifo
        forged = self._chance(1 / (np.where(full, 20, 100) * n)) & (self.left == 0)
        forged &= phase in (NOISY, RESET)
        packet = np.where(self._chance(0.5), 0b11 | rng.integers(256, size=self.ports) << 2, 0b01)
        self.forged = np.where(forged, packet, self.forged)
        self.left = np.where(forged, BYTE * n, np.maximum(self.left - 1, 0))
        bit = np.maximum(BYTE * n - self.left, 0) // n
        wire = np.where(self.left > 0, self.forged >> bit & 1 > 0, wire)
        link_in = np.where(self.noise > 0, odd, wire)
        hit = self._chance(1 / (200 * n)) & (phase in (NOISY, RESET)) & (self.resets == 0)
        length = rng.integers(1, 30 * n, self.ports)
        self.resets = np.where(hit, length, np.maximum(self.resets - 1, 0))
        in_reset = self.resets > 0
        for name in (*ERRORS, "tx_done"):
            self.coverage[name] += int(getattr(link, name).sum())
        self.coverage["resets"] += int(hit.sum())
        self.coverage["bytes"] += int((link.rx_valid & ready).sum())
        self.coverage["full"] += int((full & ~in_reset).sum())
        self.coverage["empty"] += int((~link.rx_valid & ready & ~in_reset).sum())
        both = link.byte & ~full & link.rx_valid & ready
        self.coverage["push_while_pop"] += int((both & ~in_reset).sum())
        takes = link.tx_ready & self.offered
        given = {
            "rst": in_reset,
            "link_in": link_in,
            "tx_data": self.data,
            "tx_valid": self.offered.copy(),
            "rx_ready": ready,
            "tx_break": asked,
        }
        link.step(link_in, self.data, self.offered, ready, asked)
        if in_reset.any():
            link.restart(in_reset)
        self.offered &= ~takes
        return {name: np.asarray(column, np.int64) for name, column in given.items()}


class PortsTurn(Turn):
    """Ports of all sets, under traffic, noise, breaks and resets in turn."""

    def __init__(self, script: "PortsScript") -> None:
        bench, rng = script.bench, np.random.default_rng(script.bench.seed)
        self.bench, self.sets = bench, [Ports(each, bench.copies, rng) for each in bench.sets]

    def chunk(self, most: int) -> Chunk:
        some = min(most, self.bench.cycles - self.cycle)
        return stacked([self._cycle() for _ in range(some)]) if some else END

    def _cycle(self) -> tuple[Columns, Sequence[Columns]]:
        shown = [each.expected() for each in self.sets]
        given = [each.step(self.cycle // each.phase % (RESET + 1)) for each in self.sets]
        self.cycle += 1
        together, seen = (
            {name: np.concatenate([each[name] for each in several]) for name in several[0]}
            for several in (given, shown)
        )
        return together, [seen]

    def report(self) -> dict[str, Any]:
        return {"coverage": [each.coverage for each in self.sets]}


class PortsScript(Script):
    """All ports after one reset."""

    def __init__(self, bench: "OsLinkBench") -> None:
        self.bench, self.cycles = bench, bench.cycles
        ports = len(bench.sets) * bench.copies
        self.layout = Layout(ports, GIVEN, (Group(SEEN, [0], ports, ("rx_data",)),))

    def turns(self) -> Iterator[PortsTurn]:
        yield PortsTurn(self)


@dataclass(frozen=True)
class OsLinkBench(LockStepBench):
    """Ports of some sets of parameters, which are joined in pairs."""

    level: ClassVar[str] = "os_link"
    sets: Sequence[OsLinkParameters]
    copies: int = 16
    """Ports of each set, an even number."""
    cycles: int = 1200

    @property
    def name(self) -> str:
        """Return the name of the folder that all share."""
        return "os-links"

    def parameters(self) -> dict[str, Any]:
        """Return all fields as plain data."""
        return asdict(self)

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the bench of all fields."""
        sets = [OsLinkParameters(**each) for each in parameters["sets"]]
        return cls(**{**parameters, "sets": sets})

    def script(self) -> PortsScript:
        """Return what golden ports do."""
        return PortsScript(self)

    def sources(self) -> dict[str, str]:
        """Return all ports, side by side: port i of set s is row s * copies + i."""
        texts, instances = dict[str, str](), []
        for s, parameters in enumerate(self.sets):
            texts[f"os_link_{s}.v"] = module_verilog(hdl.OsLink(parameters), f"os_link_{s}")
            for port in range(s * self.copies, (s + 1) * self.copies):
                connected = [".clk(clk)"]
                for fields, vector in ((GIVEN, "given"), (SEEN, "seen")):
                    at = port * bits_of(fields)
                    for name, width in fields:
                        part = f"{vector}[{at} +: {width}]{' | rst' * (name == 'rst')}"
                        connected.append(f".{NAMES.get(name, name)}({part})")
                        at += width
                instances.append(instance(f"os_link_{s}", f"port_{port}", *connected))
        given, seen = (self.script().layout.rows * bits_of(fields) for fields in (GIVEN, SEEN))
        ports = f"input clk, input rst, input [{given - 1}:0] given, output [{seen - 1}:0] seen"
        bench = "\n".join([f"module network_bench({ports});", *instances, "endmodule\n"])
        vlt = no_inline(*(f"os_link_{s}" for s in range(len(self.sets))))
        return texts | {"bench.v": bench, "bench.vlt": vlt}
