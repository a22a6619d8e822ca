"""Software of requests and replies on generated RTL: with flow control links are kept free.

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


def made(name: str, kind: str, classes: int = 1) -> Network:
    (network,) = built(name, TERMINALS[kind], classes=classes)
    return network


Runs = Callable[[Software], dict[str, Any]]


def runs(name: str, kind: str, folder: Path, classes: int = 1) -> Runs:
    """Return what runs software on a network that is compiled once."""
    network = made(name, kind, classes)
    return partial(run, network, folder, compiled(network, folder))


RAW, FLOW = ("mesh-2x2", "raw"), ("mesh-2x2", "flow")

CASES: dict[str, tuple[str, str, int, dict[str, list[Software]]]] = {
    "waits for itself": (*FLOW, 1, {"ends": [Software(20)], "waits": [Software(60)]}),
    "stands on links": (*RAW, 1, {"locks": [Software(20)]}),
    "two classes": (*RAW, 2, {"ends": [Software(20), Software(200), Software(20, beats=4)]}),
    "two classes, flow control": (*FLOW, 2, {"ends": [Software(200), Software(20, beats=4)]}),
    # Then taking a request waits for sending one, which the proof assumes not to happen.
    "a reply waits for a request": (
        *("mesh-3x3", "raw", 2),
        {"locks": [Software(60, serial=True)], "ends": [Software(60)]},
    ),
}


@pytest.mark.regress
@pytest.mark.parametrize("case", CASES)
def test_software_stops_links_only_where_nothing_prevents_it(case: str, tmp_path: Path) -> None:
    name, kind, classes, expected = CASES[case]
    software = runs(name, kind, tmp_path, classes)
    for given in expected.get("ends", []):
        found = software(given)
        assert (found["locked"], found["standing"]) == (0, 0)
        terminals = 9 if name == "mesh-3x3" else 4
        assert found["replies"] == terminals * (terminals - 1) * given.requests
    for given in expected.get("waits", []):
        found = software(given)
        assert found["locked"]
        assert (found["flits"], found["standing"]) == (0, 0)
    for given in expected.get("locks", []):
        found = software(given)
        assert found["locked"]
        assert found["flits"] > 0
        assert found["standing"] > 1000


@pytest.mark.regress
def test_software_that_keeps_to_what_always_fits_is_never_locked(tmp_path: Path) -> None:
    """A request and a reply of one beat to a core are not withheld, whatever its window."""
    network = made("mesh-2x2", "flow")
    assert isinstance(network.terminal, AxiStreamTerminal)
    flow = network.terminal.flow(network)
    assert flow
    assert flow.window - flow.withheld - 1 >= flow.eager  # the second one goes, too
    found = runs("mesh-2x2", "flow", tmp_path)(Software(60, beats=1, limit=1))
    assert (found["locked"], found["replies"], found["standing"]) == (0, 4 * 3 * 60, 0)


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
