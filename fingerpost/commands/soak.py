"""`fingerpost soak`: full networks, in which every flit is accounted for."""

from pathlib import Path
from typing import Annotated

import typer

from fingerpost.cli import options
from fingerpost.cli.app import command
from fingerpost.jobs.console import answer, progress
from fingerpost.jobs.files import check


@command("soak networks/borel-21.yaml networks/scc-4.yaml --flits 10000000 --state soak.jsonl")
def main(
    nets: options.Nets,
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
        float | None, typer.Option(help=options.LOAD_HELP, show_default="what terminals can send")
    ] = None,
    traffic: options.TrafficOption = None,
    arrivals: options.ArrivalsOption = None,
    packet_length: options.PacketLength = None,
    malformed: Annotated[
        float, typer.Option(min=0, max=1, help="The share of malformed packets.")
    ] = 0.05,
    stall: Annotated[
        float,
        typer.Option(min=0, max=0.99, help="Probability that a terminal frees no buffer slot."),
    ] = 0.1,
    seed: options.Seed = 0,
    state: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.jsonl", help="State file, from which an interrupted run resumes."
        ),
    ] = None,
    directory: Annotated[
        Path, typer.Option(metavar="DIR", help="Where hardware is compiled.")
    ] = Path("sim_build"),
    cluster: options.Cluster = None,
    as_json: options.AsJson = False,
) -> None:
    """Keep networks full, and account for every flit.

    Terminals send bursts and malformed packets, and stall. Exits with status 1 if a flit is lost,
    duplicated or misdelivered, or with --rtl if model and Verilog differ.
    """
    from fingerpost import soak as soaking
    from fingerpost.golden.jit.compile import to_compile
    from fingerpost.golden.measure.soak import ARRIVALS

    if state is not None:
        check(state)
    networks = [options.prove_any(options.read(net)) for net in nets]
    options.remark_plain(networks)
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
