"""`fingerpost report`: a page about networks, with what it needs to know and measure."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fingerpost.cli import options
from fingerpost.cli import saved_answers as stored
from fingerpost.cli.app import command, option
from fingerpost.cli.saved_answers import Given
from fingerpost.jobs import files
from fingerpost.jobs.console import note, status, stdout_to_stderr

if TYPE_CHECKING:
    from fingerpost.golden.deadlock.channels import Cycle
    from fingerpost.golden.network.kinds import AnyNetwork
    from fingerpost.golden.network.network import Routed
    from fingerpost.golden.traffic import Pattern
    from fingerpost.report.networks import Subject

LOADS = 0.1, 0.3, 0.5, 0.7, 0.9

FLITS = 4
"""Of a packet, where packets may have several."""

RESOLUTION, CYCLES, COSIM_CYCLES, PLACEMENTS = 0.02, 500, 200, 1
"""Of a short sweep, a short co-simulation, and an estimate of area and clock frequency."""

ROUTELESS = {"way": "none", "why": "any free link may take a flit of a deflection router"}
"""The routes of deflection routers."""


@command("report networks/borel-21.yaml networks/star-4.yaml -o build/report")
def main(
    nets: options.Nets,
    output: Path = option(..., "The directory, or the FILE.html.", "DIR"),
    sweep: list[Path] | None = option(None, "JSON of `sweep -o`.", "FILE.json", usual="none"),
    cost: list[Path] | None = option(None, "Output of `cost --json`.", "FILE", usual="none"),
    cosim: list[Path] | None = option(None, "Output of `cosim --json`.", "FILE", usual="none"),
    formal: list[Path] | None = option(None, "JSON of `make formal`.", "FILE", usual="none"),
    mutation: list[Path] | None = option(None, "JSON of `make mutate`.", "FILE", usual="none"),
    traffic: options.TrafficOption = None,
    full: bool = option(
        False,
        "Measure what no file gives: a short sweep, co-simulation, area and clock "
        "frequency; prove networks of any size.",
    ),
) -> None:
    """Make one HTML page about a network, or about several side by side.

    It is self-contained: pictures, routes to choose, loads, the deadlock proof, and stored answers
    of other commands.
    """
    from fingerpost import report as pages

    files.check_folder(output.parent if output.suffix == ".html" else output)
    sources = [options.read(net) for net in nets]
    names = [source.file.name for source in sources]
    path = pages.place(output, names)
    pattern = options.sent_as(traffic, None, None)[0]
    given = Given(
        stored.curves(sweep or (), names),
        stored.by_network("cost", cost or (), names),
        stored.by_network("cosim", cosim or (), names),
    )
    proofs = stored.rows("formal", formal or ())
    mutants = stored.rows("mutation", mutation or ())  # all read before what may take long
    networks: list[Routed] = []
    if full:
        proven = [options.prove_any(source) for source in sources]
        networks += proven
        with stdout_to_stderr(), status("measuring") as tell:
            place = path.parent / "measured"
            given = measured(proven, given, pattern=pattern, directory=place, tell=tell, warn=note)
    else:
        networks += [options.prove_if_small(source) for source in sources]
    for network in networks:
        options.tell_faults(network.topology)
    with status("report") as tell:
        text = pages.text(
            [look(network, pattern, tell) for network in networks],
            sweeps=given.sweeps,
            costs=given.costs,
            runs=given.runs,
            formal=proofs,
            mutation=mutants,
            tell=tell,
        )
    pages.write(path, text)
    note(f"wrote {path}, {len(text.encode()) / 1e6:.1f} MB")
    lacking = [
        command if len(some) == len(names) else f"{command} of {' and '.join(some)}"
        for command, some in given.lacking(names).items()
        if some
    ]
    if lacking and not full:
        note(f"not on the page: {', '.join(lacking)}; --full runs them")


def look(network: "Routed", pattern: "Pattern", tell: Callable[[str], None]) -> "Subject":
    """Compute the content of a page for a network; `tell` is called with each step."""
    from fingerpost.commands import info, loads, prove
    from fingerpost.golden.analysis.loads import loads as link_loads
    from fingerpost.golden.network.network import Network
    from fingerpost.report.networks import Subject, shares
    from fingerpost.report.routes import packed

    def step(what: str) -> Callable[[int, int], None]:
        tell(f"{network.name}: {what}")
        return lambda done, total: tell(f"{network.name}: {what}, {100 * done // total} %")

    step("distances")
    facts, far = info.facts(network), shares(network.topology)
    if not network.has_routes:
        bounds = prove.PROOFS[network.router_kind].facts(network)
        return Subject(network, facts, {}, None, bounds, [], ROUTELESS, far)
    load = link_loads(network.routing, pattern, progress=step("loads"))
    proven: dict[str, Any] = {}
    cycle: Cycle = []
    if isinstance(network, Network):
        step("deadlock")
        proven = prove.facts(network)
        fewer = network.channels.needed - 1
        cycle = (network.channels.shortest_cycle(fewer) or []) if fewer else []
    routes = packed(network, step("routes"))
    told = loads.told(network, pattern, load)
    return Subject(network, facts, told, load.load, proven, cycle, routes, far)


def measured(
    networks: "Sequence[AnyNetwork]",
    given: Given,
    *,
    pattern: "Pattern",
    directory: Path,
    tell: Callable[[str], None],
    warn: Callable[[str], None],
) -> Given:
    """Return what is given, and beside it short measurements of what is lacking.

    Parameters
    ----------
    pattern : Pattern
        The traffic of the sweep.
    directory : Path
        The folder of the files of simulators and of tools for synthesis, which resumes there.
    tell, warn : callable
        Called with each step, and with what went wrong: a mismatch, or a tool that is missing.
    """
    from fingerpost.sweeps.sweep import sweep
    from fingerpost.testbench.toolchain import ToolError

    missing = given.lacking([network.name for network in networks])
    sweeps = list(given.sweeps)
    costs, runs = (
        {name: list(some) for name, some in answers.items()}
        for answers in (given.costs, given.runs)
    )
    for flits, some in _by_length(networks, missing["sweep"]):
        swept = sweep(
            some,
            pattern=pattern,
            packet_length=flits,
            loads=LOADS,
            cycles=CYCLES,
            resolution=RESOLUTION,
            progress=lambda done, total: tell(f"sweep, {done} of {total} simulations"),
        )
        sweeps.append(swept.facts)
    for network in networks:
        name = network.name
        for kind, measure, found in (("cosim", _cosim, runs), ("cost", _cost, costs)):
            if name not in missing[kind]:
                continue
            try:
                found[name].append(measure(network, directory / kind, tell))
            except ToolError as error:
                warn(f"{name}: no {kind}: {error}")
        for run in runs[name]:
            if run["mismatches"]:
                warn(f"{name}: {run['mismatches']:,} mismatches: {run['message']}")
    return Given(sweeps, costs, runs)


def _by_length(
    networks: "Sequence[AnyNetwork]", names: Sequence[str]
) -> "Iterator[tuple[int, list[AnyNetwork]]]":
    """Yield packet lengths, and the networks of these names that are swept with each."""
    for flits in (FLITS, 1):
        some = [
            network
            for network in networks
            if network.name in names and (flits == 1) == network.sends_flits
        ]
        if some:
            yield flits, some


def _cosim(network: "AnyNetwork", directory: Path, tell: Callable[[str], None]) -> dict[str, Any]:
    from fingerpost.commands.cosim import cosim, facts

    tell(f"{network.name}: co-simulation, {COSIM_CYCLES} cycles")
    return facts(cosim(network, "network", cycles=COSIM_CYCLES, directory=directory))


def _cost(network: "AnyNetwork", directory: Path, tell: Callable[[str], None]) -> dict[str, Any]:
    from fingerpost.cost import cost

    return cost.facts(
        network,
        node=network.topology.nodes // 2,
        seeds=PLACEMENTS,
        directory=directory,
        progress=lambda step: tell(f"{network.name}: cost, {step}"),
    )
