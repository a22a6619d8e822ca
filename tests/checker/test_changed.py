"""The checker against what a faulty generator might write, and against harmless changes."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from fingerpost.checker.deadlock import main
from tests.checker.changed import RING, Files, files, replaced
from tests.quick import only

MESH = {
    "name": "mesh",
    "topology": {"family": "grid", "sizes": [3, 2]},
    "routing": {"algorithm": "dimension-order"},
    "router": {"flit_width": 8},
    "terminal": {"kind": "axi-stream"},
}
"""Nodes of several kinds, without the links that lead out of the mesh; AXI4-Stream terminals."""

TABLED = RING | {
    "name": "tabled",
    "routing": {"algorithm": "acyclic", "virtual_channels": 1, "table": "ram"},
}
"""Headers from tables beside routers."""

LONG = RING | {"name": "long", "link": {"kind": "flit", "cycles": 3}}
"""Two registers on each link."""

NETWORKS = {"ring": RING, "mesh": MESH, "tabled": TABLED, "long": LONG}
CHANGES = yaml.load(Path(__file__).with_name("changes.yaml").read_text("utf-8"), yaml.CSafeLoader)


def rewrite_register(f: Files, old: str, new: str) -> None:
    name = "long_link_register.v"
    f.verilog[name] = replaced(f.verilog[name], old, new)


def put(whole: Any, *path: Any) -> None:
    """Put what is last in the place that a path leads to."""
    *to, last, value = path
    for key in to:
        whole = whole[key]
    whole[last] = value


def join(f: Files, node: int, port: str, other: int, its_port: str) -> None:
    """Connect a port to what is connected to another."""
    f.connect(node, port, f.pin(other, its_port))


def told(f: Files, *path: Any) -> None:
    put(f.manifest, *path)


def untold(f: Files, key: str, place: int) -> None:
    del f.manifest[key][place]


def certified(f: Files, *path: Any) -> None:
    put(f.certificate, *path)


def uncertified(f: Files, key: str, place: int) -> None:
    del f.certificate[key][place]


def ranked(f: Files, factor: float, more: float) -> None:
    """Put another in the place of each rank."""
    f.certificate["rank"] = [
        [[factor * c + more for c in port] for port in node] for node in f.certificate["rank"]
    ]


def rewrite_router(f: Files, old: str, new: str) -> None:
    f.router, count = re.subn(old, new, f.router, count=1, flags=re.M)
    assert count


def links_swapped(f: Files) -> None:
    """Two links end where the other did, with all their wires."""
    for wire in "valid", "flit", "credit":
        f.swap(0, f"inputs__0__{wire}", 3, f"inputs__0__{wire}")


def told_of_swapped_links(f: Files) -> None:
    links_swapped(f)
    ends = {(x["to_node"], x["to_port"]): x for x in f.manifest["links"]}
    one, other = ends[0, 0], ends[3, 0]
    one["to_node"], other["to_node"] = 3, 0
    f.seal()


def link_left_out(f: Files) -> None:
    wire = f.pin(0, "inputs__0__valid")
    v = int(re.findall(r"\d+", wire)[0])
    (p,) = [p for p in (0, 1) if f.pin(v, f"outputs__{p}__valid") == wire]
    f.connect(v, f"outputs__{p}__credit", "2'd0")
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


def channels_crossed(f: Files, port: str) -> None:
    wire = f.pin(0, port)
    f.connect(0, port, f"{{{wire}[0], {wire}[1]}}")


def bit_stuck(f: Files) -> None:
    f.connect(0, "inputs__0__flit", f"{{{f.pin(0, 'inputs__0__flit')}[9:1], 1'b0}}")


def hidden(f: Files) -> None:
    text = f.instance(3)
    f.network = replaced(f.network, text, f"`ifdef SYNTHESIS\n{text}\n`endif")


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
    """Assignments inside are lost: their wires float."""
    f.text("ring_route_stage.v", r"^  assign [^;]*;\n", "")


def never_raises(f: Files) -> None:
    f.router, count = re.subn(r"\bincrements\[\d+\]", "1'h0", f.router)
    assert count


def contents(f: Files, v: int, change: int) -> int:
    """Change bits of the table of a node; return what it then has."""
    old = int(f.manifest["node_straps"][v]["table"], 16)
    f.rewrite(rf"'h{old:x}\)\) table_{v}\(", f"'h{old ^ change:x})) table_{v}(")
    return old ^ change


def tables_lead_round(f: Files) -> None:
    """Some packets of each node go two hops on, and so in a circle; the manifest says so, too."""
    on = {x["node"]: x["port"] for x in f.manifest["links"] if x["to_node"] == (x["node"] + 1) % 5}
    table = f.manifest["node_table"]
    width = table["entry_width"]
    assert width >= 3
    for v, entry in enumerate(f.manifest["node_straps"]):
        low, old = (v + 2) % 5 * width, int(entry["table"], 16)
        word = 1 << 2 | on[(v + 1) % 5] << 1 | on[v]
        was = old >> low & (1 << width) - 1
        if was != word:
            entry["table"] = hex(contents(f, v, (was ^ word) << low))
    f.seal()


def without_router(f: Files) -> None:
    f.verilog["ring.f"] = f.verilog["ring.f"].replace("ring_router.v\n", "")


def unlisted_link(f: Files) -> None:
    f.manifest["links"].pop()
    f.seal()


def end_of_link(f: Files) -> None:
    f.manifest["links"][0]["to_port"] ^= 1


def node_left_out(f: Files) -> None:
    f.rewrite(re.escape(f.instance(4)), "")


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
    found = re.search(r"^module ring_router \(\n(.*?)\n\);", f.router, re.M | re.S)
    assert found
    lines = [re.sub("//.*", "", line).rstrip(" ,") for line in found[1].split("\n")]
    f.router = replaced(f.router, found[1], ",\n".join(filter(None, lines[::-1])))


def apply(f: Files, change: dict[str, list[Any]]) -> None:
    for name, arguments in change.items():
        (globals().get(name) or getattr(Files, name))(f, *arguments)


@pytest.mark.parametrize(
    ("network", "name"), [(kind, name) for kind in NETWORKS for name in CHANGES[kind]]
)
def test_refuses_with_the_reason(network: str, name: str, tmp_path: Path) -> None:
    changed, change = files(NETWORKS[network]), dict(CHANGES[network][name])
    reason = change.pop("refused")
    apply(changed, change)
    with pytest.raises(SystemExit, match=f"^refused: .*({reason})"):
        main(*map(str, changed.write(tmp_path)))


HARMLESS = CHANGES["harmless"]
AT_ONCE = "all at once"
OTHERS = "through other wires", "constants wider or narrower, of the same value"
"""What changes the same as others do, otherwise."""


@pytest.mark.parametrize("name", only([AT_ONCE, *OTHERS], [AT_ONCE, *HARMLESS]))
def test_accepts_what_is_as_good(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = files(RING)
    every = [x for x in HARMLESS if x not in OTHERS]
    for each in every if name == AT_ONCE else [name]:
        apply(changed, HARMLESS[each])
    main(*map(str, changed.write(tmp_path)))
    proved, assumed, counted, _ = capsys.readouterr().out.splitlines()
    assert proved.startswith("accepted: ring: the channel dependency graph is acyclic")
    assert assumed.startswith("assumed: ")
    # Each node sends to two on either side: a packet of two hops takes one channel, then another.
    assert counted == (
        "counted: 10 dependencies of 20 channels by 40 possible headers from 5 of 5 terminals"
    )


def test_accepts_registers_on_links(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(*map(str, files(LONG).write(tmp_path)))
    assert capsys.readouterr().out.startswith("accepted: long: ")


def test_accepts_tables_beside_routers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(*map(str, files(TABLED).write(tmp_path)))
    proved, assumed, *_ = capsys.readouterr().out.splitlines()
    assert proved.startswith("accepted: tabled")
    assert "a table beside it, if any, answers an address with that entry" in assumed


@pytest.mark.regress
def test_accepts_terminals_of_other_kinds_and_links_that_are_not_there(tmp_path: Path) -> None:
    main(*map(str, files(MESH).write(tmp_path)))
