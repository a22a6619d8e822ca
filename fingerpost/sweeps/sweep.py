"""A sweep: every network under every load, by all cores or a cluster, row by row."""

from collections.abc import Mapping, Sequence
from functools import partial
from html import escape
from math import inf
from pathlib import Path
from typing import Any, NamedTuple, Unpack

from fingerpost.golden.arguments import checked
from fingerpost.golden.measure import CYCLES, LOADS, PRECISION
from fingerpost.golden.measure.simulation import Bisection, transacts
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.terminal import Axi4Terminal
from fingerpost.golden.traffic import Arrivals, Lengths, Pattern, Traffic, spelling
from fingerpost.golden.traffic.spelling import shares_in_words, traffic_facts
from fingerpost.golden.traffic.traffic import Transactions
from fingerpost.jobs.console import Columns, aligned, cells, fixed, shown
from fingerpost.jobs.files import Output, check_names
from fingerpost.jobs.runner import Job, Means, run
from fingerpost.sweeps import schedule
from fingerpost.sweeps.schedule import (
    Curve,
    Point,
    Row,
    Schedule,
    Search,
    carried,
    latency,
    simulated,
    summary,
)

COLUMNS: Columns = {
    "": "{network}, {routing}",
    "nodes": "nodes",
    "channels": "virtual_channels",
    "zero": fixed("zero_load_latency", 1),
    "saturation": fixed("saturation", 3),
    "not stable": fixed("not_stable", 3),
    "bound": fixed("bound", 3),
    "accepted": lambda curve: shown(_best(curve)["accepted"], 3),
    "least": lambda curve: shown(_best(curve)["accepted_least"], 3),
}
"""What people are shown of a curve."""


class Swept(NamedTuple):
    """What a sweep found: the curves as plain data, and every simulation as a row.

    Keys
    ----
    cycles, precision
    traffic, arrivals, packet_length, classes, reads, outstanding, memory_cycles
        As in `simulate`.
    warm_up : cycles
        The argument.
    loads, seeds, resolution : flits/terminal/cycle, 1, flits/terminal/cycle
        The arguments in full.
    latency_limit
        With `--latency-limit`: multiple of the latency at zero load.
    curves
        For each network and routing: `network`, `family`, `nodes`, `terminals`, `degree`,
        `algorithm`, `routing`, `virtual_channels`, `buffer_depth`, and the keys below.
    curves.zero_load_latency : cycles
        Mean; `null` with serial links and for a trace.
    curves.bound : flits/terminal/cycle
        `saturation` of `loads`; `null` with AXI4 terminals.
    curves.saturation, curves.not_stable : flits/terminal/cycle
        The highest load that is stable, and the lowest above it that is not, or is undecided;
        `null` if all are stable.
    curves.latency_saturation : flits/terminal/cycle
        With `--latency-limit`: the highest load whose mean latency is within it.
    curves.points
        For each load `load`, `outcome`, `offered`, `accepted`, `accepted_least`, `latency`,
        `accepted_interval`, `latency_interval`, with AXI4 terminals `latency_of_reads`,
        `latency_of_writes`. With several seeds `outcome` is what 11 of 12 say,
        else `undecided`; `accepted_least` is the least, the others are means, whose intervals are
        by replication.
    NAME.json, NAME.csv, NAME.parquet
        The same object; the simulations, a row each, with the columns below.
    NAME.csv
        The columns: the keys of a curve up to `buffer_depth`, `traffic`, `arrivals`,
        `packet_length`, `classes` (with `--classes`), `load`, `seed`; as in `simulate`
        `outcome`, `offered`, `accepted`, `accepted_low`, `accepted_high`,
        `accepted_least`, `latency_mean`, `latency_low`, `latency_high`, `latency_median`,
        `latency_p90`, `latency_p95`, `latency_p99`, `latency_p999`, `latency_max`, `packets`,
        `warm_up`, `measured`, `precise`, `link_load_mean`, `link_load_max`. With AXI4 terminals
        also the arguments, and `latency_of_reads_mean` and so on.
    """

    facts: dict[str, Any]
    rows: list[Row]

    @property
    def curves(self) -> list[dict[str, Any]]:
        """Return the curves."""
        found: list[dict[str, Any]] = self.facts["curves"]
        return found

    def __repr__(self) -> str:
        found = (
            f"{curve['network']}, {curve['routing']}: saturation "
            + ("not seen" if curve["saturation"] is None else f"{curve['saturation']:.3f}")
            for curve in self.curves
        )
        several = "s" * (len(self.rows) != 1)
        return f"<Swept {'; '.join(found)}; {len(self.rows)} simulation{several}>"

    def _repr_html_(self) -> str:
        """Return the chart, if there is matplotlib to draw it, above the table of curves."""
        head, *rows = [[*COLUMNS], *cells(COLUMNS, self.curves)]
        lines = [("th", head), *(("td", row) for row in rows)]
        table = "".join(
            f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in row)}</tr>"
            for tag, row in lines
        )
        try:
            from fingerpost.sweeps.chart import svg
        except ModuleNotFoundError:
            return f"<table>{table}</table>"
        return f"{svg(self.facts)}<table>{table}</table>"

    def save(self, name: Path | str, *, title: str = "") -> list[Path]:
        """Write NAME.svg, NAME.csv and NAME.json, as ``fingerpost sweep -o NAME``; return them.

        ``curves.png`` for a name makes a PNG picture, ``curves.parquet`` a Parquet table.

        Raises
        ------
        ValueError
            If the files cannot be written.
        ModuleNotFoundError
            If a package is not installed that one of them needs.
        """
        return save(self, Output.called(Path(name), picture="svg", table="csv"), title=title)


