"""Processor seconds and peak memory of commands, on networks of growing size.

``python -m benchmarks.commands NET... [--beside CHECKOUT] [--command WORD,WORD] [--json]`` runs
each command twice in a process of its own and takes the second run: what is kept in the cache is
there. With ``--beside`` it runs the same of another checkout that is set up, in turns. The last
rows are the exponents of growth with the number of nodes, between the smallest and the largest
network of more than 1,000 nodes. With ``--json`` one object on standard output.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from math import log
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.table import arguments, tell
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


def rows(
    commands: Sequence[str], nets: Sequence[Path], checkouts: Mapping[str, Path]
) -> Iterator[dict[str, Any]]:
    """Yield the second run of each command on each network, and how it grows."""
    nodes = {net: len(read(net).topology().neighbour) for net in nets}
    for command in commands:
        found: dict[str, dict[int, Cost]] = {name: {} for name in checkouts}
        for net in nets:
            for _ in range(2):
                for name, checkout in checkouts.items():
                    if one := cost(checkout.resolve(), command, net):
                        found[name][nodes[net]] = one
            if nodes[net] in found[""]:
                costs = {name: some.get(nodes[net]) for name, some in found.items()}
                yield {"command": command, "network": net.stem, **_told(costs)}
        grown = {name: _grown(some) for name, some in found.items()}
        if all(grown.values()):
            yield {"command": command, "network": "grows as n^", **_told(grown)}


def _told(costs: Mapping[str, Cost | None]) -> dict[str, float | None]:
    return {
        f"{what}{name}": None if found is None else found[place]
        for name, found in costs.items()
        for place, what in enumerate(Cost._fields)
    }


def _grown(costs: Mapping[int, Cost]) -> Cost | None:
    """Return the exponents between the fewest and the most nodes of large networks."""
    large = [size for size in costs if size > LARGE]
    if len(large) < 2:
        return None
    few, many = min(large), max(large)
    pairs = zip(costs[few], costs[many], strict=True)
    return Cost(*(log(most / least) / log(many / few) for least, most in pairs))


def main() -> None:
    """Print a table, or an object."""
    asked = arguments(__doc__, "nets", beside="", command=(*COMMANDS,))
    checkouts = {"": Path()} | ({" beside": Path(asked.beside)} if asked.beside else {})
    tell(asked, "Commands", rows(asked.command, list(map(Path, asked.nets)), checkouts))


if __name__ == "__main__":
    main()
