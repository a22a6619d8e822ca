"""One description of the registers: what others read in SystemRDL and in C is the same."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from systemrdl.compiler import RDLCompiler
from systemrdl.node import RegNode

from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.counting import register_map
from fingerpost.hdl.emit.manifest import manifest
from fingerpost.hdl.export.generate import generate
from fingerpost.hdl.export.registers import counter_files
from tests.networks import load

ROOT = Path(__file__).parents[3]

COUNTED: dict[str, Any] = {
    "name": "few-2x3",
    "topology": {"family": "grid", "sizes": [2, 3]},
    "routing": {"algorithm": "dimension-order"},
    "counters": {"kind": "axi-lite"},
}

PROGRAM = """
#include <stdio.h>
#include "few.h"
#define SHOW(name, address) printf("%s %u\\n", name, (unsigned)(address))
int main(void) {
  SHOW("id", FEW_2X3_COUNTERS_ID);
  SHOW("version", FEW_2X3_COUNTERS_VERSION);
  SHOW("shape", FEW_2X3_COUNTERS_SHAPE);
  SHOW("control", FEW_2X3_COUNTERS_CONTROL);
  SHOW("status", FEW_2X3_COUNTERS_STATUS);
  SHOW("hash[7]", FEW_2X3_COUNTERS_HASH(7));
  SHOW("cycles", FEW_2X3_COUNTERS_CYCLES);
  SHOW("node[5].sent", FEW_2X3_COUNTERS_SENT(5));
  SHOW("node[4].received", FEW_2X3_COUNTERS_RECEIVED(4));
  SHOW("node[3].out[2]", FEW_2X3_COUNTERS_OUT(3, 2));
  SHOW("node[2].stalled[3]", FEW_2X3_COUNTERS_STALLED(2, 3));
  SHOW("node[1].errors", FEW_2X3_COUNTERS_ERRORS(1));
  SHOW("node[0].overruns", FEW_2X3_COUNTERS_OVERRUNS(0));
  for (unsigned node = 0; node < 6; node++)
    for (unsigned port = 0; port < 3; port++)
      printf("in %u %u %u\\n", node, port, (unsigned)few_2x3_counters_in(node, port));
  return (int)few_2x3_counters_in(6, 0);
}
"""


def described(network: Network, folder: Path) -> dict[str, RegNode]:
    """The registers by their paths, as a third party's compiler reads them."""
    (folder / "counters.rdl").write_text(counter_files(network)["few_2x3_counters.rdl"])
    compiler = RDLCompiler()
    compiler.compile_file(str(folder / "counters.rdl"))
    top = compiler.elaborate().top
    registers = [node for node in top.descendants(unroll=True) if isinstance(node, RegNode)]
    return {node.get_path().partition(".")[2]: node for node in registers}


def test_system_rdl_has_every_register_where_it_is(tmp_path: Path) -> None:
    network = build(COUNTED)
    map, registers = register_map(network), described(network, tmp_path)
    counters = [node for name, node in registers.items() if name.startswith(("cycles", "node"))]
    addresses = [node.absolute_address for node in counters]
    assert addresses == [map.base + 4 * i for i in range(1 + 6 * (2 + 3 + 4 + 2))]
    assert registers["node[5].stalled[3]"].absolute_address == map.address(5, "stalled", 3)


def test_system_rdl_says_what_can_be_written(tmp_path: Path) -> None:
    registers = described(build(COUNTED), tmp_path)
    written = {
        f"{name}.{field.inst_name}"
        for name, node in registers.items()
        for field in node.fields()
        if field.is_sw_writable
    }
    assert written == {"control.snapshot", "control.clear"}


