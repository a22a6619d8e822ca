"""What people read: the words of the field, on lines without blanks at their ends."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fingerpost.common import Run


def test_info_names_the_bypass_limit(run: Run, borel21: Path) -> None:
    lines = [" ".join(line.split()) for line in run("info", borel21).out.splitlines()]
    assert (
        "bypass limit none (equal turns) at injection, none (equal turns) at a turn into a ring"
        in lines
    )
    # Two hops and a half a packet, as `loads` tells, over four links a node.
    assert "first-hop links load 0.62 at injection rate 1, 2.50 on the route of a packet" in lines


def test_prove_states_claim_and_assumption(run: Run, borel21: Path) -> None:
    lines = [" ".join(line.split()) for line in run("prove", borel21).out.splitlines()]
    assert lines[1:3] == [
        "deadlock free: the channel dependency graph has no cycle",
        "assumption every terminal takes arriving packets without waiting to send",
    ]


@pytest.mark.parametrize("command", ["info", "prove", "loads"])
def test_no_line_ends_in_blanks(run: Run, borel21: Path, command: str) -> None:
    lines = run(command, borel21).out.splitlines()
    assert [line for line in lines if line != line.rstrip()] == []


def test_measuring_needs_no_statistics_package() -> None:
    """Its import takes half a second, for one quantile."""
    program = "import sys, fingerpost.golden.measure; print('scipy.stats' in sys.modules)"
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ended.stdout == "False\n"
