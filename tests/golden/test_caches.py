"""Where caches are, files that are damaged, and the cached proof of a large network."""

import os
import pwd
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fingerpost.golden import caches, disk_cache
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.deadlock import channels
from fingerpost.golden.deadlock.order import Progress, search
from fingerpost.golden.deadlock.state_graph import StateGraph
from fingerpost.golden.network.network import Network
from fingerpost.golden.routing.base import Routing
from tests.hdl.emit.test_files import limited
from tests.networks import BOREL, built

OWN = f"fingerpost-{os.getuid()}"
TEMPORARY = f"tmp/{OWN}"

SITUATIONS: list[tuple[dict[str, str], str | None]] = [
    ({"XDG_CACHE_HOME": "xdg", "HOME": "user"}, "xdg"),
    ({"HOME": "user"}, "user/.cache"),
    ({"HOME": "new/user"}, "new/user/.cache"),
    ({"XDG_CACHE_HOME": "", "HOME": "user"}, "user/.cache"),
    ({"XDG_CACHE_HOME": "a/file", "HOME": "user"}, "user/.cache"),
    ({"XDG_CACHE_HOME": "/proc/none", "HOME": "user"}, "user/.cache"),
    ({"XDG_CACHE_HOME": "RELATIVE", "HOME": "user"}, "user/.cache"),
    ({"HOME": "a/file"}, TEMPORARY),
    ({"HOME": "/proc/none"}, TEMPORARY),
    ({"HOME": "RELATIVE"}, TEMPORARY),
    ({}, TEMPORARY),  # and an unknown user
    ({"HOME": "/proc/none", "TMPDIR": "/proc/none"}, None),
]
"""Variables, relative to a folder, and where caches are then."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a file ``a/file``; no user has a home but by `HOME`."""

    def unknown(_: object) -> pwd.struct_passwd:
        raise KeyError

    for folder in ("a", "tmp", "user"):
        (tmp_path / folder).mkdir()
    (tmp_path / "a" / "file").touch()
    monkeypatch.setattr("pwd.getpwuid", unknown)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    monkeypatch.chdir(tmp_path)
    for name in ("XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, "")  # so that it is put back
        del os.environ[name]
    return tmp_path


@pytest.mark.parametrize(("variables", "expected"), SITUATIONS)
def test_home(
    variables: dict[str, str],
    expected: str | None,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, "x" if value == "RELATIVE" else value and str(place / value))
    if "TMPDIR" in variables:
        monkeypatch.setattr("tempfile.tempdir", variables["TMPDIR"])
    home = expected and place / expected
    assert caches.home() == home
    if home is not None:
        assert os.environ["XDG_CACHE_HOME"] == str(home)
        assert variables or os.environ["HOME"] == str(home)
        assert caches.folder("x") == home / OWN / "x"
        assert caches.home() == home
    assert not (place / "x").exists()


def test_a_folder_of_another_user_is_not_used(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept in it is run."""
    monkeypatch.setenv("HOME", "/proc/none")
    assert caches.home() == place / TEMPORARY
    monkeypatch.delenv("XDG_CACHE_HOME")
    me = os.getuid()
    monkeypatch.setattr("os.getuid", lambda: me + 1)
    assert caches.home() is None
    assert caches.folder("x") is None


def test_a_folder_for_all_is_private(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/proc/none")
    caches.home()
    assert (place / TEMPORARY).stat().st_mode & 0o777 == 0o700


def _with_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES: dict[str, Callable[[Path], object]] = {
    "missing": Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "the digest only": lambda path: path.write_bytes(path.read_bytes()[: caches.DIGEST]),
    "half garbage": lambda path: path.write_bytes(path.read_bytes()[:50] + bytes(50)),
    "one bit": lambda path: path.write_bytes(path.read_bytes()[:-1] + b"!"),
    "a folder": _with_folder,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_none(damage: Callable[[Path], object], tmp_path: Path) -> None:
    path = tmp_path / "a" / "b"
    caches.write(path, b"content" * 10)
    assert caches.read(path) == b"content" * 10
    damage(path)
    assert caches.read(path) is None
    caches.write(path, b"other")
    assert caches.read(path) == (None if path.is_dir() else b"other")
    assert [*path.parent.iterdir()] == [path]


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    with limited(1000):
        caches.write(tmp_path / "a" / "b", bytes(2000))
    assert not [*(tmp_path / "a").iterdir()]
    caches.write(Path("/proc/none/b"), b"")


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


def test_an_order_is_searched_once(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    searched_once: Callable[..., IntArray],
) -> None:
    monkeypatch.setattr("fingerpost.golden.network.network._ranks", searched_once)
    searched = []

    def counted(routing: Routing, *, progress: Progress) -> tuple[IntArray, int]:
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


def test_a_full_disk_costs_time_only(folder: Path, looked: list[str]) -> None:
    for _ in range(2):
        looked.clear()
        with limited(100):
            assert network().virtual_channels
        assert looked
        assert not [*folder.rglob("*.*")]
