"""Run a program on RISC-V processors at the terminals: `python -m examples.machine NET`."""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from examples.machine.expected import DEFAULT, EXPECTED, serves
from examples.machine.machine import CORES, HERE, TERMINALS, MachineError, read
from examples.machine.place import placed
from examples.machine.show import picture, table
from examples.machine.simulation import Run, run, simulator, wrong
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.emit.files import write_files
from fingerpost.testbench import toolchain


def main() -> int:
    """Run a program; 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="examples.machine", description=__doc__)
    parser.add_argument("network", type=Path, help="a network file")
    parser.add_argument(
        "--program",
        nargs="+",
        default=[],
        help=f"C files, or any of {', '.join(EXPECTED)}",
    )
    parser.add_argument("--terminal", default="", choices=TERMINALS, help="mailboxes, or memory")
    parser.add_argument("--core", choices=CORES, default="picorv32")
    parser.add_argument("--classes", type=int, default=0, help="message classes")
    parser.add_argument("--endpoints", type=int, default=0, help="processors at each terminal")
    parser.add_argument("--bus", default="", help="bus of the mailboxes")
    parser.add_argument("--memory", type=int, default=0, help="rows of each memory of a mailbox")
    parser.add_argument("--dma", action="store_true", help="rings of descriptors in memory")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=N", help="for the C")
    parser.add_argument("--cycles", type=int, default=100_000_000, help="at most")
    parser.add_argument("--output", type=Path, default=Path("build/machine"), help="a folder")
    parser.add_argument(
        "--place", type=float, metavar="MHZ", help="on an ECP5-85F, with this clock"
    )
    parser.add_argument("--picture", type=Path, help="an SVG file: packets by source, destination")
    parser.add_argument("--json", type=Path, metavar="FILE", help="what each program has done")
    given = parser.parse_args()
    try:
        defined = {key: int(number) for key, _, number in (s.partition("=") for s in given.set)}
        network = read(
            given.network,
            terminal=given.terminal,
            classes=given.classes,
            endpoints=given.endpoints,
            bus=given.bus,
            memory=given.memory,
            dma=given.dma,
        )
        kind = network.terminal.kind
        programs = [source(name, kind) for name in given.program or [DEFAULT[kind]]]
        if given.place:
            there = given.output / "placed"
            core, first = given.core, programs[0]
            print(placed(network, first, there, given.place, defined=defined, processor=core))
            return 0
        machine = simulator(network, given.output, processor=given.core)
        problems, runs = 0, {}
        for program in programs:
            ran = run(
                network,
                program,
                machine,
                given.output,
                defined=defined,
                cycles=given.cycles,
                processor=given.core,
            )
            if len(programs) > 1:
                print(f"{program.stem}:")
            problems += tell(network, ran, program.stem, defined)
            runs[program.stem] = ran.facts()
    except KeyboardInterrupt:
        print("machine: interrupted; what was built is kept", file=sys.stderr)
        return 130
    except (MachineError, ValueError, toolchain.ToolError) as error:
        print(f"machine: {error}", file=sys.stderr)
        return 2
    if given.json:
        write_files({given.json.name: json.dumps(runs, indent=2) + "\n"}, given.json.parent)
    if given.picture:
        given.picture.write_text(picture(network, ran.sent))
    return 1 if problems else 0


def source(name: str, kind: str) -> Path:
    """Return the C file of a program for a kind of terminal.

    Raises
    ------
    MachineError
        If there is none, or it is for others.
    """
    if not serves(kind, name):
        other = next(other for other in TERMINALS if other != kind)
        raise MachineError(f"--program: {name} is for {other} terminals; give --terminal {other}")
    file = Path(name) if name.endswith(".c") else HERE / "programs" / f"{name}.c"
    if not file.is_file():
        several = ", ".join(EXPECTED)
        raise MachineError(f"--program: there is no {file}; give a C file or one of {several}")
    return file


def tell(network: AnyNetwork, ran: Run, program: str, defined: dict[str, int]) -> int:
    """Print what a program has done; return how many things are wrong with it."""
    for node, text in sorted(ran.printed.items()):
        for line in text.splitlines():
            print(f"node {node}: {line}")
    words, packets = sum(ran.words.values()), sum(ran.sent.values())
    print(f"{ran.end} after {ran.cycles} cycles; {packets} packets of {words} words")
    checked = sum(map(len, ran.reported.values()))
    what = "checked" if program in EXPECTED else "reported"
    boxes = f", mailboxes {sum(ran.errors.values())}" * (network.terminal.kind == "mailbox")
    print(f"{checked} words {what}; error counters: network {ran.counters}{boxes}")
    rounds = 2 * defined.get("ROUNDS", 10)
    if program == "ping_pong" and len(ran.network_cycles) >= 2 * rounds:
        parts = ran.network_cycles[:rounds], ran.network_cycles[rounds : 2 * rounds]
        short, long = (Counter(part).most_common(1)[0][0] for part in parts)
        print(f"mailboxes and network: {short} cycles for a word, {long} for a longest packet")
    if packets and len(network.terminal.numbers(network.topology.terminals)) <= 32:
        print("packets from (row) to (column):")
        print(table(network, ran.sent))
    problems = wrong(network, ran, program, defined)
    for line in problems[:8]:
        print(f"machine: {line}", file=sys.stderr)
    return len(problems)


if __name__ == "__main__":
    sys.exit(main())
