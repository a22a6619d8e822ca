"""What is measured, and the registers around it."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fingerpost.cost.designs import Design, designs
from fingerpost.cost.harness import Port, harness, ports, wrapper
from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.emit.routers import node, node_straps
from fingerpost.jobs.tools import CostError
from fingerpost.netfile.source import load
from tests.fingerpost.common import NETWORKS

AROUND = [Port("a", 3, True), Port("b", 1, False), Port("c", 2, True), Port("d", 4, False)]


def places(text: str, bank: str) -> list[int]:
    """The bits of a bank of registers, in the order of the ports that they are for."""
    taken = re.findall(rf"\.\w+\({bank}\[(\d+) \+: (\d+)\]\)", text)
    return [int(first) + bit for first, width in taken for bit in range(int(width))]


def test_ports_are_all_but_clock_and_reset(network: Network) -> None:
    found = {port.name: port for port in ports(node(network))}
    assert found["inputs__3__flit"] == ("inputs__3__flit", 34, True)
    assert found["inputs__3__credit"] == ("inputs__3__credit", 2, False)
    assert found["outputs__0__credit"].is_input
    assert found["increments"].is_input
    assert len(found) == 2 + 3 * (4 + 4 + 1 + 1) + 2


def test_ports_of_an_os_link_node() -> None:
    found = {port.name: port for port in ports(node(load(NETWORKS / "borel-21-os-link.yaml")))}
    assert (found["link_in"].width, found["link_in"].is_input) == (4, True)
    assert (found["link_errors"].width, found["link_errors"].is_input) == (32, False)


def test_wrapper_ties_the_constants_and_passes_on_all_else(network: Network) -> None:
    straps, increments = node_straps(network, 5)
    tied = {"straps": straps, "increments": increments}
    text = wrapper("borel_21_router", ports(node(network)), tied)
    assert "  borel_21_router router(\n    .clk(clk)" in text
    width = network.routing.straps.width
    assert f".straps({width}'h{straps:x})" in text
    assert f".increments(16'h{increments:x})" in text
    assert "  input [33:0] inputs__3__flit,\n" in text
    assert "  output [1:0] inputs__3__credit,\n" in text
    passed = re.findall(r"\.(\w+)\(\1\)", text)
    assert sorted(passed) == sorted(re.findall(r"(?:input|output) (?:\[.*\] )?(\w+)", text))
    assert len(passed) == 2 + 3 * (4 + 4 + 1 + 1) + 2


def test_every_bit_of_a_port_has_a_register_of_its_own() -> None:
    text = harness("top", AROUND)
    assert places(text, "driven") == list(range(5))
    assert places(text, "seen") == list(range(5))
    assert "(* keep *) reg [4:0] driven;" in text
    assert "(* keep *) reg [4:0] caught;" in text
    assert "(* keep *) reg [4:0] chain;" in text
    assert "  top inside(" in text
    for step in (
        "driven <= {driven, scan_in}",
        "caught <= seen",
        "chain <= caught ^ {chain, 1'b0}",
    ):
        assert f"    {step};\n" in text


def test_harness_has_four_pins() -> None:
    (head,) = re.findall(r"module harness\((.*)\);", harness("top", AROUND))
    assert head == "input clk, input rst, input scan_in, output scan_out"


@pytest.mark.parametrize("name", ["borel-21", "borel-21-os-link"])
def test_harness_of_a_node_leaves_no_port_open(name: str) -> None:
    net = load(NETWORKS / f"{name}.yaml")
    around = ports(node(net))
    text = harness("top", around)
    for bank, is_input in (("driven", True), ("seen", False)):
        width = sum(port.width for port in around if port.is_input == is_input)
        assert places(text, bank) == list(range(width))


def test_wrapper_of_what_has_no_clock_has_one_itself() -> None:
    text = wrapper("unit", AROUND, {"c": 2}, name="routing", clocked=False)
    assert "  unit routing(\n    .a(a),\n    .b(b),\n    .c(2'h2),\n    .d(d)\n  );" in text
    assert "  input clk,\n  input rst,\n  input [2:0] a,\n" in text


def test_all_clocks_are_one_in_the_harness() -> None:
    text = harness("top", AROUND, clocks=3)
    assert ".clk({3{clk}}),\n    .rst({3{rst}})" in text


FOUR: dict[str, Any] = {
    "name": "four",
    "topology": {"family": "grid", "sizes": [2, 2]},
    "routing": {"algorithm": "dimension-order"},
}


def compiles(design: Design, folder: Path) -> None:
    """Assert that Icarus reads a design in its harness, and has nothing to say."""
    for name, text in design.files.items():
        (folder / name).write_text(text)
    compiler = subprocess.run(
        ["iverilog", "-g2005", "-Wportbind", "-s", "harness", "-o", "sim", *design.files],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (compiler.returncode, compiler.stderr) == (0, "")


@pytest.mark.parametrize("more", [{}, {"flow_control": "end-to-end"}, {"store": 8}], ids=str)
def test_terminal_has_its_table_and_no_router(tmp_path: Path, more: dict[str, Any]) -> None:
    terminal = {"kind": "axi-stream", **more}
    (design,) = designs(build(FOUR | {"terminal": terminal}), "terminal", 3)
    compiles(design, tmp_path)
    assert "four_headers headers(" in design.files["top.v"]
    assert not any("router" in text for text in design.files.values())


def test_endpoints_stand_without_their_terminal(tmp_path: Path) -> None:
    network = build(FOUR | {"terminal": {"kind": "mailbox", "endpoints": 4}})
    (design,) = designs(network, "endpoints", 3)
    compiles(design, tmp_path)
    assert [*design.sources] == ["concentrator.v", "distributor.v", "top.v"]


def test_mailbox_is_alone() -> None:
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
