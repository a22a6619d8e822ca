"""The benches: what each runs, beside the cocotb test that it runs it with.

`LEVELS` are those of a network, from small to large; each is imported on first use.
"""

from collections.abc import Iterable
from dataclasses import fields
from importlib import import_module
from typing import TYPE_CHECKING, Any

from fingerpost.testbench.toolchain import missing

if TYPE_CHECKING:
    from fingerpost.golden.network.kinds import AnyNetwork
    from fingerpost.testbench.benches.bench import OfNetwork

__all__ = ["COMPILED_FROM", "ENGINES", "LEVELS", "check", "choose", "make"]

LEVELS = {
    "unit": ("questions", "UnitBench"),
    "path": ("questions", "PathBench"),
    "router": ("router_script", "RouterBench"),
    "network": ("network", "NetworkBench"),
    "clocks": ("network", "ClocksBench"),
}
"""The module and the class of each level."""

DEFLECTION_UNIT = "deflection_unit"
"""Level unit of networks of deflection routers."""

COUNTERS = "counters"
"""Level network of networks with counters, if no load is given."""

ENGINES = "cocotb", "compiled"
"""What a level is run with; see `fingerpost.testbench.benches.bench.Bench`."""

COMPILED = "network", "router", "unit"
"""The levels that can be run compiled."""

COMPILED_FROM = 60
"""Nodes from which on networks in lock-step, and routing units, are faster if compiled."""


def _kind(level: str) -> "type[OfNetwork]":
    known = LEVELS | {
        DEFLECTION_UNIT: ("deflection", "DeflectionUnitBench"),
        COUNTERS: ("network", "CountersBench"),
    }
    if level not in known:
        raise ValueError(f"Level needs to be one of {', '.join(LEVELS)}, not {level!r}")
    module, name = known[level]
    kind: type[OfNetwork] = getattr(import_module(f"fingerpost.testbench.benches.{module}"), name)
    return kind


def check(level: str, options: Iterable[str], kind: "type[OfNetwork] | None" = None) -> None:
    """See to it that a level takes all of some options.

    Parameters
    ----------
    kind : type of OfNetwork, optional
        Its class, if it is not that of `LEVELS`.

    Raises
    ------
    ValueError
        If there is no such level, or it takes no option of that name.
    """
    of = kind or _kind(level)
    known = sorted({field.name for field in fields(of)} - {*of.OPTIONS})
    for name in options:
        if name not in known:
            raise ValueError(f"Level {level} takes {', '.join(known)}, not {name}")


def choose(
    nodes: int,
    level: str,
    simulator: str = "",
    *,
    engine: str = "",
    waves: bool = False,
    around: bool = False,
) -> tuple[str, str]:
    """Return the simulator and the engine in which a level is run for a network of so many nodes.

    Parameters
    ----------
    simulator, engine : str
        The choice of the user, or empty. The default simulator is Verilator where
        nodes are compiled, else Icarus.
    waves : bool
        Whether to record a waveform of everything.
    around : bool
        Whether modules stand around the nodes (`golden.network.base.Network.around`): these are not
        compiled.

    Raises
    ------
    ValueError
        If the combination is impossible.
    """
    possible = level in COMPILED and simulator in ("", "verilator") and not waves
    if engine == "compiled" and not possible:
        asked = f", simulator {simulator}" if simulator else ""
        raise ValueError(
            f"Compiled nodes need level network, router or unit, simulator verilator and no waves, "
            f"not level {level}{asked}{', waves' * waves}"
        )
    if engine == "compiled" and around and level == "network":
        raise ValueError(
            "Compiled nodes need terminals with nothing around the nodes, such as credit, no "
            "counters and no link_up"
        )
    apart = level == "router" or (level == "network" and around)
    large = possible and not apart and nodes >= COMPILED_FROM
    # If Verilator is missing, an explicit request is an error; otherwise Icarus runs.
    there = large and not engine and (simulator != "" or not missing("verilator"))
    chosen = engine or ENGINES[there]
    return simulator or ("verilator" if chosen == "compiled" else "icarus"), chosen


def make(
    network: "AnyNetwork",
    level: str,
    *,
    engine: str = "cocotb",
    lines: bool = False,
    **options: Any,
) -> "OfNetwork":
    """Return the bench of a level for a network, to be run in one of `ENGINES`.

    Parameters
    ----------
    lines : bool
        Whether to tell which lines of the Verilog are gone through; with engine compiled only.

    Raises
    ------
    ValueError
        If there is no such level, or it does not take these options, or lines cannot be counted.
    """
    which = level
    if not network.has_routes:
        if level not in ("unit", "network"):
            raise ValueError(f"Deflection routers need level unit or network, not {level}")
        if level == "unit":
            which = DEFLECTION_UNIT
        elif not network.terminal.takes_all:
            options = {"lengths": (1, 1), **options}
    eager = network.terminal.uninvited(network)
    if level == "network" and eager:  # longer packets, too, which ask for room
        longest = min(2 * eager, network.terminal.longest or 2 * eager)
        options = {"lengths": (1, longest), **options}
    if level == "network" and "load" not in options:
        from fingerpost.testbench.benches.network import NetworkBench, usual_turns

        given = options.get("cycles", NetworkBench.cycles)
        turns = [
            {name: value for name, value in turn.items() if name == "cycles" or name not in options}
            for turn in usual_turns(network, given)
        ]
        options = {"turns": turns, **options}
        if network.counters is not None and engine == "cocotb":  # some of them are read, too
            which, options = COUNTERS, {"snapshots": 2, "most": 10, **options}
    check(level, options, _kind(which))
    if lines and engine != "compiled":
        raise ValueError(f"Lines need --engine compiled, not {engine}")
    if lines and level == "unit":
        raise ValueError("Lines need level network or router, not unit")
    kind: Any = _kind(which)
    bench: OfNetwork = kind(network, engine=engine, lines=lines, **options)
    return bench
