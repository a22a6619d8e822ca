"""The manifest and its certificate, against the network."""

import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from amaranth import Signal, tracer
from amaranth.lib.memory import Memory

from fingerpost.golden.network.network import Network, Routed, build, routed
from fingerpost.golden.routing.walk import hops
from fingerpost.hdl.emit.certificate import certificate
from fingerpost.hdl.emit.manifest import manifest
from fingerpost.hdl.emit.names import names_from_source
from fingerpost.hdl.emit.network import top
from tests.hdl.corpus import write
from tests.networks import CASES, PETERSEN, load, only, smallest

SMALL = tuple(smallest())
QUICK = [name for name in SMALL if name not in {"metacyclic-84", "twisted-torus-8x4"}]


def plain(network: Network) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(json.dumps(manifest(network, {})))
    return read


def pairs(network: Routed) -> tuple[np.ndarray, np.ndarray]:
    terminals = network.topology.terminals
    source, destination = np.meshgrid(terminals, terminals, indexing="ij")
    return source.ravel(), destination.ravel()


@pytest.mark.parametrize("name", only(QUICK, SMALL))
def test_links_are_those_of_the_topology(name: str) -> None:
    network = load(name)
    topology, links = network.topology, plain(network)["links"]
    assert len(links) == (topology.neighbour >= 0).sum()
    for link in links:
        here = link["node"], link["port"]
        assert topology.neighbour[here] == link["to_node"]
        assert topology.arrival_port[here] == link["to_port"]
    assert len({(link["to_node"], link["to_port"]) for link in links}) == len(links)


@pytest.mark.parametrize("name", only(QUICK, SMALL))
def test_headers_are_what_a_terminal_sends(name: str) -> None:
    network = load(name)
    headers = plain(network)["headers"]
    source, destination = pairs(network)
    sent = set(zip(destination.tolist(), network.routing.encode(source, destination), strict=True))
    assert headers["depend_on_source"] == (len(sent) > len(network.topology.terminals))
    for a, b, header in zip(
        source.tolist(),
        destination.tolist(),
        network.routing.encode(source, destination).tolist(),
        strict=True,
    ):
        listed = headers["from"][str(a)] if headers["depend_on_source"] else headers["to"]
        assert int(listed[str(b)], 16) == header


@pytest.mark.parametrize("name", [*QUICK, *CASES])
def test_header_on_arrival(name: str) -> None:
    network = routed(CASES[name]) if name in CASES else load(name)
    routing = network.routing
    source, destination = pairs(network)
    sent = routing.encode(source, destination)
    told = routing.on_arrival()
    assert list(told) == list(routing.header)
    count = 0
    for packet, _, _, _, decision in hops(routing, source, destination, seed=1):
        home = decision.port == network.topology.local
        count += home.sum()
        for field, value in told.items():
            holds = routing.header.cut(field, decision.header[home])
            if value == "as sent":
                assert np.array_equal(holds, routing.header.cut(field, sent[packet[home]])), field
            elif value != "undefined":
                assert (holds == int(value)).all(), field
    assert count == len(source)


EAGER = {"kind": "axi-stream", "flow_control": "end-to-end", "eager": 3}
TIMED = "borel-21", "borel-21-adaptive", "kyklos-2-2-4", "petersen", "rotator-4", "scc-4"


@pytest.mark.parametrize(
    ("name", "more"), [*((name, {}) for name in TIMED), ("borel-21", {"terminal": EAGER})]
)
def test_latency_is_that_of_the_network(name: str, more: dict[str, Any]) -> None:
    """Which tests/golden/measure/test_simulation.py compares with packets in the model."""
    network = build({**load(name).description, **more})
    formula = plain(network)["latency"]
    assert formula.get("longest") == (3 if more else None)
    given = {key: value for key, value in formula.items() if key.endswith("cycles")}
    for links, flits, back in ((0, 1, 0), (2, 3, 1), (2, 4, 1), (1, 9, 3)):
        here = given | {"hops": links, "flits": flits, "beats": flits, "hops_back": back}
        told = formula["longer" if more and flits > 3 else "formula"]
        assert eval(told, {}, here) == network.least_latency(links, flits, back)


def test_registers_on_links_are_told() -> None:
    link = {"link": {"kind": "flit", "cycles": 3}}
    told = plain(build({**load("borel-21").description, **link}))
    assert {link["cycles"] for link in told["links"]} == {3}
    assert told["modules"]["link_register"] == "borel_21_link_register"
    assert "+ registers" in told["latency"]["formula"]
    assert "registers" in told["latency"]
    assert "cycles" not in plain(load("borel-21"))["links"][0]


