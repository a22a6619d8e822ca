"""Commands that measure networks under load for long, on many cores."""

from pathlib import Path
from typing import Annotated

import typer

from fingerpost.cli.commands.app import (
    LOAD_HELP,
    ArrivalsOption,
    AsJson,
    Classes,
    Cluster,
    Cycles,
    Drain,
    Faults,
    Nets,
    OutputName,
    PacketLength,
    Picture,
    Precision,
    Routings,
    Seed,
    Table,
    TrafficOption,
    WarmUp,
    command,
    prove_any,
    read,
    sent_as,
    shares,
)
from fingerpost.jobs.console import answer, note, progress
from fingerpost.jobs.files import check


@command("sweep networks/borel-21.yaml networks/borel-21-shortest.yaml -o curves")
def sweep(
    nets: Nets,
    output: OutputName = None,
    loads: Annotated[
        str, typer.Option(metavar="LIST", help="Flits offered per terminal and cycle.")
    ] = "0.1..1:0.1",
    seeds: Annotated[str, typer.Option(metavar="LIST", help="Seeds, one run each.")] = "0",
    routing: Routings = None,
    traffic: TrafficOption = None,
    arrivals: ArrivalsOption = None,
    packet_length: PacketLength = None,
    classes: Classes = None,
    cycles: Cycles = 20_000,
    precision: Precision = 0.02,
    warm_up: WarmUp = None,
    drain: Drain = None,
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
    picture: Picture = "svg",
    table: Table = "csv",
    title: Annotated[
        str, typer.Option(help="Above the picture.", show_default="what the traffic is")
    ] = "",
    cluster: Cluster = None,
    faults: Faults = None,
    as_json: AsJson = False,
) -> None:
    """Draw latency and accepted load against offered load, of networks and routings.

    Finds by bisection the highest load at which each is stable.
    """
    from fingerpost.golden.compiled.jit import to_compile
    from fingerpost.jobs.files import Output
    from fingerpost.sweeps import schedule
    from fingerpost.sweeps.sweep import render, save, sweep

    chosen_loads, chosen_seeds = schedule.loads(loads), schedule.seeds(seeds)
    chosen_classes = None if classes is None else shares(classes)
    files = None if output is None else Output.called(output, picture=picture, table=table)
    read_all = [read(net) for net in nets]
    tried: list[str | None] = [*(routing or ()), *([] if routing else [None])]
    sources = [source.changed(faults=faults, routing=each) for source in read_all for each in tried]
    networks = [prove_any(source) for source in sources]
    with progress("sweeping", compiles=to_compile) as tell:
        swept = sweep(
            networks,
            sent_as(traffic, arrivals, packet_length),
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


@command("soak networks/borel-21.yaml networks/scc-4.yaml --flits 10000000 --state soak.jsonl")
def soak(
    nets: Nets,
    flits: Annotated[
        int,
        typer.Option(
            min=1,
            help="Flits to send in each network, at least; with --state in pieces of about a "
            "million.",
        ),
    ] = 1_000_000,
    rtl: Annotated[
        bool,
        typer.Option("--rtl", help="Run the Verilog in lock-step with the model."),
    ] = False,
    load: Annotated[
        float | None, typer.Option(help=LOAD_HELP, show_default="what terminals can send")
    ] = None,
    traffic: TrafficOption = None,
    arrivals: ArrivalsOption = None,
    packet_length: PacketLength = None,
    malformed: Annotated[
        float, typer.Option(min=0, max=1, help="The share of malformed packets.")
    ] = 0.05,
    stall: Annotated[
        float,
        typer.Option(min=0, max=0.99, help="Probability that a terminal frees no buffer slot."),
    ] = 0.1,
    seed: Seed = 0,
    state: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.jsonl", help="State file, from which an interrupted run resumes."
        ),
    ] = None,
    directory: Annotated[
        Path, typer.Option(metavar="DIR", help="Where hardware is compiled.")
    ] = Path("sim_build"),
    cluster: Cluster = None,
    as_json: AsJson = False,
) -> None:
    """Keep networks full, and account for every flit.

    Terminals send bursts and malformed packets, and stall. Exits with status 1 if a flit is lost,
    duplicated or misdelivered, or with --rtl if model and Verilog differ.
    """
    from fingerpost import soak as soaking
    from fingerpost.golden.compiled.jit import to_compile
    from fingerpost.golden.measure.soak import ARRIVALS

    if state is not None:
        check(state)
    networks = [prove_any(read(net)) for net in nets]
    if rtl:
        with progress("compiling hardware") as tell:
            soaking.compiled(networks, directory, tell)
    with progress("soaking", compiles=to_compile) as tell:
        facts = soaking.facts(
            networks,
            flits=flits,
            seed=seed,
            load=load,
            traffic=str(traffic or "uniform"),
            arrivals=str(arrivals or ARRIVALS),
            packet_length=str(packet_length) if packet_length else None,
            malformed=malformed,
            stall=stall,
            rtl=directory if rtl else None,
            cluster=cluster,
            state=state,
            progress=tell,
        )
    answer(facts, soaking.render, as_json=as_json)
    if facts["message"]:
        raise typer.Exit(1)
