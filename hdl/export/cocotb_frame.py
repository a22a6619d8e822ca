"""What all benches for cocotb have in common: packets, and a program that runs them."""

from typing import NamedTuple

from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.network import identifier
from fingerpost.hdl.export.bench_plan import Plan

__all__ = ["CocotbSpeech", "cocotb_framed"]

FRAME = '''"""Every terminal of @NAME@ sends packets to @WHOM@; for cocotb 2@NEEDS@.

As a program it builds and runs itself: python @NAME@_cocotb.py [icarus|verilator]
"""

@LIBRARIES@
from pathlib import Path

import cocotb
@IMPORTS@

HERE = Path(__file__).resolve().parent
FACTS = json.loads((HERE / "@NAME@.json").read_text(encoding="utf-8"))
PORTS = {port["name"]: port["bits"] for port in FACTS["network_ports"]}
@CONSTANTS@
COUNTERS = [@COUNTERS@]
EACH, STRIDE, LIMIT, CALM = @EACH@, @STRIDE@, @LIMIT@, @CALM@


def packets():
    """Return (source, destination) of every packet; its place is its number."""
    count = len(TERMINALS)
    return [
        (source, TERMINALS[(place + 1 + step * STRIDE) % count])
        for place, source in enumerate(TERMINALS)
        for step in range(EACH)
    ]


@BODY@


def main():
    """Build and run it; return how many tests have failed."""
    from cocotb_tools.runner import get_results, get_runner

    listed = (HERE / "@NAME@.f").read_text(encoding="utf-8").splitlines()
    simulator, top = sys.argv[1] if len(sys.argv) > 1 else "icarus", "@MODULE@"
    runner = get_runner(simulator)
    runner.build(sources=[HERE / file for file in listed if file and not file.startswith("//")],
                 # Names that would be words of C++ are no matter: nobody sees them there.
                 build_args=["-Wno-SYMRSVDWORD"] if simulator == "verilator" else [],
                 hdl_toplevel=top, timescale=("1ns", "1ps"))
    return get_results(runner.test(hdl_toplevel=top, test_module=Path(__file__).stem))[1]


if __name__ == "__main__":
    sys.exit(main())
'''


class CocotbSpeech(NamedTuple):
    """How a bench speaks with terminals of one kind: the parts of its text that differ.

    Attributes
    ----------
    module : str
        The top.
    needs : str
        What it needs besides cocotb, for people.
    libraries, imports : str
        Lines that import from Python's library, and from others.
    constants : str
        A line for each, with ``TERMINALS``.
    body : str
        What sends and receives, as a test of cocotb.
    """

    module: str
    needs: str
    libraries: str
    imports: str
    constants: str
    body: str


def cocotb_framed(network: Network, plan: Plan, counters: list[str], speech: CocotbSpeech) -> str:
    """Return a bench.

    Parameters
    ----------
    network : Network
    plan : Plan
        The packets that it sends.
    counters : list of str
        Outputs of the network that must be 0 at the end.
    speech : CocotbSpeech
    """
    parts: dict[str, str | int] = {
        "BODY": speech.body.strip("\n"),
        "LIBRARIES": speech.libraries,
        "IMPORTS": speech.imports,
        "CONSTANTS": speech.constants,
        "MODULE": speech.module,
        "NEEDS": speech.needs,
        "NAME": identifier(network.name),
        "WHOM": plan.whom,
        "COUNTERS": ", ".join(f'"{name}"' for name in counters),
        "EACH": plan.each,
        "STRIDE": plan.stride,
        "LIMIT": plan.limit,
        "CALM": plan.calm,
    }
    text = FRAME
    for mark, part in parts.items():
        text = text.replace(f"@{mark}@", str(part))
    return text