AXI4: dict[str, Any] = {
    "terminal": {"kind": "axi4", "data_width": 64, "lite": [1]},
    "memory_map": [{"base": 0, "size": 4096, "nodes": "all"}],
}


@pytest.mark.parametrize("more", [{}, {"flow_control": "end-to-end"}])
@pytest.mark.parametrize("width", [32, 64])
def test_latency_of_transactions(more: dict[str, Any], width: int) -> None:
    """Which tests/golden/test_axi4.py compares with the model."""
    own = AXI4 | {"terminal": AXI4["terminal"] | more, "router": {"flit_width": width}}
    network = build({**load("borel-21").description, **own})
    formula, terminal = plain(network)["latency"], network.terminal
    given = {key: value for key, value in formula.items() if key.endswith("cycles")}
    for links, back, beats, memory in ((1, 2, 1, 1), (3, 0, 5, 1), (2, 2, 4, 6)):
        here = given | {"hops": links, "hops_back": back, "beats": beats, "memory_cycles": memory}
        for kind in ("read", "write", "write_lite"):
            asked: Any = {"write": kind != "read", "back": back, "memory_cycles": memory}
            asked["lite"] = kind == "write_lite"
            expected = terminal.least_latency(network, links, beats, **asked)  # type: ignore[attr-defined]
            assert eval(formula[kind], {}, here) == expected


def test_order_is_kept_where_the_header_decides_all() -> None:
    kept = {name: plain(load(name))["ejection"] for name in ("borel-21", "borel-21-adaptive")}
    assert kept["borel-21"]["in_order"]
    assert "same header arrive in order" in kept["borel-21"]["guaranteed"][-1]
    assert not kept["borel-21-adaptive"]["in_order"]
    assert "overtake" in kept["borel-21-adaptive"]["guaranteed"][-1]
    lanes = build({**load("borel-21").description, "router": {"virtual_channels": 8}})
    assert not lanes.in_order


def test_kyklos_has_terminals_and_credits_at_its_leaves_only() -> None:
    network = load("kyklos-2-2-4")
    read, depth = plain(network), network.buffer_depth
    assert read["terminals"] == list(range(16))
    for name, node_type in read["node_types"].items():
        assert read["injection"]["credits"][name] == (depth + 2 if node_type["terminals"] else None)
    assert read["ejection"]["credits"] == depth


def test_numbering_by_example() -> None:
    assert plain(load("scc-4"))["numbering"] == [
        {"node": 0, "name": "2:4321"},
        {"node": 1, "name": "3:4321"},
        {"node": 2, "name": "4:4321"},
        {"node": 71, "name": "4:1234"},
    ]


def test_reset_clock_and_ports() -> None:
    for name, bits in (("borel-21", 1), ("borel-21-os-link", 21)):
        read = plain(load(name))
        ports = {port.pop("name"): port for port in read["network_ports"]}
        assert ports["clk"]["bits"] == ports["rst"]["bits"] == bits
        flit = ports["node_{v}_inject_flit"]
        assert (flit["bits"], flit["of"]) == (34, "terminals")
        assert read["reset"]["active"] == "high"
        assert read["reset"]["each_node"] == read["clock"]["each_node"] == (bits > 1)
        assert ("node_{v}_link_errors" in ports) == (bits > 1)
    assert plain(load("borel-21-os-link"))["latency"]["formula"] is None


def test_endpoints_are_those_of_the_terminals() -> None:
    """Of four terminals one is gone; two endpoints share each of the others."""
    network = build({
        "name": "three",
        "topology": {"family": "grid", "sizes": [2, 2]},
        "routing": {"algorithm": "table"},
        "faults": "node:1",
        "terminal": {"kind": "mailbox", "endpoints": 2},
    })  # fmt: skip
    read = plain(network)
    assert read["endpoints"] == [0, 1, 4, 5, 6, 7]
    # 512 rows store 7 packets of 64 words; 5 others share them.
    assert read["mailbox"]["stored_packets"]["64"] == 7
    assert read["mailbox"]["window_packets"]["64"] == 1
    assert "endpoints" not in plain(build({**network.description, "terminal": {"kind": "mailbox"}}))


