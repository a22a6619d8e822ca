"""Results carry how they were made, whatever file they are in."""

import csv
import json
from collections.abc import Callable
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
from fingerpost.netfile.source import load
from tests.fingerpost.common import NETWORKS, Run

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


@pytest.fixture
def expected(run: Run, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """What is expected; the hash is that of the description in the manifest."""
    assert run("generate", NET, "-o", tmp_path / "generated").status == 0
    manifest = json.loads((tmp_path / "generated/petersen.json").read_text())
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
        (f"loads {NET} -o out.svg", None, {"svg": in_svg}),
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
    for suffix, read in files.items():
        [path] = Path().glob(f"*.{suffix}")
        assert read(path) == expected(f"fingerpost {words}", seed)
        before = path.read_bytes()
        assert run(*words.split()).status == 0
        assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "seed"),
    [
        (f"simulate {NET} --cycles 20 --seed 7 --json", 7),
        (f"info {NET} --json", None),
        (f"survive {NET} --samples 9 --link-failure 0.1 --json", 0),
    ],
)
def test_answers_carry_it(
    run: Run, expected: Callable[..., dict[str, Any]], words: str, seed: object
) -> None:
    assert run(*words.split()).json["provenance"] == expected(f"fingerpost {words}", seed)


def test_words_are_quoted(run: Run) -> None:
    ended = run("survive", NET, "--link-failure", "0.1", "--samples", "9", "--seed", " 1", "--json")
    assert "--seed ' 1' --json" in ended.json["provenance"]["command"]


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
