"""Components in Amaranth's simulator, and generated Verilog in Icarus."""

import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from amaranth.sim import Simulator

__all__ = ["icarus", "listed", "simulate"]


def simulate(
    component: Any, bench: Any, background: Iterable[Any] = (), *, clock: bool = True
) -> None:
    """Run a bench, in the background others, with a clock if the component waits for one."""
    simulator = Simulator(component)
    if clock:
        simulator.add_clock(1e-6, if_exists=True)
    simulator.add_testbench(bench)
    for other in background:
        simulator.add_testbench(other, background=True)
    simulator.run()


def listed(folder: Path) -> list[Path]:
    """Return the Verilog of a network, as its list has it."""
    (files,) = folder.glob("*.f")
    lines = files.read_text().splitlines()
    return [folder / line for line in lines if not line.startswith("//")]


def icarus(folder: Path, top: str, sources: Iterable[Path], *flags: str) -> list[str]:
    """Return the lines that a simulation displays; Icarus, by Verilog-2005, does not complain."""
    command: list[str | Path] = [
        "iverilog",
        "-g2005",
        "-s",
        top,
        "-o",
        f"{top}.vvp",
        *flags,
        *sources,
    ]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (built.returncode, built.stdout, built.stderr) == (0, "", ""), built.stderr
    run = ["vvp", "-n", f"{top}.vvp"]
    ended = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=True, timeout=900)
    return [line for line in ended.stdout.splitlines() if "$finish" not in line]
