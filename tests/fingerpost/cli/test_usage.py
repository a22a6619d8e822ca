"""Wrong options, keys and values: one line in our own words, with the remedy."""

from pathlib import Path

import pytest
import yaml

from fingerpost.cli.main import main
from tests.fingerpost.common import NETWORKS, Run

NET = NETWORKS / "petersen.yaml"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("simulate", NET, "--load", "abc"), "--load needs a number, not 'abc'"),
        (("simulate", NET, "--cycles", "1.5"), "--cycles needs a whole number, not '1.5'"),
        (("simulate", NET, "--cycles", 0), "--cycles needs at least 1, not 0"),
        (("survive", NET, "--node-failure", 3), "--node-failure needs at most 1, not 3"),
        (
            ("cosim", NET, "--simulator", "vcs"),
            "--simulator needs one of icarus, verilator, not 'vcs'",
        ),
        (("simulate", NET, "--lod", 1), "No such option: --lod; did you mean --load?"),
        (("simlate", NET), "No such command 'simlate'. Did you mean 'simulate'?"),
    ],
)
def test_wrong_options(run: Run, arguments: tuple[object, ...], message: str) -> None:
    ended = run(*arguments)
    see = "fingerpost" if "command" in message else f"fingerpost {arguments[0]}"
    assert ended == (2, "", f"fingerpost: {message} (see {see} --help)\n")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"router": {"vc": 2}}, "router.vc: unknown key; did you mean virtual_channels?"),
        ({"vcs": 2}, "vcs: unknown key; did you mean router.virtual_channels?"),
        ({"router": {"buffers": 4}}, "router.buffers: unknown key; did you mean buffer_depth?"),
        ({"router": {"width": 4}}, "router.width: unknown key; did you mean flit_width?"),
        (
            {"topology": {"family": "mesh", "sizes": [4, 4]}},
            "not 'mesh'; did you mean grid, with sizes: [4, 4]?",
        ),
        (
            {"topology": {"family": "torus"}},
            "not 'torus'; did you mean grid, with sizes: [4, 4] and wrap: true?",
        ),
        (
            {"topology": {"family": "Hypercube"}},
            "not 'Hypercube'; did you mean grid, with sizes: [2, 2, 2]?",
        ),
        (
            {"topology": {"family": "ring"}},
            "not 'ring'; did you mean grid, with sizes: [8] and wrap: true?",
        ),
        ({"routing": {"algorithm": "xy"}}, "not 'xy'; did you mean dimension-order?"),
        ({"routing": {"algorithm": "DOR"}}, "not 'DOR'; did you mean dimension-order?"),
        ({"routing": {"algorithm": "dijkstra"}}, "not 'dijkstra'; did you mean table?"),
        ({"routing": {"algorithm": "shortest"}}, "not 'shortest'; did you mean table?"),
        ({"router": {"courtesy": 2}}, "router.courtesy: unknown key; did you mean bypass_limit?"),
        (
            {"router": {"turn_courtesy": 2}},
            "router.turn_courtesy: unknown key; did you mean turn_bypass_limit?",
        ),
        ({"faults": [3]}, "nodes=1 or seed=7, with commas between, not [3]"),
    ],
)
def test_words_of_other_tools(
    run: Run, tmp_path: Path, change: dict[str, object], message: str
) -> None:
    path = tmp_path / "x.yaml"
    grid = {"family": "grid", "sizes": [3, 3]}
    path.write_text(yaml.safe_dump({"name": "x", "topology": grid, **change}))
    ended = run("info", path)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.endswith(f"{message}\n")
    assert ended.err.count("\n") == 1


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


def test_survive_asks_for_a_probability(run: Run) -> None:
    message = (
        "survive needs --node-failure, --link-failure or both: probabilities, as in "
        "--node-failure 0.05"
    )
    assert run("survive", NET) == (2, "", f"fingerpost: {message}\n")


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


def test_completion_knows_the_commands(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_FINGERPOST_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "fingerpost simu")
    monkeypatch.setenv("COMP_CWORD", "1")
    with pytest.raises(SystemExit):
        main([])
    assert capsys.readouterr().out.split() == ["simulate"]


def test_new_has_one_sentence_a_section_and_no_markup(run: Run) -> None:
    text = run("new", "star").out
    about = text[: text.index("router:\n")].splitlines()[-1]
    assert about == (
        "# Parameters of the router at every node: flit width, buffers and virtual channels."
    )
    assert "``" not in text
