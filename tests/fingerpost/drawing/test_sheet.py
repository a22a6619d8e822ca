"""Nothing is cut off, and all can be seen: words, lines, low loads, ticks, also in the dark."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text

from fingerpost.cost.chart import figure as costs
from fingerpost.drawing import picture
from fingerpost.drawing.charts import MOST, logarithmic
from fingerpost.drawing.draw import draw, figure
from fingerpost.drawing.network import scale
from fingerpost.drawing.picture import INK, LINK, PAPER
from fingerpost.drawing.plan import cut, head, length
from fingerpost.drawing.sheet import size_for, width, wrapped
from fingerpost.golden.arrays import BoolArray
from fingerpost.golden.faults import faulty
from fingerpost.golden.topology import Borel, DoubleLoop, EdgeList, Grid, Kyklos, Scc, Topology
from fingerpost.netfile.source import read


def network(topology: Topology, name: str = "x") -> Any:
    """Return a network that is a topology only: a picture asks for no more."""
    routing = SimpleNamespace(topology=topology, algorithm="table")
    return cast("Any", SimpleNamespace(name=name, topology=topology, routing=routing))


def drawn(topology: Topology, name: str = "x", **given: Any) -> Figure:
    with picture.style():
        return figure(network(topology, name), **given)


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
            assert box.x0 >= sheet.x0, text
            assert box.x1 <= sheet.x1, text
            assert box.y0 >= sheet.y0, text
            assert box.y1 <= sheet.y1, text


def test_long_names_are_listed_in_full_and_numbers_stand_in_the_nodes() -> None:
    found = said(EdgeList(links=RING, nodes=6, names=NAMES))
    assert {"0", "1", "2", "3", "4", "5"} <= set(found)
    listed = "".join(found).replace(" ", "")
    assert all(name.replace(" ", "") in listed for name in NAMES)


def test_short_names_stand_in_the_nodes() -> None:
    found = said(EdgeList(links=RING, nodes=6, names=list("abcdef")))
    assert set("abcdef") <= set(found)
    assert "0" not in found


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


def test_numbers_stand_around_a_ring_whose_nodes_are_too_small() -> None:
    found = said(Grid(sizes=[200], wrap=True))
    assert [word for word in found if word.isdecimal()] == [str(10 * i) for i in range(20)]


def test_width_is_that_of_the_renderer() -> None:
    made = drawn(Grid(sizes=[3]))
    with picture.style():
        renderer = FigureCanvasAgg(made).get_renderer()
        for words, size in (("fingerpost $a_b$", 17.0), ("WWW", 9.0)):
            text = made.text(0, 0, words, fontsize=size, parse_math=False)
            box = text.get_window_extent(renderer)
            assert width(words, size) == pytest.approx(box.width * 72 / made.dpi, rel=0.06)


@pytest.mark.parametrize("text", [LONG, "a b c " * 40, "x" * 200, ""])
def test_wrapped_lines_fit_and_lose_nothing(text: str) -> None:
    lines = wrapped(text, 11.0, 200.0)
    assert all(width(line, 11.0) <= 200 for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_long_words_are_rather_broken_behind_marks() -> None:
    word = "-".join(["router", "of", "the", "northern", "campus"] * 5)
    lines = wrapped(word, 11.0, 200.0)
    assert "".join(lines) == word
    assert len(lines) > 3
    assert all(line.endswith("-") for line in lines[:-1])


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


def test_coordinates_of_graphml_are_used_if_all_nodes_have_them(tmp_path: Path) -> None:
    keys = "".join(
        f'<key id="{axis}" for="node" attr.name="{axis}" attr.type="double"/>' for axis in "xy"
    )
    spots = {"a": (0, 0), "b": (5, 1), "c": (2, 7)}
    nodes = [
        f'<node id="{n}"><data key="x">{x}</data><data key="y">{y}</data></node>'
        for n, (x, y) in spots.items()
    ]
    edges = '<edge source="b" target="a"/><edge source="c" target="b"/>'

    def places(nodes: str) -> Any:
        (tmp_path / "g.graphml").write_text(
            f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{keys}'
            f'<graph edgedefault="undirected">{nodes}{edges}</graph></graphml>',
            encoding="utf-8",
        )
        net = tmp_path / "n.yaml"
        net.write_text("name: n\ntopology: {family: edge-list, file: g.graphml}\n", "utf-8")
        return cast("EdgeList", read(net).topology()).places

    assert places("".join(nodes)).tolist() == [[0, 0], [5, 1], [2, 7]]
    assert places(nodes[0] + nodes[1] + '<node id="c"/>') is None
    assert places(nodes[0] + nodes[1] + nodes[1].replace('"b"', '"c"')) is None  # one spot


LEAST = 3.0
"""WCAG 2.1, success criterion 1.4.11: contrast of graphics with what is behind them."""


def luminance(colour: str, *, dark: bool) -> float:
    """Relative luminance as WCAG defines it, behind the filter of the style where it is dark."""
    shown = np.array(to_rgb(colour))
    if dark:
        found = re.search(r"invert\((.*?)\) hue-rotate\((.*?)deg\)", picture.DARK)
        assert found
        amount, turn = float(found[1]), np.radians(float(found[2]))
        shown = amount + shown * (1 - 2 * amount)
        # Filter Effects Module Level 1, feColorMatrix, hueRotate.
        grey = np.array([0.213, 0.715, 0.072])
        cosine = np.eye(3) - grey
        sine = np.array([[-0.213, -0.715, 0.928], [0.143, 0.140, -0.283], [-0.787, 0.715, 0.072]])
        shown = (grey + np.cos(turn) * cosine + np.sin(turn) * sine) @ shown
        shown = np.clip(shown, 0, 1)
    linear: BoolArray = shown <= 0.04045
    lit = np.where(linear, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4)
    return float(np.array([0.2126, 0.7152, 0.0722]) @ lit)


def contrast(colour: str, *, dark: bool) -> float:
    high, low = sorted((luminance(each, dark=dark) for each in (colour, PAPER)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_lines_and_the_lowest_loads_stand_out_from_the_paper(dark: bool) -> None:
    assert contrast("#000000", dark=False) == pytest.approx(21)  # that of WCAG
    for colour in (INK, LINK, *scale()):
        assert contrast(colour, dark=dark) >= LEAST, colour


def test_greater_loads_are_darker() -> None:
    shades = [luminance(colour, dark=False) for colour in scale()]
    assert shades == sorted(shades, reverse=True)


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


def test_costs_of_networks_of_like_size_have_ticks() -> None:
    row = {"network": "n", "family": "borel", "routing": "two-phase", "data_width": 32,
           "buffer_depth": 8, "sites": 900,
           "fmax_mhz": {"median": 90.0, "min": 80.0, "max": 95.0}}  # fmt: skip
    _, lower = costs([row | {"nodes": nodes} for nodes in (21, 46, 64)], "title").axes
    assert len([text for text in lower.get_xticklabels() if text.get_text()]) >= 3
