"""The pages in Chromium: all of them in one start, driven by a page of our own in frames."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fingerpost import report
from fingerpost.commands import route as packet_route
from fingerpost.commands.report import look
from fingerpost.golden.network.network import Routed, routed
from fingerpost.golden.traffic import spelling
from fingerpost.netfile.source import read
from fingerpost.report import routes
from tests.browser import drive
from tests.fingerpost.common import NETWORKS

pytestmark = pytest.mark.regress

WIDE, NARROW = 1400, 390

SMALL = "borel-21", "kyklos-2-2-4", "scc-4", "rotator-4"
"""Networks whose routes are on the page with their headers."""

Seen = dict[str, Any]
Browse = Callable[..., list[Seen]]


@pytest.fixture
def browse(tmp_path: Path) -> Browse:
    def browse(tasks: list[dict[str, Any]], *options: str) -> list[Seen]:
        every = [{"asks": [], "clicks": [], "typed": "0", **task} for task in tasks]
        seen: list[Seen] = drive(Path(__file__).parent / "browser.html", every, tmp_path, *options)
        return seen

    return browse


def page(folder: Path, *networks: Routed) -> Path:
    path = report.place(folder, [network.name for network in networks])
    uniform = spelling.pattern("uniform")
    report.write(path, report.text([look(each, uniform, lambda step: None) for each in networks]))
    return path


def named(network: Routed, node: int) -> str:
    name = network.topology.name(node)
    return name if name == str(node) else f"{node} ({name})"


def pairs(network: Routed, count: int = 20) -> list[tuple[int, int]]:
    some = np.random.default_rng(3).choice(network.topology.terminals, (count, 2))
    return [(int(start), int(end)) for start, end in some]


def asked(network: Routed, start: object, end: object) -> str:
    return f"network={network.name}&from={start}&to={end}"


def check(seen: Seen, network: Routed, start: int, end: int) -> None:
    """Compare what is on the page with the answer of `fingerpost route`."""
    facts = packet_route.facts(network, str(start), str(end))
    names = [named(network, node) for node in facts["nodes"]]
    columns = facts["phases"], names, facts["port_names"], names[1:]
    rows = enumerate(zip(*columns, strict=False), 1)
    expected = [[str(hop), *row] for hop, row in rows]
    assert [cells[:5] for cells in seen["cells"]] == expected
    hops = f"{facts['hops']} hop{'' if facts['hops'] == 1 else 's'}"
    told = f"{network.name}: {hops}, shortest path {facts['distance']}"
    assert re.match(rf"{re.escape(told)}(\. |$)", seen["summary"])
    assert seen["spoken"] == f"{told}: {', '.join(facts['names'])}"
    assert seen["refused"] == ""


def headers(network: Routed, start: int, end: int) -> list[str]:
    """The headers of a route, asked of the routing node by node."""
    routing, topology = network.routing, network.topology
    node, arrival = np.array([start]), np.array([topology.local])
    header = routing.encode(node, np.array([end]))
    told = [header]
    while (decision := routing.decide(node, arrival, header)).port[0] != topology.local:
        arrival = topology.arrival_port[node, decision.port]
        node, header = topology.neighbour[node, decision.port], decision.header
        told.append(header)
    cut = routing.header.cut
    return [
        ", ".join(f"{name}={int(cut(name, each[0]))}" for name in routing.header) for each in told
    ]


def test_routes_with_headers_and_plots_at_two_widths(browse: Browse, tmp_path: Path) -> None:
    networks = [read(NETWORKS / f"{name}.yaml").network() for name in SMALL]
    files = [page(tmp_path, network) for network in networks]
    ways = [pairs(network) for network in networks]
    tasks = [
        {"page": file.as_uri(), "width": width, "asks": [asked(network, *way) for way in some]}
        for file, network, some in zip(files, networks, ways, strict=True)
        for width in (WIDE, NARROW)
    ]
    beside = page(tmp_path, *networks).as_uri()  # with tables of five columns
    *found, wide, narrow = browse([*tasks, *({"page": beside, "width": w} for w in (WIDE, NARROW))])
    assert max(wide["overflow"], narrow["overflow"]) <= 0
    for number, seen in enumerate(found):
        network, some = networks[number // 2], ways[number // 2]
        terminals = network.topology.terminals.tolist()
        check(seen["first"], network, terminals[0], terminals[-1])
        for each, way in zip(seen["asked"], some, strict=True):
            check(each, network, *way)
            sent, *onward = headers(network, *way)
            assert each["summary"].endswith(f"The terminal sends {sent}.")
            assert [cells[5] for cells in each["cells"]] == onward
            assert len(each["lines"]) == len(onward)
            assert all(length > 3 for length in each["lines"])
            assert each["ends"] == 2
        check(seen["typed"], network, 0, some[-1][1])
        check(seen["swapped"], network, some[-1][1], 0)
        assert seen["address"] == f"#{asked(network, *some[-1])}"
        assert seen["overflow"] <= 0
        titles = ["Distances: ", "Drawing of ", "Drawing, channel", "Histogram, channel"]
        assert sorted(plot["label"][:10] for plot in seen["plots"]) == sorted(
            x[:10] for x in titles
        )
        for plot in seen["plots"]:
            assert 250 < plot["width"] < (WIDE if number % 2 == 0 else NARROW)
            assert plot["drawn"] > 200
            assert plot["paths"] > 20
        (wave,) = seen["waves"]  # as large as it was drawn: it scrolls, and nothing is small
        assert wave["width"] == wave["natural"] > NARROW
        assert (wave["room"] < wave["width"]) == (number % 2 == 1)
        assert (wave["size"], wave["words"].count("T 3")) == ("13.3333px", 2)  # 10 pt


def test_ports_by_destination_unfold(
    browse: Browse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "HEADERS", 0)
    monkeypatch.setattr(routes, "_mean", lambda routing: 1e9)
    networks = [read(NETWORKS / f"{name}.yaml").routed() for name in ("star-4", "mesh-8x8")]
    assert {routes.packed(network)["way"] for network in networks} == {"by destination"}
    ways = [(network, *pair) for network in networks for pair in pairs(network)]
    asks = [asked(*each) for each in ways]
    (seen,) = browse([{"page": page(tmp_path, *networks).as_uri(), "width": WIDE, "asks": asks}])
    for each, way in zip(seen["asked"], ways, strict=True):
        check(each, *way)


def test_large_networks_side_by_side(browse: Browse, tmp_path: Path) -> None:
    names = "borel-1081", "metacyclic-1155", "torus-32x32", "mesh-32x32"
    networks = [read(NETWORKS / f"{name}.yaml").routed() for name in names]
    file = page(tmp_path, *networks)
    assert file.stat().st_size < 5_000_000
    asks = [(network, *pair) for network in networks for pair in pairs(network)]
    task = {"page": file.as_uri(), "asks": [asked(*each) for each in asks]}
    for seen in browse([{**task, "width": WIDE}, {**task, "width": NARROW}]):
        for each, (network, start, end) in zip(seen["asked"], asks, strict=True):
            check(each, network, start, end)
        assert seen["overflow"] <= 0
        assert len(seen["plots"]) == 1 + 3 * 4 + 2  # torus and mesh have wires on a chip


def test_labels_and_what_is_refused(browse: Browse, tmp_path: Path) -> None:
    network = read(NETWORKS / "kyklos-2-2-4.yaml").network()
    data = re.search(r'id="packed">(.*?)</script>', page(tmp_path, network).read_text("utf-8"))
    assert data
    places = json.loads(data[1])[0]["drawing"]["nodes"]
    asks = ["from=L3&to=%20L9%20", "from=16&to=2", "from=46&to=2", "from=x&to=2"]
    task = {"page": page(tmp_path, network).as_uri(), "width": WIDE, "asks": asks, "typed": "L7"}
    (seen,) = browse([task | {"clicks": [places[5], places[11], places[7]]}])
    labels, interior, beyond, unknown = seen["asked"]
    check(labels, network, 3, 9)
    assert interior["refused"] == "0.1.0 has no terminal to send or receive packets"
    needs = "needs a number in 0..45 or a label such as L0"
    assert beyond["refused"] == f"There is no node 46: {needs}"
    assert unknown["refused"] == f"There is no node x: {needs}"
    first, second, third = seen["clicked"]
    check(first, network, 5, 2)
    check(second, network, 5, 11)
    check(third, network, 7, 11)


def test_light_and_dark(browse: Browse, tmp_path: Path) -> None:
    ring = {"family": "double-loop", "nodes": 7, "a": 1, "b": 5}
    network = routed({"name": "ring", "topology": ring, "routing": {"algorithm": "table"}})
    task = [{"page": page(tmp_path, network).as_uri(), "width": WIDE}]
    papers = [
        browse(task, f"--blink-settings=preferredColorScheme={scheme}")[0]["paper"]
        for scheme in (1, 0)
    ]
    assert papers == ["rgb(255, 255, 255)", "rgb(20, 20, 20)"]
