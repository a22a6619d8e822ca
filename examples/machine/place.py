"""Place a machine on an ECP5-85F, by Yosys and nextpnr."""

import json
from collections.abc import Mapping
from pathlib import Path

from examples.machine.firmware import firmware
from examples.machine.machine import HERE, counters, machine_verilog, sources
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.jobs.tools import find_tool, run_tool

CELLS = {
    "TRELLIS_COMB": "LUT4",
    "TRELLIS_FF": "flip-flops",
    "DP16KD": "block RAMs",
    "MULT18X18D": "multipliers",
}
"""What nextpnr counts."""


def placed(
    network: AnyNetwork,
    program: Path,
    folder: Path,
    mhz: float,
    *,
    defined: Mapping[str, int] | None = None,
    processor: str = "picorv32",
) -> str:
    """Place and route a machine whose memories hold a program; return its area and clock.

    Raises
    ------
    ToolError
        If a tool is missing or fails, as it does if the clock is not reached.
    MachineError
        If the program does not compile.
    """
    yosys, nextpnr = (find_tool(f"yowasp-{name}") for name in ("yosys", "nextpnr-ecp5"))
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    verilog = [*sources(network, folder, processor=processor), HERE / "top.v"]
    firmware(network, program.resolve(), folder, defined or {}, processor=processor)
    # The tools see the folder alone, so that each file goes there.
    for file in verilog:
        (folder / file.name).write_text(file.read_text())
    (folder / "machine.v").write_text(machine_verilog(network, program="firmware.hex"))
    names = ["machine.v", *(file.name for file in verilog)]
    nodes = len(network.terminal.numbers(network.topology.terminals))
    sizes = {"NODES": nodes, "COUNTERS": sum(port.bits for port in counters(network))}
    script = (
        f"read_verilog {' '.join(names)}; "
        f"chparam {' '.join(f'-set {name} {n}' for name, n in sizes.items())} machine_top; "
        "synth_ecp5 -top machine_top -json machine.json"
    )
    run_tool([yosys, "-q", "-l", "yosys.log", "-p", script], folder)
    chip = ["--85k", "--package", "CABGA381", "--speed", "6", "--lpf-allow-unconstrained"]
    files = ["--json", "machine.json", "--textcfg", "machine.config", "--report", "report.json"]
    run_tool([nextpnr, *chip, *files, "--freq", str(mhz), "-l", "nextpnr.log", "-q"], folder)
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    lines = [
        "{used:6} of {available} {}".format(title, **report["utilization"][name])
        for name, title in CELLS.items()
    ]
    reached = max(clock["achieved"] for clock in report["fmax"].values())
    return "\n".join([*lines, f"{reached:.1f} MHz reached, {mhz:g} asked"])
