"""A soak with hardware beside the model: the same flits, and whatever hardware does is found."""

import re
from pathlib import Path

import pytest

from fingerpost.golden.engine import engine
from fingerpost.golden.measure.soak import Soak, SoakError
from fingerpost.golden.network.network import build
from fingerpost.testbench.compiled.beside import HardwareBeside
from tests.testbench.faults.plant import FLIPPED, ROTATOR, planted

pytestmark = pytest.mark.usefixtures("hasty")

NETWORK = build(ROTATOR)

BEGIN = 200
"""The cycle from which a fault waits for its chance."""

LOST = """
  wire hit = valid2 & ready;
  assign eject__valid = valid2 & ~hit;
  assign eject__flit = flit2;
  assign {outputs__0__valid, outputs__0__flit} = {valid0, flit0};
  assign {outputs__1__valid, outputs__1__flit} = {valid1, flit1};
"""
DOUBLED = """
  reg pending; reg [33:0] kept;
  wire again = pending & ~valid2, hit = valid2 & ready;
  always @(posedge clk) begin
    pending <= ~rst & (hit | pending & ~again);
    if (hit) kept <= flit2;
  end
  assign eject__valid = valid2 | again;
  assign eject__flit = again ? kept : flit2;
  assign {outputs__0__valid, outputs__0__flit} = {valid0, flit0};
  assign {outputs__1__valid, outputs__1__flit} = {valid1, flit1};
"""
MISPLACED = """
  wire hit = |valid0 & ~|valid1 & ready;
  assign {eject__valid, eject__flit} = {valid2, flit2};
  assign {outputs__0__valid, outputs__0__flit} = {hit ? 2'b0 : valid0, flit0};
  assign {outputs__1__valid, outputs__1__flit} = hit ? {valid0, flit0} : {valid1, flit1};
"""
SWAPPED = """
  reg [33:0] last;
  wire hit = valid2 & ~flit2[0] & ready;
  always @(posedge clk) if (valid2) last <= flit2;
  assign eject__valid = valid2;
  assign eject__flit = hit ? {last[33:2], flit2[1:0]} : flit2;
  assign {outputs__0__valid, outputs__0__flit} = {valid0, flit0};
  assign {outputs__1__valid, outputs__1__flit} = {valid1, flit1};
"""


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


def around(fault: str, module: str) -> str:
    """Put a fault between a router and its outputs."""
    ports = {"outputs__0": 0, "outputs__1": 1, "eject": 2}
    for name, number in ports.items():
        for part in ("valid", "flit"):
            module = module.replace(
                f".{name}__{part}({name}__{part})", f".{name}__{part}({part}{number})"
            )
    declarations = f"""  reg [15:0] count; reg done;
  wire [1:0] valid0, valid1; wire valid2; wire [33:0] flit0, flit1, flit2;
  wire ready = count >= {BEGIN} & ~done;
  always @(posedge clk) done <= ~rst & (done | hit);
{fault}"""
    return module.replace("  reg [15:0] count;\n", declarations)


@pytest.mark.regress
@pytest.mark.parametrize(
    ("fault", "where"),
    [
        (LOST, "terminal: expected valid 0x1, seen 0x0"),
        (DOUBLED, "terminal: expected valid 0x0, seen 0x1"),
        (MISPLACED, "port 0: expected valid 0x[12], seen 0x0"),
        (SWAPPED, "terminal: expected data 0x[0-9a-f]+, seen 0x[0-9a-f]+"),
    ],
    ids=["lost", "doubled", "misplaced", "swapped"],
)
def test_what_one_node_does_once_is_found(
    fault: str, where: str, folder: Path, tmp_path: Path
) -> None:
    sources = planted(tmp_path, lambda module: around(fault, module))
    beside = HardwareBeside(NETWORK, folder, sources=sources)
    with pytest.raises(SoakError) as caught:
        soak(beside).piece(0)
    found = re.fullmatch(
        rf"rotator, seed 1, piece 0, cycle (\d+), node {FLIPPED}, {where}", str(caught.value)
    )
    assert found, caught.value
    assert BEGIN <= int(found[1]) < BEGIN + 100
