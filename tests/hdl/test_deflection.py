"""Tables of deflection routers: block RAM by name, and AXI4-Lite that writes one entry or none."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from fingerpost.golden.network.deflection import build_deflection
from fingerpost.hdl.deflection.table import TableWriter, contents, table_name, table_verilog
from tests.golden.deflection.examples import deflection
from tests.hdl.simulators import simulate
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


NODE, DESTINATION, ENTRY, NOTHING = 0, 4, 8, 12


def test_writes_one_entry_or_refuses() -> None:
    network = deflection("petersen", link_up=True)
    writer = TableWriter(network)
    header, entry = network.destination_width, network.entry_width
    seen: list[tuple[int, int, int]] = []
    responses: list[int] = []

    async def write(ctx: Any, address: int, value: int, strobe: int = 15) -> None:
        bus = writer.bus
        ctx.set(bus.awaddr, address)
        ctx.set(bus.wdata, value)
        ctx.set(bus.wstrb, strobe)
        waits = {"awvalid", "wvalid"}
        for name in waits:
            ctx.set(getattr(bus, name), 1)
        ctx.set(bus.bready, 1)
        for _ in range(20):
            done = {name for name in waits if ctx.get(getattr(bus, f"{name[:-5]}ready"))}
            answered, response = ctx.get(bus.bvalid), ctx.get(bus.bresp)
            await ctx.tick()
            for name in done & waits:
                ctx.set(getattr(bus, name), 0)
            waits -= done
            if answered:
                responses.append(response)
                return
        raise AssertionError("no response")

    async def manager(ctx: Any) -> None:
        for address, value in ((NODE, 7), (DESTINATION, 3), (ENTRY, 0b10101)):
            await write(ctx, address, value)
        await write(ctx, ENTRY, 0b00110)  # the node and the terminal are as before
        await write(ctx, ENTRY, 1, strobe=7)
        await write(ctx, NOTHING, 1)
        await write(ctx, NODE, 10)  # there is none
        await write(ctx, ENTRY, 1)
        await write(ctx, NODE, 9)
        await write(ctx, ENTRY, 2)
        await ctx.tick().repeat(4)

    async def watch(ctx: Any) -> None:
        while True:
            await ctx.tick()
            which = ctx.get(writer.table_write)
            for node in range(10):
                if which >> node & 1:
                    destination = ctx.get(writer.table_destination) >> node * header
                    value = ctx.get(writer.table_entry) >> node * entry
                    found = node, destination & ((1 << header) - 1), value & ((1 << entry) - 1)
                    seen.append(found)

    simulate(writer, manager, [watch])
    assert seen == [(7, 3, 0b10101), (7, 3, 0b00110), (9, 3, 2)]
    assert responses == [0, 0, 0, 0, 2, 2, 0, 2, 0, 0]
