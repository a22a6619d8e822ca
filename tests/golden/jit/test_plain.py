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

SMALL = "networks/petersen.yaml", "--cycles", "200", "--json"


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


def test_the_library_needs_no_numba() -> None:
    modules = "golden, fingerpost.golden.engine, fingerpost.golden.measure, fingerpost.netfile"
    ended = python(f"{HIDE} import fingerpost.{modules}")
    assert (ended.returncode, ended.stderr) == (0, "")


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


FORM = """
import sys
from fingerpost.golden.engine import engine
from fingerpost.golden.traffic import Windows
from fingerpost.netfile.source import load_any
network = load_any(sys.argv[1])
windows = Windows(network, 0.2, 200, packets=100) if sys.argv[2:] else None
traffic, *more = windows or [Windows(network, 0.2, 50).joined()]
model = engine(network, [traffic], compiled=False)
for each in [*more, None]:
    model.run(50)
    if windows:
        model.exchange(each)
print(model.name, sum(model.runs[0].received) > 0, "numba" in sys.modules)
"""


@pytest.mark.parametrize(
    ("name", "windows"),
    [
        ("petersen", ()),
        ("petersen", ("windows",)),
        ("mesh-4x4-flow", ()),
        ("borel-21-deflection", ()),
    ],
)
def test_an_engine_that_is_not_to_be_compiled_imports_no_numba(
    name: str, windows: tuple[str, ...]
) -> None:
    ended = python(FORM, f"networks/{name}.yaml", *windows)
    assert (ended.stderr, ended.stdout) == ("", "plain True False\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("simulate", *SMALL),
        ("soak", "networks/petersen.yaml", "--flits", "500", "--json"),
        ("sweep", *SMALL, "--loads", "0.1", "--resolution", "0"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_commands_run_the_form_that_is_chosen(arguments: tuple[str, ...]) -> None:
    found = python("import sys; " + MAIN, *arguments, form="plain")
    assert (found.returncode in (0, 5), found.stderr) == (True, "")
    facts = json.loads(found.stdout)
    if arguments[0] != "sweep":
        row = facts.get("networks", [facts])[0]
        assert (row["engine"], row["why"]) == ("plain", f"{SETTING} is plain")


def test_there_are_two_forms() -> None:
    ended = python("import sys; " + MAIN, "simulate", *SMALL, form="plan")
    message = f"fingerpost: {SETTING} needs to be compiled or plain, not 'plan'\n"
    assert (ended.returncode, ended.stderr, ended.stdout) == (2, message, "")
