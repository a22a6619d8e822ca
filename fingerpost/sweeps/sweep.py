"""A sweep: every network under every load, by all cores or a cluster, row by row."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from fingerpost.answers.simulation import shares_in_words, traffic_facts
from fingerpost.golden.measure.bisection import Bisection
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.traffic import Arrivals, Lengths, Pattern, Traffic
from fingerpost.jobs.state import kept
from fingerpost.jobs.workers import results
from fingerpost.sweeps.curve import Curve, summary
from fingerpost.sweeps.output import Output
from fingerpost.sweeps.schedule import Point, Row, Schedule, simulated

__all__ = ["Swept", "render", "save", "shown", "sweep"]

Progress = Callable[[int, int], None]

COLUMNS = "nodes", "channels", "zero", "saturation", "bound", "accepted", "least"


class Swept(NamedTuple):
    """What a sweep found: the curves as plain data, and every simulation as a row.

    Keys
    ----
    cycles
    traffic, arrivals, packet_length, classes
        As in `simulate`.
    warm_up, drain : cycles
        The arguments.
    loads, seeds, resolution : flits/terminal/cycle, 1, flits/terminal/cycle
        The arguments in full.
    curves
        For each network and routing: `network`, `family`, `nodes`, `terminals`, `degree`,
        `algorithm`, `routing`, `virtual_channels`, `buffer_depth`, and the keys below.
    curves.zero_load_latency : cycles
        Mean; `null` with serial links and for a trace.
    curves.bound : flits/terminal/cycle
        `saturation` of `loads`.
    curves.saturation, curves.saturations : flits/terminal/cycle
        Greatest load that is `ok`: mean over seeds, and for each; `null` if there is none.
    curves.points
        For each load `load`, the worst `outcome`, `offered`, `accepted`, `accepted_least`,
        `latency`, `accepted_interval`, `latency_interval`.
    NAME.json, NAME.csv, NAME.parquet
        The same object; the simulations, a row each: the keys of a curve up to `buffer_depth`, the
        arguments, and those of `simulate`, with `_` for dots (`latency_p99`) and `_low`, `_high`.
    """

    facts: dict[str, Any]
    rows: list[Row]


def sweep(
    networks: Sequence[AnyNetwork],
    sent: tuple[Pattern, Arrivals, Lengths],
    *,
    loads: Sequence[float],
    seeds: Sequence[int],
    cycles: int,
    warm_up: int | None = None,
    drain: int | None = None,
    classes: Sequence[float] | None = None,
    resolution: float = 0.01,
    cluster: str | None = None,
    state: Path | None = None,
    progress: Progress = lambda done, total: None,
) -> Swept:
    """Simulate networks under loads, and find where each saturates.

    Parameters
    ----------
    sent : tuple
        Where packets go, when they come, and how long they are.
    loads : sequence of float
        Flits offered per terminal and cycle.
    seeds : sequence of int
    cycles, warm_up, drain
        See `fingerpost.golden.measure.simulate`.
    classes : sequence of float, optional
        The share of packets of each message class; by default all have the same.
    resolution : float
        How close the saturation is to be found by bisection; 0: not at all.
    cluster : str, optional
        The address of a Dask scheduler; otherwise all cores of this machine work.
    state : Path, optional
        A file that keeps each row: the same sweep, or another with the same phases and traffic,
        goes on from there.
    progress : callable
        Called with the simulations done and to do.

    Raises
    ------
    ValueError
        If a load is impossible, if two curves have one name, or the state is that of another sweep.
    OSError
        If there is no cluster, or it is lost.
    """
    pattern, arrivals, lengths = sent
    phases = {"cycles": cycles, "warm_up": warm_up, "drain": drain}
    words = {"pattern": str(pattern), "arrivals": str(arrivals), "packet_length": str(lengths)}
    mix = {} if classes is None else {"classes": list(classes)}
    arguments = {**traffic_facts(*sent), **mix, **phases}
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
    curves = [Curve.of(network, pattern, lengths) for network in networks]
    names = [curve.name for curve in curves]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"Sweep needs networks of different names, not {name} twice")
    with kept(state, "sweep", arguments, _record) as (finished, keep):
        number = {curve.digest: i for i, curve in enumerate(curves)}
        done = {
            Point(number[digest], load, seed): row
            for (digest, load, seed), row in finished
            if digest in number
        }
        keys = [(curve, seed) for curve in range(len(curves)) for seed in seeds]
        searches = (
            {
                key: Bisection(limit=_limit(networks[key[0]], sent), resolution=resolution)
                for key in keys
            }
            if resolution
            else {}
        )
        schedule = Schedule(
            [Point(curve, load, seed) for curve, seed in keys for load in loads], searches, done
        )
        options = {**words, **mix, **phases}
        with results(
            simulated,
            schedule.ready,
            lambda point: (curves[point.curve].description, options, point.load, point.seed),
            cluster,
            job="Sweep",
        ) as ended:
            for point, row in ended:
                curve, load, seed = point
                keep({"curve": curves[curve].digest, "load": load, "seed": seed, "row": row})
                schedule.finish(point, row)
                progress(schedule.done, schedule.total)
    words_of_mix = {name: shares_in_words(shares) for name, shares in mix.items()}
    rows = [
        {**curves[point.curve].facts, **traffic_facts(*sent), **words_of_mix, **_row(point, row)}
        for point, row in schedule.result()
    ]
    facts = {
        **arguments,
        "loads": list(loads),
        "seeds": list(seeds),
        "resolution": resolution,
        "curves": [
            summary(
                curve,
                [_row(point, row) for point, row in schedule.result() if point.curve == number],
                [searches[number, seed].saturation for seed in seeds if searches],
            )
            for number, curve in enumerate(curves)
        ],
    }
    return Swept(facts, rows)


def _row(point: Point, row: Row) -> Row:
    return {"load": point.load, "seed": point.seed, **row}


def _record(record: Mapping[str, Any]) -> tuple[tuple[str, float, int], Row]:
    """Return what a line of the state says."""
    row = record["row"]
    if not isinstance(row, dict) or "outcome" not in row:
        raise ValueError("no row")
    return (record["curve"], record["load"], record["seed"]), row


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


def render(facts: Mapping[str, Any]) -> str:
    """Return the curves as a table, a line each."""
    names = [f"{curve['network']}, {curve['routing']}" for curve in facts["curves"]]
    width = max(map(len, names))
    lines = ["  ".join((" " * width, *COLUMNS))]
    for name, curve in zip(names, facts["curves"], strict=True):
        best = max(curve["points"], key=lambda point: float(point["accepted"]))
        cells = (
            str(curve["nodes"]),
            str(curve["virtual_channels"]),
            shown(curve["zero_load_latency"], 1),
            shown(curve["saturation"], 3),
            shown(curve["bound"], 3),
            f"{best['accepted']:.3f}",
            f"{best['accepted_least']:.3f}",
        )
        row = (cell.rjust(len(column)) for cell, column in zip(cells, COLUMNS, strict=True))
        lines.append("  ".join((name.ljust(width), *row)))
    return "\n".join(
        (
            *lines,
            "",
            f"{facts['traffic']} traffic, {facts['cycles']} cycles measured",
            "zero: latency at zero load, in cycles; loads in flits per terminal and cycle",
            "accepted: the most at any load, and the least of a terminal there",
        )
    )


def shown(value: float | None, digits: int) -> str:
    """Return a number with so many digits behind the point, or that there is none."""
    return "none" if value is None else f"{value:.{digits}f}"
