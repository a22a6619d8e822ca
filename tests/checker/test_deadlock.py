"""The checker on generated networks; together with `prove --rtl` it accepts no changed one."""

import ast
import hashlib
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml

from fingerpost.checker.deadlock import main
from fingerpost.formal.hardware import Written
from fingerpost.formal.prove import ProofError
from fingerpost.golden.deadlock.lanes import Lanes
from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.emit.certificate import certificate
from fingerpost.hdl.export.generate import generate
from fingerpost.hdl.router import output_port
from fingerpost.hdl.router.vc_allocator import Source, sources
from fingerpost.netfile.source import load, load_any
from tests.checker.test_changed import RING, apply, files
from tests.fingerpost.common import NETWORKS
from tests.networks import only
from tests.testbench.faults import networks

ROOT = Path(__file__).parents[2]
CHECKER = ROOT / "checker" / "deadlock.py"
OTHER_LINKS = "borel-21-os-link"
"""Its nodes are joined by serial links: no flit is seen between them."""

TOO_LARGE = (
    *("borel-1081-", "borel-15657", "borel-17525", "borel-2943", "mesh-32x32", "scc-5"),
    *("metacyclic-205", "metacyclic-513", "metacyclic-1155", "metacyclic-7550", "torus-32x32"),
)
"""What the names of files begin with that take long; docs/design/proofs.md says of which."""

MOST = 1 << 18
"""Headers for each network: of the larger ones those of a terminal of each class."""


def written(network: Network, folder: Path) -> tuple[Path, Path]:
    """Write a network and its certificate; return manifest and certificate."""
    manifest, order = generate(network, folder)[-1], folder / "certificate.json"
    order.write_text(json.dumps(certificate(network)))
    return manifest, order


def dependencies(network: Network) -> int:
    """How many pairs the golden graph has, where each node stands for all of its class."""
    channels = network.channels
    graph = channels.dependencies(network.channels_per_class)
    size = [int((channels.orbit == orbit).sum()) for orbit in range(int(channels.orbit.max()) + 1)]
    of = graph.start // network.channels_per_class // network.topology.degree
    return network.classes * sum(size[orbit] for orbit in of.tolist())


