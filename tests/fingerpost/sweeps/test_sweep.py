import csv
import json
import random
import re
from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from fingerpost.commands import simulate as simulation
from fingerpost.golden.measure import simulate
from fingerpost.golden.measure.simulation import Bisection
from fingerpost.golden.network.network import Network
from fingerpost.netfile.source import load
from fingerpost.sweeps import schedule
from fingerpost.sweeps.schedule import (
    Point,
    Row,
    Schedule,
    Search,
    carried,
    latency,
    outcome,
)
from fingerpost.sweeps.sweep import Swept, sweep
from scripts.answers import COMMON, entries
from tests.fingerpost.common import NETWORKS, NOWHERE, SMALL_SWEEP, Run


@pytest.fixture(scope="module")
def networks() -> list[Network]:
    return [load(NETWORKS / f"{name}.yaml") for name in ("petersen", "star-4")]


@pytest.fixture(scope="module")
def swept(cluster: str, networks: list[Network]) -> Swept:
    return sweep(networks, **SMALL_SWEEP, cluster=cluster)


def test_rows_are_what_simulate_finds(swept: Swept, networks: list[Network]) -> None:
    keys = [(row["network"], row["load"], row["seed"]) for row in swept.rows]
    assert len(set(keys)) == len(keys)
    for name in ("petersen", "star-4"):
        found = [key[1:] for key in keys if key[0] == name]
        assert {(load, seed) for load in (0.2, 0.9, 1.0) for seed in (0, 1)} <= set(found)
        assert found == sorted(found)
    row = next(row for row in swept.rows if row["network"] == "star-4" and row["load"] == 0.2)
    alone = simulate(networks[1], load=0.2, seed=0, cycles=900, precision=0, warm_up=40)
    assert row["offered"] == alone.offered
    assert (row["accepted"], row["accepted_low"], row["accepted_high"]) == alone.accepted
    assert alone.latency is not None
    assert row["latency_mean"] == alone.latency.mean
    assert row["latency_low"] == alone.latency.low
    assert row["latency_p99"] == alone.latencies.percentiles["p99"]
    assert (row["outcome"], row["traffic"], row["family"]) == ("stable", "uniform", "star")


def test_curves_are_means_over_seeds(swept: Swept) -> None:
    for curve in swept.facts["curves"]:
        rows = [row for row in swept.rows if row["network"] == curve["network"]]
        assert [point["load"] for point in curve["points"]] == sorted({r["load"] for r in rows})
        point = curve["points"][0]
        pair = [row for row in rows if row["load"] == point["load"]]
        assert point["accepted"] == pytest.approx(sum(row["accepted"] for row in pair) / 2)
        assert point["accepted_least"] == min(row["accepted_least"] for row in pair)
        assert point["latency"] == pytest.approx(sum(row["latency_mean"] for row in pair) / 2)
        low, high = point["latency_interval"]
        # Two seeds: t(0.975, 1) = 12.706 standard errors, and the error is half their difference.
        apart = abs(pair[0]["latency_mean"] - pair[1]["latency_mean"])
        assert high - low == pytest.approx(12.706 * apart, rel=1e-4)


def test_saturation_lies_between_what_is_stable_and_what_is_not(swept: Swept) -> None:
    for curve in swept.facts["curves"]:
        told = {point["load"]: point["outcome"] for point in curve["points"]}
        saturation, beyond = curve["saturation"], curve["not_stable"]
        assert told[1.0] == "not stable"
        assert beyond == saturation + 0.25
        assert saturation == 0 or told[saturation] == "stable"
        assert told[beyond] != "stable"
        assert 0 < curve["bound"] <= 1
    star = swept.facts["curves"][1]
    # 23 others: 3 at one hop, 6, 9 and 5; two cycles in each router, no header generation.
    assert star["zero_load_latency"] == pytest.approx(2 + 2 * (3 + 6 * 2 + 9 * 3 + 5 * 4) / 23)


def found(outcome: str, latency: float | None = 9.0) -> Row:
    return {
        "outcome": outcome, "offered": 0.5, "accepted": 0.5, "accepted_least": 0.4,
        "accepted_low": None, "accepted_high": None, "latency_mean": latency,
        "latency_low": None, "latency_high": None, "load": 0.5,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ({"stable": 1}, "stable"),
        ({"stable": 10, "undecided": 1}, "undecided"),  # of few seeds all
        ({"stable": 55, "undecided": 3, "not stable": 2}, "stable"),
        ({"stable": 54, "undecided": 6}, "undecided"),
        ({"not stable": 11, "undecided": 1}, "not stable"),
        ({"stable": 59, "deadlocked": 1}, "deadlocked"),
    ],
)
def test_a_load_is_stable_if_nearly_all_seeds_say_so(
    outcomes: dict[str, int], expected: str
) -> None:
    rows = [found(each, 9.0 + i % 2) for each, n in outcomes.items() for i in range(n)]
    assert outcome(rows) == expected
    assert carried(rows) == (expected == "stable")
    assert (latency(rows) is None) == (expected != "stable")


