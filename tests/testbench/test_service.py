"""One isolated router in hardware: every waiting flit is served, whatever the credits."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fingerpost.golden.network.network import Network
from fingerpost.golden.service.alone import Alone
from fingerpost.golden.service.neighbours import Neighbours
from fingerpost.golden.service.streams import cases, fair_shares, to_one_output
from fingerpost.testbench.benches.service import ServiceBench
from fingerpost.testbench.cosim import run
from fingerpost.testbench.toolchain import SIMULATORS
from tests.golden.service.networks import borel21

LEAST = 0.8
"""Of the fair share."""

NODE = 1
"""From it by link 0 go packets that came by links 1 and 2, and the terminal's."""

LOCAL = 4

TO_LINK = [(1, 0), (1, 1), (2, 0), (2, 1), (LOCAL, 0)]
TO_TERMINAL = [(0, 0), (0, 1), (1, 0), (1, 1)]


def trial(
    ways: list[tuple[int, int]],
    *,
    output: int = LOCAL,
    cycles: int = 800,
    period: tuple[int, int] = (1, 1),
    phase: tuple[int, int] = (0, 0),
    lengths: tuple[int, int] = (1, 1),
    seed: int = 0,
) -> dict[str, Any]:
    return {
        "output": output, "ways": ways, "cycles": cycles, "period": period, "phase": phase,
        "least": lengths[0], "most": lengths[1], "seed": seed,
    }  # fmt: skip


STARVED = {
    "a credit every 3 cycles": trial([(0, 0), (1, 0)], period=(3, 3)),
    "a credit every 4 cycles": trial([(0, 0), (1, 0)], period=(4, 4)),
    "a credit every 7 cycles": trial([(0, 0), (1, 0)], period=(7, 7)),
    "two channels, every 4 cycles": trial([(0, 0), (0, 1)], period=(4, 4), cycles=1200),
    "two channels, every 6 cycles": trial([(0, 0), (0, 1)], period=(6, 6), cycles=1200),
    "two channels, every 8 cycles": trial([(0, 0), (0, 1)], period=(8, 8), cycles=1200),
    "two inputs, two channels": trial(TO_TERMINAL, lengths=(2, 2), cycles=1200),
    "a channel and the terminal": trial(
        [(1, 0), (1, 1), (LOCAL, 0)], output=0, lengths=(4, 4), cycles=2000
    ),
}  # fmt: skip
"""In these a stream once got next to nothing."""

SOME = ["a credit every 3 cycles", "two channels, every 4 cycles", "two inputs, two channels",
        "a channel and the terminal"]  # fmt: skip
"""One of each kind."""


def shares(network: Network, tried: dict[str, Any], served: list[int]) -> list[float]:
    """Return what streams got of their fair shares; a packet not ended counts as served."""
    streams = to_one_output(cases(network), NODE, tried["output"], tried["ways"])
    shape = network.topology.nodes, network.topology.degree + 1, network.virtual_channels
    fair = fair_shares(network, streams, np.broadcast_to(tried["period"], shape))
    got = (np.array(served) + tried["most"]) / tried["cycles"]
    return [float(share) for share in got / np.array(fair)]


def check(
    network: Network, tried: dict[str, dict[str, Any]], simulator: str, folder: Path
) -> list[list[int]]:
    """Return what all streams were served, if none got much less than the others."""
    bench = ServiceBench(network, node=NODE, trials=list(tried.values()))
    found = run(bench, simulator=simulator, directory=folder).details
    assert found["errors"] == 0
    least = {
        name: min(shares(network, one, served))
        for (name, one), served in zip(tried.items(), found["served"], strict=True)
    }
    worst = min(least, key=lambda name: least[name])
    below = sum(share < LEAST for share in least.values())
    assert not below, f"{below} of {len(least)}; {least[worst]:.4f} of the fair share: {worst}"
    return list(found["served"])


def patterns(count: int, seed: int) -> dict[str, dict[str, Any]]:
    """Return trials of random periods, phases and lengths, to a link and to the terminal."""
    rng = np.random.default_rng(seed)
    periods = list(itertools.product(range(1, 9), repeat=2))
    lengths = [*((length, length) for length in range(1, 9)), (1, 8)]
    every = list(itertools.product(periods, lengths, (0, LOCAL)))
    chosen = {}
    for which in rng.permutation(len(every))[:count]:
        period, length, output = every[which]
        phase = int(rng.integers(8)), int(rng.integers(8))
        chosen[f"to {output}, periods {period}, phases {phase}, flits {length}"] = trial(
            TO_LINK if output == 0 else TO_TERMINAL,
            output=output, cycles=3000, period=period, phase=phase, lengths=length,
        )  # fmt: skip
    return chosen


@pytest.mark.regress
@pytest.mark.parametrize("simulator", SIMULATORS)
def test_every_stream_gets_most_of_its_fair_share(simulator: str, tmp_path: Path) -> None:
    check(borel21(), patterns(60, seed=1), simulator, tmp_path)


@pytest.mark.regress
@pytest.mark.parametrize("names", [SOME, [*STARVED]])
def test_streams_that_once_starved_are_served_as_in_the_model(
    names: list[str], tmp_path: Path
) -> None:
    # What the model's bench shows of the router holds for the hardware.
    network = borel21()
    tried = {name: STARVED[name] for name in names} | patterns(1, seed=2)
    found = check(network, tried, "icarus", tmp_path)
    for one, served in zip(tried.values(), found, strict=True):
        streams = to_one_output(cases(network), NODE, one["output"], one["ways"])
        shape = network.topology.nodes, network.topology.degree + 1, network.virtual_channels
        sides = Neighbours(
            network, streams, least=one["least"], most=one["most"], seed=one["seed"],
            period=np.broadcast_to(one["period"], shape),
            phase=np.broadcast_to(one["phase"], shape),
        )  # fmt: skip
        Alone(network, sides).run(one["cycles"])
        assert served == sides.served.tolist()
