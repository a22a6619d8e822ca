"""Commands for long jobs: search, survey and soak, in workers and with a state to resume from."""

from pathlib import Path
from typing import Literal

import typer

from fingerpost.cli import options
from fingerpost.cli.app import command, option
from fingerpost.jobs.console import answer, note, progress
from fingerpost.jobs.files import check
from fingerpost.jobs.provenance import uses


@command("search --diameter 11 --state search.jsonl")
def search(
    diameter: int = option(..., "The greatest allowed diameter."),
    family: Literal[
        "borel", "metacyclic", "metacyclic-digraph", "metacyclic-cubic", "circulant"
    ] = option("borel", "The graphs to search."),
    p_max: int | None = option(None, "Borel graphs: the largest prime p to try.", usual="1000"),
    p_min: int | None = option(None, "The smallest.", usual="2"),
    max_nodes: int | None = option(
        None, "Metacyclic groups and circulants: the most nodes to try.", usual="the bound"
    ),
    min_nodes: int | None = option(
        None, "Find all graphs with at least this many nodes.", usual="those with the most nodes"
    ),
    sample: int | None = option(
        None, "Metacyclic groups: random graphs to try of each.", usual="all", min=1
    ),
    jumps: int | None = option(None, "Circulants: how many jumps.", usual="2"),
    score: Literal["mean-distance", "load", "channels"] | None = option(
        None,
        "Rank by mean distance, load of the busiest link, or virtual channels (of "
        "vertex-transitive routing; degree 4 only).",
        usual="by nodes",
    ),
    cluster: options.Cluster = None,
    workers: options.Workers = None,
    state: Path | None = option(None, "State file, from which an interrupted run resumes.", "FILE"),
    as_json: options.AsJson = False,
) -> None:
    """Search for dense Cayley graphs: the most nodes for a diameter."""
    from fingerpost.search import SPACES, facts, render

    asked = {
        "p_max": p_max,
        "p_min": p_min,
        "max_nodes": max_nodes,
        "sample": sample,
        "jumps": jumps,
    }
    given = {key: value for key, value in asked.items() if value is not None}
    for key in given:
        if not hasattr(SPACES[family], key):
            *most, last = (name for name, space in SPACES.items() if hasattr(space, key))
            families = f"{', '.join(most)} and {last}" if most else last
            raise ValueError(f"--{key.replace('_', '-')}: is for --family {families}, not {family}")
    with progress("searching") as tell:
        found = facts(
            diameter=diameter,
            family=family,
            min_nodes=min_nodes,
            **given,
            cluster=cluster,
            workers=workers,
            state=state,
            score=score,
            progress=tell,
        )
    answer(found, render, as_json=as_json)


@command("survey -o survey")
def survey(
    nets: list[Path] | None = typer.Argument(
        None,
        metavar="[NET]...",
        help="Network files.",
        show_default="the densest networks that are known here, and others of like size",
    ),
    output: options.OutputName = None,
    picture: options.Picture = "svg",
    table: options.Table = "csv",
    cluster: options.Cluster = None,
    workers: options.Workers = None,
    as_json: options.AsJson = False,
) -> None:
    """Put networks side by side: distances, throughput, virtual channels, and tables."""
    from fingerpost.jobs.files import Output
    from fingerpost.survey import survey as surveys

    files = None if output is None else Output.called(output, picture=picture, table=table)
    entries = [surveys.given(options.read(net)) for net in nets] if nets else surveys.known()
    if not nets:
        note(
            f"surveys {len(entries)} networks: some three minutes of processor time; "
            "Ctrl-C ends it" + ("" if output is None else ", and the same command resumes it")
        )
    for entry in entries:
        uses(entry.description)
    with progress("surveying") as tell:
        rows = surveys.survey(
            entries,
            cluster=cluster,
            workers=workers,
            state=None if files is None else files.state,
            progress=tell,
        )
    found = surveys.facts(rows)
    answer(found, surveys.render, as_json=as_json)
    if files is not None:
        for file in surveys.save(found, files):
            note(f"wrote {file}")


@command("soak networks/borel-21.yaml networks/scc-4.yaml --flits 10000000 --state soak.jsonl")
def soak(
    nets: options.Nets,
    flits: int = option(
        1_000_000,
        "Flits to send in each network, at least; with --state in pieces of about a million.",
        min=1,
    ),
    rtl: bool = option(False, "Run the Verilog in lock-step with the model."),
    load: float | None = option(None, options.LOAD_HELP, usual="what terminals can send"),
    traffic: options.TrafficOption = None,
    arrivals: options.ArrivalsOption = None,
    packet_length: options.PacketLength = None,
    malformed: float = option(0.05, "The share of malformed packets.", min=0, max=1),
    stall: float = option(
        0.1, "Probability that a terminal frees no buffer slot.", min=0, max=0.99
    ),
    seed: options.Seed = 0,
    state: Path | None = option(
        None, "State file, from which an interrupted run resumes.", "FILE.jsonl"
    ),
    directory: Path = option(Path("sim_build"), "Where hardware is compiled.", "DIR"),
    cluster: options.Cluster = None,
    workers: options.Workers = None,
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
            workers=workers,
            state=state,
            progress=tell,
        )
    answer(facts, soaking.render, as_json=as_json)
    if facts["message"]:
        raise typer.Exit(1)
