"""A generated network to be changed: manifest, certificate and Verilog, with hashes that agree.

What a faulty generator would write: each change keeps the hashes of the files right.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml

from fingerpost.checker.deadlock import main
from fingerpost.golden.network.kinds import build_any
from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.certificate import certificate
from fingerpost.hdl.export.generate import generate
from tests.networks import only

RING = {
    "name": "ring",
    "topology": {"family": "edge-list", "links": [(i, (i + 1) % 5) for i in range(5)], "nodes": 5},
    "routing": {"algorithm": "table"},
    "router": {"flit_width": 8},
}
"""Five nodes in a circle: two virtual channels, which packets must change to break it."""


CONSTANTS = "straps", "increments", "table"


@dataclass
class Files:
    """What is beside each other in a folder, as data and text."""

    manifest: Any
    certificate: Any
    verilog: dict[str, str]

    @property
    def network(self) -> str:
        """The Verilog of the module of the network."""
        return self.verilog[self._named("network")]

    @network.setter
    def network(self, text: str) -> None:
        self.verilog[self._named("network")] = text

    @property
    def router(self) -> str:
        """The Verilog of the first kind of node."""
        return self.verilog[self._named("node")]

    @router.setter
    def router(self, text: str) -> None:
        self.verilog[self._named("node")] = text

    def _named(self, what: str) -> str:
        return f"{self.manifest['modules'][what]}.v"

    def inside(self, part: str, changes: Mapping[str, Any]) -> None:
        """Change a module of the first kind of node, in all its instances.

        Parameters
        ----------
        part : str
            Which, by the path of its instance; nothing is the node itself.
        changes : mapping
            `declare`: text for its begin; `add`: for its end; `replace`: texts by what they
            replace, a regular expression; `pins`: by instance and port, what is connected instead,
            in which ``@`` is what was.
        """
        name = self.manifest["modules"]["node"]
        for instance in filter(None, part.split(".")):
            found = re.search(rf"^  (\w+) {instance} \($", self.verilog[f"{name}.v"], re.M)
            assert found, part
            name = found[1]
        text = self.verilog[f"{name}.v"]
        for pattern, new in changes.get("replace", {}).items():
            text, count = re.subn(pattern, new, text, flags=re.M)
            assert count, pattern
        for instance, pins in changes.get("pins", {}).items():
            place = re.search(rf"^  \w+ {instance} \(.*?^  \);", text, re.M | re.S)
            assert place, instance
            there = place[0]
            for port, new in pins.items():
                pin = re.search(rf"(\.{port} *\()(.*?)(\)(?:,\n    \.|\n  \);))", there, re.S)
                assert pin, port
                put = pin[1] + new.replace("@", pin[2]) + pin[3]
                there = there[: pin.start()] + put + there[pin.end() :]
            text = text.replace(place[0], there)
        text = replaced(text, "\n);\n", f"\n);\n  {changes.get('declare', '')}\n", 1)
        added = f"\n  {changes.get('add', '')}\nendmodule\n"
        self.verilog[f"{name}.v"] = replaced(text, "\nendmodule\n", added)

    def text(self, file: str, pattern: str, new: str) -> None:
        """Replace text of a file by a regular expression."""
        self.verilog[file], count = re.subn(pattern, new, self.verilog[file], count=1, flags=re.M)
        assert count, pattern

    def instance(self, node: int) -> str:
        """Return the text of the instance at a node."""
        found = re.search(rf"^ *\w+ node_{node}\(.*?^  \);", self.network, re.M | re.S)
        assert found
        return found[0]

    def pin(self, node: int, port: str) -> str:
        """Return what is connected to a port of a node."""
        found = re.search(rf"\.{port}\((.*?)\)(?=[,\s])", self.instance(node))
        assert found, port
        return found[1]

    def connect(self, node: int, port: str, signal: str) -> None:
        """Connect something else to a port of a node; PIN stands for what was there."""
        old, there = self.instance(node), self.pin(node, port)
        pin, signal = f".{port}({there})", signal.replace("PIN", there)
        self.network = replaced(self.network, old, replaced(old, pin, f".{port}({signal})"))

    def swap(self, node: int, port: str, other: int, its_port: str) -> None:
        """Swap what is connected to two ports."""
        signal = self.pin(other, its_port)
        self.connect(other, its_port, self.pin(node, port))
        self.connect(node, port, signal)

    def add(self, text: str) -> None:
        """Write text at the end of the module of the network."""
        self.network = replaced(self.network, "\nendmodule", f"\n  {text}\nendmodule")

    def rewrite(self, pattern: str, new: str, count: int = 1) -> None:
        """Replace text of the network's module by a regular expression."""
        changed = re.sub(pattern, new, self.network, count=count, flags=re.S | re.M)
        assert changed != self.network
        self.network = changed

    def seal(self) -> None:
        """Let the hash of the certificate be that of the manifest's wiring."""
        wiring = [
            [x["module"], *(x.get(key, "0x0") for key in CONSTANTS), []]
            for x in self.manifest["node_straps"]
        ]
        for link in sorted(self.manifest["links"], key=lambda x: (x["node"], x["port"])):
            wiring[link["node"]][-1].append([link["port"], link["to_node"], link["to_port"]])
        digest = hashlib.sha256(json.dumps(wiring).encode()).hexdigest()
        self.certificate["wiring_sha256"] = digest

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Write all, with hashes that are right; return manifest and certificate."""
        manifest, certificate = folder / "m.json", folder / "c.json"
        for name, text in self.verilog.items():
            (folder / name).write_text(text)
            self.manifest["sha256"][name] = hashlib.sha256(text.encode()).hexdigest()
        manifest.write_text(json.dumps(self.manifest))
        certificate.write_text(json.dumps(self.certificate))
        return manifest, certificate


def replaced(text: str, old: str, new: str, count: int = -1) -> str:
    """Return the text with something replaced, which must be there."""
    assert old in text, old
    return text.replace(old, new, count)


def files(description: dict[str, Any]) -> Files:
    """Return what is generated for a network, to be changed."""
    manifest, order, *verilog = json.loads(_generated(json.dumps(description)))
    return Files(manifest, order, dict(verilog))


@cache
def _generated(description: str) -> str:
    network = build_any(json.loads(description))
    order = certificate(network) if isinstance(network, Network) else {}
    with TemporaryDirectory() as folder:
        paths = generate(network, Path(folder))
        manifest = json.loads(paths[-1].read_text())
        texts = [(p.name, p.read_text()) for p in paths if p.suffix in (".v", ".f")]
    return json.dumps([manifest, order, *texts])


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

STREAMS = RING | {"name": "streams", "link": {"kind": "stream"}}
"""Stream links: two ends on each, and a channel for the words of each way between them."""

NETWORKS = {"ring": RING, "mesh": MESH, "tabled": TABLED, "long": LONG, "streams": STREAMS}
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


EVERY = [(kind, name) for kind in NETWORKS for name in CHANGES[kind]]


@pytest.mark.parametrize(
    ("network", "name"), only([(x, y) for x, y in EVERY if "long" not in CHANGES[x][y]], EVERY)
)
def test_refuses_with_the_reason(network: str, name: str, tmp_path: Path) -> None:
    changed, change = files(NETWORKS[network]), dict(CHANGES[network][name])
    reason, _ = change.pop("refused"), change.pop("long", None)
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


@pytest.mark.parametrize("network", [LONG, STREAMS], ids=lambda x: str(x["name"]))
def test_accepts_other_links(
    network: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(*map(str, files(network).write(tmp_path)))
    assert capsys.readouterr().out.startswith(f"accepted: {network['name']}: ")


def test_accepts_tables_beside_routers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(*map(str, files(TABLED).write(tmp_path)))
    proved, assumed, *_ = capsys.readouterr().out.splitlines()
    assert proved.startswith("accepted: tabled")
    assert "a table beside it, if any, answers an address with that entry" in assumed


@pytest.mark.regress
def test_accepts_terminals_of_other_kinds_and_links_that_are_not_there(tmp_path: Path) -> None:
    main(*map(str, files(MESH).write(tmp_path)))
