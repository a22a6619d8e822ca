"""The helpers that make headers, in three languages, against golden's layout and headers."""

import re
import shutil
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.network.network import Network
from fingerpost.hdl.export.software import header_files, table
from tests.hdl.simulators import said
from tests.networks import load

# Fields that overlay each other; headers by source; nodes without terminal; no field but one;
# directed, with numbers that are no power of two; wide.
NETWORKS = (
    *("borel-21", "star-4", "kyklos-2-2-4", "braided-ring-16", "rotator-4", "borel-21-shortest"),
    pytest.param("scc-4", marks=pytest.mark.regress),
    pytest.param("borel-1081", marks=pytest.mark.regress),
)


class Expected(NamedTuple):
    """Values of all fields, and words with a field changed, for some words; then headers."""

    words: list[int]
    got: list[int]
    put: list[int]
    ends: list[tuple[int, int]]
    headers: list[int]


@pytest.fixture(scope="module", params=NETWORKS)
def network(request: pytest.FixtureRequest) -> Network:
    return load(request.param)


@pytest.fixture(scope="module")
def expected(network: Network) -> Expected:
    layout, terminals = network.routing.header, network.topology.terminals
    rng = np.random.default_rng(1)
    words = [0, (1 << layout.width) - 1, *rng.integers(0, 1 << layout.width, 20).tolist()]
    got = [(word >> at.offset) % (1 << at.width) for word in words for at in layout.values()]
    put = []
    for word in words:
        for at in layout.values():
            mask = (1 << at.width) - 1
            # The field is inverted, the bits around it stay.
            put.append(word ^ mask << at.offset)
    start, end = (x.ravel() for x in np.meshgrid(terminals, terminals, indexing="ij"))
    if len(start) > 10_000:
        some = rng.choice(len(start), 10_000, replace=False)
        start, end = start[some], end[some]
    headers: IntArray = network.routing.encode(start, end)
    ends = list(zip(start.tolist(), end.tolist(), strict=True))
    return Expected(words, got, put, ends, headers.tolist())


@pytest.fixture(scope="module")
def texts(network: Network) -> dict[str, str]:
    """Return the helpers by the ending of their files."""
    return {name.rpartition(".")[2]: text for name, text in header_files(network).items()}


def test_python(network: Network, expected: Expected, texts: dict[str, str]) -> None:
    module: dict[str, Any] = {}
    exec(compile(texts["py"], "header.py", "exec"), module)
    assert "import" not in texts["py"]
    fields = list(network.routing.header)
    get, put = module["get"], module["put"]
    assert [get(word, field) for word in expected.words for field in fields] == expected.got
    inverted = [
        put(word, **{field: ~get(word, field) & (1 << module["FIELDS"][field][1]) - 1})
        for word in expected.words
        for field in fields
    ]
    assert inverted == expected.put
    assert [module["header"](*ends) for ends in expected.ends] == expected.headers
    assert module["flit"](5, head=True) == network.flit.pack(data=5, head=1)
    assert module["flit"](3, tail=True) == network.flit.pack(data=3, tail=1)
    with pytest.raises(ValueError, match=rf"^{fields[0]} needs a value in 0\.\."):
        put(0, **{fields[0]: 1 << 62})
    for node in (network.topology.nodes, -1):
        with pytest.raises(ValueError, match=r"^There is no terminal at node"):
            module["header"](0, node)


def filled(program: str, **marks: str) -> str:
    """Return a program with texts for the words in capitals that stand for them."""
    for mark, text in marks.items():
        plain = text.replace("\\", "\\\\")
        program = re.sub(rf"(?<![A-Z_]){mark}(?![A-Z])", plain, program)
    return program


C = """
#include <inttypes.h>
#include <stdio.h>
#include "header.h"
int main(void) {
  static const uint64_t words[] = {WORDS};
  static const unsigned ends[][2] = {ENDS};
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
    GET
  }
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
    PUT
  }
  for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
    printf("%" PRIu64 "\\n", NAME_header(ends[i][0], ends[i][1]));
  return !(NAME_header(0, NODES) == UINT64_MAX);
}
"""


