"""The cached part of the proof of a large network."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fingerpost.golden import disk_cache
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.deadlock import channels
from fingerpost.golden.deadlock.order import search
from fingerpost.golden.deadlock.state_graph import StateGraph
from fingerpost.golden.network.network import Network
from fingerpost.golden.routing.base import Routing
from tests.golden.model.networks import BOREL, built
from tests.hdl.emit.test_files import limited

OTHER: dict[str, Any] = {"family": "borel", "p": 7, "a": 2, "A": [1, 0], "B": [2, 1]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(channels, "LARGE", 0)
    return tmp_path


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which each look at the routes of a network adds its algorithm."""
    found: list[str] = []
    turns = StateGraph.turns

    def counted(self: StateGraph, *arguments: Any, **options: Any) -> Any:
        found.append(self.routing.algorithm)
        return turns(self, *arguments, **options)

    monkeypatch.setattr(StateGraph, "turns", counted)
    return found


def network(topology: dict[str, Any] = BOREL, **router: Any) -> Network:
    return built(topology, "two-phase", **{"channel_order": [*range(21)], **router})


def test_later_network_does_not_look_at_the_routes(folder: Path, looked: list[str]) -> None:
    first = network()
    assert looked
    looked.clear()
    second = network()
    assert not looked
    assert second.virtual_channels == first.virtual_channels
    assert (second.channels.used_turns == first.channels.used_turns).all()
    for one, other in zip(first.channels.crossings, second.channels.crossings, strict=True):
        assert (np.asarray(one) == other).all()


def test_other_order_topology_and_sources_are_looked_at(
    folder: Path, looked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    network()
    for change in (
        lambda: network(channel_order=[*range(20, -1, -1)]),
        lambda: network(OTHER, channel_order=[0, 1, 2]),
        lambda: (monkeypatch.setattr(disk_cache, "sources", lambda package: b"other"), network()),
    ):
        looked.clear()
        change()
        assert looked


def test_an_order_is_searched_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    searched = []

    def counted(routing: Routing) -> tuple[IntArray, int]:
        searched.append(routing.topology.nodes)
        return search(routing)

    monkeypatch.setattr("fingerpost.golden.network.network.search", counted)
    first, second = (network(channel_order=None) for _ in range(2))
    assert searched == [21]
    assert first.order is not None
    assert second.order is not None
    assert (second.order == first.order).all()
    network(OTHER, channel_order=None)
    assert searched == [21, 21]


@pytest.mark.parametrize("spoil", [b"", b"PK\x03\x04", b"no file of numpy"])
def test_spoilt_file_is_found_again(folder: Path, looked: list[str], spoil: bytes) -> None:
    whole = network().virtual_channels
    (file,) = folder.rglob("*.npz")
    before = file.read_bytes()
    file.write_bytes(spoil)
    looked.clear()
    assert network().virtual_channels == whole
    assert looked
    assert len(file.read_bytes()) == len(before)


def test_a_full_disk_costs_time_only(folder: Path, looked: list[str]) -> None:
    for _ in range(2):
        looked.clear()
        with limited(100):
            assert network().virtual_channels
        assert looked
        assert not [*folder.rglob("*.*")]