def test_latency_limit_finds_a_lower_saturation(cluster: str, networks: list[Network]) -> None:
    swept = sweep(
        networks[:1], loads=[0.5], seeds=[0], resolution=0.1, cycles=4000,
        latency_limit=1.1, cluster=cluster,
    )  # fmt: skip
    curve = swept.facts["curves"][0]
    assert 0 < curve["latency_saturation"] < curve["saturation"]
    latencies = {point["load"]: point["latency"] for point in curve["points"]}
    limit = 1.1 * curve["zero_load_latency"]
    assert latencies[curve["latency_saturation"]] <= limit
    assert latencies[round(curve["latency_saturation"] + 0.1, 9)] > limit


def test_more_and_fewer_networks_and_loads_are_taken_from_a_state(
    cluster: str, networks: list[Network], swept: Swept, state: Path
) -> None:
    fewer = SMALL_SWEEP | {"loads": [0.2], "seeds": [0], "resolution": 0}
    sweep(networks[1:], **fewer, cluster=cluster, state=state)
    assert sweep(networks, **SMALL_SWEEP, cluster=cluster, state=state) == swept
    some = sweep(networks[:1], **fewer, cluster=NOWHERE, state=state)
    assert [row["load"] for row in some.rows] == [0.2]
    assert some.facts["curves"][0]["saturation"] is None


def test_workers_change_no_row(networks: list[Network], swept: Swept) -> None:
    assert sweep(networks, **SMALL_SWEEP, workers=2) == swept


