"""`fingerpost cosim`: what was run, as facts and as people read them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from fingerpost.cli import options
from fingerpost.cli.app import command, option
from fingerpost.jobs.console import answer, progress, stdout_to_stderr
from fingerpost.testbench.benches import COMPILED_FROM, LEVELS, check, choose, make
from fingerpost.testbench.toolchain import versions

if TYPE_CHECKING:
    from fingerpost.golden.network.kinds import AnyNetwork
    from fingerpost.testbench.cosim import Result


def _level(name: str) -> str:
    """Refuse a level that there is not, before a network file is read."""
    if name not in LEVELS:
        known = ", ".join(map(repr, LEVELS))
        raise typer.BadParameter(f"{name!r} is not one of {known}.")
    return name


@command("cosim networks/torus-8x8.yaml --level network")
def main(
    net: options.Net,
    level: str = option(
        "unit",
        "unit: every decision; path: routes of such decisions; router: one router; "
        "network: the network in lock-step; clocks: OS-Links with a clock for each node.",
        "LEVEL",
        callback=_level,
        autocompletion=options.one_of("testbench.benches", "LEVELS"),
    ),
    simulator: Literal["icarus", "verilator"] | None = option(
        None, "The simulator.", usual="verilator where nodes are compiled, else icarus"
    ),
    engine: Literal["cocotb", "compiled"] | None = option(
        None,
        "cocotb; or compiled, at levels unit, router and network: each node type is compiled once.",
        usual=f"compiled from {COMPILED_FROM} nodes on, at level unit, and network if "
        "terminals have credits, where Verilator is installed; else cocotb",
    ),
    waves: bool = option(False, "Keep a waveform."),
    lines: bool = option(False, "Count covered lines and toggled bits; with --engine compiled."),
    cycles: int | None = option(None, "Cycles to run.", usual="as the level needs", min=1),
    seed: options.Seed = 0,
    load: float | None = option(None, options.LOAD_HELP, usual="as the level needs"),
    traffic: options.TrafficOption = None,
    arrivals: options.ArrivalsOption = None,
    packet_length: options.PacketLength = None,
    directory: Path = option(Path("sim_build"), "Where the simulator writes.", "DIR"),
    faults: options.Faults = None,
    routing: options.Algorithm = None,
    as_json: options.AsJson = False,
) -> None:
    """Run the Verilog against the model; exit with status 1 if they differ."""
    from fingerpost.drawing import timing
    from fingerpost.testbench.cosim import run

    options.sent_as(traffic, arrivals, packet_length)
    words = {"traffic": traffic, "arrivals": arrivals, "lengths": packet_length}
    given = {"cycles": cycles, "load": load, "seed": seed} | words
    stimulus = {name: str(x) if name in words else x for name, x in given.items() if x is not None}
    if load is None and traffic is not None and traffic.recorded:
        stimulus["load"] = None
    check(level, stimulus)
    if lines and engine is None:
        engine = "compiled"
    asked = partial(
        choose, level=level, simulator=simulator or "", engine=engine or "", waves=waves
    )
    if engine == "compiled":  # refused before a network file is read
        asked(0)
    network = options.load_any(net, faults=faults, routing=routing)
    options.remark_plain([network])
    tool, chosen = asked(network.topology.nodes, around=network.around)
    bench = make(network, level, engine=chosen, lines=lines, **stimulus)
    with stdout_to_stderr(), progress(f"{level} in {tool}, {chosen}") as tell:
        result = run(bench, simulator=tool, directory=directory, waves=waves, progress=tell)
    difference = timing.files(result) if result.mismatches else {}
    answer(facts(result) | difference, render, as_json=as_json)
    if result.mismatches:
        raise typer.Exit(1)


def cosim(
    network: "AnyNetwork",
    level: str = "unit",
    *,
    simulator: str = "",
    engine: str = "",
    directory: Path | str = "sim_build",
    waves: bool = False,
    **options: Any,
) -> "Result":
    """Compare the Verilog of a network with its model; `mismatches` of the result counts.

    Parameters
    ----------
    level : str
        One of `fingerpost.testbench.benches.LEVELS`: unit, path, router, network, clocks.
    simulator, engine : str
        icarus or verilator; cocotb or compiled. What is not said is as of `fingerpost cosim`.
    directory : Path
        Where the simulator writes.
    waves : bool
        Whether to keep a waveform; a difference leaves one anyway.
    **options
        The stimulus: seed, and what the level takes, such as cycles and load.

    Raises
    ------
    ValueError
        If there is no such level, or it does not take these options, or cannot be run so.
    ToolError
        If a tool is missing.
    BenchError
        If the simulation did not build or broke down.
    """
    from fingerpost.golden.arguments import fitted
    from fingerpost.golden.network.kinds import AnyNetwork
    from fingerpost.testbench.cosim import run

    fitted("cosim", "network", network, AnyNetwork)
    tool, chosen = choose(
        network.topology.nodes,
        level,
        simulator,
        engine=engine,
        waves=waves,
        around=network.around,
    )
    bench = make(network, level, engine=chosen, **options)
    return run(bench, simulator=tool, directory=Path(directory), waves=waves)


def facts(result: Any) -> dict[str, Any]:
    """Return what `fingerpost.testbench.cosim.run` found.

    Keys
    ----
    network, faults, seconds, cycles
    level
        The argument.
    simulator, engine
        `icarus` or `verilator`; `cocotb` or `compiled`.
    decisions : decisions
        Compared, at levels unit and path.
    mismatches : decisions or cycles
        That differ.
    message
        The first difference, or `""`.
    waveform, picture, view, results_xml
        Files, or `null`.
    date, versions
        When it ended, in UTC; versions of packages and simulator.
    build_seconds : s
        To build the simulation.
    delivered, flits : packets, flits
        Levels network and clocks.
    model_cpu_seconds, hardware_cpu_seconds : CPU s
        Engine compiled.
    errors, overruns, covered, coverable, missing
        Level router: counts; coverage, and what it lacks.
    lines
        With `--lines`, for each module: `module`, `lines`, `lines_seen`, `toggles`, `toggles_seen`,
        `missing`.
    routes, mean_hops, max_hops : routes, hops
        Level path.
    frames, bit_times : frames, bit times
        Level clocks.
    """
    from fingerpost.netfile import faults as failed

    bench = result.bench
    return {
        "network": bench.name,
        "level": bench.level,
        "simulator": result.simulator,
        "engine": bench.engine,
        bench.counted: result.count,
        "mismatches": result.mismatches,
        **{name: result.details[name] for name in bench.facts if name in result.details},
        "seconds": result.seconds,
        "build_seconds": result.build_seconds,
        "message": result.message,
        "waveform": result.waveform,
        "picture": None,
        "view": None,
        "results_xml": result.results_xml,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(result.simulator, engine=bench.engine),
        **failed.facts(bench.network.topology),
    }


def render(facts: Mapping[str, Any]) -> str:
    """Return a co-simulation as people read it."""
    count = "cycles" if "cycles" in facts else "decisions"
    what = f"{facts['network']}, {facts['level']} in {facts['simulator']}"
    if facts["level"] == "network" or facts["engine"] == "compiled":
        what += f", {facts['engine']}"
    found = f"{facts['mismatches']} mismatches in {facts[count]} {count}"
    took = f"built in {facts['build_seconds']:.1f} s, run in {facts['seconds']:.1f} s"
    lines = [f"{what}: {found}; {took}"]
    if "routes" in facts:
        routes = f"{facts['routes']} routes, mean {facts['mean_hops']:.4f} hops to other nodes"
        lines.append(f"{routes}, most {facts['max_hops']}")
    if "frames" in facts:
        frames = f"{facts['delivered']} of {facts['frames']} frames, {facts['flits']} flits"
        lines.append(f"{frames}, in {facts['bit_times']:.0f} bit times")
    if "hardware_cpu_seconds" in facts:
        speeds = (
            f"{name} {facts[count] / max(facts[f'{name}_cpu_seconds'], 1e-9):,.0f}"
            for name in ("model", "hardware")
        )
        lines.append(f"cycles per CPU second: {', '.join(speeds)}")
    if "lines" in facts:
        shares = (
            f"{sum(row[f'{what}_seen'] for row in facts['lines']):,} of "
            f"{sum(row[what] for row in facts['lines']):,} {what}"
            for what in ("lines", "toggles")
        )
        lines.append(f"Verilog   {', '.join(shares)} in {len(facts['lines'])} modules")
    lines += [facts["message"]] if facts["message"] else []
    kept = ("waveform", "picture", "view")
    lines += [f"{name:<9} {facts[name]}" for name in kept if facts.get(name)]
    return "\n".join([*lines, f"results   {facts['results_xml']}"])
