"""Planted faults: each bench must be seen to fail.

A fault is one replacement in one source file of hdl/. The hardware is generated from a copy of
the tree that has it; the benches and golden stay as they are.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from golden.network import Network
from testbench import faults_borel, faults_cells, faults_directed, faults_scc
from testbench.cosim import Result, run

__all__ = ["CELL_FAULTS", "FAULTS", "UNIT_FAULTS", "Fault", "catch", "copy", "plant", "write"]

ROOT = Path(__file__).parents[1]

SETTINGS: dict[str, dict[str, Any]] = {
    "unit": {"nodes": 8},
    "walk": {},
    "router": {"cycles": 900},
    "network": {"cycles": 150, "load": 0.6, "lengths": (1, 5)},
}
"""How each bench is run: short, since what it shall find is not subtle."""


LANES: dict[str, Any] = {
    "name": "borel-21-lanes",
    "topology": {"family": "borel", "p": 7, "a": 2, "A": [0, 1], "B": [1, 1]},
    "routing": {"algorithm": "two-phase"},
    "router": {"virtual_channels": 4},
}
"""Twice as many channels as its proof needs."""

COURTEOUS: dict[str, Any] = LANES | {"name": "borel-21-courteous", "router": {"courtesy": 2}}
"""Heads from terminals let others pass."""

SEED = 3
"""Puts the router bench at a node with turns that raise the channel: two neighbours are higher."""


@dataclass(frozen=True)
class Fault:
    """One wrong place in the hardware.

    Attributes
    ----------
    name : str
    file : str
        Below hdl/.
    old, new : str
        Text that occurs once in the file, and what replaces it.
    level : str
        The bench that shall find it.
    description : str
        What the hardware then does.
    cycles : int, optional
        How long the bench must run to find it, if longer than it usually does.
    network : mapping, optional
        The network, as `golden.network.build` takes it, on which it is tried; by default that of
        21 nodes with two-phase routing.
    """

    name: str
    file: str
    old: str
    new: str
    level: str
    description: str
    cycles: int | None = None
    network: Mapping[str, Any] | None = None

    def apply(self, tree: Path) -> None:
        """Replace the text in a copy of the sources.

        Raises
        ------
        ValueError
            If the text does not occur exactly once.
        """
        path = tree / "hdl" / self.file
        text = path.read_text(encoding="utf-8")
        count = text.count(self.old)
        if count != 1:
            raise ValueError(
                f"Fault {self.name} needs {self.old!r} once in hdl/{self.file}, not {count} times"
            )
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")


def plant(fault: Fault, network: Network, folder: Path) -> tuple[list[Path], str]:
    """Write the Verilog of a network with a fault to `folder`; return the files and the top module.

    Raises
    ------
    ValueError
        If the text that the fault replaces does not occur exactly once.
    RuntimeError
        If no Verilog comes out of the faulty sources.
    """
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    description = folder / "description.json"
    description.write_text(json.dumps(dict(network.description)), encoding="utf-8")
    bench = "unit" if fault.level == "walk" else fault.level
    return write(fault, folder, "testbench.sources", description, fault.level), f"{bench}_bench"


def copy(fault: Fault, tree: Path) -> None:
    """Copy the sources to `tree` and put a fault into the copy.

    Raises
    ------
    ValueError
        If the text that the fault replaces does not occur exactly once.
    """
    for room in ("golden", "hdl", "testbench"):
        shutil.copytree(
            ROOT / room,
            tree / room,
            ignore=shutil.ignore_patterns("__pycache__"),
            dirs_exist_ok=True,
        )
    fault.apply(tree)


def write(fault: Fault, folder: Path, module: str, *arguments: str | Path) -> list[Path]:
    """Run a module of a copy with a fault, which writes Verilog to `sources`; return the files.

    Raises
    ------
    ValueError
        If the text that the fault replaces does not occur exactly once.
    RuntimeError
        If no Verilog comes out of the faulty sources.
    """
    tree, sources = folder.resolve() / "tree", folder.resolve() / "sources"
    copy(fault, tree)
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments, sources],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["nothing was said"])[-1]
        raise RuntimeError(f"Fault {fault.name} leaves no hardware: {last}")
    return sorted(sources.iterdir())


def catch(fault: Fault, network: Network, directory: Path) -> Result:
    """Run the bench that shall find a fault, in Icarus."""
    folder = directory / fault.name
    settings = SETTINGS[fault.level] | ({"cycles": fault.cycles} if fault.cycles else {})
    if network.link.status_width and fault.level == "network":
        settings["malformed"] = 0.2  # some packets are poisoned
    return run(
        network,
        level=fault.level,
        simulator="icarus",
        directory=folder,
        seed=SEED,
        sources=plant(fault, network, folder),
        **settings,
    )


FAULTS = (
    # Decisions
    Fault(
        "rom-bit-flipped",
        "logic.py",
        "indices[entry].append(i)",
        "indices[entry ^ 4 * (i == 3)].append(i)",
        "unit",
        "One bit of entry 3 of the phase II ROM is wrong.",
    ),
    Fault(
        "wrong-entry-constant",
        "routing/two_phase.py",
        'straps[f"entry{i}"]',
        'straps[f"entry{(i + 1) % k}"]',
        "unit",
        "The phase II word starts at the entry to another class.",
    ),
    Fault(
        "wrong-modulus",
        "logic.py",
        "difference + modulus, difference",
        "difference + modulus - 1, difference",
        "unit",
        "Differences below 0 wrap around one too low.",
    ),
    Fault(
        "wrong-phase-bit",
        "routing/two_phase.py",
        "self.next_header.phase.eq(~walking)",
        "self.next_header.phase.eq(walking)",
        "unit",
        "A packet in phase I is marked as in phase II, and the other way round.",
    ),
    Fault(
        "short-shift",
        "routing/two_phase.py",
        "header.word >> 2",
        "header.word >> 1",
        "unit",
        "Phase II takes one bit from the word instead of a letter.",
    ),
    Fault(
        "bad-destination-accepted",
        "routing/two_phase.py",
        "header.x >= p",
        "header.x > p",
        "unit",
        "A header that names no node is launched.",
    ),
    # The way of a flit
    Fault(
        "letters-skipped",
        "routing/two_phase.py",
        "header.word >> 2",
        "header.word >> 4",
        "walk",
        "In phase II every second letter of the word is left out.",
    ),
    Fault(
        "channel-not-raised",
        "router.py",
        "o.turns[number].eq(self.turns[port * self.degree + out])",
        "o.turns[number].eq(0)",
        "router",
        "A packet stays on its channel at a turn that should raise it.",
    ),
    Fault(
        "head-inside-packet",
        "admission.py",
        "m.If(self.flit.head & ~follows)",
        "m.If(self.flit.head)",
        "router",
        "A head inside a packet is routed.",
    ),
    Fault(
        "lost-tail",
        "admission.py",
        "self.tail.eq(self.flit.tail | stray)",
        "self.tail.eq(self.flit.tail & ~self.flit.head | stray)",
        "router",
        "A packet of one flit has no tail.",
    ),
    Fault(
        "error-not-counted",
        "admission.py",
        "follows | ~self.way.any()",
        "~follows & ~self.way.any()",
        "router",
        "A head inside a packet is not counted.",
    ),
    Fault(
        "untaken-turn-accepted",
        "admission.py",
        "follows | ~self.way.any()",
        "follows | lost",
        "router",
        "A turn that no route takes is not counted as malformed.",
    ),
    Fault(
        "errors-wrap",
        "router.py",
        "total[:ERRORS] | total[ERRORS].replicate(ERRORS)",
        "total[:ERRORS]",
        "router",
        "The error counter starts again at 0 after 255.",
        cycles=2600,
    ),
    Fault(
        "launch-too-early",
        "entrance.py",
        "range(self.routing.launch_cycles)",
        "range(self.routing.launch_cycles - 1)",
        "router",
        "A head from the terminal comes a cycle before its header.",
    ),
    # Queues
    Fault(
        "buffer-one-short",
        "queue.py",
        "return (row + 1)[",
        "return Mux(row == self.depth - 2, 0, row + 1)[",
        "router",
        "The pointers of a queue go round one place too early: a full queue overwrites itself.",
    ),
    Fault(
        "drained-keeps-credit",
        "input_port.py",
        "link.credit[v].eq(queue.goes)",
        "link.credit[v].eq(queue.goes & ~drained)",
        "router",
        "A flit that is drained does not give its credit back.",
    ),
    Fault(
        "nothing-drained",
        "input_port.py",
        "self.nominee[v]) | drained",
        "self.nominee[v])",
        "router",
        "A flit without a way stays where it is.",
    ),
    Fault(
        "wrong-way-behind",
        "queue.py",
        "Mux(more, way, self.way)",
        "self.way",
        "router",
        "A packet that waits behind another goes where the one goes that arrives.",
    ),
    Fault(
        "nominee-stuck",
        "input_port.py",
        "upper.eq(self.nominee[1:])",
        "upper.eq(0)",
        "network",
        "The lowest channel that is ready is always nominated.",
    ),
    # Outputs
    Fault(
        "credit-lost",
        "output_port.py",
        "self.link.credit[c]",
        "self.link.credit[c] & 0",
        "router",
        "Credits that come back are not counted.",
    ),
    Fault(
        "credit-too-many",
        "router.py",
        "depth=self.depth,\n            courtesy",
        "depth=self.depth + 1,\n            courtesy",
        "router",
        "Outputs start with one credit more than the receiver has places.",
    ),
    Fault(
        "credit-unused",
        "output_port.py",
        "for i in (1, 2)",
        "for i in (5, 6)",
        "router",
        "The last credits wait for each other: the link runs below its rate.",
    ),
    Fault(
        "stuck-valid",
        "output_port.py",
        "link.valid.eq(departs)",
        "link.valid.eq(self.link.valid | departs)",
        "router",
        "Once a channel has sent a flit its valid stays up.",
    ),
    Fault(
        "channel-not-held",
        "output_port.py",
        "(~busy & ~had[k])",
        "~had[k]",
        "router",
        "Packets mix on a channel.",
    ),
    Fault(
        "turn-not-taken",
        "rounds.py",
        "(self.had | self.goes)",
        "self.had",
        "network",
        "Who goes has not had its turn.",
    ),
    Fault(
        "round-without-end",
        "rounds.py",
        "several | (some & ~begins)",
        "some",
        "network",
        "The last of a round keeps it open for one cycle more.",
    ),
    Fault(
        "never-insists",
        "router.py",
        "insists.eq(passed[-1])",
        "insists.eq(0)",
        "network",
        "A head from the terminal lets all others pass for ever.",
        network=COURTEOUS,
    ),
    Fault(
        "always-insists",
        "router.py",
        "insists.eq(passed[-1])",
        "insists.eq(1)",
        "network",
        "A head from the terminal lets nobody pass.",
        network=COURTEOUS,
    ),
    Fault(
        "lane-not-changed",
        "router.py",
        "lane.eq(lane.rotate_left(1))",
        "lane.eq(lane)",
        "router",
        "All packets of the terminal start on the same lane.",
        network=LANES,
    ),
    # The network
    Fault(
        "unfair-arbiter",
        "arbiter.py",
        " & ~self.grant[i]",
        "",
        "network",
        "Whoever has the lower number always comes first.",
    ),
    Fault(
        "links-swapped",
        "link/flit_link.py",
        'here = f"{node}_{port}"',
        'here = f"{node}_{port ^ (node == 4)}"',
        "network",
        "Links A and B of node 4 are swapped, and so are their inverses.",
    ),
    Fault(
        "wrong-strap",
        "network.py",
        "int(values[name][node]) <<",
        '(int(values[name][node]) ^ ((name, node) == ("entry1", 5))) <<',
        "network",
        "Node 5 is told a wrong entry to class 1.",
    ),
    Fault(
        "wrong-order",
        "network.py",
        "int(bit) << place",
        "int(bit ^ (node == 3)) << place",
        "network",
        "Node 3 raises packets where it should not, and the other way round.",
    ),
    Fault(
        "terminals-crossed",
        "terminal/credit.py",
        "part(port.name, node, width)",
        'part(port.name, node ^ (node < 2 and port.name == "eject_credit"), width)',
        "network",
        "Nodes 0 and 1 get each other's credits from the terminals.",
    ),
)
"""Faults of the router, the network, and the two-phase unit."""

UNIT_FAULTS = tuple(
    Fault(
        fault["name"],
        fault["file"],
        fault["old"],
        fault["new"],
        "unit",
        fault["why"],
        network=fault["network"],
    )
    for fault in (*faults_borel.FAULTS, *faults_scc.FAULTS, *faults_directed.FAULTS)
)
"""Faults of the other routing units, for the unit bench."""

CELL_FAULTS = tuple(
    Fault(
        fault["name"],
        fault["file"],
        fault["old"],
        fault["new"],
        "network",
        fault["why"],
        cycles=2500,
        network=faults_cells.RING,
    )
    for fault in faults_cells.FAULTS
)
"""Faults of nodes across OS-Links, for the network bench."""
