"""Memories: rows that are read while they are written, and the form in which they are generated.

Tables of deflection routers: block RAM by name, and AXI4-Lite that writes one entry or none.
"""

import json
import random
import subprocess
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fingerpost.formal.hardware import Written
from fingerpost.golden.network.deflection import build_deflection
from fingerpost.golden.routing.base import NodeTable
from fingerpost.golden.routing.router_cost import block_rams
from fingerpost.golden.terminal.flow_layout import FlowControl, FlowLayout
from fingerpost.hdl.deflection.table import (
    TableWriter,
    contents,
    table_name,
    table_on_ecp5,
    table_verilog,
)
from fingerpost.hdl.emit.printer import module_verilog
from fingerpost.hdl.export.generate import generate
from fingerpost.hdl.lib.block_ram import BlockRam, on_ecp5
from fingerpost.hdl.lib.memory import read_new
from fingerpost.hdl.lib.table import node_table_verilog
from fingerpost.hdl.terminal.flow_receiver import FlowReceiver
from fingerpost.hdl.terminal.flow_sender import FlowSender
from tests.hdl.simulators import simulate
from tests.networks import deflection
from tests.yosys import COMMAND


class Rows(wiring.Component):
    """A memory of four rows that is read and written in every cycle."""

    address: Signal
    write: Signal
    word: Signal
    enable: Signal
    seen: Signal

    def __init__(self) -> None:
        super().__init__(
            {"address": In(2), "write": In(2), "word": In(8), "enable": In(1), "seen": Out(8)}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        memory: Memory = Memory(shape=8, depth=4, init=[])
        m.submodules.memory = memory
        write = memory.write_port()
        address, data = read_new(m, memory, write)
        m.d.comb += [
            *(write.addr.eq(self.write), write.data.eq(self.word), write.en.eq(self.enable)),
            *(address.eq(self.address), self.seen.eq(data)),
        ]
        return m


GIVEN = "address", "write", "word", "enable"


def test_a_read_returns_what_is_being_written() -> None:
    dut, rng, rows = Rows(), random.Random(1), [0] * 4

    async def bench(ctx: Any) -> None:
        for _ in range(200):
            given = {name: rng.randrange(1 << len(getattr(dut, name))) for name in GIVEN}
            for name, value in given.items():
                ctx.set(getattr(dut, name), value)
            if given["enable"]:
                rows[given["write"]] = given["word"]
            await ctx.tick()
            assert ctx.get(dut.seen) == rows[given["address"]]

    simulate(dut, bench)


class Ports:
    """A platform that remembers the synchronous read ports of memories."""

    def __init__(self) -> None:
        self.ports: list[Any] = []

    def get_memory(self, memory: Any) -> Any:
        self.ports += [port for port in memory.read_ports if port.domain != "comb"]
        return memory.elaborate(None)


@pytest.mark.parametrize("ordered", [True, False])
def test_no_synchronous_port_is_transparent(ordered: bool) -> None:
    """In Verilog it is a registered address, of which Vivado makes block RAM that returns old rows.

    See yosys#5082 and amaranth#1589.
    """
    flow = FlowControl(4, 2, 5, 6, ordered, 4)
    layout = FlowLayout(data_width=8, peers=4, header=2, packet_limit=5, sequence=flow.sequence)
    width, seen = max(layout.head.width, layout.body.width), Ports()
    for component in (
        FlowSender(layout, flow, flit_width=width, credits=2),
        FlowReceiver(layout, flow, flit_width=width),
    ):
        import_module("amaranth.back.rtlil").convert(component, platform=seen)
    assert len(seen.ports) > 4
    assert not [port for port in seen.ports if port.transparent_for]


BOREL = Path(__file__).parents[2] / "networks/borel-1081.yaml"


def test_a_table_in_block_ram_is_verilog_that_all_tools_read_alike(tmp_path: Path) -> None:
    """What only an ECP5 has is in a file that is not listed."""
    ring = {"family": "grid", "sizes": [4], "wrap": True}
    router = {"kind": "deflection", "table": "ram"}
    generate(build_deflection({"name": "ring", "topology": ring, "router": router}), tmp_path)
    assert not [name for name, text in Written.read(tmp_path).texts.items() if "DP16KD" in text]
    (own,) = tmp_path.glob("*_ecp5.v")
    assert (own.name, own.read_text().count("DP16KD #(")) == ("ring_ecp5.v", 1)


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
    (tmp_path / "ecp5.v").write_text(table_on_ecp5(network)[table_name(network)])

    def blocks(more: str) -> list[dict[str, Any]]:
        script = f"read_verilog table.v; {more}; synth_ecp5 -top top; write_json table.json"
        subprocess.run([COMMAND, "-q", "-p", script], cwd=tmp_path, check=True)
        cells = json.loads((tmp_path / "table.json").read_text())["modules"]["top"]["cells"]
        return [each["parameters"] for each in cells.values() if each["type"] == "DP16KD"]

    def values(block: dict[str, Any]) -> dict[str, str]:
        return {name: value for name, value in block.items() if name.startswith("INITVAL")}

    inferred, placed = blocks(""), blocks("read_verilog -overwrite ecp5.v")
    assert len(inferred) == len(placed) == 2
    assert [block["REGMODE_A"] for block in placed] == ["OUTREG"] * 2
    assert [values(block) for block in placed] == [values(block) for block in inferred]


@pytest.mark.regress
@pytest.mark.parametrize(("width", "rows", "blocks"), [(35, 512, 1), (70, 100, 2)])
def test_block_ram_by_name_is_joined_as_the_one_that_yosys_infers(
    width: int, rows: int, blocks: int, tmp_path: Path
) -> None:
    """Only its register is new: what it shows is then behind flip-flops."""
    printed = {"a_block_ram": module_verilog(BlockRam(width, rows=rows), "a_block_ram")}
    (tmp_path / "ram.v").write_text(printed["a_block_ram"])
    (tmp_path / "ecp5.v").write_text(on_ecp5(printed)["a_block_ram"])
    enables = "CEA", "CEB", "WEA", "WEB", "RSTA", "RSTB"
    pins = [f"{name}{i}" for name in ("ADA", "ADB") for i in range(14)]
    pins += [f"{name}{i}" for name in ("DIA", "DIB", "DOA", "DOB") for i in range(18)]

    def joined(more: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        script = f"read_verilog ram.v; {more}; synth_ecp5 -noiopad -top a_block_ram"
        script += "; write_json ram.json"
        subprocess.run([COMMAND, "-q", "-p", script], cwd=tmp_path, check=True)
        module = json.loads((tmp_path / "ram.json").read_text())["modules"]["a_block_ram"]
        cells = list(module["cells"].values())
        named = {
            bit: (name, place)
            for name, port in module["ports"].items()
            for place, bit in enumerate(port["bits"])
        }
        for cell in cells:  # the register behind it
            if cell["type"] == "TRELLIS_FF":
                connections = cell["connections"]
                source = connections.get("DI") or connections["M"]
                named[source[0]] = named[connections["Q"][0]]
        rams = [cell["connections"] for cell in cells if cell["type"] == "DP16KD"]
        seen = [{pin: named.get(bit, bit) for pin, (bit,) in ram.items()} for ram in rams]
        return Counter(cell["type"] for cell in cells), sorted(seen, key=str)

    (counts, placed), (others, inferred) = joined("read_verilog -overwrite ecp5.v"), joined("")
    assert counts == {"DP16KD": blocks}
    assert others == {"DP16KD": blocks, "TRELLIS_FF": width}
    for one, other in zip(placed, inferred, strict=True):
        used = [pin for pin in pins if isinstance(other[pin], tuple)]
        assert {pin: one[pin] for pin in (*used, *enables)} == {
            pin: other[pin] for pin in (*used, *enables)
        }
        assert one["OCEB"] == ("read", 0)


@pytest.mark.regress
@pytest.mark.parametrize(("rows", "width"), [(1081, 21), (600, 16)])
def test_a_table_beside_a_router_is_block_ram(rows: int, width: int, tmp_path: Path) -> None:
    entries = np.random.default_rng(rows).integers(1 << width, size=(1, rows))
    table = NodeTable(entries, width)
    address = table.address_width
    top = f"""
module top(input clk, input [{address - 1}:0] address, output [{width - 1}:0] entry);
  beside #(.ENTRIES({width << address}'h{table.at(0):x})) dut(
    .clk(clk), .address(address), .entry(entry));
endmodule
"""
    text = node_table_verilog("beside", table) + top
    (tmp_path / "table.v").write_text(text, encoding="utf-8")
    script = "read_verilog table.v; synth_ecp5 -top top; write_json table.json"
    subprocess.run([COMMAND, "-q", "-p", script], cwd=tmp_path, check=True)
    cells = json.loads((tmp_path / "table.json").read_text())["modules"]["top"]["cells"]
    kinds = Counter(each["type"] for each in cells.values())
    assert kinds["DP16KD"] == block_rams(rows, width)
    assert not kinds["LUT4"]


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
