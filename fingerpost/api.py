"""What `import fingerpost` offers and no other module has in one piece."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fingerpost.golden.measure import CYCLES, PRECISION
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.network.network import Network, Routed
from fingerpost.netfile.source import load, load_any

if TYPE_CHECKING:
    from fingerpost.golden.traffic import Arrivals, Lengths, Pattern
    from fingerpost.sweeps.sweep import Swept
    from fingerpost.testbench.cosim import Result

__all__ = ["Proof", "cosim", "draw", "load", "load_any", "prove", "sweep"]


def _svg(network: Routed) -> str | None:
    """Return the picture of a network as SVG; None if there is no matplotlib to draw it."""
    try:
        from fingerpost.drawing.draw import svg
    except ModuleNotFoundError:
        return None
    return svg(network)


Routed.picture = _svg


def cosim(
    network: AnyNetwork,
    level: str = "unit",
    *,
    simulator: str = "",
    engine: str = "",
    directory: Path | str = "sim_build",
    waves: bool = False,
    **options: Any,
) -> "Result":
    """Compare the Verilog of a network with its model; `mismatches` of the result counts.

    Parameters
    ----------
    level : str
        One of `fingerpost.testbench.benches.LEVELS`: unit, path, router, network, clocks.
    simulator, engine : str
        icarus or verilator; cocotb or compiled. What is not said is as of `fingerpost cosim`.
    directory : Path
        Where the simulator writes.
    waves : bool
        Whether to keep a waveform; a difference leaves one anyway.
    **options
        The stimulus: seed, and what the level takes, such as cycles and load.

    Raises
    ------
    ValueError
        If there is no such level, or it does not take these options, or cannot be run so.
    ToolError
        If a tool is missing.
    BenchError
        If the simulation did not build or broke down.
    """
    from fingerpost.testbench.benches import choose, make
    from fingerpost.testbench.cosim import run

    tool, chosen = choose(
        network.topology.nodes,
        level,
        simulator,
        engine=engine,
        waves=waves,
        around=network.around,
    )
    bench = make(network, level, engine=chosen, **options)
    return run(bench, simulator=tool, directory=Path(directory), waves=waves)


def draw(
    network: Routed,
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
    from fingerpost.answers import packet_route
    from fingerpost.drawing import draw as drawing
    from fingerpost.golden.analysis.loads import loads as link_loads
    from fingerpost.golden.traffic import spelling

    on_top = None if route is None else packet_route.facts(network, *route)
    pattern = spelling.pattern(loads or "uniform")
    load = None if loads is None else link_loads(network.routing, pattern).load
    drawing.draw(network, Path(path), route=on_top, load=load, traffic=str(pattern))
    return Path(path)


@dataclass(frozen=True)
class Proof:
    """The proof that a network is free of deadlock: its channel dependency graph has no cycle.

    Attributes
    ----------
    assumption : str
        What it assumes of the users of terminals.
    virtual_channels, needed : int
        Virtual channels of a link, and how many of them the proof needs.
    channels : int
        Virtual channels of all links.
    dependencies : int
        Edges of the graph, of one node of each symmetry class.
    ranks : int
        Channels on the longest path in the graph.
    certificate : dict
        An order of all channels, as `checker/deadlock.py` reads it from a JSON file.
    """

    assumption: str
    virtual_channels: int
    needed: int
    channels: int
    dependencies: int
    ranks: int
    certificate: dict[str, Any]


def prove(network: Network) -> Proof:
    """Return the proof that a network cannot deadlock; without one it could not be built.

    Examples
    --------
    >>> from fingerpost.netfile.source import load
    >>> found = prove(load("networks/borel-21.yaml"))
    >>> found.virtual_channels, found.needed, found.channels  # 2 on each of 84 links
    (2, 2, 168)
    """
    from fingerpost.answers.proof import facts
    from fingerpost.hdl.emit.certificate import certificate

    found = facts(network)
    return Proof(
        found["assumption"],
        found["virtual_channels"]["in_use"],
        found["virtual_channels"]["needed"],
        found["channels"],
        found["dependencies"],
        found["ranks"],
        certificate(network),
    )


def sweep(
    networks: AnyNetwork | Sequence[AnyNetwork],
    *,
    loads: Sequence[float],
    seeds: Sequence[int] = (0,),
    cycles: int = CYCLES,
    precision: float = PRECISION,
    warm_up: int | None = None,
    pattern: "Pattern | str" = "uniform",
    arrivals: "Arrivals | str" = "bernoulli",
    packet_length: "Lengths | str | int" = 1,
    classes: Sequence[float] | None = None,
    resolution: float = 0.01,
    latency_limit: float | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> "Swept":
    """Simulate networks under loads, on all cores, and find where each saturates.

    Parameters
    ----------
    loads : sequence of float
        Flits offered per terminal and cycle.
    seeds : sequence of int
        A run with each.
    cycles, precision, warm_up, pattern, arrivals, packet_length, classes
        As of `simulate`.
    resolution : float
        How close the saturation is to be found by bisection; 0: not at all.
    latency_limit : float, optional
        Also find up to which load the mean latency is at most so many times that at zero load.
    progress : callable
        Called with (simulations done, simulations to do) now and then.

    Returns
    -------
    Swept
        `rows` has a mapping for each simulation, `facts` the curves; their keys are those of
        ``fingerpost sweep --json``.

    Raises
    ------
    ValueError
        If an argument is impossible, or two networks have one name and routing.
    """
    from fingerpost.golden.traffic import spelling
    from fingerpost.sweeps.sweep import sweep as swept

    return swept(
        networks if isinstance(networks, Sequence) else [networks],
        (spelling.pattern(pattern), spelling.arrivals(arrivals), spelling.lengths(packet_length)),
        loads=loads,
        seeds=seeds,
        cycles=cycles,
        precision=precision,
        warm_up=warm_up,
        classes=classes,
        resolution=resolution,
        latency_limit=latency_limit,
        progress=progress,
    )
