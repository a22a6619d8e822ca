import re
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from fingerpost.draw import draw
from fingerpost.route import facts
from golden.network import Network
from tests.fingerpost.common import NETWORKS, Run


def test_svg_has_title_letters_numbers_and_legend(run: Run, borel21: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.svg"
    ended = run("draw", borel21, "-o", path, "--route", "0:16")
    assert ended == (0, "", f"fingerpost: wrote {path}\n")
    svg = path.read_text(encoding="utf-8")
    texts = re.findall(r"<!-- (.*?) -->", svg)
    assert texts.count("borel-21: 0 to 16 by B A A") == 1
    assert texts.count("B") == 1
    assert texts.count("A") == 2
    assert {str(node) for node in range(21)} <= set(texts)
    assert {"source", "destination", "link", "class 2", "phase I", "phase II"} <= set(texts)


def test_labels_with_commas(run: Run, borel21: Path, tmp_path: Path) -> None:
    for name, route in (("a.svg", "0:16"), ("b.svg", "0,0:1,5")):
        assert run("draw", borel21, "-o", tmp_path / name, "--route", route).status == 0
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_same_network_same_file(network: Network, tmp_path: Path) -> None:
    paths = [tmp_path / "a.svg", tmp_path / "b.svg"]
    for path in paths:
        draw(network, path, route=facts(network, "3", "20"))
    first, second = (path.read_bytes() for path in paths)
    assert first == second
    assert b"<dc:date>" not in first


def test_without_a_route(network: Network, tmp_path: Path) -> None:
    draw(network, tmp_path / "x.svg")
    texts = re.findall(r"<!-- (.*?) -->", (tmp_path / "x.svg").read_text(encoding="utf-8"))
    assert "borel-21" in texts
    assert not {"phase I", "source"} & set(texts)


def test_route_to_itself(network: Network, tmp_path: Path) -> None:
    draw(network, tmp_path / "x.svg", route=facts(network, "3", "3"))
    assert "3 to 3 by nothing to do" in (tmp_path / "x.svg").read_text(encoding="utf-8")


def test_png(network: Network, tmp_path: Path) -> None:
    draw(network, tmp_path / "x.PNG")
    assert (tmp_path / "x.PNG").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-o", "x.pdf"), "draw needs a file name that ends in .svg or .png, not 'x.pdf'"),
        (("-o", "x.svg", "--route", "016"), "--route needs SRC:DST, as in 0:16, not '016'"),
        (("-o", "x.svg", "--route", "0:21"), "Node needs a number in 0..20, not 21"),
    ],
)
def test_refusals_leave_nothing(
    run: Run,
    borel21: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("draw", borel21, *arguments) == (2, "", f"fingerpost: {message}\n")
    assert list(tmp_path.iterdir()) == []


def test_large_networks_are_refused(run: Run, tmp_path: Path) -> None:
    message = "draw needs a network of at most 400 nodes to show anything, not 1081"
    ended = run("draw", NETWORKS / "borel-1081.yaml", "-o", tmp_path / "x.svg")
    assert ended == (2, "", f"fingerpost: {message}\n")
    assert list(tmp_path.iterdir()) == []


def test_directory_is_not_replaced(run: Run, borel21: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.svg"
    path.mkdir()
    message = f"{path.resolve()}: is no file, so it cannot be written"
    assert run("draw", borel21, "-o", path) == (2, "", f"fingerpost: {message}\n")


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
    assert "<!-- mesh-8x8: 0 to 45 in 10 hops -->" in svg
    # All links are level or upright, and there are eight columns and rows of nodes.
    lines = re.findall(r"M ([\d.]+) ([\d.]+) \nL ([\d.]+) ([\d.]+) \n\" clip-path", svg)
    assert len(lines) == 2 * 7 * 8
    assert all((x == u) != (y == v) for x, y, u, v in lines)
    assert {len({line[0] for line in lines}), len({line[1] for line in lines})} == {8}