@pytest.mark.parametrize(
    ("kind", "name"), [("axi-stream", "axis_{v}_clk"), ("mailbox", "mailbox_{v}_clk")]
)
def test_clocks_of_endpoints_are_ports_of_the_top(kind: str, name: str) -> None:
    network = build({
        "name": "x",
        "topology": PETERSEN,
        "routing": {"algorithm": "table"},
        "terminal": {"kind": kind, "endpoints": 2, "clock": "own"},
    })  # fmt: skip
    read, (_, ports) = plain(network), top(network)
    names = {(port.name, port.direction) for port in ports}
    assert read["clock"]["each_terminal"] == name
    assert read["reset"]["each_terminal"] == name.replace("clk", "rst")
    for end in ("clock", "reset"):
        due = {(read[end]["each_terminal"].format(v=v), "input") for v in read["endpoints"]}
        assert due <= names
        assert len(due) == 20


def test_lanes_of_a_class_have_its_rank() -> None:
    description = {"name": "x", "topology": PETERSEN, "routing": {"algorithm": "table"}}
    narrow = build(description)
    wide = build(description | {"router": {"virtual_channels": 5}})
    assert (narrow.virtual_channels, wide.lanes.classes) == (2, 2)
    first, more = certificate(narrow), certificate(wide)
    assert first["class"] == more["class"] == list(range(10))
    ranks = [[[a, a, a, b, b] for a, b in ports] for ports in first["rank"]]
    assert more["rank"] == ranks


def test_is_of_one_network() -> None:
    star = {"name": "x", "topology": {"family": "star", "n": 3}, "routing": {"algorithm": "greedy"}}
    ring = {"family": "edge-list", "links": [(0, 1), (1, 2), (2, 0)], "nodes": 3}
    other = {"name": "x", "topology": ring, "routing": {"algorithm": "table"}}
    hashes = [certificate(build(x))["wiring_sha256"] for x in (star, star, other)]
    assert hashes[0] == hashes[1] != hashes[2]


def test_has_no_rank_where_there_is_no_link() -> None:
    line = {"family": "edge-list", "links": [(0, 1), (1, 2)], "nodes": 3}
    found = certificate(build({"name": "x", "topology": line, "routing": {"algorithm": "table"}}))
    present = [[port is not None for port in found["rank"][kind]] for kind in found["class"]]
    assert sorted(map(sum, present)) == [1, 1, 2]


ROOT = Path(__file__).parents[3]

OTHERS = [f"python3.{minor}" for minor in (11, 12, 13)]


def digests(folder: Path) -> dict[str, str]:
    """Return what tells texts apart, by file; of the manifests, too, which tell of all others."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
    }


def test_names_are_those_of_the_assignments() -> None:
    with names_from_source():
        single = Signal()
        first, second = Signal(), Signal(3)
        typed: Signal = Signal()
        outer = inner = Signal()
        given = (within := Signal())
        several = [Signal() for _ in range(2)]
        rows: Memory = Memory(shape=2, depth=2, init=[])
        write, read = rows.write_port(), rows.read_port()
    signals = (single, first, second, typed, outer, inner, given, within, *several, read.data)
    assert [signal.name for signal in signals] == [
        *("single", "first", "second", "typed", "outer", "outer", "within", "within"),
        *("$signal", "$signal", "read__data"),
    ]
    assert write.addr.name == "write__addr"


@pytest.mark.regress
def test_no_name_is_from_the_bytecode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bytecode differs between versions of Python, and so would the Verilog."""
    some = "torus-0", "torus-6", "port-2"

    def refuse(*_: object, **__: object) -> str:
        raise AssertionError("a name is from the bytecode")

    monkeypatch.setattr(tracer, "get_var_name", refuse)
    assert write(tmp_path, some) == list(some)


@pytest.mark.regress
@pytest.mark.parametrize("command", OTHERS)
def test_other_versions_of_python_write_the_same(command: str, tmp_path: Path) -> None:
    """Needs the interpreter; its packages are those of the lock file, in a folder of the test."""
    python = shutil.which(command)
    remedy = f"{command} does not run: install it, as with pyenv, and name it in PYENV_VERSION"
    assert python, remedy
    assert not subprocess.run([python, "-c", ""], check=False).returncode, remedy
    environment = tmp_path / "environment"
    subprocess.run([python, "-m", "venv", environment], check=True)
    python = str(environment / "bin" / "python")
    pip = [python, "-m", "pip", "install", "-qq", "--no-input"]
    subprocess.run(
        [*pip, "-c", str(ROOT / "requirements.lock"), f"{ROOT}[load]", "pytest"], check=True
    )
    run = [python, "-m", "tests.hdl.corpus", str(tmp_path / "there")]
    subprocess.run(run, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    write(tmp_path / "here")
    assert digests(tmp_path / "there") == digests(tmp_path / "here")
