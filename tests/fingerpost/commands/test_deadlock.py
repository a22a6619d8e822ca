"""What `order` finds and `prove` says, and the exit status that goes with it."""

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from fingerpost.formal.gates import Finding
from fingerpost.formal.hardware import FINDINGS
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.routing import ALGORITHMS
from fingerpost.netfile.source import read
from tests.fingerpost.common import NETWORKS, Run

TORUS = NETWORKS / "torus-8x8.yaml"


def test_order_can_be_pasted_and_begins_with_that_of_the_file(
    run: Run, borel21: Path, tmp_path: Path
) -> None:
    text, path = borel21.read_text(encoding="utf-8"), tmp_path / "x.yaml"
    kept = yaml.safe_load(text)["router"]["channel_order"]
    facts = run("order", borel21, "--steps", 0, "--json").json
    assert (facts["channel_order"], facts["virtual_channels"]["needed"]) == (kept, 2)
    # 20 nodes of 4 classes: the order of the file is another's.
    other = "p: 5, a: 2, A: [1, 1], B: [3, 0]"
    path.write_text(text.replace("p: 7, a: 2, A: [0, 1], B: [1, 1]", other))
    facts = run("order", path, "--steps", 0, "--json").json
    assert sorted(facts["channel_order"]) == list(range(4))
    lines = [line for line in text.splitlines() if "channel_order" not in line]
    path.write_text("\n".join(lines))
    comment, line = run("order", path, "--channels", 2, "--seed", 1).out.splitlines()
    assert comment == "# borel-21: 2 virtual channels are enough with this order, as many as before"
    at = lines.index("  virtual_channels: auto") + 1
    path.write_text("\n".join([*lines[:at], f"  {line}", *lines[at:]]))
    assert needed(run, path) == 2
    assert sorted(yaml.safe_load(path.read_text())["router"]["channel_order"]) == list(range(21))


def changed(path: Path, folder: Path, order: list[int] | None) -> Path:
    """The network file with another order, or with none."""
    data: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    if beside := data["topology"].get("file"):
        (folder / beside).write_text((NETWORKS / beside).read_text(encoding="utf-8"))
    router = data.setdefault("router", {})
    router.pop("channel_order", None)
    if order is not None:
        router["channel_order"] = order
    file = folder / f"{path.stem}.yaml"
    file.write_text(yaml.safe_dump(data), encoding="utf-8")
    return file


def needed(run: Run, path: Path) -> int:
    return int(run("info", path, "--json").json["virtual_channels"]["needed"])


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        *(("torus-8x8", 300), ("kyklos-2-2-4", 0), ("mesh-4x4-axi", 100)),
        *(("petersen-up-down", 0), ("petersen", 0), ("borel-21", 100)),
    ],
)
def test_order_is_never_worse_than_none(run: Run, name: str, steps: int, tmp_path: Path) -> None:
    bare = changed(NETWORKS / f"{name}.yaml", tmp_path, None)
    before = needed(run, bare)
    answer = run("order", bare, "--steps", steps, "--json").json
    after = needed(run, changed(bare, tmp_path, answer["channel_order"]))
    assert answer["virtual_channels"] == {"needed": after, "as_it_is": before}
    assert after <= before