def says(manifest: Path, order: Path, *most: int) -> str:
    """Run the checker by itself, in isolation from the project."""
    ended = subprocess.run(
        [sys.executable, "-I", CHECKER, manifest, order, *map(str, most)],
        cwd=order.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == (not ended.stdout.startswith("accepted: "))
    lines = 1 if ended.returncode else 4
    assert ended.stdout.count("\n") + ended.stderr.count("\n") == lines, ended.stderr
    return ended.stdout + ended.stderr


def says_here(manifest: Path, order: Path, *most: int) -> str:
    """Run the checker in this process, which is sooner done; return the same."""
    said = StringIO()
    try:
        with redirect_stdout(said):
            main(*map(str, (manifest, order, *most)))
    except SystemExit as refusal:
        return f"{refusal}\n"
    return said.getvalue()


CLASSES = {"router": {"flit_width": 8, "classes": 2}}


@pytest.mark.parametrize(
    "terminal", [pytest.param("credit", marks=pytest.mark.regress), "axi-stream"]
)
def test_walks_in_every_message_class(terminal: str, tmp_path: Path) -> None:
    network = build(RING | CLASSES | {"terminal": {"kind": terminal}})
    said = says_here(*written(network, tmp_path))
    assert f"\ncounted: {dependencies(network)} dependencies of 40 channels" in said


@pytest.mark.regress
def test_refuses_a_packet_that_leaves_its_message_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crossed(lanes: Lanes, c: int, *, eject: bool, **others: Any) -> Iterator[Source]:
        """Send what is of one class on the channels of the other."""
        return sources(lanes, c if eject else (c + 2) % 4, eject=eject, **others)

    monkeypatch.setattr(output_port, "sources", crossed)
    said = says(*written(build(RING | CLASSES), tmp_path))
    assert said.startswith("refused: a packet moves to another message class at ")


SMALL = {
    "name": "small",
    "topology": {
        "family": "edge-list",
        "nodes": 3,
        "links": [(0, 1), (0, 1), (1, 2), (2, 0)],
        "directed": True,
        "terminals": {0: 2, 1: 1},
    },
    "routing": {"algorithm": "table"},
    "router": {"flit_width": 8},
}
"""Two terminals at a node, none at another, and two links beside each other."""

ANYWHERE = {
    "small": SMALL,
    "concentrated": networks.CONCENTRATED,
    "fat-tree": networks.FAT_TREE,
    "parallel": networks.PARALLEL,
}


@pytest.mark.parametrize("name", only(["small"], ANYWHERE))
def test_accepts_terminals_anywhere(name: str, tmp_path: Path) -> None:
    network = build(ANYWHERE[name])
    terminals = len(network.topology.terminals)
    said = says_here(*written(network, tmp_path))
    assert f"counted: {dependencies(network)} dependencies of" in said
    assert f"from {terminals} of {terminals} terminals" in said


FILES = [
    x
    for x in sorted(NETWORKS.glob("*.yaml"))
    if not x.stem.startswith(TOO_LARGE) and not x.stem.endswith("-deflection")
]


@pytest.mark.parametrize(
    "file", only([NETWORKS / "petersen-up-down.yaml"], FILES), ids=lambda x: x.stem
)
def test_accepts_every_network_file(file: Path, tmp_path: Path) -> None:
    network = load(file)
    manifest, order = written(network, tmp_path)
    said = says(manifest, order, MOST)
    if network.name == OTHER_LINKS:
        assert said == "refused: no flits on the links: OS-Links are not checked\n"
        return
    found = re.search(r"^counted: (\d+) dependencies .* (\d+) of (\d+) terminals$", said, re.M)
    assert found, said
    assert said.startswith(f"accepted: {network.name}: the channel dependency graph is acyclic")
    assert "\nassumed: every terminal eventually takes" in said
    digest = hashlib.sha256(manifest.read_bytes()).hexdigest()
    assert said.endswith(f"files: those of {manifest.name}, SHA-256 {digest}\n")
    if network.name == "petersen-up-down":  # four bits name a node or none
        assert " of 30 channels by 160 possible headers from 10 of 10 terminals\n" in said
    if found[2] == found[3]:
        assert int(found[1]) == dependencies(network)


def test_stands_alone_and_is_short() -> None:
    text = CHECKER.read_text()
    assert text.count("\n") < 500
    tree = ast.parse(text)
    modules = {
        name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names
    } | {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {module.split(".")[0] for module in modules} <= sys.stdlib_module_names


def test_refuses_more_headers_than_may_be_tried(tmp_path: Path) -> None:
    said = says_here(*files(RING).write(tmp_path), 39)
    assert said == "refused: 40 headers are more than 39 that may be tried\n"


def test_refuses_a_file_that_has_changed(tmp_path: Path) -> None:
    paths, network = files(RING).write(tmp_path), tmp_path / "ring_network.v"
    network.write_text(network.read_text() + "\n")
    assert says(*paths) == "refused: ring_network.v has changed\n"


def test_refuses_deflection_routers(tmp_path: Path) -> None:
    manifest = generate(load_any(NETWORKS / "borel-21-deflection.yaml"), tmp_path)[-1]
    assert says_here(manifest, manifest) == "refused: deflection routers have no certificate\n"


def test_refuses_what_it_cannot_read(tmp_path: Path) -> None:
    f = files(RING)
    del f.certificate["wiring_sha256"]
    manifest, certificate = f.write(tmp_path)
    for path, error in (certificate, "KeyError("), (tmp_path / "no.json", "FileNot"):
        said = says(manifest, path)
        assert said.startswith(f"refused: cannot be read: {error}")


WIDE = RING | {"router": {"flit_width": 24, "buffer_depth": 2}}
CHAINED = {
    "ring": WIDE,
    "classes": RING | {"router": {"flit_width": 24, "buffer_depth": 1, "classes": 2}},
    "deflection": RING | {"router": {"kind": "deflection", "flit_width": 4}},
}
CHAIN = yaml.load(Path(__file__).with_name("chain.yaml").read_text("utf-8"), yaml.CSafeLoader)
OWN = {"network", "wrong", "checker", "rtl", "quick", "stress"}
STRESSED = [name for name in CHAIN if "stress" in CHAIN[name]]


def changed(name: str, folder: Path) -> tuple[Path, Path]:
    """Write a changed network; return manifest and certificate."""
    entry = CHAIN[name]
    f = files(CHAINED[entry.get("network", "ring")])
    apply(f, {key: entry[key] for key in entry.keys() - OWN})
    return f.write(folder)


def checker(folder: tuple[Path, Path]) -> str:
    """Return why the checker refuses a network; nothing if it accepts."""
    try:
        main(*map(str, folder))
    except SystemExit as refusal:
        return str(refusal)
    return ""


def rtl(folder: Path) -> str:
    """Return why `prove --rtl` refuses a network; nothing if all is proven."""
    try:
        for finding in Written.read(folder).findings(lambda _: None):
            if finding.verdict != "proven":
                said = finding.broken or (finding.reason,)
                return f"{finding.component}: {finding.claim}: {', '.join(said)}"
    except (ValueError, ProofError) as refusal:
        return str(refusal)
    return ""


@pytest.mark.regress
@pytest.mark.parametrize("name", CHAIN)
def test_every_changed_network_is_refused(name: str, tmp_path: Path, record_property: Any) -> None:
    entry, paths, began = CHAIN[name], changed(name, tmp_path), time.process_time()
    assert {"checker", "rtl"} & entry.keys()
    for judge, said in ("checker", checker(paths)), ("rtl", rtl(tmp_path)):
        print(f"{name}: {judge}: {said[:160] or 'accepts'}: {time.process_time() - began:.1f} s")
        assert bool(said) == (judge in entry), said
        assert re.search(entry.get(judge, ""), said), said


@pytest.mark.parametrize("name", [name for name in CHAIN if "quick" in CHAIN[name]])
def test_a_changed_network_is_refused(name: str, tmp_path: Path) -> None:
    entry, paths = CHAIN[name], changed(name, tmp_path)
    said = checker(paths) if "checker" in entry else rtl(tmp_path)
    assert re.search(entry.get("checker", entry.get("rtl")), said), said


@pytest.mark.regress
@pytest.mark.parametrize("name", ["unchanged", *STRESSED])
def test_a_simulation_shows_what_is_wrong(name: str, tmp_path: Path) -> None:
    if name == "unchanged":
        files(WIDE).write(tmp_path)
    else:
        changed(name, tmp_path)
    bench, run = Path(__file__).with_name("stress.v"), tmp_path / "run"
    sources = [*tmp_path.glob("*.v"), bench]
    subprocess.run(["iverilog", "-g2012", "-o", run, *sources], check=True)
    said = subprocess.run(["vvp", "-n", run], capture_output=True, text=True, check=True)
    assert said.stdout.split()[-1] == CHAIN.get(name, {"stress": "ok"})["stress"]


@pytest.mark.regress
@pytest.mark.parametrize("network", CHAINED)
def test_unchanged_networks_are_accepted(network: str, tmp_path: Path) -> None:
    paths = files(CHAINED[network]).write(tmp_path)
    assert rtl(tmp_path) == ""
    if network != "deflection":
        assert checker(paths) == ""
