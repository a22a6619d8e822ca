"""Processor seconds and peak memory of commands, on networks of growing size.

``python -m benchmarks.commands NET... [--beside CHECKOUT] [--command WORD...] [--json]`` runs each
command twice in a process of its own and takes the second run: what is kept in the user's cache is
there. With ``--beside`` it runs the same of another checkout that is set up, in turns. The last
rows are the exponents of growth with the number of nodes, between the smallest and the largest
network of more than 1,000 nodes. With ``--json`` one object, of this checkout, on standard output.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from math import log
from pathlib import Path
from typing import NamedTuple

from benchmarks.table import show
from fingerpost.netfile.source import read

COMMANDS = {
    "info": ("info", "{net}"),
    "generate": ("generate", "{net}", "-o", "{folder}/verilog"),
    "prove": ("prove", "{net}"),
    "simulate": ("simulate", "{net}", "--cycles", "1000", "--load", "0.1"),
    "sweep": (
        *("sweep", "{net}", "-o", "{folder}/sweep", "--cycles", "1000"),
        *("--loads", "0.05,0.1", "--resolution", "0"),
    ),
    "cosim": ("cosim", "{net}", "--level", "network", "--cycles", "200"),
}
"""Commands, by the words that choose them."""

PATIENCE = 900
"""Seconds after which a command is stopped."""

LARGE = 1000
"""Nodes of the networks from which growth is computed, at least."""


class Cost(NamedTuple):
    """Processor seconds and peak memory in MB of one run."""

    seconds: float
    megabytes: float


def cost(checkout: Path, command: str, net: Path) -> Cost | None:
    """Run a command of a checkout; None if it fails, or takes too long."""
    with tempfile.TemporaryDirectory() as folder:
        words = [word.format(net=net.resolve(), folder=folder) for word in COMMANDS[command]]
        process = subprocess.Popen(
            ["timeout", str(PATIENCE), checkout / ".venv/bin/fingerpost", *words],
            cwd=checkout,
            env={k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        return None
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nets", nargs="+", type=Path)
    parser.add_argument("--beside", type=Path)
    parser.add_argument("--command", nargs="+", choices=COMMANDS, default=[*COMMANDS])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    checkouts = {"here": Path()} | ({"beside": options.beside} if options.beside else {})
    nodes = {net: len(read(net).topology().neighbour) for net in options.nets}
    rows, answer = [], list[dict[str, object]]()
    for command in options.command:
        found: dict[tuple[str, Path], Cost] = {}
        for net in options.nets:
            for _ in range(2):
                for name, checkout in checkouts.items():
                    if one := cost(checkout.resolve(), command, net):
                        found[name, net] = one
            print(f"{command} {net.stem} done", file=sys.stderr, flush=True)
            if mine := found.get(("here", net)):
                answer.append({"command": command, "network": net.stem, **mine._asdict()})
            rows.append(
                [command, net.stem]
                + [_text(found.get((name, net)), i) for name in checkouts for i in range(2)]
            )
        of = {
            name: [
                (nodes[net], found[name, net])
                for net in options.nets
                if nodes[net] > LARGE and (name, net) in found
            ]
            for name in checkouts
        }
        rows.append([command, "grows as", *(_grown(of[name], i) for name in of for i in range(2))])
    if options.json:
        print(json.dumps({"rows": answer}))
        return
    heads = [f"{what}, {name}" for name in checkouts for what in ("CPU s", "MB")]
    show("Commands", ["command", "network", *heads], rows)


def _grown(costs: list[tuple[int, Cost]], which: int) -> str:
    """Return the exponent between the fewest and the most nodes."""
    if len(costs) < 2:
        return "-"
    (few, least), (many, most) = min(costs), max(costs)
    return f"n^{log(most[which] / least[which]) / log(many / few):.2f}"


def _text(found: Cost | None, which: int) -> str:
    return "-" if found is None else f"{found[which]:,.{2 - 2 * which}f}"


if __name__ == "__main__":
    main()
