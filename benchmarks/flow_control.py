"""What end-to-end flow control of AXI4-Stream terminals gives, and what it costs.

``python -m benchmarks.flow_control PART [--json] [--cycles N] [--lengths N,N] [NETWORK...]``. In
the model, with the terminals of each network replaced by AXI4-Stream, once with flow control and
once without (raw), under the same packets. With deflection routers, which take one flit in a cycle
from each terminal and to it, raw packets have one flit. Parts:

hot-spot    All other terminals always send to one: beats accepted of the poorest source / mean.
            The first quarter of the cycles is left out. Then the ratio of `beside` ("others"),
            over a quarter of the cycles.
beside      Half of the terminals always send to one of them, the others uniformly among
            themselves: what is accepted of these, as a part of what is without the former.
saturation  Uniform traffic at offered 1.0: accepted with flow control / raw. Latency of packets
            of one beat at 0.01, in cycles.
Beside tells the same of the first third of the cycles ("first"), when packets fill the windows.

Networks are those of networks/, by default up to 120 nodes or those with a load in `LOADS`; loads
and accepted loads are in beats per terminal and cycle. With --json one object on standard output.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from benchmarks.table import arguments, tell
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.engine import engine
from fingerpost.golden.network.kinds import AnyNetwork, build_any, kind_of
from fingerpost.golden.network.network import topology
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.terminal import AxiStreamTerminal
from fingerpost.golden.topology.base import Topology
from fingerpost.golden.traffic import Traffic
from fingerpost.golden.traffic.patterns.base import Demand, Packets, Pattern
from fingerpost.netfile.source import read

NETWORKS = Path("networks")

MOST = 120
"""Nodes of a network that is tried unless it is named."""

OTHERS: Mapping[str, dict[str, Any]] = {
    **{
        f"mesh-{side}x{side}": {
            "topology": {"family": "grid", "sizes": [side, side]},
            "routing": {"algorithm": "dimension-order"},
        }
        for side in (2, 3)
    },
    "torus-16x16": {
        "topology": {"family": "grid", "sizes": [16, 16], "wrap": True},
        "routing": {"algorithm": "dimension-order"},
    },
    "ring-64": {
        "topology": {"family": "grid", "sizes": [64], "wrap": True},
        "routing": {"algorithm": "dimension-order"},
    },
    "kyklos-2-2-8": dict(read(Path("docs/curves/networks/kyklos-2-2-8.yaml")).description),
}
"""Networks that are not in networks/."""

LOADS = {
    "torus-8x8": 0.1,
    "mesh-8x8": 0.1,
    "borel-21": 0.1,
    "scc-4": 0.1,
    "ring-64": 0.03,
    "torus-16x16": 0.1,
    "kyklos-2-2-8": 0.05,
    "borel-1081": 0.08,
}
"""Loads that stand beside a hot spot."""

LOAD = 0.05
"""That of networks without one of these."""

RAW, FLOW = {"kind": "axi-stream"}, {"kind": "axi-stream", "flow_control": "end-to-end"}

KINDS = "raw", "flow"


def description(name: str) -> dict[str, Any]:
    """Return what a network is, but for its links and terminals."""
    found = OTHERS.get(name) or read(NETWORKS / f"{name}.yaml").description
    return {key: found[key] for key in ("topology", "routing", "router") if found.get(key)} | {
        "name": name
    }


def names(given: list[str], default: list[str] | None = None) -> Iterator[str]:
    """Yield the networks that are named, or else `default`, or all that are small and differ.

    The smallest come first.
    """
    seen = []
    files = [path.stem for path in NETWORKS.glob("*.yaml")]
    every = sorted(files, key=lambda name: (topology(description(name)).nodes, name))
    for name in given or default or every:
        what = description(name) | {"name": ""}
        if what in seen or not (given or default or topology(what).nodes <= MOST):
            continue
        seen.append(what)
        yield name


def built(name: str, *terminals: dict[str, Any], **options: Any) -> list[Any]:
    """Return a network with each of these terminals, all with the same, least width of tdata.

    `options` are keys of its router.
    """
    what = description(name)
    router = (what.get("router") or {}) | options
    if not kind_of(what).has_routes:
        router["ejections"] = 1
        terminals = tuple({} if terminal == RAW else terminal for terminal in terminals)
    for width in range(router.get("flit_width", 32), 65, 8):
        try:
            wide = what | {"router": router | {"flit_width": width}}
            return [build_any(wide | {"terminal": terminal}) for terminal in terminals]
        except ParameterError as error:
            if "flit_width" not in str(error) and error.key != "flit_width":
                raise
    raise ValueError(f"{name} needs a head flit of more than 64 bits")


@dataclass(frozen=True)
class Given(Pattern):
    """Packets that are given."""

    name: ClassVar[str] = "given"
    recorded: ClassVar[bool] = True
    given: Packets = field(repr=False)

    def demand(self, topology: Topology) -> Demand:
        return Demand.to(np.full(len(topology.terminals), -1))

    def packets(self, topology: Topology, load: float | None, cycles: int, **drawn: Any) -> Packets:
        return self.given


def always(source: IntArray, to: int, *, length: int, cycles: int) -> Packets:
    """Return packets from some terminals to one, all made in cycle 0."""
    source = np.repeat(source, cycles // length + 1)
    time, size = np.zeros_like(source), np.full_like(source, length)
    return Packets(source, np.full_like(source, to), time, size)


def uniformly(source: IntArray, to: IntArray, *, load: float, length: int, cycles: int) -> Packets:
    """Return packets from some terminals to others at random, none to itself."""
    rng = np.random.default_rng(0)
    sent, time = np.nonzero(rng.random((len(source), cycles)) < load / length)
    source = source[sent]
    goal = rng.integers(len(to) - 1, size=len(source))
    place = np.searchsorted(to, source)
    inside = to[np.minimum(place, len(to) - 1)] == source
    goal = to[np.where(inside & (goal >= place), goal + 1, goal)]
    return Packets(source, goal, time, np.full_like(source, length))


def joined(*parts: Packets) -> Packets:
    """Return packets of different sources together."""
    whole = Packets(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    order = np.lexsort((whole.time, whole.source))
    return Packets(*(column[order] for column in whole))


BACKLOG = 200
"""Cycles at a load of 0.01 in which packets leave that waited until memories were cleared."""


def clearing(network: AnyNetwork) -> int:
    """Return the cycles in which memories of terminals are cleared, at least the nodes."""
    terminal = network.terminal
    flow = terminal.flow(network) if isinstance(terminal, AxiStreamTerminal) else None
    return max(network.topology.nodes, flow.clearing if flow else 0)


def span(network: AnyNetwork, cycles: int) -> int:
    """Return the cycles of a run, with those in which memories are cleared."""
    return clearing(network) + cycles // 2 + cycles


def accepted(
    network: AnyNetwork, traffic: Traffic, cycles: int, *, before: int
) -> tuple[IntArray, IntArray]:
    """Return the beats of each node that are delivered in some cycles, and `before` these.

    Of packets that are delivered whole. Cycles in which memories are cleared come first.
    """
    model = engine(network, [traffic])
    run = model.runs[0]
    nodes, clears = network.topology.nodes, clearing(network)
    model.run(clears + before + cycles)
    if run.faults or run.errors.any():
        raise RuntimeError(f"{network.name}: {run.faults}")
    late, early = (
        np.bincount(
            traffic.source,
            traffic.length * ((run.delivered >= start) & (run.delivered < start + span)),
            minlength=nodes,
        ).astype(np.int64)
        for start, span in ((clears + before, cycles), (clears, before))
    )
    return late, early


def given(network: AnyNetwork, *parts: Packets) -> Traffic:
    """Return traffic of some packets."""
    return Traffic(network, None, 1, pattern=Given(joined(*parts)))


def hot_spots(name: str, length: int, cycles: int) -> dict[str, Any]:
    """Return the poorest source of a hot spot beside the mean."""
    networks = built(name, RAW, FLOW)
    found: dict[str, Any] = {"cycles": cycles}
    for kind, network in zip(KINDS, networks, strict=True):
        if length > 1 and network.terminal.kind == "single-flit":
            continue
        terminals = network.topology.terminals
        sources = np.arange(1, len(terminals))
        packets = always(sources, 0, length=length, cycles=span(network, cycles))
        late, _ = accepted(
            network, given(network, packets), cycles - cycles // 4, before=cycles // 4
        )
        beats = late[terminals[1:]]
        found[f"{kind}_fair"] = beats.min() / beats.mean()
        found[f"{kind}_accepted"] = beats.sum() / (cycles - cycles // 4)
    others = beside(name, length, cycles // 4)
    return found | {"asked": 0.8} | {f"{kind}_others": others.get(kind) for kind in KINDS}


def beside(name: str, length: int, cycles: int) -> dict[str, Any]:
    """Return what others get beside a hot spot."""
    load = LOADS.get(name, LOAD)
    found: dict[str, Any] = {"load": load}
    for kind, network in zip(KINDS, built(name, RAW, FLOW), strict=True):
        if length > 1 and network.terminal.kind == "single-flit":
            continue
        mixed = np.random.default_rng(1).permutation(len(network.topology.terminals))
        hot, rest = (np.sort(part) for part in np.split(mixed, [len(mixed) // 2]))
        total = span(network, cycles)
        background = uniformly(rest, rest, load=load, length=length, cycles=total)
        spot = always(hot[1:], int(hot[0]), length=length, cycles=total)
        nodes = network.topology.terminals[rest]
        (late, early), (calm_late, calm_early) = (
            (beats[nodes].sum() for beats in accepted(network, x, cycles, before=cycles // 2))
            for x in (given(network, background, spot), given(network, background))
        )
        found |= {
            f"{kind}_calm": calm_late / cycles / len(rest),
            f"{kind}_first": early / calm_early,
            kind: late / calm_late,
        }
    return found | {"asked": 0.9}


def saturation(name: str, length: int, cycles: int) -> dict[str, Any]:
    """Return what is accepted of uniform traffic at 1.0, and the latency of a beat."""
    found: dict[str, Any] = {}
    for kind, network in zip(KINDS, built(name, RAW, FLOW), strict=True):
        found[kind] = _uniform(network, length, cycles)
        if length == 1:
            found[f"{kind}_latency"] = _latency(network, cycles)
    nodes = network.topology.nodes
    asked = {True: {1: 0.8, 16: 0.85}, False: {1: 0.5}}[nodes <= 64].get(length)
    return found | {"ratio": found["flow"] / found["raw"], "asked": asked}


def _uniform(network: AnyNetwork, length: int, cycles: int) -> float:
    """Return the beats that are accepted per terminal and cycle at offered 1.0."""
    if network.terminal.kind == "single-flit":
        length = 1
    traffic = Traffic(network, 1.0, span(network, cycles), lengths=length)
    late, _ = accepted(network, traffic, cycles, before=cycles // 2)
    return float(late.sum()) / cycles / len(network.topology.terminals)


def _latency(network: AnyNetwork, cycles: int) -> float:
    """Return the mean latency of packets of one beat at offered 0.01.

    Without those of the first cycles: packets that waited until memories were cleared are a
    backlog, behind which later ones wait.
    """
    start = clearing(network) + BACKLOG
    traffic = Traffic(network, 0.01, start + cycles)
    model = engine(network, [traffic])
    model.run(start + cycles + 200)
    delivered = model.runs[0].delivered
    if (delivered < 0).any():
        raise RuntimeError(f"{network.name}: packets are late")
    return float((delivered - traffic.time)[traffic.time >= start].mean())


PARTS: Mapping[str, tuple[Callable[[str, int, int], dict[str, Any]], tuple[int, ...], int]] = {
    "hot-spot": (hot_spots, (1, 4, 64), 60_000),
    "beside": (beside, (1, 16), 10_000),
    "saturation": (saturation, (1, 16), 4_000),
}
"""What is measured, packet lengths in beats, cycles."""

DEFAULT = {"beside": [*LOADS]}


def rows(
    part: str, given: list[str], lengths: Sequence[int], cycles: int
) -> Iterator[dict[str, Any]]:
    """Yield what is measured of each network, with packets of each length."""
    for name, length in product(names(given, DEFAULT.get(part)), lengths):
        try:
            yield {"network": name, "beats": length, **PARTS[part][0](name, length, cycles)}
        except (ParameterError, ValueError) as error:
            print(f"{name}: {error}", file=sys.stderr)


def main() -> None:
    """Measure a part, and print a table or an object."""
    asked = arguments(__doc__, "part", cycles=0, lengths=(0,))
    part, *given = asked.part or [""]
    if part not in PARTS:
        sys.exit(f"Parts are {', '.join(PARTS)}, not {part!r}")
    _, lengths, cycles = PARTS[part]
    cycles = asked.cycles or cycles
    found = rows(part, given, lengths if asked.lengths == (0,) else asked.lengths, cycles)
    tell(asked, f"{part}, {cycles:,} cycles", found, part=part, cycles=cycles)


if __name__ == "__main__":
    main()
