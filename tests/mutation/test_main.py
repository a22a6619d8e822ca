"""The table of mutants, and the file that explains those that live."""

import json
import re
from pathlib import Path

import pytest

from mutation import __main__ as command
from mutation.campaign import FILE, Explained, Fate, Killed, Subject, read
from mutation.mutated import Mutant
from mutation.subjects import SUBJECTS

FOUND, SAME, LIVES = (
    Mutant(number, "inv", f"input0.queue0.${number}", "A[0]", ("hdl/router/vc_buffer.py:1",))
    for number in (1, 2, 3)
)
FATES = [
    Fate(FOUND, Killed("router", 7)), Fate(SAME, None, True), Fate(LIVES, None, False),
]  # fmt: skip


def run(
    monkeypatch: pytest.MonkeyPatch, explained: tuple[Explained, ...], *options: str
) -> int:  # fmt: skip
    monkeypatch.setattr(command, "campaign", lambda *_, **__: FATES)
    monkeypatch.setattr(command, "read", lambda: explained)
    return command.main(["rotator", *options])


def entry(*mutants: Mutant) -> tuple[Explained, ...]:
    return (Explained("rotator", tuple(mutant.name for mutant in mutants), "because"),)


def test_one_that_lives_needs_a_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, options = tmp_path / "build" / "mutation.json", ["--directory", str(tmp_path)]
    assert run(monkeypatch, (), *options, "--json", str(file)) == 1
    said = capsys.readouterr().out
    alive = r"^alive: rotator, 3: inv input0\.queue0\.\$3 A\[0\] hdl/router/vc_buffer"
    assert re.search(alive, said, re.M)
    assert re.search(r"queue +3( +0 +1)( +0){3} +1 +0 +1 +50\.0", said)
    rows = json.loads(file.read_text())["mutants"]
    assert [row["verdict"] for row in rows] == ["killed by router", "equivalent", "alive"]
    assert [row["cycle"] for row in rows] == [7, None, None]
    assert run(monkeypatch, entry(LIVES), *options) == 0
    assert re.search(r"queue +3( +0 +1)( +0){3} +1 +1 +0 +50\.0", capsys.readouterr().out)


def test_an_entry_for_one_that_is_killed_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(monkeypatch, entry(LIVES, SAME), "--directory", str(tmp_path)) == 0
    assert run(monkeypatch, entry(LIVES, FOUND), "--directory", str(tmp_path)) == 1
    said = capsys.readouterr().out
    assert f"explained, and killed: rotator: {FOUND.name}" in said


def test_names_what_it_knows(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["nowhere"])
    assert "SUBJECT needs to be part of a name that --list prints, not nowhere" in (
        capsys.readouterr().err
    )
    assert command.main(["borel-21", "axi_receiver", "--list"]) == 0
    assert capsys.readouterr().out == "borel-21\naxi_receiver\n"


def test_explanations_are_of_what_is_mutated(tmp_path: Path) -> None:
    entries = read(FILE)
    assert {entry.subject for entry in entries} <= {subject.name for subject in SUBJECTS}
    assert all(entry.because and entry.mutants for entry in entries)
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("- {subject: rotator, mutants: [x]}\n")
    message = r"^wrong\.yaml needs subject, mutants, because in each entry, not subject, mutants$"
    with pytest.raises(ValueError, match=message):
        read(wrong)


@pytest.mark.regress
@pytest.mark.parametrize(
    "subject",
    [x for x in SUBJECTS if x.name in {entry.subject for entry in read()}],
    ids=lambda subject: subject.name,
)
def test_explanations_are_of_mutants_that_are_made(subject: Subject, tmp_path: Path) -> None:
    # If lines of hdl/ move or other mutants are drawn, mend the file, too.
    explained = {x for entry in read() if entry.subject == subject.name for x in entry.mutants}
    hunt = subject.hunt(count=command.COUNT, seed=command.SEED, cache=tmp_path)
    assert not explained - {mutant.name for mutant in hunt.mutants}
