"""Request-reply software on generated RTL: end-to-end flow control keeps links free, or it is seen.

The raw network, in which packets that a busy server does not read stand on links, is the control:
what is asserted of flow control fails there.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from benchmarks.flow_control import built
from benchmarks.request_reply import TERMINALS, Software, compiled, far_apart, run
from fingerpost.golden.network.network import Network
from fingerpost.golden.terminal import AxiStreamTerminal
from tests.networks import load


def made(name: str, kind: str, classes: int = 1) -> Network:
    (network,) = built(name, TERMINALS[kind], classes=classes)
    return network


Runs = Callable[[Software], dict[str, Any]]


def runs(name: str, kind: str, folder: Path, classes: int = 1) -> Runs:
    """Return what runs software on a network that is compiled once."""
    network = made(name, kind, classes)
    return partial(run, network, folder, compiled(network, folder))


@pytest.fixture(scope="module")
def mesh(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return runs("mesh-2x2", "flow", tmp_path_factory.mktemp("mesh"))


@pytest.mark.regress
def test_software_that_waits_for_itself_stops_no_link(mesh: Runs) -> None:
    few, many = mesh(Software(20)), mesh(Software(60))
    assert (few["locked"], few["replies"]) == (0, 4 * 3 * 20)
    assert many["locked"]
    assert (many["flits"], many["standing"]) == (0, 0)


@pytest.mark.regress
def test_without_flow_control_links_stand(tmp_path: Path) -> None:
    found = runs("mesh-2x2", "raw", tmp_path)(Software(20))
    assert found["locked"]
    assert found["flits"] > 0
    assert found["standing"] > 1000


@pytest.mark.regress
@pytest.mark.parametrize("kind", ["raw", "flow"])
def test_with_two_classes_it_ends_however_many_requests_there_are(
    tmp_path: Path, kind: str
) -> None:
    software = runs("mesh-2x2", kind, tmp_path, classes=2)
    for given in Software(20), Software(200), Software(20, beats=4):
        found = software(given)
        assert (found["locked"], found["replies"]) == (0, 4 * 3 * given.requests)
        assert found["standing"] == 0


@pytest.mark.regress
def test_with_two_classes_a_reply_must_not_wait_for_a_request(tmp_path: Path) -> None:
    """Then taking a request waits for sending one, which the proof assumes not to happen."""
    software = runs("mesh-3x3", "raw", tmp_path, classes=2)
    serial, parallel = software(Software(60, serial=True)), software(Software(60))
    assert serial["locked"]
    assert serial["standing"] > 1000
    assert (parallel["locked"], parallel["replies"]) == (0, 9 * 8 * 60)


def test_software_that_keeps_to_what_always_fits_is_never_locked(mesh: Runs) -> None:
    """A request and a reply of one beat to a core are not withheld, whatever its window."""
    network = made("mesh-2x2", "flow")
    assert isinstance(network.terminal, AxiStreamTerminal)
    flow = network.terminal.flow(network)
    assert flow
    assert flow.window - flow.withheld - 1 >= flow.eager  # the second one goes, too
    found = mesh(Software(60, beats=1, limit=1))
    assert (found["locked"], found["replies"], found["standing"]) == (0, 4 * 3 * 60, 0)


def test_pair_is_far_apart() -> None:
    assert far_apart(load("mesh-8x8")) == (0, 63)


@pytest.mark.regress
@pytest.mark.parametrize(("kind", "harmed"), [("flow", False), ("raw", True)])
def test_pair_that_has_no_part_in_it(tmp_path: Path, kind: str, harmed: bool) -> None:
    """Of nine terminals seven wait for each other; two others go on at their own rate."""
    pair = far_apart(made("mesh-3x3", kind))
    software = runs("mesh-3x3", kind, tmp_path)
    alone, beside = software(Software(0, pair=pair)), software(Software(200, pair=pair))
    assert beside["locked"]
    assert (beside["heard"] < 0.99 * alone["heard"]) == harmed
    assert harmed or beside["standing"] == 0
