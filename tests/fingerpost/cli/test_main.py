"""The entry point; wrong options, keys and values: one line in our own words, with the remedy."""

import io
import itertools
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from itertools import islice
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import pytest
import yaml

import fingerpost
from fingerpost.boards import BOARDS
from fingerpost.cli.app import TASKS, TOGETHER, loaded, summary
from fingerpost.cli.main import _open_streams
from fingerpost.commands.demo import _steps
from fingerpost.golden.traffic.arrivals import ARRIVALS
from fingerpost.golden.traffic.patterns import PATTERNS
from fingerpost.netfile.scaffold import KINDS
from fingerpost.testbench.benches import LEVELS
from tests.fingerpost.common import (
    NETWORKS,
    REFUSALS,
    Run,
    like,
    python,
    without_progress,
    words,
    written,
)

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


@pytest.mark.parametrize(("arguments", "unbuffered"), [((), ""), (("--json",), "1")])
def test_full_disk_behind_standard_output(
    borel21: Path, arguments: tuple[str, ...], unbuffered: str
) -> None:
    variables = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with Path("/dev/full").open("w") as full:
        ended = python("-m", "fingerpost", "info", borel21, *arguments, stdout=full, env=variables)
    assert ended.returncode == 2
    message = "fingerpost: standard output: No space left on device\n"
    assert without_progress(ended.stderr) == message


NO_KEYS = "a network file needs keys such as name, topology, routing, as in networks/borel-21.yaml"
CLOSED = "fingerpost: standard output is closed; send it to a file or to /dev/null\n"


@pytest.mark.parametrize(
    ("redirection", "net", "status", "err"),
    [
        (">&-", "borel-21", 2, CLOSED),
        (">&- 2>&-", "borel-21", 2, ""),
        ("2>&-", "borel-21", 0, ""),
        ("2>&-", "nothing", 2, ""),  # and the message does not go to standard output
        ("2>/dev/full", "nothing", 2, ""),
        ("- <&-", "", 2, f"fingerpost: <stdin>:1: {NO_KEYS}, not an empty file\n"),
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
    assert (ended.returncode, without_progress(ended.stderr)) == (status, err)
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
    assert (ended.returncode, without_progress(ended.stderr.decode())) == (0, "")
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


def test_constants_route_and_proof_of_the_demonstration_are_those_of_the_paper(
    tmp_path: Path,
) -> None:
    assert list(islice(_steps(tmp_path), 3)) == [True, True, True]  # that need no simulator


NET = NETWORKS / "petersen.yaml"
WRONG = REFUSALS["wrong"].splitlines()


GIVEN = [line.partition(" | ") for line in REFUSALS["given"].splitlines()]
CASES = [*(("", line) for line in WRONG), *((text, line) for text, _, line in GIVEN)]


@pytest.mark.parametrize(
    ("text", "line"), [*CASES, ("", f"route borel-21.yaml 0 {'9' * 4000} | Node needs ...")]
)
@pytest.mark.usefixtures("here")
def test_wrong_use_is_one_line_and_leaves_nothing(run: Run, text: str, line: str) -> None:
    if text:
        Path("given").write_text(text.replace("\\n", "\n"))
    command, said = line.split(" | ")
    message = said.replace("{NETWORKS}", str(NETWORKS))
    ended = run(*words(command))
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert like(f"fingerpost: {message}\n", ended.err)
    assert len(ended.err) < 2100
    left = {path.name: path.read_text() for path in Path().iterdir()}
    assert left == ({"given": text.replace("\\n", "\n")} if text else {})


@pytest.mark.parametrize("line", REFUSALS["files"].splitlines())
@pytest.mark.usefixtures("here")
def test_a_wrong_file_is_refused_in_one_line(run: Run, line: str) -> None:
    """Among them words of other tools."""
    change, message = line.split(" | ")
    grid = {"family": "grid", "sizes": [3, 3]}
    keys = {"name": "x", "topology": grid} | yaml.safe_load(change)
    Path("x.yaml").write_text("".join(f"{key}: {json.dumps(keys[key])}\n" for key in keys))
    ended = run("info", "x.yaml")
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert like(f"fingerpost: x.yaml:...{message.removesuffix(' ...')}...", ended.err)
    assert message.endswith(" ...") or ended.err.endswith(f"{message}\n")


@pytest.mark.regress
@pytest.mark.parametrize("name", ["c", "c.svg", "c.png"])
def test_a_sweep_may_be_called_after_one_of_its_files(run: Run, tmp_path: Path, name: str) -> None:
    short = ("--loads", 0.1, "--cycles", 50, "--warm-up", 10, "--resolution", 0)
    assert run("sweep", NET, *short, "-o", tmp_path / name).status == 0
    kind = name.partition(".")[2] or "svg"
    made = {f"c.{ending}" for ending in (kind, "csv", "json", "jsonl")}
    assert {path.name for path in tmp_path.iterdir()} == made


def test_help_of_all_is_read_from_the_files_of_the_commands() -> None:
    names = [name for group in TASKS.values() for name in group]
    files = (Path(fingerpost.__file__).parent / "commands").glob("[a-z]*.py")
    assert {TOGETHER.get(name, name) for name in names} == {path.stem for path in files}
    for name in names:
        assert summary(name) == str(loaded(name).help).partition("\n\n")[0]
        assert loaded(name).epilog.split()[:3] == ["Example:", "fingerpost", name]


COMPLETED = """
simu | simulate
new s | star scc super-rotator slim-fly
new --router | wormhole deflection
new --link | flit os-link stream
new --terminal | credit axi-stream os-link mailbox axi4
examples hyper | hypercube-6
simulate x --traffic t | transpose tornado trace
simulate x --arrivals | bernoulli on-off self-similar
sweep x --routing r | random rotator
loads x --routing di | dimension-order
cosim x --simulator | icarus verilator
cosim x --level | unit path router network clocks
cost x --part m | mailbox
board x --board ulx3s-8 | ulx3s-85f
"""
"""Words, the last of which is begun or, after an option, empty; and what a shell offers."""


@pytest.mark.parametrize("line", COMPLETED.strip().splitlines())
def test_completion_knows_commands_and_values(
    line: str, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    given, offered = line.split(" | ")
    command = ["fingerpost", *given.split(), *([""] if given.split()[-1].startswith("-") else [])]
    monkeypatch.setenv("_FINGERPOST_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", " ".join(command))
    monkeypatch.setenv("COMP_CWORD", str(len(command) - 1))
    said = io.StringIO()
    with pytest.raises(SystemExit), redirect_stdout(said):
        run()
    assert said.getvalue().split() == offered.split()


@pytest.mark.parametrize(
    ("option", "names"),
    [
        ("--traffic", PATTERNS),
        ("--arrivals", ARRIVALS),
        *((f"--{section}", kinds) for section, kinds in KINDS.items()),
        ("--level", LEVELS),
        ("--board", BOARDS),
    ],
)
def test_help_names_every_value(option: str, names: Iterable[str], run: Run) -> None:
    commands = {"--router": "new", "--link": "new", "--terminal": "new", "--board": "board"}
    text = run(commands.get(option, "cosim"), "--help").out
    lines = [re.sub(r"[│]", " ", line) for line in text.splitlines()]
    (first,) = (n for n, line in enumerate(lines) if line.split()[:1] == [option])
    rest = itertools.takewhile(lambda line: not line.strip().startswith("-"), lines[first + 1 :])
    described = " ".join(" ".join([lines[first], *rest]).split())
    assert [name for name in names if not re.search(rf"\b{name}\b", described)] == []
