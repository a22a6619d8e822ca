"""Nothing is cut off, and all can be seen: words, lines, low loads, ticks, also in the dark."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import EllipseCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline
from matplotlib.text import Text

from fingerpost.commands.route import facts
from fingerpost.drawing import picture
from fingerpost.drawing.charts import MOST, logarithmic
from fingerpost.drawing.draw import draw, figure
from fingerpost.drawing.network import scale
from fingerpost.drawing.plan import cut, head, length
from fingerpost.drawing.sheet import size_for, width, wrapped
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.faults import faulty
from fingerpost.golden.network.network import Network
from fingerpost.golden.topology import Borel, DoubleLoop, EdgeList, Grid, Kyklos, Scc, Topology
from fingerpost.golden.topology.terminals import placed
from tests.fingerpost.common import NETWORKS, Run, written


def network(topology: Topology, name: str = "x", boards: IntArray | None = None) -> Any:
    """Return a network that is a topology, perhaps on boards: a picture asks for no more."""
    routing = SimpleNamespace(topology=topology, algorithm="table")
    return cast(
        "Any", SimpleNamespace(name=name, topology=topology, routing=routing, boards=boards)
    )


def drawn(
    topology: Topology, name: str = "x", boards: IntArray | None = None, **given: Any
) -> Figure:
    with picture.style():
        return figure(network(topology, name, boards), **given)


LONG = "core-router-of-the-northern-campus/$x_1$^{2}" + "W" * 50
NAMES = [LONG, "a", "edge <west> & co", "Zürich Hauptbahnhof", "e", "f g h"]
RING = [(i, (i + 1) % 6) for i in range(6)]


def texts(made: Figure) -> list[Text]:
    return [text for text in made.findobj(Text) if text.get_text()]


def said(topology: Topology, **given: Any) -> list[str]:
    return [text.get_text() for text in texts(drawn(topology, **given))]


@pytest.mark.parametrize(
    ("topology", "name"),
    [
        (EdgeList(links=RING, nodes=6, names=NAMES), LONG),
        (EdgeList(links=RING, nodes=6), "n" * 300),
        (Kyklos(m=2, r=2, n=4), "kyklos"),
        (Scc(n=4), "scc"),
        (Grid(sizes=[9, 2]), "a name of many words " * 9),
        (Grid(sizes=[20, 20], wrap=True), "torus"),
    ],
)
def test_all_words_are_on_the_sheet(topology: Topology, name: str) -> None:
    made = drawn(topology, name)
    with picture.style():
        renderer = FigureCanvasAgg(made).get_renderer()
        sheet = made.bbox
        for text in texts(made):
            box = text.get_window_extent(renderer)
            assert sheet.x0 <= box.x0 <= box.x1 <= sheet.x1, text
            assert sheet.y0 <= box.y0 <= box.y1 <= sheet.y1, text


def test_names_or_numbers_stand_in_the_nodes_and_long_names_are_listed() -> None:
    found = said(EdgeList(links=RING, nodes=6, names=NAMES))
    assert {"0", "1", "2", "3", "4", "5"} <= set(found)
    listed = "".join(found).replace(" ", "")
    assert all(name.replace(" ", "") in listed for name in NAMES)
    found = said(EdgeList(links=RING, nodes=6, names=list("abcdef")))
    assert set("abcdef") <= set(found)
    assert "0" not in found
    found = said(Grid(sizes=[200], wrap=True))  # its nodes are too small
    assert [word for word in found if word.isdecimal()] == [str(10 * i) for i in range(20)]


@pytest.mark.parametrize(
    ("topology", "given", "shown"),
    [
        (Grid(sizes=[3]), {0: 2, 2: 8}, 10),
        (Grid(sizes=[3]), [0, 2], 2),
        (Grid(sizes=[3]), "all", 0),
        (Kyklos(m=2, r=2, n=2), {0: 3, 1: 1}, 4),
    ],
)
def test_terminals_are_seen_unless_each_node_has_one(
    topology: Topology, given: Any, shown: int
) -> None:
    made = drawn(placed(topology, given))
    circles: list[Any] = made.findobj(EllipseCollection)
    some = [x for x in circles if to_hex(x.get_facecolor()[0]) == picture.INK]
    assert sum(len(np.unique(x.get_offsets().round(3), axis=0)) for x in some) == shown
    assert ("terminal" in [text.get_text() for text in texts(made)]) == (shown > 0)


@pytest.mark.parametrize("sizes", [[6, 4], [40, 40]])
def test_boards_are_seen(sizes: list[int]) -> None:
    """As colours of nodes, and links between them as another kind; of large ones links only."""
    grid = Grid(sizes=sizes)
    boards = np.arange(grid.nodes) // (grid.nodes // 3 + 1)
    made = drawn(grid, boards=boards)
    words = {text.get_text() for text in texts(made)}
    assert {"link on a board", "link between boards"} <= words
    assert any("3 boards" in word for word in words)
    if grid.nodes > 1200:
        return
    assert {"board 0", "board 1", "board 2"} <= words
    every: list[Any] = made.findobj(EllipseCollection)
    [circles] = [x for x in every if len(x.get_offsets()) == grid.nodes]
    shades = [to_hex(colour) for colour in circles.get_facecolor()]
    assert {(shade, int(board)) for shade, board in zip(shades, boards, strict=True)} == set(
        zip(picture.CLASSES[:3], range(3), strict=True)
    )
    paths: list[Any] = made.findobj(PathPatch)
    [dashed] = [x for x in paths if to_hex(x.get_edgecolor()) == picture.KINDS[1]]
    there = grid.neighbour >= 0
    assert (dashed.get_path().codes == Outline.MOVETO).sum() == (
        (boards[grid.neighbour] != boards[:, None]) & there).sum() / 2  # fmt: skip


def test_the_form_of_kyklos_tells_where_terminals_are() -> None:
    assert "terminal" not in said(Kyklos(m=2, r=2, n=2))


def test_a_matrix_shows_what_has_failed_and_how_the_loads_are() -> None:
    ring = DoubleLoop(nodes=400, a=1, b=20)
    assert {"failed link", "lost", "399"} <= {*said(faulty(ring, "link:0-1,node:7"))}
    load = np.linspace(0.25, 0.75, 800).reshape(400, 2)
    label = "channel load at injection rate 1 [flits per cycle], transpose traffic"
    assert {"0", "0.75", label} <= {*said(ring, load=load, traffic="transpose")}


def test_loads_of_classes_are_those_of_their_busiest_links() -> None:
    borel = Borel(p=47, a=2, A=(1, 1), B=(7, 13))
    load = np.full((1081, 4), 0.25)
    load[23 * 5 + 3, 1] = 0.75
    assert {"0", "0.75"} <= {*said(borel, load=load)}


@pytest.mark.parametrize("text", [LONG, "a b c " * 40, "x" * 200, ""])
def test_wrapped_lines_fit_and_lose_nothing(text: str) -> None:
    lines = wrapped(text, 11.0, 200.0)
    assert all(width(line, 11.0) <= 200 for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    lines = wrapped("-".join(["router", "of", "the", "northern", "campus"] * 5), 11.0, 200.0)
    assert len(lines) > 3
    assert all(line.endswith("-") for line in lines[:-1])  # rather behind marks


def test_letters_are_as_large_as_fits_or_not_there() -> None:
    size = size_for(["1234"], 30.0, 12.0, 6.5)
    assert width("1234", size) <= 30.001
    assert size_for(["1234"], 30.0, 8.0, 6.5) == 8
    assert size_for(["1234"], 10.0, 12.0, 6.5) == 0


def test_an_arrow_ends_at_the_rim_of_its_node() -> None:
    line = np.array([[0.0, 0.0], [60.0, 0.0], [60.0, 80.0]])
    assert length(line) == 140
    np.testing.assert_allclose(cut(line, 10, 30), [[10, 0], [60, 0], [60, 50]])
    body, tip = head(line, 12, 8, 12)
    np.testing.assert_allclose(tip[0], [60, 68])
    assert length(body) < 140 - 12
    assert body[-1, 1] > tip[1:, 1].max() - 1e-9  # no gap between line and head


@pytest.mark.regress
def test_links_of_1024_nodes_are_seen_between_nodes() -> None:
    [axes] = drawn(Grid(sizes=[32, 32])).axes
    [nodes] = [each for each in axes.collections if len(np.asarray(each.get_offsets())) == 1024]
    places = np.asarray(nodes.get_offsets())
    apart = float(places[1, 0] - places[0, 0])
    across = float(nodes.get_widths().max())  # type: ignore[attr-defined]
    assert across < apart / 2  # so that half of a link or more is not behind nodes
    links = [
        patch
        for patch in axes.patches
        if len(np.asarray(patch.get_path().vertices)) == 2 * 2 * 32 * 31
    ]
    assert [patch.get_linewidth() > 0.8 for patch in links] == [True]  # points


def test_colours_of_loads_begin_at_0(tmp_path: Path) -> None:
    # On a ring all links carry the same: none may look idle.
    ring = Grid(sizes=[8], wrap=True)
    load = np.where(ring.neighbour >= 0, 0.65, 0.0)
    draw(network(ring), tmp_path / "same.svg", load=load)
    load[0, 0] = 0.6
    draw(network(ring), tmp_path / "x.svg", load=load)
    for name in ("same", "x"):
        svg = (tmp_path / f"{name}.svg").read_text(encoding="utf-8")
        assert {"0", "0.325", "0.65"} <= {*re.findall(r"<!-- (.*?) -->", svg)}
        strokes = set(re.findall(r"fill: none; stroke: (#\w+)", svg))
        assert strokes & {*scale()} <= {*scale()[-3:]}
        assert strokes & {*scale()}


def test_an_svg_file_follows_the_colour_scheme(tmp_path: Path) -> None:
    draw(network(Grid(sizes=[4])), tmp_path / "x.svg")
    svg = (tmp_path / "x.svg").read_text(encoding="utf-8")
    root = svg[svg.index("<svg") :]
    assert re.match(r"<svg[^>]*><style>@media \(prefers-color-scheme: dark\)", root)
    assert "</svg>" in svg


@pytest.mark.parametrize(
    "values", [[1.0], [0.62, 0.65], [0.37, 1.0], [21, 64], [8, 1155], [8, 44595], [1, 9e6], []]
)
def test_an_axis_has_a_few_ticks_within_it(values: list[float]) -> None:
    axes = Figure().subplots()
    logarithmic(axes, "y", values)
    low, high = axes.get_ylim()
    assert all(low < value < high for value in values)
    shown = [text.get_text() for text in axes.get_yticklabels()]
    assert 3 <= len(shown) <= MOST
    # They are what they say, in plain digits.
    values_shown = np.array([float(text.replace(",", "")) for text in shown])
    assert np.allclose(values_shown, axes.get_yticks())
    assert low <= values_shown.min()
    assert values_shown.max() <= high
    assert list(axes.yaxis.get_minorticklocs()) == []


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


def test_same_network_same_file(network: Network, tmp_path: Path) -> None:
    (tmp_path / "link.svg").symlink_to("a.svg")  # and a link stays a link
    draw(network, tmp_path / "link.svg", route=facts(network, "3", "20"))
    draw(network, tmp_path / "b.svg", route=facts(network, "0,1", "2,6"))
    first, second = (tmp_path / f"{name}.svg" for name in "ab")
    assert first.read_bytes() == second.read_bytes()
    assert b"<dc:date>" not in first.read_bytes()
    assert (tmp_path / "link.svg").is_symlink()
    draw(network, first)
    assert "borel-21" in words(first)
    assert not {"phase I", "source"} & set(words(first))
    draw(network, second, route=facts(network, "3", "3"))
    assert "borel-21: 3 to 3 by nothing to do" in words(second)
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
