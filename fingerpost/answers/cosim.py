"""`fingerpost cosim`: what was run, as facts and as people read them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from fingerpost.netfile import faults
from fingerpost.testbench.toolchain import versions


def cosim_facts(result: Any) -> dict[str, Any]:
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
        Level router, engine compiled: counts; coverage, and what it lacks.
    lines
        With `--lines`, for each module: `module`, `lines`, `lines_seen`, `toggles`, `toggles_seen`,
        `missing`.
    routes, mean_hops, max_hops : routes, hops
        Level path.
    frames, bit_times : frames, bit times
        Level clocks.
    """
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
        **faults.facts(bench.network.topology),
    }


def render_cosim(facts: Mapping[str, Any]) -> str:
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
