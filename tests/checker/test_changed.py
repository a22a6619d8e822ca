"""The checker against what a faulty generator might write, and against harmless changes."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fingerpost.checker.deadlock import main
from tests.checker.changed import RING, Files, files, replaced

Change = Callable[[Files], None]

MESH = {
    "name": "mesh",
    "topology": {"family": "grid", "sizes": [3, 2]},
    "routing": {"algorithm": "dimension-order"},
    "router": {"flit_width": 8},
    "terminal": {"kind": "axi-stream"},
}
"""Nodes of several kinds, without the links that lead out of the mesh; AXI4-Stream terminals."""


def swap(node: int, one: str, other: str, *, at: int | None = None) -> Change:
    return lambda f: f.swap((node, one), (node if at is None else at, other))


def connect(node: int, port: str, signal: str) -> Change:
    return lambda f: f.connect(node, port, signal)


def add(text: str) -> Change:
    return lambda f: f.add(text)


def put(whole: Any, path: tuple[str | int, ...], value: object) -> None:
    *to, last = path
    for key in to:
        whole = whole[key]
    whole[last] = value


def told(*path: str | int, value: object) -> Change:
    return lambda f: put(f.manifest, path, value)


def certified(*path: str | int, value: object) -> Change:
    return lambda f: put(f.certificate, path, value)


def ranked(rank: Callable[[Any], object]) -> Change:
    """Put another in the place of each rank."""
    return lambda f: certified(
        "rank", value=[[[rank(c) for c in port] for port in node] for node in f.certificate["rank"]]
    )(f)


def rewrite(pattern: str, new: str) -> Change:
    return lambda f: f.rewrite(pattern, new)


def rewrite_router(old: str, new: str) -> Change:
    def change(f: Files) -> None:
        f.router, count = re.subn(old, new, f.router, count=1, flags=re.M)
        assert count

    return change


def links_swapped(f: Files) -> None:
    """Two links end where the other did, with all their wires."""
    for wire in "valid", "flit", "credit":
        f.swap((0, f"inputs__0__{wire}"), (3, f"inputs__0__{wire}"))


def told_of_swapped_links(f: Files) -> None:
    links_swapped(f)
    ends = {(x["to_node"], x["to_port"]): x for x in f.manifest["links"]}
    one, other = ends[0, 0], ends[3, 0]
    one["to_node"], other["to_node"] = 3, 0
    f.seal()


def link_left_out(f: Files) -> None:
    v = re.sub(r"\D+(\d+)\D+\d+", r"\1", f.pin(0, "inputs__0__valid"))
    p = re.sub(r"\D+\d+\D+(\d+)", r"\1", f.pin(0, "inputs__0__valid"))
    f.connect(int(v), f"outputs__{p}__credit", "2'd0")
    f.connect(0, "inputs__0__valid", "2'd0")
    f.connect(0, "inputs__0__flit", "10'd0")


def an_output_read_twice(f: Files) -> None:
    for wire in "valid", "flit":
        f.connect(0, f"inputs__0__{wire}", f.pin(0, f"inputs__1__{wire}"))


def assigned_the_wrong_way(f: Files) -> None:
    wire = f.pin(0, "inputs__0__valid")
    f.connect(0, "inputs__0__valid", "between")
    f.rewrite(r"^\);$", f");\n  wire [1:0] between;\n  assign {wire} = between;")


def behind_logic(f: Files) -> None:
    f.connect(0, "inputs__0__valid", f"{f.pin(0, 'inputs__0__valid')} & {{2{{~rst}}}}")


def behind_a_register(f: Files) -> None:
    wire = f.pin(0, "inputs__0__valid")
    f.rewrite(r"^\);$", f");\n  reg [1:0] late;\n  always @(posedge clk) late <= {wire};")
    f.connect(0, "inputs__0__valid", "late")


def channels_crossed(port: str) -> Change:
    def change(f: Files) -> None:
        wire = f.pin(0, port)
        f.connect(0, port, f"{{{wire}[0], {wire}[1]}}")

    return change


def bit_stuck(f: Files) -> None:
    f.connect(0, "inputs__0__flit", f"{{{f.pin(0, 'inputs__0__flit')}[9:1], 1'b0}}")


def hidden(f: Files) -> None:
    text = f.instance(3)
    f.network = replaced(f.network, text, f"`ifdef SYNTHESIS\n{text}\n`endif")


def narrow(port: str, node: int, digits: str) -> Change:
    """Write the same digits into fewer bits."""
    return lambda f: f.connect(node, port, f"1'h{digits}")


def increments_of_all_zero(f: Files) -> None:
    for node, entry in enumerate(f.manifest["node_straps"]):
        f.connect(node, "increments", "4'd0")
        entry["increments"] = "0x0"
    f.seal()


def narrow_and_told(f: Files) -> None:
    """The manifest, too, has what is left of the constant."""
    f.connect(3, "increments", "1'hf")
    f.manifest["node_straps"][3]["increments"] = "0x1"
    f.seal()


def two_of_a_name(f: Files) -> None:
    f.network += "\nmodule ring_router(input clk);\nendmodule\n"


def cut_in_the_router(f: Files) -> None:
    """An assignment inside is lost: its wire floats."""
    f.router, count = re.subn(r"^  assign \\\S+  = [^;]*;\n", "", f.router, count=6, flags=re.M)
    assert count


def never_raises(f: Files) -> None:
    f.router, count = re.subn(r"\bincrements\[\d+\]", "1'h0", f.router)
    assert count


def without_router(f: Files) -> None:
    f.verilog["ring.f"] = f.verilog["ring.f"].replace("ring_router.v\n", "")


def unlisted_link(f: Files) -> None:
    f.manifest["links"].pop()
    f.seal()


def end_of_link(f: Files) -> None:
    f.manifest["links"][0]["to_port"] ^= 1


MANIFEST = "in the netlist are not those of the manifest"
RISE = "no rising ranks along"

WRONG: dict[str, tuple[Change, str]] = {
    # wires of links
    "flits of two inputs swapped": (
        swap(0, "inputs__0__flit", "inputs__1__flit"),
        "flit of node 0 input 0 is not that of",
    ),
    "flits of two nodes swapped": (
        swap(0, "inputs__0__flit", "inputs__0__flit", at=3),
        "flit of node 0 input 0 is not that of",
    ),
    "valids of two inputs swapped": (
        swap(0, "inputs__0__valid", "inputs__1__valid"),
        "flit of node 0 input 0 is not that of",
    ),
    "credits of two inputs swapped": (
        swap(2, "inputs__0__credit", "inputs__1__credit"),
        "credit of node 2 input 0 is not that of",
    ),
    "credits of two outputs swapped": (
        swap(2, "outputs__0__credit", "outputs__1__credit"),
        "credit of node . input . is not that of node 2",
    ),
    "flits of two outputs swapped": (
        swap(2, "outputs__0__flit", "outputs__1__flit"),
        "flit of node . input . is not that of node 2",
    ),
    "credit tied to 0": (
        connect(1, "outputs__0__credit", "2'd0"),
        "credit of node . input . is not that of node 1 output 0",
    ),
    "credit tied to 1": (
        connect(1, "outputs__0__credit", "2'b11"),
        "credit of node . input . is not that of node 1 output 0",
    ),
    "valid tied to 0": (connect(1, "inputs__0__valid", "2'd0"), "valid of node 1 input 0 is from"),
    "flit tied to 0": (connect(1, "inputs__0__flit", "10'd0"), "flit of node 1 input 0 is not"),
    "one bit of a flit stuck": (bit_stuck, "flit of node 0 input 0 is not that of"),
    "channels of valid crossed": (
        channels_crossed("inputs__0__valid"),
        "valid of node 0 input 0 is not that of",
    ),
    "channels of credit crossed": (
        channels_crossed("outputs__0__credit"),
        "credit of node . input . is not that of node 0 output 0",
    ),
    "an output read by two inputs": (an_output_read_twice, "credit of node 0 input 0 is not"),
    "logic on a link": (behind_logic, "valid of node 0 input 0 is from no output: .and"),
    "a register on a link": (behind_a_register, "valid of node 0 input 0 is from no output"),
    "two links swapped": (links_swapped, f"links {MANIFEST}"),
    "two links swapped and told": (told_of_swapped_links, RISE),
    "a link left out": (link_left_out, f"links {MANIFEST}"),
    # drivers
    "a second driver, constant": (add("assign valid_1_0 = 2'b00;"), "drives what is tied to 0"),
    "a second driver, another link": (add("assign valid_1_0 = valid_2_0;"), "two drivers"),
    "a second driver, an input": (add("assign valid_1_0[0] = inject_valid[0];"), "two drivers"),
    "two nodes drive a wire": (
        lambda f: f.connect(1, "outputs__1__valid", f.pin(2, "outputs__1__valid")),
        "two drivers",
    ),
    "assigned the wrong way": (assigned_the_wrong_way, "is assigned and driven"),
    "a wire of no name": (connect(2, "inputs__1__flit", "flit_9_9"), "has no driver"),
    "an undefined constant": (connect(2, "inputs__1__valid", "2'bzz"), "has no driver"),
    "a port left open": (connect(2, "outputs__1__credit", ""), "outputs__1__credit is not connec"),
    "a pin left out": (
        rewrite(r"\.inputs__0__flit\(\w+\), ", ""),
        "node_0 inputs__0__flit is not connected",
    ),
    "an unknown port": (
        rewrite(r"\.inputs__0__flit\(", ".inputs__2__flit("),
        "Yosys: .*does not have a port named 'inputs__2__flit'",
    ),
    "a port of both ways": (
        rewrite(r"input \[4:0\] inject_valid", "inout [4:0] inject_valid"),
        "port inject_valid is inout",
    ),
    # clocks
    "a node without a clock": (connect(3, "clk", "1'b0"), "node_3 clk is not the network's"),
    "a clock from a terminal": (connect(3, "clk", "inject_valid[3]"), "node_3 clk is not"),
    "a gated clock": (connect(3, "clk", "clk & ~rst"), "node_3 clk is not the network's"),
    "a node without reset": (connect(3, "rst", "1'b0"), "node_3 rst is not the network's"),
    "a reset upside down": (connect(3, "rst", "~rst"), "node_3 rst is not the network's"),
    "clock and reset swapped": (swap(3, "clk", "rst"), "node_3 (clk|rst) is not the network's"),
    "a register of another clock": (
        rewrite_router("@\\(posedge clk\\)", "@(posedge inject__valid)"),
        "Yosys: Assertion failed: selection is not empty",
    ),
    # terminals
    "terminals send for each other": (
        swap(0, "inject__valid", "inject__valid", at=1),
        "node 0 inject__valid is not its part",
    ),
    "terminals give each other's credits": (
        swap(0, "eject__credit", "eject__credit", at=1),
        "node 0 eject__credit is not its part",
    ),
    "terminals get each other's credits": (
        swap(0, "inject__credit", "inject__credit", at=1),
        "inject_credit bit 0 comes from node_1",
    ),
    "a terminal that gives no credit": (
        connect(2, "eject__credit", "1'b0"),
        "node 2 eject__credit is tied to a constant",
    ),
    "a terminal with a head that is stuck": (
        connect(2, "inject__flit", "10'd3"),
        "node 2 inject__flit is tied to a constant",
    ),
    "a link for a terminal": (
        connect(2, "inject__valid", "valid_0_0[0]"),
        "node 2 inject__valid is not its part",
    ),
    "a counter of another node": (
        swap(2, "errors", "errors", at=3),
        "errors bit 16 comes from node_3",
    ),
    # nodes and text
    "a node left out": (
        lambda f: f.rewrite(re.escape(f.instance(4)), ""),
        "has no driver|nodes are not",
    ),
    "a node without a number": (rewrite(r"node_3\(", "spare("), "nodes are not node_0, node_1"),
    "a number that is left out": (rewrite(r"node_4\(", "node_5("), "nodes are not node_0, node_1"),
    "text for some tools": (hidden, "ring_network.v has a compiler directive"),
    "text for synthesis": (
        add("// synthesis translate_off\n  assign x = 1;\n  // synthesis translate_on"),
        "ring_network.v has text that only some tools read",
    ),
    "two modules of a name": (two_of_a_name, "Yosys: .*Re-definition of module"),
    "a floating wire in the router": (cut_in_the_router, "Yosys: Found [1-9]"),
    "a file that is not listed": (without_router, "Yosys: .*ring_router"),
    # constants
    "increments cut to a bit": (narrow("increments", 3, "f"), f"straps or increments {MANIFEST}"),
    "straps cut to a bit": (narrow("straps", 3, "181"), f"straps or increments {MANIFEST}"),
    "increments cut to a bit and told": (narrow_and_told, RISE),
    "increments from a wire": (
        connect(3, "increments", "{4{rst}}"),
        "straps or increments of node 3 are wires",
    ),
    "straps undefined": (connect(3, "straps", "10'bx"), "node_3 straps has no driver"),
    "straps of another node": (
        lambda f: f.connect(1, "straps", f.pin(2, "straps")),
        f"straps or increments {MANIFEST}",
    ),
    "no increments": (increments_of_all_zero, RISE),
    "a router that reads no increments": (never_raises, RISE),
    # manifest
    "no terminals told": (told("terminals", value=[]), f"terminals {MANIFEST}"),
    "a terminal not told": (lambda f: f.manifest["terminals"].remove(2), f"terminals {MANIFEST}"),
    "a node too many told": (told("nodes", value=6), f"number of nodes {MANIFEST}"),
    "no links told": (told("links", value=[]), f"links {MANIFEST}"),
    "a link not told": (unlisted_link, f"links {MANIFEST}"),
    "a link told to another port": (end_of_link, f"links {MANIFEST}"),
    "a port not told": (lambda f: f.manifest["ports"].pop(0), f"ports of a node {MANIFEST}"),
    "one channel told": (
        told("router", "virtual_channels", value=1),
        f"virtual channels {MANIFEST}",
    ),
    "three channels told": (
        told("router", "virtual_channels", value=3),
        f"virtual channels {MANIFEST}",
    ),
    "wide flits told": (told("router", "flit_width", value=16), f"flit width {MANIFEST}"),
    "a narrow header told": (told("header_width", value=2), "the fields do not make a header"),
    "a narrow port told": (
        told("network_ports", 2, "bits", value=4),
        f"ports of the network {MANIFEST}",
    ),
    "a port not told of the network": (
        rewrite(r"input clk,", "input clk,\n  input hold,"),
        f"ports of the network {MANIFEST}",
    ),
    "clocks of their own told": (told("clock", "each_node", value=True), f"clocks {MANIFEST}"),
    "straps told wrong": (
        told("node_straps", 4, "straps", value="0x1"),
        f"straps or increments {MANIFEST}",
    ),
    "kinds of nodes told wrong": (
        told("node_types", "ring_router", "terminal", value=False),
        f"kinds of nodes {MANIFEST}",
    ),
    "another module told": (
        told("modules", value={"network": "ring", "node": "ring_router"}),
        "Yosys:",
    ),
    # certificate
    "all of one rank": (ranked(lambda _: 0), RISE),
    "ranks upside down": (ranked(lambda c: 99 - c), RISE),
    "ranks of no order": (ranked(lambda _: float("nan")), "no ranks for node . port ."),
    "a channel without a rank": (certified("rank", 3, 1, value=None), "no ranks for node 3 port 1"),
    "all nodes of one class": (certified("class", value=[0] * 5), RISE),
    "a class for no node": (lambda f: f.certificate["class"].pop(), "has classes for 4 nodes"),
    "another network": (
        certified("wiring_sha256", value="0" * 64),
        "the certificate is of another network",
    ),
}


MESH_WRONG: dict[str, tuple[Change, str]] = {
    "a terminal that is never ready": (
        connect(1, "m_axis__tready", "1'b0"),
        "node 1 m_axis__tready is tied to a constant",
    ),
    "terminals ready for each other": (
        swap(0, "m_axis__tready", "m_axis__tready", at=1),
        "node 0 m_axis__tready is not its part",
    ),
    "a table of another terminal": (
        swap(0, "known", "known", at=1),
        "tdest of node 0 comes from the network's s_axis_tdest bit 3",
    ),
    "a table that reads another terminal": (
        rewrite(r"s_axis_tdest\[0 \+: 3\]", "s_axis_tdest[3 +: 3]"),
        "of node 0 comes from the network's s_axis_tdest",
    ),
    "a credit at a link that is not there": (
        rewrite(r"__credit\(1'd0\)", "__credit(1'd1)"),
        "credit without a link: node 0",
    ),
    "a flit at a link that is not there": (
        rewrite(r"__valid\(1'd0\)", "__valid(1'd1)"),
        "valid of node 0 input . is from no output",
    ),
    "nodes of another kind": (
        rewrite(r"mesh_node_0 node_0", "mesh_node_1 node_0"),
        "in the netlist are not those of the manifest",
    ),
}


@pytest.mark.parametrize(
    ("network", "change", "reason"),
    [
        *(pytest.param(RING, *wrong, id=name) for name, wrong in WRONG.items()),
        *(pytest.param(MESH, *wrong, id=name) for name, wrong in MESH_WRONG.items()),
    ],
)
def test_refuses_with_the_reason(
    network: dict[str, Any], change: Change, reason: str, tmp_path: Path
) -> None:
    changed = files(network)
    change(changed)
    with pytest.raises(SystemExit, match=f"^refused: .*({reason})"):
        main(*map(str, changed.write(tmp_path)))


def pins_reordered(f: Files) -> None:
    old = f.instance(2)
    head, *pins = re.split(r"\n    ", old.removesuffix("\n  );"))
    pins = [pin.removesuffix(",") for pin in pins]
    f.network = replaced(
        f.network, old, "\n    ".join([head, ",\n    ".join(pins[::-1])]) + "\n  );"
    )


def instances_reordered(f: Files) -> None:
    text = f.instance(0)
    f.network = replaced(f.network, text, "")
    f.add(text)


def through_wires(f: Files) -> None:
    for port, bits in ("inputs__0__valid", 2), ("inputs__0__flit", 10):
        wire = f.pin(0, port)
        f.rewrite(r"^\);$", f");\n  wire [{bits - 1}:0] x{bits}, y{bits};")
        f.add(f"assign y{bits} = x{bits}; assign x{bits} = {wire};")
        f.connect(0, port, f"y{bits}")


def bit_by_bit(f: Files) -> None:
    wire = f.pin(0, "inputs__0__valid")
    f.connect(0, "inputs__0__valid", f"{{{wire}[1], {wire}[0]}}")


def in_another_base(f: Files) -> None:
    for node, port, width in (3, "increments", 4), (1, "straps", 10):
        value = int(f.pin(node, port).split("h")[1], 16)
        f.connect(node, port, f"{width}'b{value:b}")
    f.connect(0, "straps", f"10'd{int(f.pin(0, 'straps').split('h')[1], 16)}")


def wide_constants(f: Files) -> None:
    f.connect(3, "increments", "32'h" + f.pin(3, "increments").split("h")[1])
    f.connect(0, "increments", "1'h1")  # 0 is what is before a 1


def ports_of_the_router_reordered(f: Files) -> None:
    found = re.search(r"^module ring_router ?\(([^;]*?)\);", f.router, re.M)
    assert found
    names = ", ".join(re.split(r",\s*", found[1].strip())[::-1])
    f.router = replaced(f.router, found[0], f"module ring_router({names});")


HARMLESS: dict[str, Change] = {
    "nothing": lambda _: None,
    "a wire renamed": lambda f: f.rewrite(r"\bvalid_0_0\b", "of_any_name", count=0),
    "pins in another order": pins_reordered,
    "nodes in another order": instances_reordered,
    "remarks": add("// `ifdef in a remark; assign valid_0_0 = 0;\n  /* node_7 `endif */"),
    "through other wires": through_wires,
    "bit by bit": bit_by_bit,
    "constants in another base": in_another_base,
    "constants wider or narrower, of the same value": wide_constants,
    "ports of the network in another order": rewrite(
        r"input clk,\n  input rst,", "input rst,\n  input clk,"
    ),
    "ports of the router in another order": ports_of_the_router_reordered,
    "attributes": rewrite(
        r"^  ring_router node_1", '  (* keep = "`yes // no" *) ring_router node_1'
    ),
    "logic that nothing depends on": add("wire spare = valid_0_0[0] ^ valid_1_0[0];"),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_accepts_what_is_as_good(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = files(RING)
    HARMLESS[name](changed)
    main(*map(str, changed.write(tmp_path)))
    proved, assumed, counted = capsys.readouterr().out.splitlines()
    assert proved.startswith("accepted: ring: the channel dependency graph is acyclic")
    assert assumed.startswith("assumed: ")
    # Each node sends to two on either side: a packet of two hops takes one channel, then another.
    assert counted == (
        "counted: 10 dependencies of 20 channels by 40 possible headers from 5 of 5 terminals"
    )


@pytest.mark.regress
def test_accepts_terminals_of_other_kinds_and_links_that_are_not_there(tmp_path: Path) -> None:
    main(*map(str, files(MESH).write(tmp_path)))