def test_constants_are_those_of_the_network(tmp_path: Path) -> None:
    network = build(COUNTED)
    registers = described(network, tmp_path)
    values = dict(register_map(network).constants())
    words = [values[registers[f"hash[{i}]"].absolute_address] for i in range(8)]
    assert "".join(f"{word:08x}" for word in words) == manifest(network, {})["description_sha256"]
    assert values[0].to_bytes(4, "big") == b"FPNC"
    assert values[4] == 1 << 16
    assert values[8] == (2 + 3 + 4 + 2) << 20 | 6
    for name in ("id", "version", "shape"):
        fields = registers[name].fields()
        resets: list[Any] = [field.get_property("reset") for field in fields]
        word = sum(reset << field.low for reset, field in zip(resets, fields, strict=True))
        assert word == values[registers[name].absolute_address]


def test_c_header_says_the_same(tmp_path: Path) -> None:
    network = build(COUNTED)
    (tmp_path / "few.h").write_text(counter_files(network)["few_2x3_counters.h"])
    (tmp_path / "few.c").write_text(PROGRAM)
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    subprocess.run(["gcc", *flags, "-o", "few", "few.c"], cwd=tmp_path, check=True)
    told = subprocess.run([tmp_path / "few"], check=True, capture_output=True, text=True).stdout
    registers = described(network, tmp_path)
    lines = [line.split() for line in told.splitlines()]
    shown = {name: int(address) for name, address in (line for line in lines if len(line) == 2)}
    assert len(shown) == 13
    assert shown == {name: registers[name].absolute_address for name in shown}

    links = {(x["to_node"], x["to_port"]): x for x in manifest(network, {})["links"]}
    incoming = {(int(v), int(p)): int(at) for _, v, p, at in (x for x in lines if len(x) == 4)}
    assert len(incoming) == 6 * 3
    for end, address in incoming.items():
        start = links.get(end)
        name = f"node[{start['node']}].out[{start['port']}]" if start else ""
        assert address == (registers[name].absolute_address if start else 0)


def test_functions_of_the_c_header(tmp_path: Path) -> None:
    network = build(COUNTED)
    (tmp_path / "few.h").write_text(counter_files(network)["few_2x3_counters.h"])
    values = dict(register_map(network).constants())
    known = "".join(f"  at[{address // 4}] = {value}u;\n" for address, value in values.items())
    (tmp_path / "few.c").write_text(
        '#include "few.h"\n#include <stdio.h>\nint main(void) {\n'
        f"  static volatile uint32_t at[1024];\n{known}"
        "  few_2x3_counters_snapshot(at, 0); unsigned first = at[3];\n"
        "  few_2x3_counters_snapshot(at, 1); unsigned second = at[3];\n"
        "  int here = few_2x3_counters_is_here(at); at[15] ^= 1;\n"
        '  printf("%u %u %d %d", first, second, here, few_2x3_counters_is_here(at));\n}\n'
    )
    subprocess.run(["gcc", "-std=c99", "-o", "few", "few.c"], cwd=tmp_path, check=True)
    told = subprocess.run([tmp_path / "few"], check=True, capture_output=True, text=True).stdout
    assert told == "1 3 1 0"


def test_generate_writes_them(tmp_path: Path) -> None:
    network = build(COUNTED | {"topology": {"family": "grid", "sizes": [2, 2]}})
    names = {path.name for path in generate(network, tmp_path)}
    assert names > {f"few_2x3_counters{end}" for end in (".v", "_tap.v", ".rdl", ".h")}
    listed = (tmp_path / "few_2x3.f").read_text()
    assert "few_2x3_counters.v\nfew_2x3_counters_tap.v\n" in listed
    written = json.loads((tmp_path / "few_2x3.json").read_text())["counters"]
    assert {port["name"] for port in written["ports"]} >= {"s_axil_awaddr", "s_axil_rdata"}
    registers = {row["name"]: row for row in written["registers"]}
    assert registers["node.out"]["count"] == 2
    assert registers["node.out"]["address"] == register_map(network).address(0, "out")


def test_without_counters_there_is_nothing() -> None:
    network = load("borel-21")
    assert counter_files(network) == {}
    assert "counters" not in manifest(network, {})
    with pytest.raises(ValueError, match=r"^Register map needs a network with counters: \{kind"):
        register_map(network)
