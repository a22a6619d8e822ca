"""Wrong options, keys and values: one line in our own words, with the remedy."""

import io
import itertools
import json
import re
from collections.abc import Iterable
from contextlib import redirect_stdout
from pathlib import Path

import pytest
import yaml

import fingerpost
from fingerpost.boards import BOARDS
from fingerpost.cli.app import TASKS, loaded, summary
from fingerpost.golden.traffic.arrivals import ARRIVALS
from fingerpost.golden.traffic.patterns import PATTERNS
from fingerpost.netfile.scaffold import KINDS
from fingerpost.testbench.benches import LEVELS
from tests.fingerpost.common import NETWORKS, REFUSALS, Run, words

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
    assert (ended.status, ended.out) == (2, "")
    if said.endswith("..."):
        assert ended.err.startswith(f"fingerpost: {message[:-3].rstrip()}")
        assert ended.err.count("\n") == 1
    else:
        assert ended.err == f"fingerpost: {message}\n"
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
    assert ended.err.startswith("fingerpost: x.yaml:")
    if message.endswith(" ..."):
        assert message.removesuffix(" ...") in ended.err
    else:
        assert ended.err.endswith(f"{message}\n")


def test_words_of_other_tools_on_the_command_line(run: Run) -> None:
    ended = run("info", NETWORKS / "torus-8x8.yaml", "--routing", "xy")
    assert ended.err.endswith("not 'xy'; did you mean dimension-order?\n")


def test_faults_may_be_a_list(run: Run, tmp_path: Path) -> None:
    answers = []
    for faults in ("link:0-1,node:8", ["link:0-1", "node:8"]):
        path = tmp_path / "x.yaml"
        grid = {"family": "grid", "sizes": [3, 3]}
        path.write_text(yaml.safe_dump({"name": "x", "topology": grid, "faults": faults}))
        answers.append(run("info", path, "--json").json)
    assert answers[0] == answers[1]
    assert answers[0]["faults"]["links"] == [[0, 1]]


@pytest.mark.regress
@pytest.mark.parametrize("name", ["c", "c.svg", "c.png"])
def test_a_sweep_may_be_called_after_one_of_its_files(run: Run, tmp_path: Path, name: str) -> None:
    short = ("--loads", 0.1, "--cycles", 50, "--warm-up", 10, "--resolution", 0)
    assert run("sweep", NET, *short, "-o", tmp_path / name).status == 0
    kind = "png" if name.endswith("png") else "svg"
    made = {f"c.{ending}" for ending in (kind, "csv", "json", "jsonl")}
    assert {path.name for path in tmp_path.iterdir()} == made


def test_a_certificate_may_go_into_a_folder(run: Run, tmp_path: Path) -> None:
    assert run("prove", NET, "-o", tmp_path).status == 0
    assert [path.name for path in tmp_path.iterdir()] == ["certificate.json"]


def test_new_has_one_sentence_a_section_and_no_markup(run: Run) -> None:
    text = run("new", "star").out
    about = text[: text.index("router:\n")].splitlines()[-1]
    assert about == (
        "# Parameters of the router at every node: flit width, buffers and virtual channels."
    )
    assert "``" not in text


def test_help_of_all_is_read_from_the_files_of_the_commands() -> None:
    names = [name for group in TASKS.values() for name in group]
    files = (Path(fingerpost.__file__).parent / "commands").glob("[a-z]*.py")
    assert sorted(names) == sorted(path.stem for path in files)
    for name in names:
        assert summary(name) == str(loaded(name).help).partition("\n\n")[0]
        assert loaded(name).epilog.split()[:3] == ["Example:", "fingerpost", name]


COMPLETED = """
simu | simulate
new s | star scc super-rotator
new --router | wormhole deflection
new --link | flit os-link
new --terminal | credit axi-stream os-link mailbox
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
