"""Components in Amaranth's simulator, generated Verilog in Icarus, and other commands."""

import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from amaranth.sim import Simulator


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


def said(*command: str | Path, folder: Path, **options: Any) -> str:
    """Return what a command prints that ends well, and has nothing to complain of."""
    ended = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=900, **options
    )
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout + ended.stderr
    return ended.stdout


def listed(folder: Path) -> list[Path]:
    """Return the Verilog of a network, as its list has it."""
    (files,) = folder.glob("*.f")
    lines = files.read_text().splitlines()
    return [folder / line for line in lines if not line.startswith("//")]


def icarus(folder: Path, top: str, sources: Iterable[Path], *flags: str) -> list[str]:
    """Return the lines that a simulation displays; Icarus, by Verilog-2005, does not complain."""
    options = "-g2005", "-s", top, "-o", f"{top}.vvp", *flags
    assert said("iverilog", *options, *sources, folder=folder) == ""
    run = ["vvp", "-n", f"{top}.vvp"]
    ended = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=True, timeout=900)
    return [line for line in ended.stdout.splitlines() if "$finish" not in line]
