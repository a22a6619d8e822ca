"""`fingerpost draw`: a picture of a network."""

from pathlib import Path
from typing import TYPE_CHECKING

from fingerpost.cli import options
from fingerpost.cli.app import command, option
from fingerpost.jobs import files
from fingerpost.jobs.console import note, progress

if TYPE_CHECKING:
    from fingerpost.golden.network.network import Routed
    from fingerpost.golden.topology import Topology
    from fingerpost.golden.traffic import Pattern


@command("draw networks/borel-21.yaml -o borel-21.svg --route 0:16")
def main(
    net: options.Net,
    output: Path = option(..., "An SVG or PNG file.", "FILE.svg"),
    route: str | None = option(None, "A route to draw on top.", "SRC:DST"),
    loads: bool = option(False, "Colour the links by what they carry."),
    traffic: options.TrafficOption = None,
    faults: options.Faults = None,
    routing: options.Algorithm = None,
) -> None:
    """Draw a network in the form of its family, with a route, loads or faults on it.

    A large network is drawn as its classes, if it has any, or as a matrix. Nodes on boards have the
    colour of their board.
    """
    from fingerpost.commands import route as ways
    from fingerpost.drawing import picture
    from fingerpost.drawing.draw import draw as write
    from fingerpost.golden.analysis.loads import loads as link_loads

    if traffic is not None and not loads:
        raise ValueError("draw needs --loads for --traffic")
    files.check(output)
    picture.kind(output)  # before the loads, which may take long
    routes = route is not None or loads
    network = options.load_routed(net, faults=faults, routing=routing, routes=routes, boards=True)
    on_top, load = None, None
    if route is not None:
        on_top = ways.facts(network, *_ends(route, network.topology))
    pattern = options.sent_as(traffic, None, None)[0]
    if loads:
        with progress("following all routes") as tell:
            load = link_loads(network.routing, pattern, progress=tell).load
    write(network, output, route=on_top, load=load, traffic=str(pattern))
    note(f"wrote {output}")


def _ends(text: str, topology: "Topology") -> tuple[str, str]:
    """Return source and destination of `SRC:DST`; a label may itself have a colon in it."""
    parts = text.split(":")
    ways = [(":".join(parts[:i]), ":".join(parts[i:])) for i in range(1, len(parts))]
    if not ways:
        raise ValueError(f"--route needs SRC:DST, as in 0:16, not {text!r}")
    for source, destination in ways:
        try:
            topology.node(source), topology.node(destination)
        except ValueError:
            continue
        return source, destination
    return ways[0]


def draw(
    network: "Routed",
    path: Path | str,
    *,
    route: tuple[int | str, int | str] | None = None,
    loads: "Pattern | str | None" = None,
) -> Path:
    """Draw a network to an SVG or PNG file, and return its path.

    Parameters
    ----------
    route : pair of nodes, optional
        Source and destination, by number or label, of a route that is drawn on top.
    loads : Pattern or str, optional
        A traffic pattern: links are coloured by the load that it gives them.

    Raises
    ------
    ValueError
        If the name of the file does not end in .svg or .png, or the route has no such nodes.
    """
    from fingerpost.commands import route as ways
    from fingerpost.drawing import draw as drawing
    from fingerpost.golden.analysis.loads import loads as link_loads
    from fingerpost.golden.arguments import fitted
    from fingerpost.golden.network.network import Routed
    from fingerpost.golden.traffic import spelling

    fitted("draw", "network", network, Routed)
    fitted("draw", "path", path, Path | str)
    route = fitted("draw", "route", route, tuple[int | str, int | str] | None)
    on_top = None if route is None else ways.facts(network, *route)
    pattern = spelling.pattern(loads or "uniform")
    load = None if loads is None else link_loads(network.routing, pattern).load
    drawing.draw(network, Path(path), route=on_top, load=load, traffic=str(pattern))
    return Path(path)