def test_tells_that_there_is_no_scheduler(
    networks: list[Network], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fingerpost.jobs.workers.TIMEOUT", 0.2)
    with pytest.raises(OSError, match=f"^Sweep needs a Dask scheduler at {NOWHERE}: "):
        sweep(networks, **SMALL_SWEEP, cluster=NOWHERE)


def test_lists_and_ranges() -> None:
    assert schedule.loads("0.3,0.1") == [0.1, 0.3]
    # Decimal, and not 0.30000000000000004.
    assert schedule.loads("0.1..0.7:0.1") == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    assert schedule.loads("0.1..0.35:0.1,0.2,0.9") == [0.1, 0.2, 0.3, 0.9]
    assert schedule.seeds("4,0..2") == [0, 1, 2, 4]
    assert schedule.seeds("0..9:3") == [0, 3, 6, 9]


@pytest.mark.parametrize(
    "text", ["", "0.1,", "0.1..0.5", "0.5..0.1:0.1", "0..1:0", "0..1:1e-9", "nan", "0..inf:1"]
)
def test_refuses_what_is_no_list(text: str) -> None:
    message = f"Sweep needs loads as in 0.1,0.2 or 0.1..1:0.1, not {text!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        schedule.loads(text)


# Which simulations come next.

SEEDS = 0, 1
TRUTH = {(0, 0): 0.427, (0, 1): 0.6, (1, 0): 2.0, (1, 1): 3.0, (2, 0): 0.111, (2, 1): 2.0}
FOUND = 0.42, None, 0.11  # what both seeds carry
GRID = [Point(curve, load, seed) for curve, seed in TRUTH for load in (0.1, 0.25, 0.5)]


def row_of(point: Point) -> Row:
    """The outcome of a network that saturates where `TRUTH` says."""
    behind = point.load > TRUTH[point.curve, point.seed]
    return {"outcome": "not stable" if behind else "stable"}


def three_curves() -> Schedule:
    searches = {curve: [Search(Bisection(), all_stable)] for curve in range(3)}
    return Schedule(GRID, SEEDS, searches)


def all_stable(curve: int, rows: Sequence[Row]) -> bool:
    assert len(rows) == len(SEEDS)
    return all(row["outcome"] == "stable" for row in rows)


def worked(work: Schedule, seed: int) -> list[Point]:
    """Finish points in any order, as workers do; return those that were run."""
    rng = random.Random(seed)
    running: list[Point] = []
    ran: list[Point] = []
    while True:
        running += work.ready(rng.randrange(5) + (not running))
        if not running:
            return ran
        point = running.pop(rng.randrange(len(running)))
        ran.append(point)
        work.finish(point, row_of(point))


@pytest.mark.parametrize("seed", range(2))
def test_result_does_not_depend_on_speed(seed: int) -> None:
    work, other = three_curves(), three_curves()
    ran = worked(work, seed)
    worked(other, 99)
    assert work.result() == other.result()
    assert len(set(ran)) == len(ran) == len(work.result())
    assert tuple(work.searches[curve][0].bisection.saturation for curve in range(3)) == FOUND


def test_all_loads_asked_for_are_run_and_some_more() -> None:
    work = three_curves()
    worked(work, 1)
    points = [point for point, _ in work.result()]
    assert set(GRID) < set(points)
    assert points == sorted(points)
    # 0.5 and 0.25 are asked for already; a network that is never saturated needs 1.0 alone.
    assert [p.load for p in points if (p.curve, p.seed) == (1, 0)] == [0.1, 0.25, 0.5, 1.0]


def test_done_and_total_meet_in_the_end() -> None:
    work = three_curves()
    assert work.counts() == (0, len(GRID) + 3 * 2 * 8)
    told = []
    while points := work.ready(1):
        work.finish(points[0], row_of(points[0]))
        told.append(work.counts())
    assert [done for done, _ in told] == list(range(1, len(told) + 1))
    totals = [total for _, total in told]
    assert totals == sorted(totals, reverse=True)
    assert told[-1] == (len(work.result()), len(work.result()))


# The command.

OPTIONS = ["--loads", "0.2,0.9", "--seeds", "0,1", "--cycles", "900", "--warm-up", "40"]
OPTIONS += ["--resolution", "0.25", "--precision", "0"]


def test_files(run: Run, cluster: str, swept: Swept, tmp_path: Path) -> None:
    nets = [NETWORKS / f"{name}.yaml" for name in ("petersen", "star-4")]
    out = tmp_path / "curves"
    ended = run("sweep", *nets, *OPTIONS, "--cluster", cluster, "-o", out, "--json")
    assert ended.status == 0
    files = [out.with_name(f"curves.{suffix}") for suffix in ("svg", "csv", "json")]
    assert ended.err.splitlines() == [f"fingerpost: wrote {file}" for file in files]
    kept = ended.json
    assert json.loads(files[2].read_text()) == kept
    assert kept.pop("provenance")["seed"] == "0,1"
    assert kept == {"schema": 1, **json.loads(json.dumps(swept.facts))}
    with files[1].open(newline="") as file:
        next(file)  # how it was made
        rows = list(csv.DictReader(file))
    assert [row["accepted"] for row in rows] == [str(row["accepted"]) for row in swept.rows]
    picture = files[0].read_text()
    assert picture.lstrip().startswith("<?xml")
    before = [file.read_bytes().replace(cluster.encode(), NOWHERE.encode()) for file in files]
    # Once more, from the state: no work, the files are the same; and a Parquet file.
    more = run("sweep", *nets, *OPTIONS, "--cluster", NOWHERE, "-o", out, "--json")
    assert more.status == 0
    assert [file.read_bytes() for file in files] == before
    also = run(
        "sweep", *nets, *OPTIONS, "--cluster", NOWHERE, "-o", out, "--table", "parquet",
        "--picture", "png", "--title", "Small",
    )  # fmt: skip
    assert also.status == 0
    shown = also.out.splitlines()
    names = "nodes channels zero saturation not stable bound accepted least"
    assert shown[0].split() == names.split()
    assert shown[1].startswith("petersen, table")
    assert shown[2].split()[:4] == ["star-4,", "greedy", "24", "3"]
    table = pq.read_table(out.with_name("curves.parquet")).to_pylist()
    assert table == [dict(row) for row in swept.rows]
    assert out.with_name("curves.png").read_bytes()[:4] == b"\x89PNG"


def test_columns_are_on_the_page_of_keys(swept: Swept) -> None:
    """By its rule: keys of a curve, and of `simulate` with `_` for dots."""
    described = {name: entry.meaning for entry in entries(Swept) for name in entry.names}
    curve = {*re.findall(r"`(\w+)`", described["curves"])}
    pages = [*entries(simulation.facts), *entries(COMMON)]
    known = {name for entry in pages for name in entry.names}
    for column in swept.rows[0]:
        stem = column.partition("_")[0] if column.startswith("latency") else column
        stem = stem.removesuffix("_low").removesuffix("_high").removesuffix("_mean")
        parts = {stem, stem.removesuffix("_max"), f"{stem}_interval"}
        assert column in curve or known & parts, column


def test_a_mix_of_message_classes_and_several_algorithms(
    run: Run, cluster: str, tmp_path: Path
) -> None:
    net, out = NETWORKS / "mesh-4x4-classes.yaml", tmp_path / "curves"
    algorithms = "--routing", "dimension-order", "--routing", "table:choice=first"
    short = ["--loads", 0.2, "--cycles", 900, "--warm-up", 40, "--resolution", 0]
    asked = ["sweep", net, *short, *algorithms, "--classes", "3,1", "--cluster", cluster]
    mixed = run(*asked, "-o", out, "--json").json
    assert mixed["classes"] == [3, 1]
    assert [x["routing"] for x in mixed["curves"]] == ["dimension-order", "table:choice=first"]
    assert all(curve["saturation"] is curve["not_stable"] is None for curve in mixed["curves"])
    alone = simulate(load(net), load=0.2, cycles=900, warm_up=40, classes=(3.0, 1.0))
    assert alone.latency is not None
    assert mixed["curves"][0]["points"][0]["latency"] == alone.latency.mean
    with out.with_name("curves.csv").open(newline="") as file:
        next(file)  # how it was made
        assert [row["classes"] for row in csv.DictReader(file)] == ["3,1"] * 2
    assert "1 flit, classes 3,1" in out.with_name("curves.svg").read_text()
