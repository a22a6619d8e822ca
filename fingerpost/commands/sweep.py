"""`fingerpost sweep`: latency and accepted load against offered load."""

from fingerpost.cli import options
from fingerpost.cli.app import command, option
from fingerpost.golden.measure import CYCLES, LOADS, PRECISION
from fingerpost.jobs.console import answer, note, progress


@command("sweep networks/borel-21.yaml networks/borel-21-shortest.yaml -o curves")
def main(
    nets: options.Nets,
    output: options.OutputName = None,
    loads: str = option(LOADS, "Flits offered per terminal and cycle.", "LIST"),
    seeds: str = option("0", "Seeds, one run each.", "LIST"),
    routing: options.Routings = None,
    traffic: options.TrafficOption = None,
    arrivals: options.ArrivalsOption = None,
    packet_length: options.PacketLength = None,
    classes: options.Classes = None,
    reads: options.Reads = None,
    outstanding: options.Outstanding = None,
    memory_cycles: options.MemoryCycles = None,
    cycles: options.Cycles = CYCLES,
    precision: options.Precision = PRECISION,
    warm_up: options.WarmUp = None,
    drain: options.Drain = None,
    resolution: float = option(
        0.01, "Resolution of the saturation; 0: do not search.", min=0, max=0.5
    ),
    latency_limit: float | None = option(
        None,
        "Also find the load up to which the mean latency is at most so many times that "
        "at zero load.",
        min=1,
    ),
    picture: options.Picture = "svg",
    table: options.Table = "csv",
    title: str = option("", "Above the picture.", usual="what the traffic is"),
    cluster: options.Cluster = None,
    workers: options.Workers = None,
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
    transactions = [
        options.transactions(network, reads, outstanding, memory_cycles) for network in networks
    ]
    pattern, process, lengths = options.sent_as(traffic, arrivals, packet_length)
    with progress("sweeping", compiles=to_compile) as tell:
        swept = sweep(
            networks,
            pattern=pattern,
            arrivals=process,
            packet_length=lengths,
            loads=chosen_loads,
            seeds=chosen_seeds,
            cycles=cycles,
            precision=precision,
            warm_up=warm_up,
            classes=chosen_classes,
            transactions=next((each for each in transactions if each), None),
            resolution=resolution,
            latency_limit=latency_limit,
            cluster=cluster,
            workers=workers,
            state=None if files is None else files.state,
            progress=tell,
        )
    answer(swept.facts, render, as_json=as_json)
    if files is not None:
        for file in save(swept, files, title=title):
            note(f"wrote {file}")
