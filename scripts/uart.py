"""What a network on a board tells: `python -m scripts.uart NET` simulates it as it is on the board.

Bits and intervals are those of the board, so the lines are those that come out of it after its
configuration. That is more than ten million cycles, and takes Verilator minutes.
"""

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from fingerpost.boards import board
from fingerpost.commands.board import pace
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.board import board_verilog
from fingerpost.hdl.export.generate import generate
from fingerpost.hdl.lib.ports import identifier
from fingerpost.netfile.source import read
from fingerpost.testbench.toolchain import environment

BAUD = 115_200

BENCH = Path(__file__).with_name("uart.v").read_text()


def simulate(
    network: AnyNetwork, folder: Path, *, divisor: int, interval: int, lines: int
) -> list[str]:
    """Return the first lines of the UART, and the LEDs, the highest first, behind each.

    Parameters
    ----------
    network : AnyNetwork
        With AXI4-Stream terminals and one clock.
    folder : Path
        Where the design is written and compiled.
    divisor : int
        Cycles of a bit on the UART.
    interval : int
        Cycles from line to line, as a power of 2.
    lines : int
        How many.
    """
    texts = board_verilog(network, divisor=divisor, interval=interval)
    *_, top = texts
    given = {"top": top, "divisor": divisor, "lines": lines}
    bench = re.sub(r"@(\w+)@", lambda name: str(given[name[1]]), BENCH)
    generate(network, folder)
    for name, text in (texts | {"uart_bench": bench}).items():
        (folder / f"{name}.v").write_text(text, encoding="utf-8")
    listed = (folder / f"{identifier(network.name)}.f").read_text(encoding="utf-8")
    files = [line for line in listed.splitlines() if not line.startswith("//")]
    files += [f"{name}.v" for name in (*texts, "uart_bench")]
    command = ["verilator", "--binary", "-Wno-fatal", "--top-module", "uart_bench", *files]
    env = {**os.environ, **environment("verilator")}
    subprocess.run(command, cwd=folder, env=env, capture_output=True, check=True)
    ended = subprocess.run(
        [folder / "obj_dir/Vuart_bench"], capture_output=True, text=True, check=True
    )
    return [line for line in ended.stdout.splitlines() if " led " in line or "no stop" in line]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the first lines of a network's board."""
    parser = argparse.ArgumentParser(prog="python -m scripts.uart", description=__doc__)
    parser.add_argument("net", type=Path, metavar="NET", help="a network file")
    parser.add_argument("--lines", type=int, default=1)
    given = parser.parse_args(arguments)
    paced = pace(board("ulx3s-85f"), BAUD)
    network = read(given.net).with_streams().any_network()
    cycles = given.lines << paced["interval"]
    print(f"compiling, then some {cycles:,} cycles: this takes minutes", file=sys.stderr)
    with TemporaryDirectory() as folder:
        for line in simulate(network, Path(folder).resolve(), lines=given.lines, **paced):
            print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
