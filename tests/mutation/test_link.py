"""OS-Links as what is mutated: what goes into ports and cells, and what is found of them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fingerpost.golden.link import OsLinkParameters
from fingerpost.golden.link.os_link import ERRORS
from fingerpost.golden.network.network import build
from fingerpost.testbench.compiled import build as building
from fingerpost.testbench.os_link.ports import CALM, NOISY, RESET, Ports
from fingerpost.testbench.os_link.wires import DEPTH, Wires
from mutation.campaign import campaign
from mutation.ends import TURNS, Ends, LinkEnds, Mood
from mutation.port import OsLinkPorts
from mutation.subjects import SUBJECTS

PORTS = [subject for subject in SUBJECTS if isinstance(subject, OsLinkPorts)]

(CELLS,) = (subject for subject in SUBJECTS if isinstance(subject, LinkEnds))

NETWORK = build(CELLS.description)


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile without optimisation: what runs for a second need not run fast."""
    monkeypatch.setattr(building, "OPTIMISE", "-O0")


def test_wires_bend_pulses_and_lose_none() -> None:
    wires = Wires(6, np.random.default_rng(1))
    period, cycles = 16, 4000
    out = np.array([wires.step(np.full(6, cycle % period < 8)) for cycle in range(cycles)])
    rises = out[1:] & ~out[:-1]
    assert (abs(rises.sum(axis=0) - cycles // period) <= 1).all()
    turns = [np.flatnonzero(lane[1:] ^ lane[:-1]) for lane in out.T]
    widths = {int(width) for lane in turns for width in np.diff(lane)}
    assert {7, 8, 9} <= widths <= set(range(5, 12))
    late = {int(place) % period for place in np.flatnonzero(rises.any(axis=1))}
    assert len(late) >= DEPTH - 1


def test_patient_ports_fill_queues_and_fall_idle() -> None:
    parameters = OsLinkParameters(5, 3, "late", 12)

    def seen(patient: bool) -> tuple[int, int]:
        ports = Ports(parameters, 24, np.random.default_rng(2), patient=patient)
        full = idle = 0
        for _ in range(1200):
            full += int((ports.link.level == parameters.fifo).sum())
            idle += int(ports.link.idle.sum())
            ports.step(CALM)
        return full, idle

    assert np.all(np.array(seen(True)) > 2 * np.array(seen(False)))


def test_noise_on_ports_brings_every_error() -> None:
    ports = Ports(OsLinkParameters(5, 1, timeout=20), 48, np.random.default_rng(3))
    for phase in (CALM, NOISY, NOISY, RESET):
        for _ in range(300):
            ports.step(phase)
    assert [name for name in ERRORS if not ports.coverage[name]] == ["link_break"]


def test_routers_send_no_more_than_there_is_room_for() -> None:
    for seed, mood in enumerate(TURNS):
        ends = Ends(NETWORK, mood, seed)
        for _ in range(300):
            ends.run(1)
            assert (ends.sender.owed <= NETWORK.buffer_depth).all()
            for queue in ends.sender.queues:
                channels = [flit[0] for flit in queue]
                assert all(channels.count(v) <= NETWORK.buffer_depth for v in channels)


@pytest.mark.parametrize("mood", [Mood(), Mood(odd=0.05)])
def test_only_struck_bytes_make_bad_cells(mood: Mood) -> None:
    _, seen = Ends(NETWORK, mood, 1).run(600)
    total = {name: sum(int(each[name].sum()) for each in seen) for name in seen[0]}
    assert total["valid"] > 1000
    assert bool(total["bad_cell"]) == bool(mood.odd)
    # Routers send tails with a status, too: the packet is bad, and stays so.
    assert 0 < total["bad_packet"] < total["valid"]


@pytest.mark.regress
@pytest.mark.parametrize("subject", [*PORTS, CELLS], ids=lambda subject: subject.name)
def test_most_mutants_are_found(subject: Any, tmp_path: Path) -> None:
    fates = campaign(subject, count=50, seed=4, cache=tmp_path, prove=False)
    assert sum(fate.killed is not None for fate in fates) >= 44