@pytest.mark.parametrize("compiler", [("gcc", "-std=c99"), ("g++", "-xc++")])
def test_c(
    network: Network,
    expected: Expected,
    texts: dict[str, str],
    compiler: tuple[str, ...],
    tmp_path: Path,
) -> None:
    name = re.findall(r"(\w+)_header\(", texts["h"])[0]
    show = 'printf("%" PRIu64 "\\n", {});'.format
    gets = {field: f"{name}_get_{field}(words[i])" for field in network.routing.header}
    program = filled(
        C,
        WORDS=", ".join(f"{word}u" for word in expected.words),
        ENDS=", ".join(f"{{{start}, {end}}}" for start, end in expected.ends),
        GET="".join(map(show, gets.values())),
        PUT="".join(show(f"{name}_set_{at}(words[i], ~{get})") for at, get in gets.items()),
        NAME=name,
        NODES=str(network.topology.nodes),
    )
    (tmp_path / "header.h").write_text(texts["h"])
    (tmp_path / "main.c").write_text(program)
    flags = "-Wall", "-Wextra", "-Werror", "-pedantic"
    said(*compiler, *flags, "-o", "main", "main.c", folder=tmp_path)
    found = [int(word) for word in said("./main", folder=tmp_path).split()]
    assert found == [*expected.got, *expected.put, *expected.headers]


VERILOG = """
module main;
  import NAME::*;
  header_t words [0:COUNT-1];
  integer i;
  initial begin
    WORDS
    for (i = 0; i < COUNT; i = i + 1) begin GET end
    for (i = 0; i < COUNT; i = i + 1) begin PUT end
    HEADERS
    if (header(0, NODES) !== {HEADER_WIDTH{1'bx}}) $display("a header to nowhere");
    if (flit(1, 0, 5) !== 21 || $bits(flit(1, 0, 5)) != FLIT_BITS) $display("not a flit");
  end
endmodule
"""


def test_system_verilog(
    network: Network, expected: Expected, texts: dict[str, str], tmp_path: Path
) -> None:
    assert shutil.which("iverilog"), "Icarus Verilog is missing: run `make setup`"
    package = texts["sv"]
    fields = list(network.routing.header)
    ends = expected.ends[:: max(1, len(expected.ends) // 500)]
    show = '$display("%0d", {});'.format
    width = network.routing.header.width
    program = filled(
        VERILOG,
        NAME=re.findall(r"package (\w+);", package)[0],
        COUNT=str(len(expected.words)),
        NODES=str(network.topology.nodes),
        WORDS=" ".join(f"words[{i}] = {width}'d{word};" for i, word in enumerate(expected.words)),
        GET="".join(show(f"get_{field}(words[i])") for field in fields),
        PUT="".join(show(f"set_{field}(words[i], ~get_{field}(words[i]))") for field in fields),
        HEADERS="".join(show(f"header({start}, {end})") for start, end in ends),
    )
    (tmp_path / "header.sv").write_text(package)
    (tmp_path / "main.sv").write_text(program)
    said("iverilog", "-g2012", "-o", "main", "header.sv", "main.sv", folder=tmp_path)
    found = [int(word) for word in said("vvp", "-n", "main", folder=tmp_path).split()]
    assert found == [
        *expected.got,
        *expected.put,
        *expected.headers[:: max(1, len(expected.ends) // 500)],
    ]


def test_headers_that_are_too_many_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = load("star-4")
    monkeypatch.setattr("fingerpost.hdl.export.software.LARGEST", 24 * 24 - 1)
    assert table(network) is None
    files = header_files(network)
    for text in files.values():
        assert "Too many headers to list" in text
        assert len(text) < 10_000
    (tmp_path / "s.py").write_text(files["star_4_header.py"])
    assert said(sys.executable, "-c", "import s; print(s.NODES)", folder=tmp_path) == "24\n"