@checked
def sweep(
    networks: AnyNetwork | Sequence[AnyNetwork],
    *,
    loads: Sequence[float] | str = LOADS,
    seeds: Sequence[int] = (0,),
    cycles: int = CYCLES,
    precision: float = PRECISION,
    warm_up: int | None = None,
    pattern: Pattern | str = "uniform",
    arrivals: Arrivals | str = "bernoulli",
    packet_length: Lengths | str | int | tuple[int, int] = 1,
    classes: Sequence[float] | None = None,
    transactions: Transactions | None = None,
    resolution: float = 0.01,
    latency_limit: float | None = None,
    **means: Unpack[Means],
) -> Swept:
    """Simulate networks under loads, on all cores, and find where each saturates.

    Parameters
    ----------
    networks : network, or sequence of networks
    loads : sequence of float, or str
        Flits offered per terminal and cycle, or as on the command line: ``0.1,0.2``,
        ``0.1..1:0.1``.
    seeds : sequence of int
        A run with each.
    cycles, precision, warm_up, pattern, arrivals, packet_length, classes, transactions
        As of `simulate`.
    resolution : float
        How close the saturation is to be found by bisection; 0: not at all.
    latency_limit : float, optional
        Also find up to which load the mean latency is at most so many times that at zero load.
    **means
        cluster, workers, state and progress, as `fingerpost.jobs.runner.Means` has them.

    Returns
    -------
    Swept
        `rows` has a mapping for each simulation, `curves` one for each network; their keys are
        those of ``fingerpost sweep --json``, which is `facts`.

    Raises
    ------
    ValueError
        If an argument is impossible, if two networks have one name and routing, if some have AXI4
        terminals and others have not, or the state is that of another sweep.
    OSError
        If there is no cluster, or it is lost.
    """
    networks = networks if isinstance(networks, Sequence) else [networks]
    loads = schedule.loads(loads) if isinstance(loads, str) else loads
    for what, given in (("network", networks), ("load", loads), ("seed", seeds)):
        if not given:
            raise ValueError(f"Sweep needs at least one {what}, not none")
    pattern, arrivals = spelling.pattern(pattern), spelling.arrivals(arrivals)
    lengths = spelling.lengths(packet_length)
    sent = pattern, arrivals, lengths
    length = {"cycles": cycles, "precision": precision, "warm_up": warm_up}
    words = {"pattern": str(pattern), "arrivals": str(arrivals), "packet_length": str(lengths)}
    mix: dict[str, Any] = {} if classes is None else {"classes": list(classes)}
    if len({isinstance(network.terminal, Axi4Terminal) for network in networks}) > 1:
        raise ValueError("Sweep needs AXI4 terminals in all networks or in none")
    if any(transacts(network, transactions, classes) for network in networks):
        transactions = transactions or Transactions()
    own = transactions.given if transactions else {}
    arguments = {**traffic_facts(*sent), **mix, **own, **length}
    for network in networks:
        for load in (min(loads), max(loads)):
            Traffic(
                network,
                load,
                1,
                pattern=pattern,
                arrivals=arrivals,
                lengths=lengths,
                classes=classes,
            )
    curves = [Curve.of(network, pattern, lengths, transactions) for network in networks]
    check_names("Sweep", [curve.name for curve in curves])
    senses = [lambda curve, rows: carried(rows)]
    if latency_limit is not None:
        limits = _limits(curves, latency_limit, resolution)
        senses.append(lambda curve, rows: (latency(rows) or inf) <= limits[curve])
    searches = {
        curve: [
            Search(Bisection(limit=_limit(network, sent), resolution=resolution), sense)
            for sense in senses
        ]
        for curve, network in enumerate(networks if resolution else ())
    }
    points = [
        Point(curve, load, seed) for curve in range(len(curves)) for seed in seeds for load in loads
    ]
    plan = Schedule(points, seeds, searches)
    options = {**words, **mix, **({"transactions": own} if transactions else {}), **length}
    job = Job[Point](
        "sweep",
        simulated,
        lambda point: (curves[point.curve].description, options, point.load, point.seed),
        lambda point: {**point._asdict(), "curve": curves[point.curve].digest},
        arguments,
    )
    run(job, plan, **means)
    words_of_mix = {name: shares_in_words(shares) for name, shares in mix.items()}
    rows = [
        {
            **curves[point.curve].facts,
            **traffic_facts(*sent),
            **words_of_mix,
            **own,
            **_row(point, row),
        }
        for point, row in plan.result()
    ]
    facts = {
        **arguments,
        "loads": list(loads),
        "seeds": list(seeds),
        "resolution": resolution,
        **({} if latency_limit is None else {"latency_limit": latency_limit}),
        "curves": [
            summary(
                curve,
                [_row(point, row) for point, row in plan.result() if point.curve == number],
                [each.bisection for each in searches.get(number, ())],
            )
            for number, curve in enumerate(curves)
        ],
    }
    return Swept(facts, rows)


