"""`fingerpost sweep`: latency and accepted load against offered load."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from fingerpost.cli import options
from fingerpost.cli.app import command
from fingerpost.golden.measure import CYCLES, PRECISION
from fingerpost.jobs.console import answer, note, progress

if TYPE_CHECKING:
    from fingerpost.golden.network.kinds import AnyNetwork
    from fingerpost.golden.traffic import Arrivals, Lengths, Pattern
    from fingerpost.sweeps.sweep import Swept


@command("sweep networks/borel-21.yaml networks/borel-21-shortest.yaml -o curves")
def main(
    nets: options.Nets,
    output: options.OutputName = None,
    loads: Annotated[
        str, typer.Option(metavar="LIST", help="Flits offered per terminal and cycle.")
    ] = "0.1..1:0.1",
    seeds: Annotated[str, typer.Option(metavar="LIST", help="Seeds, one run each.")] = "0",
    routing: options.Routings = None,
    traffic: options.TrafficOption = None,
    arrivals: options.ArrivalsOption = None,
    packet_length: options.PacketLength = None,
    classes: options.Classes = None,
    cycles: options.Cycles = CYCLES,
    precision: options.Precision = PRECISION,
    warm_up: options.WarmUp = None,
    drain: options.Drain = None,
    resolution: Annotated[
        float,
        typer.Option(min=0, max=0.5, help="Resolution of the saturation; 0: do not search."),
    ] = 0.01,
    latency_limit: Annotated[
        float | None,
        typer.Option(
            min=1,
            help="Also find the load up to which the mean latency is at most so many times that "
            "at zero load.",
        ),
    ] = None,
    picture: options.Picture = "svg",
    table: options.Table = "csv",
    title: Annotated[
        str, typer.Option(help="Above the picture.", show_default="what the traffic is")
    ] = "",
    cluster: options.Cluster = None,
    faults: options.Faults = None,
    as_json: options.AsJson = False,
) -> None:
    """Draw latency and accepted load against offered load, of networks and routings.

    Finds by bisection the highest load at which each is stable.
    """
    from fingerpost.golden.jit.compile import to_compile
    from fingerpost.jobs.files import Output
    from fingerpost.sweeps import schedule
    from fingerpost.sweeps.sweep import render, save, sweep

    chosen_loads, chosen_seeds = schedule.loads(loads), schedule.seeds(seeds)
    chosen_classes = None if classes is None else options.shares(classes)
    files = None if output is None else Output.called(output, picture=picture, table=table)
    read_all = [options.read(net) for net in nets]
    tried: list[str | None] = [*(routing or ()), *([] if routing else [None])]
    sources = [source.changed(faults=faults, routing=each) for source in read_all for each in tried]
    networks = [options.prove_any(source) for source in sources]
    options.remark_plain(networks)
    with progress("sweeping", compiles=to_compile) as tell:
        swept = sweep(
            networks,
            options.sent_as(traffic, arrivals, packet_length),
            loads=chosen_loads,
            seeds=chosen_seeds,
            cycles=cycles,
            precision=precision,
            warm_up=warm_up,
            classes=chosen_classes,
            resolution=resolution,
            latency_limit=latency_limit,
            cluster=cluster,
            state=None if files is None else files.state,
            progress=tell,
        )
    answer(swept.facts, render, as_json=as_json)
    if files is not None:
        for file in save(swept, files, title=title):
            note(f"wrote {file}")


def sweep(
    networks: "AnyNetwork | Sequence[AnyNetwork]",
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