def test_an_order_that_is_better_than_the_increments_of_the_routing_is_given(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if the routing's own needed more: one channel is what no order of a torus can do.
    monkeypatch.setattr("fingerpost.commands.order._without_order", lambda _: 9)
    answer = run("order", TORUS, "--steps", 0, "--json").json
    assert sorted(answer["channel_order"]) == [0, 1, 2, 3]
    assert answer["virtual_channels"]["needed"] < answer["virtual_channels"]["as_it_is"] == 9


def test_an_order_of_links_can_be_pasted(run: Run, tmp_path: Path) -> None:
    """What `order` prints is the routing of a file, in which links saturate as it says."""
    asked = "order", NETWORKS / "petersen.yaml", "--routing", "acyclic:virtual_channels=1"
    comment, line = run(*asked, "--steps", 200, "--seed", 3).out.splitlines()
    routing = yaml.safe_load(line)["routing"]
    assert sorted(routing["order"]) == list(range(30))
    path = tmp_path / "net.yaml"
    (tmp_path / "petersen.txt").write_text((NETWORKS / "petersen.txt").read_text())
    given = {"name": "net", "topology": {"family": "edge-list", "file": "petersen.txt"}}
    path.write_text(yaml.safe_dump({**given, "routing": routing}), encoding="utf-8")
    found = run("info", path, "--json").json
    assert found["virtual_channels"] == {"needed": 1, "in_use": 1, "classes": 1, "proven": True}
    assert f"saturate at {run('loads', path, '--json').json['link_saturation']:.3f}" in comment
    facts = run(*asked, "--steps", 0, "--json").json
    assert facts["channel_order"] is None
    assert len(facts["link_order"]) == 30


def test_info_shows_what_numbers_of_channels_give(run: Run) -> None:
    """More channels, fewer hops and larger routers; with its own number a file has that alone."""
    choices = run("info", NETWORKS / "petersen.yaml", "--routing", "acyclic", "--json").json
    some = choices["choices"]
    assert [each["virtual_channels"] for each in some] == [1, 2, 3]
    hops, sites = ([each[key] for each in some] for key in ("hops", "sites"))
    assert sorted(hops, reverse=True) == hops
    assert sorted(sites) == sites
    assert hops[-1] == pytest.approx(choices["mean_distance"])
    best = max(some, key=lambda each: each["merit"])
    assert choices["virtual_channels"]["in_use"] == best["virtual_channels"]
    one = run("info", NETWORKS / "borel-21-acyclic.yaml", "--json").json["choices"]
    assert [each["virtual_channels"] for each in one] == [1]


NET = NETWORKS / "petersen.yaml"

LARGE = (
    "borel-1081", "borel-2943", "borel-15657", "borel-17525", "mesh-32x32", "metacyclic-513",
    "metacyclic-1155", "metacyclic-7550", "scc-5", "torus-32x32",
)  # fmt: skip
"""What the names of files begin with that take more than 10 s of processor time."""

OTHERS = (
    *(("scc-4.yaml", algorithm) for algorithm in ("minimal", "near-minimal", "random")),
    *(("kyklos-2-2-4.yaml", algorithm) for algorithm in ("m", "h2", "p2", "modified-p2")),
    ("braided-ring-16.yaml", "adaptive-table"),
    ("petersen.yaml", "source-table"),
)
"""A small file for each algorithm that is in none."""

INSIDE = "mesh-2x2-mailbox"
"""Of the short tests: the router is in a module with its terminal."""

CASES = [
    *(
        pytest.param(x.name, "", marks=[pytest.mark.regress] if x.stem != INSIDE else [])
        for x in sorted(NETWORKS.glob("*.yaml"))
        if not x.stem.startswith(LARGE) and not x.stem.endswith("-deflection")
    ),
    *(pytest.param(*each, marks=pytest.mark.regress) for each in OTHERS),
]

SHORTEST = {
    "adaptive", "adaptive-table", "dimension-order", "minimal", "rotator", "source-table", "table",
    "vertex-transitive",
}  # fmt: skip
"""Algorithms that always take a shortest way."""

PROVEN = Finding("node type 0", "outputs are registers", "structure", 7)
HELD = Finding("routing unit", "decides as golden", "sampled", 64)
UNTRIED = Finding.not_tried("routing unit", "each packet arrives", "too many")
BROKEN = Finding("routing unit", "decides as golden", "sampled", 64, ("node 3",))


@pytest.mark.parametrize(
    ("name", "found", "verdicts", "status"),
    [
        ("petersen", [PROVEN], ["proven"], 0),
        ("petersen", [PROVEN, HELD], ["proven", "held"], 3),
        ("petersen", [UNTRIED, PROVEN], ["not tried: too", "proven"], 3),
        ("petersen", [BROKEN, UNTRIED], ["does not hold: node 3", "not tried: too"], 1),
        ("borel-21-deflection", [PROVEN, BROKEN], ["proven", "does not hold: node 3"], 1),
    ],
)
def test_only_what_is_proven_is_called_so(
    name: str,
    found: list[Finding],
    verdicts: list[str],
    status: int,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    net = NETWORKS / f"{name}.yaml"
    for kind in ("wormhole", "deflection"):
        monkeypatch.setitem(FINDINGS, kind, lambda *_: found)
    told = run("prove", net, "--rtl", "--json")
    assert told.status == status
    manifest, *rtl = told.json["rtl"]
    assert (manifest["component"], manifest["verdict"]) == ("manifest", "proven")
    spoken = {"does not hold": "broken"}
    assert [x["verdict"] for x in rtl] == [
        spoken.get(kind, kind) for kind in (verdict.partition(":")[0] for verdict in verdicts)
    ]
    if status != 1:
        return
    table = run("prove", net, "--rtl").out.split("verdict")[1]
    shown = re.findall(r"(?:structure|sampled|none) +\d+ +(\S.*\S)", table)
    assert [x[: len(y)] for x, y in zip(shown[-len(verdicts) :], verdicts, strict=True)] == verdicts


def test_a_folder_is_proven_as_it_is(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    read_texts = list[str]()

    def found(_: object, texts: dict[str, str], __: object) -> list[Finding]:
        read_texts.extend(texts.values())
        return [PROVEN]

    monkeypatch.setitem(FINDINGS, "wormhole", found)
    assert run("generate", NET, "-o", tmp_path).status == 0
    manifest, router = tmp_path / "petersen.json", tmp_path / "petersen_router.v"
    told = run("prove", tmp_path, "--rtl", "--json")
    assert (told.status, told.json["network"]) == (0, "petersen")
    digest = hashlib.sha256(manifest.read_bytes()).hexdigest()
    assert told.json["files"] == {"manifest": "petersen.json", "sha256": digest}
    assert router.read_text() in read_texts
    # The network file gives the same files.
    assert run("prove", NET, "--rtl", "--json").json["files"] == told.json["files"]
    router.write_text(router.read_text() + "\n")
    assert "petersen_router.v has changed" in run("prove", tmp_path, "--rtl").err
    told = run("prove", tmp_path, "--routing", "up-down")
    assert (told.status, "needs a network file for --faults and --routing" in told.err) == (2, True)
    assert "needs one manifest" in run("prove", tmp_path.parent, "--rtl").err


DAMAGES: tuple[dict[str, Any], ...] = (
    *({"sha256": ["x"]}, {"sha256": {}}),
    *({"description": 3}, {"description": {"topology": None}}),
)


def test_a_damaged_manifest_is_named(run: Run, tmp_path: Path) -> None:
    assert run("generate", NET, "-o", tmp_path).status == 0
    manifest = tmp_path / "petersen.json"
    whole = json.loads(manifest.read_text())
    for damage in DAMAGES:
        manifest.write_text(json.dumps(whole | damage))
        told = run("prove", tmp_path, "--rtl")
        assert (told.status, told.err.count("\n")) == (2, 1), damage
        assert str(tmp_path) in told.err
        assert "`fingerpost generate` writes it anew" in told.err


@pytest.mark.parametrize(("file", "algorithm"), CASES)
def test_nothing_is_wrong_with_small_networks(
    file: str, algorithm: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fingerpost.formal.network.under_load", lambda *_: [])  # takes long
    net = NETWORKS / file
    network = read(net).changed(routing=algorithm or None).routed()
    told = run("prove", net, "--rtl", "--json", *(["--routing", algorithm] if algorithm else []))
    _, *gates, decided, arrives = told.json["rtl"]
    assert len(gates) == 2 * len(network.topology.node_types)
    assert {(x["engine"], x["verdict"]) for x in gates} == {("structure", "proven")}
    assert all(x["cases"] for x in gates)
    if network.routing.algorithm == "random":
        assert told.status == 3
        assert (decided["verdict"], arrives["verdict"]) == ("held", "not tried")
        return
    assert told.status == 0, told.json["rtl"]
    assert (decided["verdict"], arrives["verdict"]) == ("proven", "proven")
    # Each terminal decides about packets to each, and each is followed from there.
    assert min(decided["cases"], arrives["cases"]) >= len(network.topology.terminals) ** 2
    nearer = arrives["claim"] == "each decision leads nearer"
    assert nearer >= (network.routing.algorithm in SHORTEST)


def test_all_algorithms_are_among_them() -> None:
    cases = [(str(file), str(algorithm)) for file, algorithm in (x.values for x in CASES)]
    own = {file: (NETWORKS / file).read_text(encoding="utf-8") for file, _ in cases}
    named = {file: re.findall(r"\balgorithm: ([\w-]+)", text) for file, text in own.items()}
    used = {algorithm or named[file][0] for file, algorithm in cases}
    assert used == {*ALGORITHMS}


FOUND = {
    "hypercube-6": "",
    "star-4": "",
    "metacyclic-84": "fingerpost: the search for a channel order ended after 2,000 steps: 3 "
    "virtual channels are needed; `fingerpost order` may find an order that needs fewer\n",
}
"""What is said of networks that need 1, 2 and 3 channels."""


@pytest.mark.parametrize("name", FOUND)
def test_what_a_long_search_found_is_said(
    run: Run, name: str, searched_once: Callable[..., IntArray], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fingerpost.golden.network.network._ranks", searched_once)
    monkeypatch.setattr("fingerpost.cli.options.LONG", 0)
    assert run("info", NETWORKS / f"{name}.yaml", "--routing", "table").err == FOUND[name]