def _limits(curves: Sequence[Curve], times: float, resolution: float) -> list[float]:
    """Return the latency of each curve up to which it is not saturated by latency."""
    if not resolution:
        raise ValueError("Sweep needs a resolution above 0 for a latency limit")
    for curve in curves:
        if curve.zero_load is None:
            raise ValueError(
                f"Sweep needs a latency at zero load for a latency limit; {curve.name} has none"
            )
    return [times * (curve.zero_load or 0) for curve in curves]


def _row(point: Point, row: Row) -> Row:
    return {"load": point.load, "seed": point.seed, **row}


def _limit(network: AnyNetwork, sent: tuple[Pattern, Arrivals, Lengths]) -> float:
    """Return the greatest load that the terminals can send, and be given."""
    pattern, arrivals, lengths = sent
    if pattern.recorded:
        return 1.0
    share = float(pattern.demand(network.topology).sends.max())
    return min(1.0, arrivals.most * lengths.mean / share)


def save(swept: Swept, output: Output, *, title: str = "") -> list[Path]:
    """Write the chart, the rows, and the curves as JSON, all or none; return the files."""
    from fingerpost.sweeps import chart

    return output.save(partial(chart.draw, swept.facts, title=title), swept.rows, swept.facts)


def _best(curve: Mapping[str, Any]) -> Any:
    """Return the point at which most is accepted."""
    return max(curve["points"], key=lambda point: float(point["accepted"]))


def render(facts: Mapping[str, Any]) -> str:
    """Return the curves as a table, a line each."""
    unit = "beats per manager" if "reads" in facts else "flits per terminal"
    return "\n".join(
        (
            *aligned([[*COLUMNS], *cells(COLUMNS, facts["curves"])]),
            "",
            f"{facts['traffic']} traffic, precision {facts['precision']:g}",
            f"zero: latency at zero load, in cycles; loads in {unit} and cycle",
            "saturation: the highest stable load; not stable: the lowest above it that is not",
            "accepted: the most at any load, and the least of a terminal there",
        )
    )
