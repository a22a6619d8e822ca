import re
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from fingerpost.commands.route import facts
from fingerpost.drawing.draw import draw
from fingerpost.golden.network.network import Network
from tests.fingerpost.common import NETWORKS, Run, drawn, written


def words(path: Path) -> list[str]:
    """Return the texts of a picture, which stand in its comments."""
    return re.findall(r"<!-- (.*?) -->", path.read_text(encoding="utf-8"))


def test_svg_has_title_letters_numbers_and_legend(run: Run, borel21: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.svg"
    ended = run("draw", borel21, "-o", path, "--route", "0:16")
    assert ended == (0, "", f"fingerpost: wrote {path}\n")
    texts = words(path)
    assert texts.count("borel-21: 0 to 16 by B A A") == 1
    assert texts.count("B") == 1 + 1  # on the route and in the legend
    assert texts.count("A") == 2 + 1
    assert {str(node) for node in range(21)} <= set(texts)
    assert {"source", "destination", "class 2", "phase I", "phase II"} <= set(texts)


def test_labels_with_commas(run: Run, borel21: Path, tmp_path: Path) -> None:
    for name, route in (("a.svg", "0:16"), ("b.svg", "0,0:1,5")):
        assert run("draw", borel21, "-o", tmp_path / name, "--route", route).status == 0
    assert drawn(tmp_path / "a.svg") == drawn(tmp_path / "b.svg")


def test_same_network_same_file(network: Network, tmp_path: Path) -> None:
    paths = [tmp_path / "a.svg", tmp_path / "b.svg"]
    for path in paths:
        draw(network, path, route=facts(network, "3", "20"))
    first, second = (path.read_bytes() for path in paths)
    assert first == second
    assert b"<dc:date>" not in first


def test_without_a_route(network: Network, tmp_path: Path) -> None:
    draw(network, tmp_path / "x.svg")
    texts = words(tmp_path / "x.svg")
    assert "borel-21" in texts
    assert not {"phase I", "source"} & set(texts)


def test_route_to_itself(network: Network, tmp_path: Path) -> None:
    draw(network, tmp_path / "x.svg", route=facts(network, "3", "3"))
    assert "borel-21: 3 to 3 by nothing to do" in words(tmp_path / "x.svg")


def test_png(network: Network, tmp_path: Path) -> None:
    draw(network, tmp_path / "x.PNG")
    assert (tmp_path / "x.PNG").read_bytes().startswith(b"\x89PNG")


def test_large_networks_are_drawn_as_their_classes(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.svg"
    ended = run("draw", NETWORKS / "borel-1081.yaml", "-o", path, "--route", "0:500")
    assert ended.status == 0
    texts = words(path)
    assert {str(i) for i in range(23)} <= set(texts)  # two-phase-1995: 1,081 = 47 * 23
    assert "23" not in texts
    assert {"phase I", "phase II", "source", "destination"} <= set(texts)
    assert any("the 23 classes of 47 nodes each" in text for text in texts)


def test_large_networks_without_classes_are_a_matrix(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.svg"
    net = written(tmp_path, "{name: x, topology: {family: star, n: 6}}")
    assert run("draw", net, "-o", path, "--route", "123456:654321").status == 0
    assert {"source", "destination", "719", "6", "route"} <= {*words(path)}
    assert "<image" in path.read_text(encoding="utf-8")


def test_loads_are_told_by_a_scale(run: Run, tmp_path: Path) -> None:
    # Of the links of a line of 4, each way, the outer carry 1 * 3 and the middle 2 * 2 pairs of
    # nodes, and a terminal sends to each of 3 others a third of what it sends.
    path = tmp_path / "x.svg"
    net = written(tmp_path, "{name: x, topology: {family: grid, sizes: [4]}}")
    assert run("draw", net, "-o", path, "--loads").status == 0
    svg = path.read_text(encoding="utf-8")
    said = "channel load at injection rate 1 [flits per cycle], uniform traffic"
    assert {"0", "0.667", "1.33", said} <= {*words(path)}
    assert len(set(re.findall(r"stroke: (#[0-9a-f]{6}); stroke-width: [1-9]", svg))) >= 2


def test_faults_are_seen(run: Run, borel21: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.svg"
    options = ("--routing", "table", "--faults", "link:0-3,node:12")
    assert run("draw", borel21, "-o", path, *options).status == 0
    svg, texts = path.read_text(encoding="utf-8"), {*words(path)}
    assert {"failed link", "failed node", "lost with its node", "12"} <= texts
    assert "cut off" not in texts
    # One dashed line, from node 0 at the top to the right; the other is that of the legend.
    dashed = re.findall(r'd="([^"]*)"[^>]*stroke-dasharray: [^>]*stroke: #e36414', svg)
    assert [path.count("M") for path in dashed] == [1, 1]
    # All four links of node 12 are dotted.
    dotted = re.findall(r'd="([^"]*)"[^>]*stroke-dasharray: [^>]*stroke: #7f8e99', svg)
    assert [path.count("M") for path in dotted] == [4, 1]


def test_failure_on_the_way_keeps_the_old_file(
    run: Run, borel21: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.svg"
    path.write_text("old", encoding="utf-8")

    def full(self: Figure, target: Path, **_: Any) -> None:
        target.write_text("<svg", encoding="utf-8")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Figure, "savefig", full)
    message = f"{path.resolve()}: No space left on device"
    assert run("draw", borel21, "-o", path) == (2, "", f"fingerpost: {message}\n")
    assert [file.name for file in tmp_path.iterdir()] == ["x.svg"]
    assert path.read_text(encoding="utf-8") == "old"


def test_link_stays_a_link(network: Network, tmp_path: Path) -> None:
    (tmp_path / "real.svg").write_text("old", encoding="utf-8")
    (tmp_path / "link.svg").symlink_to("real.svg")
    draw(network, tmp_path / "link.svg")
    assert (tmp_path / "link.svg").is_symlink()
    assert "</svg>" in (tmp_path / "real.svg").read_text(encoding="utf-8")


def test_mesh_is_drawn_as_one(run: Run, tmp_path: Path) -> None:
    net, path = NETWORKS / "mesh-8x8.yaml", tmp_path / "x.svg"
    assert run("draw", net, "-o", path, "--route", "0,0:5,5").status == 0
    svg = path.read_text(encoding="utf-8")
    assert "<!-- mesh-8x8: 0,0 to 5,5 in 10 hops -->" in svg
    # All links are level or upright, and there are eight columns and rows of nodes.
    lines = re.findall(r"M ([\d.]+) ([\d.]+) \nL ([\d.]+) ([\d.]+) \n(?=M|\")", svg)
    lines = [line for line in lines if line[0] == line[2] or line[1] == line[3]]
    assert len(lines) >= 2 * 7 * 8
    assert len({x for line in lines for x in line[::2]}) >= 8
