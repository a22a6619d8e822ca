"""Stream links under words that are lost, damaged, late or wait, and links that go down.

The account of flits is that of the bench, in Verilog; it knows neither model nor frames.
"""

import os
import re
import subprocess
from itertools import combinations
from pathlib import Path

import pytest

from fingerpost.golden.link.frames import CRC_POLYNOMIAL, frames_for, time_out
from fingerpost.hdl.emit.printer import module_verilog
from fingerpost.hdl.link.stream_end import StreamEnd
from fingerpost.testbench.toolchain import environment
from tests.networks import only

BENCH = Path(__file__).parent / "stream_link.sv"
CYCLES, FRAME, DEPTH = 40, 30, 4

DISTURBED = [
    {},
    {"lost": 1000, "damaged": 1000},
    {"damaged": 20_000},
    {"cuts": 5, "waits": 60, "returned": 120},
    {"rate": 40, "lost": 3000},
]
"""Arguments of the bench."""


def end(channels: int) -> str:
    """Return an end as Verilog."""
    given = {"width": 64, "channels": channels, "flit_width": 32, "depth": DEPTH}
    frames = frames_for(cycles=CYCLES, flits=FRAME, **given)
    assert frames is not None
    late = time_out(CYCLES, FRAME)
    return module_verilog(StreamEnd(frames, width=64, depth=DEPTH, time_out=late), "stream_end")


def run(*command: str, folder: Path, simulator: str = "icarus") -> str:
    """Run a command, and return what it says."""
    env = os.environ | environment(simulator)
    done = subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True, env=env)
    assert not done.returncode, done.stdout + done.stderr
    return done.stdout


def arguments(given: dict[str, int]) -> list[str]:
    """Return arguments of the bench as it takes them."""
    return [f"+{name}={value}" for name, value in given.items()]


@pytest.fixture(scope="module", params=[2, 4])
def bench(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the bench, compiled by Icarus."""
    folder = tmp_path_factory.mktemp("stream_link")
    (folder / "end.v").write_text(end(request.param))
    parameters = f"-Pbench.V={request.param}", "-Pbench.LATE=20"
    compile = "iverilog", "-g2012", "-s", "bench", *parameters, "-o", "bench", str(BENCH), "end.v"
    run(*compile, folder=folder)
    return folder


@pytest.mark.parametrize(
    "given", only([x for x in DISTURBED if x.keys() != {"damaged"}], DISTURBED), ids=str
)
def test_every_flit_arrives_once_and_in_order(bench: Path, given: dict[str, int]) -> None:
    """Nothing is lost, doubled, reordered or changed, and no credit is given twice."""
    said = run("vvp", "bench", *arguments({"flits": 2000} | given), folder=bench)
    assert re.search(r"all \d+ arrived", said), said


def test_nothing_passes_after_one_end_was_reset_alone(bench: Path) -> None:
    """What it had accepted would come again."""
    said = run("vvp", "bench", *arguments({"flits": 600, "alone": 1}), folder=bench)
    assert "all stopped" in said, said


@pytest.mark.verilator
@pytest.mark.regress
@pytest.mark.parametrize("late", [0, 20])
def test_a_million_flits(late: int, tmp_path: Path) -> None:
    """The same at length; an undisturbed link carries 0.9 flits in a cycle each way."""
    (tmp_path / "end.v").write_text(end(2))
    flags = "--binary", "--timing", "-O3", "-Wno-fatal", "-Wno-lint", f"-GLATE={late}"
    sources = str(BENCH), "end.v", "--top-module", "bench", "-o", "bench", "--Mdir", "made"
    run("verilator", *flags, *sources, folder=tmp_path, simulator="verilator")
    cases = [
        {"flits": 1_000_000},
        {"flits": 1_000_000, "lost": 32, "damaged": 64},
        {"flits": 1_000_000, "cuts": 100},
        *({"flits": 300_000} | given for given in DISTURBED),
    ]
    for given in cases:
        said = run("made/bench", *arguments(given), folder=tmp_path)
        assert re.search(r"all \d+ arrived", said), said
        if given == cases[0] and not late:
            assert float(re.findall(r"a cycle: ([\d.]+)", said)[0]) > 0.9, said


def test_the_crc_finds_five_wrong_bits() -> None:
    """No error of up to five bits in the longest frame of 64-bit words is a multiple of it.

    The polynomial has an even number of terms: all errors of an odd number of bits are found. Those
    of two and of four are, if the remainders of all bits, and of all pairs, differ.
    """
    bits = (FRAME + 1) * 37
    remainders, remainder = [], 1
    for _ in range(bits):
        remainders.append(remainder)
        remainder <<= 1
        if remainder >> 32:
            remainder ^= 1 << 32 | CRC_POLYNOMIAL
    assert (1 + CRC_POLYNOMIAL.bit_count()) % 2 == 0
    pairs = {first ^ second for first, second in combinations(remainders, 2)}
    assert len(pairs) == bits * (bits - 1) // 2
    assert 0 not in pairs
