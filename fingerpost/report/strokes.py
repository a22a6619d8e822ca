"""Where the links of a drawing are, so that the page's script can lay a route on them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fingerpost.drawing.forms import FORMS, OTHERS
from fingerpost.drawing.plan import plan
from fingerpost.drawing.strands import cut, head
from fingerpost.drawing.way import SMALL
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.faulty import Faulty

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from fingerpost.drawing.form import Points

__all__ = ["strokes"]

SAMPLES = 10
"""Of a line that is bent: enough for the eye."""


def strokes(topology: Topology, figure: "Figure") -> dict[str, Any] | None:
    """Return nodes and links in the units of the drawing; None if it does not show every node.

    Returns
    -------
    dict
        ``diameter`` of the nodes, ``thick``: of the lines of a route, ``nodes``: x and y of each,
        ``links``: for each node and port the data of an SVG path, empty without a link.
    """
    whole = topology.whole if isinstance(topology, Faulty) else topology
    drawn = FORMS.get(topology.family, OTHERS)
    if whole.nodes > drawn.largest:
        return None
    laid = plan(whole, drawn.form(whole))
    left, top = figure.axes[0].get_xlim()[0], figure.axes[0].get_ylim()[1]
    thick = max(1.8, min(4.0, laid.diameter / 7))
    links = [""] * (whole.nodes * whole.degree)
    for strand in laid.strands:
        for node, port in strand.ends:
            way = strand.way(node, port)
            rims = [0.0] * (len(way) - 1) + [laid.diameter / 2 + 1]
            links[node * whole.degree + port] = "".join(
                _arrow(line, rim, laid.diameter, thick, (left, top))
                for line, rim in zip(way, rims, strict=True)
            )
    return {
        "diameter": round(laid.diameter, 1),
        "thick": round(thick, 1),
        "nodes": [_pair(point, (left, top)) for point in laid.points.tolist()],
        "links": links,
    }


def _arrow(
    line: "Points", rim: float, diameter: float, thick: float, corner: tuple[float, float]
) -> str:
    """Return a line between nodes, or over them where they are small, and the head at its end."""
    body, tip = head(line, rim, max(7.0, 2.6 * thick), diameter / 2)
    body = line if diameter < SMALL else cut(body, diameter / 2, 0.0)
    some = body[:: max(1, len(body) // SAMPLES)]
    return (
        f"{_path([*some.tolist()[:-1], body[-1].tolist()], corner)}{_path(tip.tolist(), corner)}Z"
    )


def _path(points: Sequence[Sequence[float]], corner: tuple[float, float]) -> str:
    return "M" + "L".join("{} {}".format(*_pair(point, corner)) for point in points)


def _pair(point: Sequence[float], corner: tuple[float, float]) -> tuple[float, float]:
    """Return a point of the sheet, on which y points up, in the drawing."""
    return round(point[0] - corner[0], 1), round(corner[1] - point[1], 1)
