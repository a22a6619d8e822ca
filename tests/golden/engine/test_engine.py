"""What runs many cycles a call: chunks, batches, threads, stops, records, saved states."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fingerpost.golden.engine import Record, engine, unfit
from fingerpost.golden.engine.deflection import Deflection
from fingerpost.golden.engine.routes import FEWEST, Numbers
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.traffic import Traffic
from tests.networks import borel21, built, deflection, only


def some(seed: int = 0, **given: float) -> Traffic:
    return Traffic(
        borel21(), given.get("load", 0.4), 300, seed=seed, lengths=(1, 3), malformed=0.02
    )


@pytest.mark.parametrize("threads", only([2], [1, 2]))
def test_a_batch_is_its_runs(threads: int) -> None:
    seeds = {3: 0.1, 4: 0.4, 5: 0.9}
    traffics = [some(seed, load=share) for seed, share in seeds.items()]
    batch = engine(borel21(), traffics, stall=0.2, threads=threads)
    batch.run(100)
    batch.run(1000, until_delivered=True)
    assert batch.name == "compiled"
    for run, (seed, share) in zip(batch.runs, seeds.items(), strict=True):
        alone = engine(borel21(), [some(seed, load=share)], stall=0.2, compiled=False)
        alone.run(1100, until_delivered=True)
        (expected,) = alone.runs
        assert run.now == expected.now < 1100
        assert (run.delivered == expected.delivered).all()
        assert (run.sent == expected.sent).all()
        assert (run.received == expected.received).all()
        assert (run.errors == expected.errors).all()
        assert run.all_delivered
        assert run.faults == expected.faults == []


def test_routers_of_more_than_127_buffers_run_as_plain_python() -> None:
    """Packets between 15 leaves by a hub of 16 inputs, with 9 channels each."""
    links = [(0, leaf) for leaf in range(1, 16)]
    hub = built({"family": "edge-list", "nodes": 16, "links": links}, virtual_channels=9)
    (run,) = (model := engine(hub, [Traffic(hub, 0.2, 60)], compiled=False)).runs
    model.run(300, until_delivered=True)
    assert run.all_delivered
    assert len(run.delivered) > 100


def differences(one: Record, other: Record) -> list[str]:
    found = []
    for side in ("given", "links", "terminals"):
        mine, theirs = getattr(one, side), getattr(other, side)
        assert mine.keys() == theirs.keys()
        found += [f"{side} {name}" for name in mine if (mine[name] != theirs[name]).any()]
    return found


@pytest.mark.parametrize("name", ["borel-21", "petersen", "digraph"])
def test_both_record_the_same(name: str) -> None:
    network: Any = borel21(1) if name == "borel-21" else deflection(name, epoch=5)
    options: dict[str, Any] = {"surplus": 2} if name == "borel-21" else {}
    models = [
        engine(
            network,
            [Traffic(network, 0.9, 300, seed=2, malformed=0.1)],
            stall=0.3,
            compiled=compiled,
            **options,
        )
        for compiled in (True, False)
    ]
    for model in models:
        model.run(37)
    before = models[0].runs[0].sent.copy()
    records = [model.record(200) for model in models]
    assert differences(*records) == []
    assert records[0].first == 37
    for side in ("given", "links", "terminals"):
        for field, column in getattr(records[0], side).items():
            assert column.any(), field
    # What is on a link arrives once: a register of the tape is not left from the cycle before.
    sent = (models[0].runs[0].sent - before)[:, : network.topology.local]
    assert (records[0].links["valid"] > 0).sum() == sent.sum()


def test_a_saved_run_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    path = tmp_path / "state.npz"
    first, again = (engine(borel21(), [some(7), some(8)], stall=0.3) for _ in range(2))
    first.run(150)
    first.save(path)
    first.run(150)
    again.load(path)
    assert again.runs[0].now == 150
    again.run(150)
    state, expected = again.state(), first.state()
    assert state.keys() == expected.keys()
    for name, array in expected.items():
        assert np.array_equal(array, state[name]), name


def test_a_state_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state.npz"
    engine(borel21(), [some(7)]).save(path)
    for other in (engine(borel21(), [some(8)]), engine(borel21(), [some(7)], stall=0.1)):
        with pytest.raises(ValueError, match=r"^State needs the network, traffic and options"):
            other.load(path)


@pytest.mark.regress
def test_large_routers_do_not_fit() -> None:
    many = built({"family": "star", "n": 4}, "greedy", virtual_channels=16)
    assert unfit(many) == "its routers have 64 queues each, more than 62"
    with pytest.raises(ValueError, match=r"^Engine needs a network that can be compiled, but its"):
        engine(many, [Traffic(many, 0.02, 10)], compiled=True)


def test_there_is_an_end_of_counting() -> None:
    model = engine(borel21(), [some(1)])
    assert isinstance(model, Wormhole)
    model.arrays.clock["now"] = (1 << 31) - 3
    model.run(1)
    with pytest.raises(ValueError, match=r"^Engine needs at most 2147483647 cycles in all$"):
        model.run(2)


@pytest.mark.parametrize("name", ["borel-21", "petersen"])
def test_a_fault_in_what_comes_out_is_found(name: str) -> None:
    network: Any = borel21() if name == "borel-21" else deflection(name)
    found = []
    for compiled in (True, False):
        model = engine(network, [Traffic(network, 0.4, 300, seed=1)], compiled=compiled)
        model.run(60)
        run = model.runs[0]
        run.traffic.destination[run.traffic.time > 60] = 0
        assert isinstance(model, (Wormhole, Deflection))
        model.arrays.packets["destination"] = run.traffic.destination
        model.run(240)
        found.append(run.faults)
    assert found[0] == found[1]
    assert len(found[0]) == 10


def test_numba_is_imported_by_runs_only() -> None:
    ask = "import sys, fingerpost.golden.engine, fingerpost.cli.main; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_numbers_are_those_of_a_dictionary() -> None:
    """Few and many pairs at a time, some often, negative ones, and beyond the first table."""
    rng = np.random.default_rng(1)
    numbers, expected = Numbers(), dict[tuple[int, int], int]()
    for count, span in (
        (0, 5),
        (300, 9),
        (2, 9),
        (FEWEST, 1 << 40),
        (3 * FEWEST, 50),
        (700, 1 << 62),
    ):
        first, second = rng.integers(-span, span, (2, count))
        pairs = list(zip(first.tolist(), second.tolist(), strict=True))
        want = [expected.setdefault(pair, len(expected)) for pair in pairs]
        assert numbers.of(first, second).tolist() == want
    assert numbers.known > 2 * FEWEST
    assert [tuple(pair) for pair in numbers.pairs.T.tolist()] == list(expected)
