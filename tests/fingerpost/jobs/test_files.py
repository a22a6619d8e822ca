"""Files that are complete or not there, tools that write them once, and how results were made."""

import csv
import errno
import json
import os
import shlex
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from html.parser import HTMLParser
from importlib.metadata import version
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest

from fingerpost.drawing.draw import draw
from fingerpost.golden.traffic.patterns.table import read_columns
from fingerpost.hdl.export.generate import generate
from fingerpost.jobs import files
from fingerpost.jobs.tools import run_once
from fingerpost.netfile.source import load
from tests.fingerpost.common import NETWORKS, Run


def test_a_file_is_written_over_but_a_device_is_not(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("old", encoding="utf-8")
    files.write(tmp_path / "x", lambda path: path.touch())
    assert not (tmp_path / "x").read_text(encoding="utf-8")
    for path in (tmp_path, Path("/dev/null")):
        with pytest.raises(ValueError, match=r"is no file, so it cannot be written$"):
            files.write(path, lambda path: pytest.fail("this is work, and cannot be written"))


def test_a_file_system_that_may_not_be_written_on_is_told_by_the_name_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, *_: Any, **__: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    for method in ("open", "unlink"):  # Linux refuses to remove even what is not there
        monkeypatch.setattr(Path, method, refuse)
    with pytest.raises(OSError, match="Read-only") as error:
        files.write_text(tmp_path / "x.svg", "text")
    assert error.value.filename == str(tmp_path / "x.svg")


def test_threads_that_write_one_file_do_not_mix(tmp_path: Path) -> None:
    def work(text: str) -> None:
        for _ in range(50):
            files.write_text(tmp_path / "x", text)
            assert len(set((tmp_path / "x").read_text(encoding="utf-8"))) == 1

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, (letter * 10_000 for letter in "abcd")))
    assert [file.name for file in tmp_path.iterdir()] == ["x"]


TOOL = """#!/bin/sh
test "$1" = --version && exit
echo ran >> calls
sleep 0.2
cat in > out
"""


def test_a_tool_runs_once_for_all_that_wait(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text(TOOL)
    tool.chmod(0o755)
    (tmp_path / "in").write_text("one")

    def ask(_: int) -> str:
        run_once([str(tool), "-x"], tmp_path, reads=["in"], writes="out")
        return (tmp_path / "out").read_text()

    started = time.monotonic()
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(ask, range(4))) == {"one"}
    assert (tmp_path / "calls").read_text().splitlines() == ["ran"]
    assert time.monotonic() - started >= 0.2
    (tmp_path / "in").write_text("two")
    assert ask(0) == "two"
    names = {file.name for file in tmp_path.iterdir()}
    assert names == {"tool", "in", "out", "calls", "out.made-of"}


NET = NETWORKS / "petersen.yaml"
SWEEP = "--loads 0.2 --seeds 3,4 --cycles 20 --warm-up 5 --resolution 0 --cluster"
SURVEY = f"survey {NET} -o out --cluster"


def in_svg(path: Path) -> Any:
    [said] = ElementTree.parse(path).iter("{http://purl.org/dc/elements/1.1/}description")
    return json.loads(said.text or "")


def in_csv(path: Path) -> Any:
    comment, _, rest = path.read_text().partition("\n")
    assert next(csv.reader(rest.splitlines()))  # the names of the columns follow
    return json.loads(comment.removeprefix("# provenance: "))


def in_html(path: Path) -> Any:
    found = []

    class Metas(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            if dict(attrs).get("name") == "provenance":
                found.append(dict(attrs)["content"])

    Metas().feed(path.read_text())
    [said] = found
    return json.loads(said or "")


def in_parquet(path: Path) -> Any:
    return json.loads(pq.read_schema(path).metadata[b"provenance"])


def in_json(path: Path) -> Any:
    return json.loads(path.read_text())["provenance"]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., dict[str, Any]]:
    """What is expected; the hash is that of the description in the manifest."""
    written = generate(load(NET), tmp_path_factory.mktemp("generated"))
    manifest = json.loads(written[-1].read_text())
    text = json.dumps(manifest["description"], sort_keys=True, separators=(",", ":"))
    network = {"name": "petersen", "description_sha256": sha256(text.encode()).hexdigest()}

    def expect(command: str, seed: object) -> dict[str, Any]:
        return {
            "version": version("fingerpost"),
            "command": command,
            "networks": [network],
            "seed": seed,
        }

    return expect


@pytest.mark.parametrize(
    ("words", "seed", "files"),
    [
        (f"sweep {NET} -o out {SWEEP}", "3,4", {"svg": in_svg, "csv": in_csv, "json": in_json}),
        (f"sweep {NET} --table parquet -o out {SWEEP}", "3,4", {"parquet": in_parquet}),
        (f"draw {NET} -o out.svg", None, {"svg": in_svg}),
        (SURVEY, None, {"svg": in_svg, "csv": in_csv, "json": in_json}),
        (f"report {NET} -o .", None, {"html": in_html}),
    ],
)
def test_files_carry_it(
    run: Run,
    expected: Callable[..., dict[str, Any]],
    here: None,
    cluster: str,
    words: str,
    seed: object,
    files: dict[str, Callable[[Path], Any]],
) -> None:
    words = f"{words} {cluster}" if words.endswith("--cluster") else words
    ended = run(*words.split())
    assert ended.status == 0, ended.err
    before: dict[Path, bytes] = {}
    for suffix, read in files.items():
        [path] = Path().glob(f"*.{suffix}")
        assert read(path) == expected(f"fingerpost {words}", seed)
        before[path] = path.read_bytes()
    assert run(*words.split()).status == 0
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize(
    ("words", "seed"),
    [
        (f"simulate {NET} --cycles 20 --seed 7 --json", 7),
        (f"info {NET} --json", None),
        (f"survive {NET} --samples 9 --link-failure 0.1 --seed ' 1' --json", 1),
    ],
)
def test_answers_carry_it(
    run: Run, expected: Callable[..., dict[str, Any]], words: str, seed: object
) -> None:
    assert run(*shlex.split(words)).json["provenance"] == expected(f"fingerpost {words}", seed)


def test_without_a_command_it_is_the_version(tmp_path: Path, run: Run) -> None:
    assert run("info", NET).status == 0
    draw(load(NET), tmp_path / "out.svg")  # from Python, after a command
    said: dict[str, Any] = {
        "version": version("fingerpost"),
        "command": None,
        "networks": [],
        "seed": None,
    }
    assert in_svg(tmp_path / "out.svg") == said


def test_tables_are_read_below_it(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("# provenance: {}\nnodes,load\n10,0.5\n12,x\n")
    wanted = {"nodes": ("nodes", int)}
    assert read_columns(str(path), wanted)["nodes"].tolist() == [10, 12]
    with pytest.raises(ValueError, match=r"rows\.csv:4: load: needs a number, not 'x'$"):
        read_columns(str(path), {"load": ("load", float)})
