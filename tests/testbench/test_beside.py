"""A soak with hardware beside the model: the same flits, and whatever hardware does is found."""

import re
from pathlib import Path

import pytest

from fingerpost.golden.engine import engine
from fingerpost.golden.measure.soak import Soak, SoakError
from fingerpost.golden.network.network import build
from fingerpost.testbench.compiled.lock_step import HardwareBeside
from tests.testbench.faults.plant import FLIPPED, ROTATOR, planted

pytestmark = pytest.mark.usefixtures("hasty")

NETWORK = build(ROTATOR)

SWAPPED = """
  reg [33:0] last; wire [33:0] flit; reg done;
  wire hit = eject__valid & ~flit[0] & count >= 200 & ~done;
  always @(posedge clk) if (eject__valid) last <= flit;
  always @(posedge clk) done <= ~rst & (done | hit);
  assign eject__flit = hit ? {last[33:2], flit[1:0]} : flit;
"""
"""One body flit has the data of the one before it."""


def soak(beside: HardwareBeside | None) -> Soak:
    make = beside.engine if beside else engine
    return Soak(NETWORK, packets=1200, malformed=0.05, seed=1, alone=True, make=make)


@pytest.mark.regress
def test_hardware_is_soaked_piece_by_piece_with_the_packets_of_the_model(folder: Path) -> None:
    beside = HardwareBeside(NETWORK, folder)
    both, model = soak(beside), soak(None)
    for number in (0, 1):  # the second one after a reset
        totals = both.piece(number)
        assert totals == model.piece(number)
        assert totals.errors > 5
    with pytest.raises(ValueError, match=r"^Hardware needs one run, not 2$"):
        beside.engine(NETWORK, [model._traffic(0, run, cycles=9) for run in (0, 1)])


def swapped(module: str) -> str:
    """Put a fault between a router and its outputs."""
    module = module.replace(".eject__flit(eject__flit)", ".eject__flit(flit)")
    return module.replace("reg [15:0] count;", f"reg [15:0] count;{SWAPPED}")


@pytest.mark.regress
def test_what_one_node_does_once_is_found(folder: Path, tmp_path: Path) -> None:
    beside = HardwareBeside(NETWORK, folder, sources=planted(tmp_path, swapped))
    with pytest.raises(SoakError) as caught:
        soak(beside).piece(0)
    where = f"node {FLIPPED}, terminal: expected data 0x[0-9a-f]+, seen 0x[0-9a-f]+"
    found = re.fullmatch(rf"rotator, seed 1, piece 0, cycle (\d+), {where}", str(caught.value))
    assert found, caught.value
    assert 200 <= int(found[1]) < 300
