"""Whether claims say something: what they are about must happen within the assumptions."""

import re
import tempfile
from pathlib import Path

from fingerpost.formal.aiger import binary
from fingerpost.formal.contract import Contract
from fingerpost.formal.prove import LIMITED, graph_of, run_tool, tool

__all__ = ["unreached"]

CYCLES, SECONDS = 400, 60
"""Within so many cycles, and seconds of processor time."""


def unreached(contract: Contract) -> list[str]:
    """Return the claims of a contract whose triggers were not reached, while assumptions hold.

    Raises
    ------
    ProofError
        If a tool is missing or breaks down.
    """
    names = list(contract.triggers)
    if not names:
        return []
    graph = graph_of([contract])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "design.aig").write_bytes(binary(graph, *(f"trigger0_{x}" for x in names)))
        abc = tool("berkeley-abc", "abc", remedy="on Debian: apt-get install berkeley-abc")
        steps = f"read_aiger design.aig; strash; bmc3 -a -x -F {CYCLES} -T {SECONDS}"
        said = run_tool(["sh", "-c", LIMITED.format(2 * SECONDS), abc, "-q", steps], folder)
    reached = {int(x) for x in re.findall(r"Output +(\d+) .*was asserted in frame", said)}
    return [name for number, name in enumerate(names) if number not in reached]
