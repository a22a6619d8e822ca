"""A hot spot accepts what docs/design/router.md says: no less, and no more."""

import re
from pathlib import Path

import pytest

from benchmarks.hot_spots import LENGTHS, row
from fingerpost.netfile.source import load

ROOT = Path(__file__).parents[3]

TABLE = re.findall(
    r"^\| ([\w, -]+) \| \d \|((?: [01]\.\d\d \|)+)$",
    (ROOT / "docs/design/router.md").read_text(encoding="utf-8"),
    flags=re.M,
)
"""Names of networks, and what their hot spots accept, by the length of packets."""


@pytest.mark.parametrize("name", ["petersen", "borel-21", "star-4", "petersen-up-down"])
def test_a_hot_spot_accepts_what_the_docs_say(name: str) -> None:
    [line] = [values for names, values in TABLE if name in names.split(", ")]
    said = [float(value) for value in re.findall(r"[\d.]+", line)]
    found = row(load(ROOT / f"networks/{name}.yaml"), 4000)["accepted"]
    assert [each["length"] for each in found] == [*LENGTHS]
    for each, value in zip(found, said, strict=True):
        assert each["flits"] == pytest.approx(value, abs=0.02), (
            f"{each['length']} flits: run `python -m benchmarks.hot_spots`"
        )
