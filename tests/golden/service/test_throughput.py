"""Accepted load does not fall as offered load rises, and that of a hot spot is as told."""

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from benchmarks.hot_spots import LENGTHS, row
from fingerpost.golden.engine import engine
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.measure import simulate
from fingerpost.golden.network.network import build
from fingerpost.golden.traffic import Traffic
from tests.golden.model.networks import arriving, borel21
from tests.golden.service.endless import accepted
from tests.networks import load
from tests.quick import only

KEPT = 0.95
"""Of the peak."""

LOADS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)


network = cache(load)


def check(found: dict[float, float]) -> None:
    """What is accepted, by what is offered, falls hardly below its peak."""
    peak = max(found, key=lambda offered: found[offered])
    above = {offered: value for offered, value in found.items() if offered >= peak}
    assert min(above.values()) >= KEPT * found[peak], above


@pytest.mark.parametrize("name", only(["petersen"], ["petersen", "borel-21", "kyklos-2-2-4"]))
def test_more_offered_is_not_less_accepted(name: str) -> None:
    loads = (0.15, 0.4, 0.7, 1.0)
    found = {x: accepted(network(name), load=x, length=1, cycles=1500) for x in loads}
    check(found)
    assert found[0.15] == pytest.approx(0.15, rel=0.1)  # below saturation


@pytest.mark.regress
@pytest.mark.parametrize("length", [1, 4])
@pytest.mark.parametrize(
    "name",
    [
        "borel-21", "borel-21-shortest", "petersen", "kyklos-2-2-4", "star-4", "rotator-4",
        "super-rotator-23", "hypercube-6", "metacyclic-84", "kautz-2-4", "metacyclic-digraph-20",
        # Here terminals let packets pass.
        "scc-4", "super-rotator-13", "chordal-ring-16", "braided-ring-16", "mesh-8x8", "torus-8x8",
    ],
)  # fmt: skip
def test_more_offered_is_not_less_accepted_for_long(name: str, length: int) -> None:
    check({x: accepted(network(name), load=x, length=length, cycles=8000) for x in LOADS})


@pytest.mark.regress
@pytest.mark.parametrize("name", ["metacyclic-1155", "mesh-32x32", "torus-32x32"])
def test_more_offered_is_not_less_accepted_where_routes_are_long(name: str) -> None:
    given = {"cycles": 2000, "warm_up": 3000, "precision": 0}
    check(
        {
            x: simulate(network(name), load=x, **given).accepted.mean  # type: ignore[arg-type]
            for x in (0.1, 0.18, 0.4, 0.7, 1.0)
        }
    )


@pytest.mark.regress
def test_channels_beyond_those_of_the_proof_carry_flits() -> None:
    asked = {**borel21().description["router"], "virtual_channels": 6}
    given = build({**borel21().description, "router": asked})
    model = engine(given, [Traffic(given, 1.0, 1000)])
    assert isinstance(model, Wormhole)
    used = np.zeros(6, np.int64)
    for _ in range(1000):
        model.run(1)
        place, flits = arriving(model)
        on_links = place % model.config.ports < model.config.local
        used += np.bincount(flits["channel"][on_links], minlength=6)
    assert used.min() > 0, used.tolist()


ROOT = Path(__file__).parents[3]

TABLE = re.findall(
    r"^\| ([\w, -]+) \| \d \|((?: [01]\.\d\d \|)+)$",
    (ROOT / "docs/design/measured.md").read_text(encoding="utf-8"),
    flags=re.M,
)
"""Names of networks, and what their hot spots accept, by the length of packets."""


@pytest.mark.parametrize("name", ["petersen", "borel-21", "star-4", "petersen-up-down"])
def test_a_hot_spot_accepts_what_the_docs_say(name: str) -> None:
    [line] = [values for names, values in TABLE if name in names.split(", ")]
    said = [float(value) for value in re.findall(r"[\d.]+", line)]
    found = row(load(name), 4000)["accepted"]
    assert [each["length"] for each in found] == [*LENGTHS]
    for each, value in zip(found, said, strict=True):
        assert each["flits"] == pytest.approx(value, abs=0.02), (
            f"{each['length']} flits: run `python -m benchmarks.hot_spots`"
        )
