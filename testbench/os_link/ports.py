"""OS-Link ports in pairs: the Verilog of benches, what happens, and what golden says of it."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import BoolArray
from fingerpost.golden.link import OsLinkParameters
from fingerpost.golden.link.parameters import BYTE, ERRORS
from fingerpost.golden.link.ports import OsLink
from fingerpost.hdl import link as hdl
from fingerpost.hdl.emit.verilog import module_verilog
from fingerpost.testbench.packing import Columns, Fields

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
    ("rx_valid", 1),
    ("tx_done", 1),
    *((name, 1) for name in ERRORS),
    ("idle", 1),
)
"""What a port shows."""

NAMES = {
    "tx_data": "tx__payload",
    "tx_valid": "tx__valid",
    "tx_ready": "tx__ready",
    "rx_data": "rx__payload",
    "rx_valid": "rx__valid",
    "rx_ready": "rx__ready",
}
"""Of the ports of the module, where they are others."""

DRIFT, DEPTH = 100, 8
"""Clocks in which a delay grows or shrinks by one, and the delays that there are."""

STRETCH = 400
"""Clocks for which rising edges come later than falling ones, or earlier, or neither."""

CALM, NOISY, BROKEN, RESET = range(4)
"""What happens at a time: traffic alone, or with noise and resets, with breaks, or with all."""

PHASE = 300
"""Clocks of each, up to 7 clocks a bit."""

QUEUE = "full", "empty", "push_while_pop"
"""What happens to the queue of bytes: clocks in which it is full, or is read and is empty, or a
byte comes in as one is taken."""


def _instance(module: str, name: str, connected: Mapping[str, str]) -> str:
    pins = ", ".join(f".{NAMES.get(port, port)}({wire})" for port, wire in connected.items())
    return f"  {module} {name}({pins});"


def lockstep_sources(sets: Sequence[OsLinkParameters], copies: int) -> dict[str, str]:
    """Return some ports of each set of parameters, side by side, as files.

    Port i of set s has the fields number s * copies + i of `given` and `seen`.
    """
    given, seen = (sum(width for _, width in fields) for fields in (GIVEN, SEEN))
    texts, lines = {}, []
    for s, parameters in enumerate(sets):
        module = f"os_link_{s}"
        texts[f"{module}.v"] = module_verilog(hdl.OsLink(parameters), module)
        for port in range(s * copies, (s + 1) * copies):
            connected = {"clk": "clk"}
            for fields, vector, base in ((GIVEN, "given", given), (SEEN, "seen", seen)):
                at = port * base
                for name, width in fields:
                    connected[name] = f"{vector}[{at} +: {width}]"
                    at += width
            lines.append(_instance(module, f"port_{port}", connected))
    ports, instances = len(sets) * copies, "\n".join(lines)
    texts["bench.v"] = f"""// {ports} ports; each has a part of `given` and of `seen`.
module os_link_bench(
  input clk,
  input [{ports * given - 1}:0] given,
  output [{ports * seen - 1}:0] seen
);
{instances}
endmodule
"""
    # Verilator: inlined, ports take far longer to compile.
    modules = (f'no_inline -module "os_link_{s}"\n' for s in range(len(sets)))
    texts["bench.vlt"] = "`verilator_config\n" + "".join(modules)
    return texts


def clocks_sources(parameters: OsLinkParameters) -> dict[str, str]:
    """Return two ports on two clocks, whose wires the bench joins, as files."""
    ports, instances = [], []
    for side in "ab":
        connected = {"clk": f"clk_{side}", "rst": f"rst_{side}"}
        ports += [f"input clk_{side}", f"input rst_{side}"]
        for fields, way in ((GIVEN, "input"), (SEEN, "output")):
            for name, width in fields:
                if name == "rst":
                    continue
                connected[name] = f"{name}_{side}"
                ports.append(f"{way} {f'[{width - 1}:0] ' if width > 1 else ''}{name}_{side}")
        instances.append(_instance("os_link", f"port_{side}", connected))
    text = "module os_link_clocks_bench(\n  {}\n);\n{}\nendmodule\n".format(
        ",\n  ".join(ports), "\n".join(instances)
    )
    return {"os_link.v": module_verilog(hdl.OsLink(parameters), "os_link"), "bench.v": text}


class Wires:
    """Some wires, clock by clock: as between ports whose clocks are not quite the same.

    Parameters
    ----------
    count : int
    rng : Generator
    """

    def __init__(self, count: int, rng: np.random.Generator) -> None:
        self.count, self.rng = count, rng
        self.past = np.zeros((DEPTH + 1, count), np.bool_)
        self.delay = rng.integers(DEPTH, size=count)
        self.drift = rng.integers(-1, 2, size=count)
        self.uneven = np.zeros(count, np.int64)

    def step(self, wire: BoolArray) -> BoolArray:
        """Return what comes out when this goes in."""
        rng = self.rng
        self.past = np.roll(self.past, 1, axis=0)
        self.past[0] = wire
        moves = rng.random(self.count) < 1 / DRIFT
        self.drift[self.delay == 0] = 1
        self.drift[self.delay == DEPTH - 1] = -1
        self.delay = self.delay + np.where(moves, self.drift, 0)
        other = rng.random(self.count) < 1 / STRETCH
        self.uneven = np.where(other, rng.integers(-1, 2, size=self.count), self.uneven)
        every = np.arange(self.count)
        now, before = self.past[self.delay, every], self.past[self.delay + 1, every]
        found: BoolArray = np.where(
            self.uneven > 0, now & before, np.where(self.uneven < 0, now | before, now)
        )
        return found


class Ports:
    """Golden ports of one set of parameters, of which 2i and 2i + 1 are joined.

    Parameters
    ----------
    parameters : OsLinkParameters
    ports : int
    rng : Generator
    wires : Wires, optional
        What is between them, besides noise.
    patient : bool
        Whether a half of the ports keep to what they do for ten times as long, and may be silent:
        then queues fill up, and links fall idle.
    """

    def __init__(
        self,
        parameters: OsLinkParameters,
        ports: int,
        rng: np.random.Generator,
        wires: Wires | None = None,
        patient: bool = False,
    ) -> None:
        self.wires, self.patient = wires, patient & (np.arange(ports) % 2 > 0)
        self.link, self.rng, self.ports = OsLink(ports, parameters), rng, ports
        self.offered = np.zeros(ports, np.bool_)
        self.data, self.noise, self.level, self.resets = np.zeros((4, ports), np.int64)
        self.forged, self.left = np.zeros((2, ports), np.int64)
        self.valid, self.ready = np.ones((2, ports))
        self.coverage = dict.fromkeys((*ERRORS, "tx_done", "resets", "bytes", *QUEUE), 0)

    def expected(self) -> Columns:
        """Return what the ports show; the data mean something only if they are valid."""
        link = self.link
        shown = {name: np.asarray(getattr(link, name), np.int64) for name, _ in SEEN}
        shown["rx_data"] = np.where(link.rx_valid, link.rx_data, -1)
        return shown

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
        if self.patient.any():
            silent = new & self.patient & self._chance(0.3)
            self.valid[silent] = 0
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
        if self.wires:
            wire = self.wires.step(wire)
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
