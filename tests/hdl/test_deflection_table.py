"""The block RAM that is placed by name on an ECP5."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from fingerpost.golden.network.deflection import build_deflection
from fingerpost.hdl.deflection.table import contents, table_name, table_verilog
from tests.yosys import COMMAND

BOREL = Path(__file__).parents[2] / "networks/borel-1081.yaml"


@pytest.mark.regress
@pytest.mark.parametrize("node", [0, 540])
def test_it_holds_what_yosys_puts_into_one_that_it_infers(node: int, tmp_path: Path) -> None:
    topology = yaml.safe_load(BOREL.read_text(encoding="utf-8"))["topology"]
    network = build_deflection(
        {"name": "borel", "topology": topology, "router": {"kind": "deflection"}}
    )
    slots, width, header = 4, network.entry(4).width, network.destination_width
    assert (width, header) == (9, 11)  # one block, full
    top = f"""
module top(input clk, input [{slots * header - 1}:0] address, input [3:0] clear,
  output [{slots * width - 1}:0] entry);
  {table_name(network)} #(.SLOTS(4), .WIDTH(9), .ENTRIES({9 << 11}'h{contents(network, node):x}))
    dut(.clk(clk), .address(address), .clear(clear), .entry(entry));
endmodule
"""
    (tmp_path / "table.v").write_text(table_verilog(network) + top, encoding="utf-8")

    def blocks(define: str) -> list[dict[str, Any]]:
        script = f"read_verilog {define} table.v; synth_ecp5 -top top; write_json table.json"
        subprocess.run([COMMAND, "-q", "-p", script], cwd=tmp_path, check=True)
        cells = json.loads((tmp_path / "table.json").read_text())["modules"]["top"]["cells"]
        return [each["parameters"] for each in cells.values() if each["type"] == "DP16KD"]

    def values(block: dict[str, Any]) -> dict[str, str]:
        return {name: value for name, value in block.items() if name.startswith("INITVAL")}

    inferred, placed = blocks(""), blocks("-DFINGERPOST_ECP5")
    assert len(inferred) == len(placed) == 2
    assert [block["REGMODE_A"] for block in placed] == ["OUTREG"] * 2
    assert [values(block) for block in placed] == [values(block) for block in inferred]
