"""What is measured, the registers around it, and what is read of netlists and reports."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from fingerpost.cost.designs import Design, designs
from fingerpost.cost.netlist import (
    CHIPS,
    DEVICES,
    Cell,
    Port,
    cells,
    count,
    harness,
    part,
    parts,
    path_facts,
    ports,
    slowest,
    wrapper,
)
from fingerpost.golden.network.deflection import build_deflection
from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.emit.routers import node, node_constants, node_straps
from fingerpost.jobs.tools import CostError
from fingerpost.netfile.source import load
from tests.fingerpost.common import NETWORKS
from tests.fingerpost.cost.tools import path, paths, step
from tests.hdl.simulators import said

AROUND = [Port("a", 3, True), Port("b", 1, False), Port("c", 2, True), Port("d", 4, False)]


def places(text: str, bank: str) -> list[int]:
    """The bits of a bank of registers, in the order of the ports that they are for."""
    taken = re.findall(rf"\.\w+\({bank}\[(\d+) \+: (\d+)\]\)", text)
    return [int(first) + bit for first, width in taken for bit in range(int(width))]


def test_wrapper_ties_the_constants_and_passes_on_all_else(network: Network) -> None:
    around = ports(node(network))  # all but clock and reset
    found = {port.name: port for port in around}
    assert found["inputs__3__flit"] == ("inputs__3__flit", 34, True)
    assert found["inputs__3__credit"] == ("inputs__3__credit", 2, False)
    assert found["outputs__0__credit"].is_input
    assert found["increments"].is_input
    assert len(found) == 2 + 3 * (4 + 4 + 1 + 1) + 2
    straps, increments = node_straps(network, 5)
    text = wrapper("borel_21_router", around, node_constants(network, 5))
    assert "  borel_21_router router(\n    .clk(clk)" in text
    assert f".straps({network.routing.straps.width}'h{straps:x})" in text
    assert f".increments(16'h{increments:x})" in text
    assert "  input [33:0] inputs__3__flit,\n" in text
    assert "  output [1:0] inputs__3__credit,\n" in text
    passed = re.findall(r"\.(\w+)\(\1\)", text)
    assert sorted(passed) == sorted(re.findall(r"(?:input|output) (?:\[.*\] )?(\w+)", text))
    assert len(passed) == len(found)


def test_every_bit_of_a_port_has_a_register_of_its_own() -> None:
    text = harness("top", AROUND, clocks=3)
    (head,) = re.findall(r"module harness\((.*)\);", text)
    assert head == "input clk, input rst, input scan_in, output scan_out"
    assert ".clk({3{clk}}),\n    .rst({3{rst}})" in text
    assert places(text, "driven") == list(range(5))
    assert places(text, "seen") == list(range(5))
    assert "(* keep *) reg [4:0] driven;" in text
    assert "(* keep *) reg [4:0] caught;" in text
    assert "(* keep *) reg [4:0] chain;" in text
    assert "  top inside(" in text
    for statement in (
        "driven <= {driven, scan_in}",
        "caught <= seen",
        "chain <= caught ^ {chain, 1'b0}",
    ):
        assert f"    {statement};\n" in text


@pytest.mark.parametrize("name", ["borel-21", "borel-21-os-link"])
def test_harness_of_a_node_leaves_no_port_open(name: str) -> None:
    net = load(NETWORKS / f"{name}.yaml")
    around = ports(node(net))
    text = harness("top", around)
    for bank, is_input in (("driven", True), ("seen", False)):
        width = sum(port.width for port in around if port.is_input == is_input)
        assert places(text, bank) == list(range(width))


def test_wrapper_of_what_has_no_clock_has_one_itself() -> None:
    text = wrapper("unit", AROUND, {"c": "2'h2"}, name="routing", clocked=False)
    assert "  unit routing(\n    .a(a),\n    .b(b),\n    .c(2'h2),\n    .d(d)\n  );" in text
    assert "  input clk,\n  input rst,\n  input [2:0] a,\n" in text


FOUR: dict[str, Any] = {
    "name": "four",
    "topology": {"family": "grid", "sizes": [2, 2]},
    "routing": {"algorithm": "dimension-order"},
}


def compiles(design: Design, folder: Path) -> None:
    """Assert that Icarus reads a design in its harness, and has nothing to say."""
    for name, text in design.files.items():
        (folder / name).write_text(text)
    options = "-g2005", "-Wportbind", "-s", "harness", "-o", "sim"
    said("iverilog", *options, *design.files, folder=folder)


def test_router_has_the_table_beside_it(tmp_path: Path) -> None:
    routing = {"algorithm": "acyclic", "virtual_channels": 1, "table": "ram"}
    (design,) = designs(network := build(FOUR | {"routing": routing}), "router", 2)
    assert (design.title, design.top) == ("router with its table", "top")
    compiles(design, tmp_path)
    table = network.routing.node_table
    assert table is not None
    assert f"'h{table.at(2):x})) table_2(" in design.files["top.v"]
    assert not [port for port in design.around if port.name.startswith("table")]
    (design,) = designs(network, "router", None)  # of any node: the table is outside
    assert {"table__address", "table__entry"} < {port.name for port in design.around}


def test_block_rams_of_an_ecp5_are_read_last_and_there_alone() -> None:
    ring = {"family": "grid", "sizes": [4], "wrap": True}
    router = {"kind": "deflection", "table": "ram"}
    network = build_deflection({"name": "ring", "topology": ring, "router": router})
    for where in ("node", 0), ("network", None):
        (design,) = designs(network, *where)
        assert "DP16KD" in design.files["ecp5.v"]
        others, _, own = CHIPS["ecp5-25"].read(design.files).partition("; ")
        assert own == "read_verilog -overwrite ecp5.v"
        assert CHIPS["ice40-hx8k"].read(design.files) == others
        assert sorted(others.split()[1:]) == sorted({*design.files} - {"ecp5.v"})


@pytest.mark.parametrize("terminals", [1, 3])
@pytest.mark.parametrize("more", [{}, {"flow_control": "end-to-end"}, {"store": 8}], ids=str)
def test_terminal_has_its_table_and_no_router(
    tmp_path: Path, more: dict[str, Any], terminals: int
) -> None:
    terminal = {"kind": "axi-stream", **more}
    topology = FOUR["topology"] | {"terminals": terminals}
    (design,) = designs(build(FOUR | {"terminal": terminal, "topology": topology}), "terminal", 3)
    compiles(design, tmp_path)
    assert f"'d{3 * terminals}" in design.files["top.v"]
    assert "four_headers headers(" in design.files["top.v"]
    modules = re.findall(r"^module (\w+)", "\n".join(design.files.values()), re.M)
    assert modules
    assert not any("router" in module for module in modules)


def test_endpoints_stand_without_their_terminal(tmp_path: Path) -> None:
    network = build(FOUR | {"terminal": {"kind": "mailbox", "endpoints": 4}})
    (design,) = designs(network, "endpoints", 3)
    compiles(design, tmp_path)
    assert [*design.sources] == ["concentrator.v", "distributor.v", "top.v"]
    (design,) = designs(build(FOUR | {"terminal": {"kind": "mailbox"}}), "mailbox", 3)
    assert (design.top, [*design.sources]) == ("four_mailbox", ["mailbox.v"])
    assert {"irq", "bus__awaddr", "tx__tdata"} < {port.name for port in design.around}


AXI_CLASSES = {"router": {"classes": 2}, "terminal": {"kind": "axi-stream"}}


@pytest.mark.parametrize(
    ("part", "more", "message"),
    [
        ("terminal", {}, "needs a terminal with AXI4-Stream"),
        ("terminal", AXI_CLASSES, "needs one message class, not 2$"),
        ("endpoints", {"terminal": {"kind": "mailbox"}}, "needs several of them, as in terminal: "),
        ("mailbox", {}, "needs mailboxes, as in terminal: "),
    ],
)
def test_a_part_that_is_not_there(part: str, more: dict[str, Any], message: str) -> None:
    with pytest.raises(CostError, match=rf"^Part {part} {message}"):
        designs(build(FOUR | more), part, 3)


# What the tools have made of it.

KINDS = DEVICES["ecp5"].cells


def module(contents: Mapping[str, str]) -> dict[str, Any]:
    found = {name: {"type": kind} for name, kind in contents.items()}
    return {"attributes": {"keep_hierarchy": "1"}, "cells": found}


NETLIST = {
    "modules": {
        "LUT4": {"attributes": {"blackbox": "1"}, "cells": {"inside": {"type": "LUT4"}}},
        "top": module({"router": "router", "scope": "$scopeinfo"}),
        "router": module(
            {
                "input0.q": "TRELLIS_FF",
                "input0.data$7.0.0": "TRELLIS_DPR16X4",
                "switch_allocator": "matrix",
                "errors_LUT4_Z": "LUT4",
                "output3.link_flit_LUT4_Z": "LUT4",
            }
        ),
        "matrix": module({"z": "LUT4", "y": "LUT4", "x": "PFUMX"}),
    }
}


def test_cells_of_the_modules_inside_count() -> None:
    found = list(cells(NETLIST, "top"))
    assert Cell("router.switch_allocator.z", "LUT4") in found
    assert len(found) == 7
    assert count(found, KINDS) == {
        "lut4": 4, "carries": 0, "flip_flops": 1, "ramw": 1, "block_rams": 0,
    }  # fmt: skip


def test_parts_are_the_whole() -> None:
    found = list(cells(NETLIST, "top"))
    its = parts(found, KINDS)
    assert list(its) == ["allocator", "buffers", "crossbar", "error counter", "inputs"]
    assert its["allocator"]["lut4"] == 2
    assert its["buffers"]["ramw"] == 1
    for name, total in count(found, KINDS).items():
        assert sum(each[name] for each in its.values()) == total


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("router.input0.route_stage.routing.port_LUT4_Z", "routing units"),
        ("router.input0.route_stage.data_SB_LUT4_O", "route stage"),
        ("router.input12.data$59[3]_SB_DFFE_Q", "buffers"),
        ("router.input0.vc_buffer0.routes.0.1", "buffers"),
        ("router.input0.flit$61_LUT4_Z", "buffers"),
        ("input0.pointer_TRELLIS_FF_Q", "inputs"),
        ("router.router.output4.link_flit_LUT4_Z", "crossbar"),
        ("output4.link_valid_LUT4_Z", "outputs"),
        ("output4.switch_allocator.arbiter.first0_1_TRELLIS_FF_Q", "allocator"),
        ("router.output1.batch_arbiter0.served_LUT4_Z", "batch arbiters"),
        ("router.output1.batch_arbiter0_valid_LUT4_Z", "batch arbiters"),
        ("router.errors_CCU2C_S0", "error counter"),
        ("router.router.new_TRELLIS_FF_Q", "error counter"),
        ("router.newer_TRELLIS_FF_Q", "between them"),
        ("router.input_granted_LUT4_Z", "between them"),
        ("router.os_link3.transmitter.x", "os_link"),
        ("router.something$12.x", "something"),
        ("axi_sender.x_LUT4_Z", "axi_sender"),
    ],
)
def test_part_is_told_by_the_name(name: str, expected: str) -> None:
    assert part(name) == expected


def test_slowest_path_is_from_register_to_register() -> None:
    assert slowest({"critical_paths": []}) == []
    for cell, name in (
        ("inside.router.input0.nominee_SB_DFFESR_Q_5_D_SB_LUT4_O_LC", "input0.nominee"),
        ("inside.input0.nominee_SB_CARRY_CO", "input0.nominee"),
        ("driven_TRELLIS_FF_Q_7", "driven"),
    ):
        own = path("posedge clk", "posedge clk", step("setup", 1.0, cell, cell))
        found = path_facts(slowest({"critical_paths": [own]}))
        assert found["from"] == found["to"] == name
    assert path_facts(slowest(paths())) == {
        "from": "input1.level1",
        "to": "flit$122.head",
        "levels": 2,
        "logic_ns": 1.25,
        "routing_ns": 3.75,
        "cells": ["input1.level1", "input1.asks", "input1.sum", "flit$122.head"],
    }
