"""The plain form: chosen by a setting, or because numba is not there; nothing imports it then."""

import json
import os
import subprocess
import sys
from subprocess import CompletedProcess

import pytest

from fingerpost.golden.jit.compile import SETTING

HIDE = "import sys; sys.modules['numba'] = sys.modules['llvmlite'] = None; "
"""Lets the import of both fail, as where they are not installed."""

MAIN = "from fingerpost.cli.main import main; sys.exit(main(sys.argv[1:]))"


def python(code: str, *arguments: str, form: str = "") -> CompletedProcess[str]:
    """Run a program in a process of its own; numbers that wrap around are errors."""
    return subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", code, *arguments],
        env=os.environ | {SETTING: form},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize("name", ["petersen", "borel-21-deflection"])
def test_a_simulation_without_numba_is_plain_and_says_so(name: str) -> None:
    arguments = "simulate", f"networks/{name}.yaml", "--cycles", "200", "--json"
    ended = python(HIDE + MAIN, *arguments)
    assert ended.returncode in (0, 5)
    why = "numba is not installed"
    said = f"fingerpost: {name} runs as plain Python, hundreds of times slower: {why}\n"
    assert ended.stderr == said
    facts = json.loads(ended.stdout)
    assert (facts["engine"], facts["why"]) == ("plain", why)


def test_there_are_two_forms() -> None:
    ended = python("import sys; " + MAIN, "simulate", "networks/petersen.yaml", form="plan")
    message = f"fingerpost: {SETTING} needs to be compiled or plain, not 'plan'\n"
    assert (ended.returncode, ended.stderr, ended.stdout) == (2, message, "")
