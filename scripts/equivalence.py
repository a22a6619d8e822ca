"""`make equivalence`: the Verilog of networks does what Amaranth's own netlists of them do.

python scripts/equivalence.py NETWORK.yaml...
"""

import os
import sys
from typing import Any

from fingerpost.formal.equivalence import Answer, compare
from fingerpost.hdl.counting import counting
from fingerpost.hdl.emit.routers import routers
from fingerpost.hdl.terminal import terminal_end
from fingerpost.netfile.source import load_any


def components(network: Any) -> dict[str, Any]:
    """Return what a network's Verilog is printed from, by the names of the modules."""
    counters = counting(network)
    ends = terminal_end(network).components() | (counters.components() if counters else {})
    return {**routers(network).components(), **ends}


def main(files: list[str]) -> int:
    """Compare all components of some networks, a line for each; 1 if one differs.

    Each pair of modules is compared once, in all runs: answers are cached.
    """
    known: dict[bytes, Answer] = {}
    differ = count = 0
    for number, file in enumerate(files, 1):
        for name, component in components(load_any(file)).items():
            before = len(known)
            answer = compare(component, known=known)
            count += 1
            differ += not answer.equal
            said = "equal" if answer.equal else f"DIFFERENT: {answer}"
            told = f"{answer.compared} bits, {answer.registers} of registers"
            new = f"{len(known) - before} new modules, {sum(os.times()[:4]):.0f} s"
            print(f"{number}/{len(files)} {name}: {told}: {said}; {new}", flush=True)
    total = sum(known.values(), Answer())
    print(
        f"{len(files)} networks, {count} components, {len(known)} different modules: "
        f"{total.compared} bits, {total.registers} of registers; {differ} components differ"
    )
    return int(bool(differ))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
