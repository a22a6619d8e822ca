import ast
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import checker.deadlock
from fingerpost.netfile import load
from golden.network import Network
from hdl.emit.certificate import certificate
from hdl.export.generate import generate
from tests.fingerpost.common import NETWORKS

ROOT = Path(__file__).parents[2]
CHECKER = ROOT / "checker" / "deadlock.py"
OTHER_LINKS = "borel-21-os-link"
"""Its nodes are joined by serial links: no flit is seen between them."""

TOO_LARGE = "borel-15657", "borel-17525", "metacyclic-7550", "mesh-32x32"
"""What the names of files begin with that are not checked to the end, see docs/proofs.md."""

MOST = 1 << 18
"""Headers for each network: of the larger ones those of a terminal of each class."""

MORE = {"scc-5": 1 << 21, "torus-32x32": 1 << 20}
"""Of these, too, no fewer will do."""


@pytest.fixture(autouse=True)
def with_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    places = str(Path(sys.executable).parent), os.environ["PATH"]
    monkeypatch.setenv("PATH", os.pathsep.join(places))


def written(network: Network, folder: Path) -> tuple[Path, Path]:
    """Write a network and its certificate; return manifest and certificate."""
    manifest, order = generate(network, folder)[-1], folder / "certificate.json"
    order.write_text(json.dumps(certificate(network)))
    return manifest, order


def dependencies(network: Network) -> int:
    """How many pairs the golden graph has, where each node stands for all of its class."""
    channels = network.channels
    graph = channels.dependencies(network.virtual_channels)
    size = [int((channels.orbit == orbit).sum()) for orbit in range(int(channels.orbit.max()) + 1)]
    of = graph.start // network.virtual_channels // network.topology.degree
    return sum(size[orbit] for orbit in of.tolist())


def says(manifest: Path, order: Path, *most: int) -> str:
    """Run the checker by itself, in isolation from the project."""
    ended = subprocess.run(
        [sys.executable, "-I", CHECKER, manifest, order, *map(str, most)],
        cwd=order.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == (not ended.stdout.startswith("accepted: "))
    assert ended.stdout.count("\n") + ended.stderr.count("\n") == 1, ended.stderr
    return ended.stdout + ended.stderr


def test_accepts_what_is_so(tmp_path: Path) -> None:
    network = load(NETWORKS / "petersen-up-down.yaml")
    said = says(*written(network, tmp_path))
    edges = dependencies(network)
    by = "by 160 possible headers from 10 of 10 terminals"  # four bits name a node or nobody
    assert said == f"accepted: petersen-up-down: {edges} dependencies of 30 channels {by}\n"


@pytest.mark.regress
@pytest.mark.parametrize(
    "file",
    [x for x in sorted(NETWORKS.glob("*.yaml")) if not x.stem.startswith(TOO_LARGE)],
    ids=lambda x: x.stem,
)
def test_accepts_every_network_file(file: Path, tmp_path: Path) -> None:
    network = load(file)
    said = says(*written(network, tmp_path), MORE.get(network.name, MOST))
    if network.name == OTHER_LINKS:
        assert said == "refused: the wires of the network are not the links of the manifest\n"
        return
    found = re.match(r"accepted: \S+ (\d+) dependencies .* (\d+) of (\d+) terminals$", said)
    assert found, said
    if found[2] == found[3]:
        assert int(found[1]) == dependencies(network)


def test_stands_alone_and_is_short() -> None:
    text = CHECKER.read_text()
    tree = ast.parse(text)
    modules = {
        name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names
    } | {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {module.split(".")[0] for module in modules} <= sys.stdlib_module_names
    told = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node)
        for line in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)
    }
    code = [
        line
        for number, line in enumerate(text.splitlines(), 1)
        if number not in told and line.strip() and not line.strip().startswith("#")
    ]
    assert len(code) < 150


Facts = tuple[dict[str, Any], dict[str, Any], dict[str, str]]
"""Manifest, certificate, and the Verilog by the names of the files."""


