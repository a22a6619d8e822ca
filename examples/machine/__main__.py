"""Run a program on RISC-V processors at the terminals: `python -m examples.machine NET`."""

import argparse
import sys
from collections import Counter
from pathlib import Path

from examples.machine.expected import EXPECTED
from examples.machine.machine import HERE, MachineError, read, run, wrong
from examples.machine.show import picture, table
from fingerpost.testbench import toolchain


def main() -> int:
    """Run a program; 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="examples.machine", description=__doc__)
    parser.add_argument("network", type=Path, help="a network file")
    parser.add_argument(
        "--program", default="all_reduce", help=f"a C file, or one of {', '.join(EXPECTED)}"
    )
    parser.add_argument("--classes", type=int, default=0, help="message classes")
    parser.add_argument("--bus", default="", help="bus of the mailboxes")
    parser.add_argument("--memory", type=int, default=0, help="rows of each memory of a mailbox")
    parser.add_argument("--dma", action="store_true", help="rings of descriptors in memory")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=N", help="for the C")
    parser.add_argument("--cycles", type=int, default=100_000_000, help="at most")
    parser.add_argument("--output", type=Path, default=Path("build/machine"), help="a folder")
    parser.add_argument("--picture", type=Path, help="an SVG file: packets by source, destination")
    given = parser.parse_args()
    program = Path(given.program)
    if program.suffix != ".c":
        program = HERE / "programs" / f"{given.program}.c"
    try:
        defined = {key: int(number) for key, _, number in (s.partition("=") for s in given.set)}
        if not program.is_file():
            raise MachineError(f"--program needs a C file or one of {', '.join(EXPECTED)}")
        network = read(
            given.network,
            classes=given.classes,
            bus=given.bus,
            memory=given.memory,
            dma=given.dma,
        )
        ran = run(network, program, given.output, defined=defined, cycles=given.cycles)
    except (MachineError, ValueError, toolchain.ToolError) as error:
        print(f"machine: {error}", file=sys.stderr)
        return 2
    for node, text in sorted(ran.printed.items()):
        for line in text.splitlines():
            print(f"node {node}: {line}")
    words, packets = sum(ran.words.values()), sum(ran.sent.values())
    print(f"{ran.end} after {ran.cycles} cycles; {packets} packets of {words} words")
    checked = sum(map(len, ran.reported.values()))
    problems = wrong(network, ran, program.stem, defined)
    what = "checked" if program.stem in EXPECTED else "reported"
    print(
        f"{checked} words {what}; error counters: network {ran.counters}, "
        f"mailboxes {sum(ran.errors.values())}"
    )
    if ran.network_cycles and program.stem == "ping_pong":
        sides = sorted(Counter(ran.network_cycles).most_common(2))
        print("mailboxes and network:", ", ".join(f"{n} cycles ({k} times)" for n, k in sides))
    if packets and len(network.topology.terminals) <= 32:
        print("packets from (row) to (column):")
        print(table(network, ran.sent))
    if given.picture:
        given.picture.write_text(picture(network, ran.sent))
    for line in problems[:8]:
        print(f"machine: {line}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
