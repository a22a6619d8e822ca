"""Nothing is cut off, whatever names are like: measured by the renderer."""

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from fingerpost.drawing import picture
from fingerpost.drawing.sheet import size_for, width, wrapped
from fingerpost.drawing.strands import cut, head, length
from fingerpost.golden.faults import faulty
from fingerpost.golden.topology import Borel, DoubleLoop, EdgeList, Grid, Kyklos, Scc, Topology
from fingerpost.netfile.source import read
from tests.fingerpost.drawing.common import drawn

LONG = "core-router-of-the-northern-campus/$x_1$^{2}" + "W" * 50
NAMES = [LONG, "a", "edge <west> & co", "Zürich Hauptbahnhof", "e", "f g h"]
RING = [(i, (i + 1) % 6) for i in range(6)]


def texts(made: Figure) -> list[Text]:
    return [text for text in made.findobj(Text) if text.get_text()]


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
    said = [text.get_text() for text in texts(drawn(EdgeList(links=RING, nodes=6, names=NAMES)))]
    assert {"0", "1", "2", "3", "4", "5"} <= set(said)
    listed = "".join(said).replace(" ", "")
    assert all(name.replace(" ", "") in listed for name in NAMES)


def test_short_names_stand_in_the_nodes() -> None:
    made = drawn(EdgeList(links=RING, nodes=6, names=list("abcdef")))
    said = [text.get_text() for text in texts(made)]
    assert set("abcdef") <= set(said)
    assert "0" not in said


def test_a_matrix_shows_what_has_failed_and_how_the_loads_are() -> None:
    ring = DoubleLoop(nodes=400, a=1, b=20)
    said = {text.get_text() for text in texts(drawn(faulty(ring, "link:0-1,node:7")))}
    assert {"failed link", "lost", "399"} <= said
    load = np.linspace(0.25, 0.75, 800).reshape(400, 2)
    said = {text.get_text() for text in texts(drawn(ring, load=load, traffic="transpose"))}
    label = "channel load at injection rate 1 [flits per cycle], transpose traffic"
    assert {"0", "0.75", label} <= said


def test_loads_of_classes_are_those_of_their_busiest_links() -> None:
    borel = Borel(p=47, a=2, A=(1, 1), B=(7, 13))
    load = np.full((1081, 4), 0.25)
    load[23 * 5 + 3, 1] = 0.75
    said = {text.get_text() for text in texts(drawn(borel, load=load))}
    assert {"0", "0.75"} <= said


def test_numbers_stand_around_a_ring_whose_nodes_are_too_small() -> None:
    said = [text.get_text() for text in texts(drawn(Grid(sizes=[200], wrap=True)))]
    assert [word for word in said if word.isdecimal()] == [str(10 * i) for i in range(20)]


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