@pytest.fixture(scope="module")
def petersen(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return written(load(NETWORKS / "petersen.yaml"), tmp_path_factory.mktemp("petersen"))


def replaced(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


def change(facts: Facts, key: str, node: int, flip: int, *, known: bool) -> None:
    """Flip bits of a constant of a node in manifest and Verilog; certificate too if `known`."""
    manifest, _, verilog = facts
    entry = manifest["node_straps"][node]
    old, new = entry[key], hex(int(entry[key], 16) ^ flip)
    entry[key] = new
    before, mine, after = re.split(rf"(  \w+ node_{node}\([^;]*;)", verilog["petersen_network.v"])
    mine = re.sub(rf"(\.{key}\(\d+'h)\w+", rf"\g<1>{new[2:]}", mine)
    assert old != new
    verilog["petersen_network.v"] = before + mine + after
    if known:
        seal(facts)


def seal(facts: Facts) -> None:
    """Let the hash of a certificate be of what there is."""
    manifest, order, _ = facts
    wiring = [
        [x["module"], int(x["straps"], 16), int(x["increments"], 16), []]
        for x in manifest["node_straps"]
    ]
    for link in manifest["links"]:
        wiring[link["node"]][3].append([link["port"], link["to_node"], link["to_port"]])
    order["wiring_sha256"] = hashlib.sha256(json.dumps(wiring).encode()).hexdigest()


def no_increments(facts: Facts) -> None:
    for node in range(10):
        now = int(facts[0]["node_straps"][node]["increments"], 16)
        if now:
            change(facts, "increments", node, now, known=True)


def routers_that_never_raise(facts: Facts) -> None:
    name = "petersen_router.v"
    changed = re.sub(r"\bincrements\[\d+\]", "1'h0", facts[2][name])
    assert changed != facts[2][name]
    facts[2][name] = changed


def flat(facts: Facts) -> None:
    facts[1]["rank"] = [[[0, 0] for _ in ports] for ports in facts[1]["rank"]]


def last_first(facts: Facts) -> None:
    facts[1]["rank"] = [[[99 - c for c in p] for p in ports] for ports in facts[1]["rank"]]


def ranks_that_are_no_numbers(facts: Facts) -> None:
    nothing = float("nan")  # neither above nor below anything
    facts[1]["rank"] = [[[nothing] * 2 for _ in ports] for ports in facts[1]["rank"]]


def a_link_without_rank(facts: Facts) -> None:
    facts[1]["rank"][3][1] = None


def links_swapped(facts: Facts) -> None:
    one, other = facts[0]["links"][:2]
    one["to_node"], other["to_node"] = other["to_node"], one["to_node"]


RISE = r"refused: no rising ranks along \(.*\)"
WIRES = r"refused: the wires of the network are not the links of the manifest"
CONSTANTS = r"refused: straps or increments are not those of the manifest"
OTHER = r"refused: the certificate is of another network"


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (flat, RISE),
        (last_first, RISE),
        (ranks_that_are_no_numbers, r"refused: no ranks for node 0 port 0"),
        (a_link_without_rank, r"refused: no ranks for node 3 port 1"),
        (links_swapped, WIRES),
        (lambda facts: facts[0]["node_straps"][4].update(increments="0x1"), CONSTANTS),
        (lambda facts: facts[0]["node_straps"][4].update(straps="0x1"), CONSTANTS),
        (lambda facts: change(facts, "increments", 4, 2, known=False), OTHER),
        (lambda facts: change(facts, "straps", 4, 2, known=False), OTHER),
        (lambda facts: change(facts, "straps", 4, 8, known=True), RISE),
        (no_increments, RISE),
        pytest.param(routers_that_never_raise, RISE, marks=pytest.mark.regress),
    ],
)
def test_refuses(
    fault: Callable[[Facts], None],
    message: str,
    petersen: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(checker.deadlock, "Gates", GATES)
    manifest, order = (json.loads(path.read_text()) for path in petersen)
    verilog = {
        x: petersen[0].with_name(x).read_text() for x in manifest["sha256"] if x[-2:] == ".v"
    }
    fault((manifest, order, verilog))
    for name, text in verilog.items():
        (tmp_path / name).write_text(text)
        manifest["sha256"][name] = hashlib.sha256(text.encode()).hexdigest()
    (tmp_path / "m.json").write_text(json.dumps(manifest))
    (tmp_path / "c.json").write_text(json.dumps(order))
    with pytest.raises(SystemExit, match=f"^{message}$"):
        checker.deadlock.main(str(tmp_path / "m.json"), str(tmp_path / "c.json"))


GATES = cache(checker.deadlock.Gates)
"""Yosys runs once for all faults that leave the router as it is."""


def test_refuses_any_channel_without_rank(petersen: tuple[Path, Path], tmp_path: Path) -> None:
    ranks = json.loads(petersen[1].read_text())["rank"]  # no two nodes are of one class
    ends = [(v, p, c) for v, ports in enumerate(ranks) for p, row in enumerate(ports) for c in row]
    assert len(ends) == 60
    for node, port in sorted({(v, p) for v, p, _ in ends}):
        for channel in range(2):
            order = json.loads(petersen[1].read_text())
            order["rank"][node][port][channel] = None
            (tmp_path / "c.json").write_text(json.dumps(order))
            with pytest.raises(SystemExit, match=f"no ranks for node {node} port {port}$"):
                checker.deadlock.main(str(petersen[0]), str(tmp_path / "c.json"))


def test_refuses_more_headers_than_it_may_try(petersen: tuple[Path, Path]) -> None:
    assert says(*petersen, 159) == "refused: 160 headers are more than 159 that may be tried\n"


def test_refuses_a_file_that_has_changed(petersen: tuple[Path, Path], tmp_path: Path) -> None:
    for path in petersen[0].parent.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    network = tmp_path / "petersen_network.v"
    network.write_text(network.read_text() + "\n")
    said = says(tmp_path / petersen[0].name, tmp_path / petersen[1].name)
    assert said == "refused: petersen_network.v has changed\n"


def test_refuses_what_it_cannot_read(petersen: tuple[Path, Path], tmp_path: Path) -> None:
    order = json.loads(petersen[1].read_text())
    del order["wiring_sha256"]
    (tmp_path / "c.json").write_text(json.dumps(order))
    assert says(petersen[0], tmp_path / "c.json").startswith("refused: cannot be read: KeyError(")
    assert says(petersen[0], tmp_path / "no.json").startswith("refused: cannot be read: FileNot")
