"""Memory maps in hardware and four languages, as compilers and simulators read them."""

import os
import random
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from amaranth import Module, Signal
from systemrdl.compiler import RDLCompiler
from systemrdl.node import MemNode

from fingerpost.golden.network.network import Network, build
from fingerpost.golden.terminal.axi4 import Axi4Terminal
from fingerpost.golden.terminal.memory_map import MemoryMap
from fingerpost.hdl.export.software import memory_map_files
from fingerpost.hdl.terminal.axi4_requests import look_up_node
from fingerpost.testbench.toolchain import environment
from tests.hdl.simulators import said, simulate
from tests.networks import load

PAIR = {"family": "grid", "sizes": [2]}
AXI4 = {"kind": "axi4"}

CASES: dict[str, dict[str, Any]] = {
    # Some nodes have no terminal; a base that takes two cells; regions in any order.
    "kyklos": {
        "topology": {"family": "kyklos", "m": 2, "r": 2, "n": 4},
        "terminal": AXI4 | {"address_width": 40, "data_width": 64},
        "router": {"flit_width": 64},
        "memory_map": [
            {"base": 0xFF_0000_0000, "size": 1 << 32, "node": 15},
            {"base": 0x80_4000_0000, "size": 0x1000, "nodes": "all"},
            {"base": 0, "size": 0x1000, "node": 0},
        ],
    },
    # More than 32 nodes, not a power of two, of which some have a subordinate.
    "some": {
        "topology": {"family": "grid", "sizes": [5, 8]},
        "terminal": AXI4 | {"subordinates": [0, 1, 31, 32, 38]},
        "memory_map": [
            {"base": 0x40000, "size": 0x1000, "nodes": "all"},
            {"base": 0x80000, "size": 0x2000, "nodes": "all"},
            {"base": 0xFFFFF000, "size": 0x1000, "node": 38},
        ],
    },
    "every-address-of-64-bits": {
        "topology": PAIR,
        "terminal": AXI4 | {"address_width": 64},
        "memory_map": [{"base": 0, "size": 1 << 63, "nodes": "all"}],
    },
    "every-address-of-32-bits-in-one-region-of-a-network": {
        "topology": PAIR,
        "terminal": AXI4,
        "memory_map": [{"base": 0, "size": 1 << 32, "node": 1}],
    },
    "one-memory": {
        "topology": PAIR,
        "terminal": AXI4 | {"subordinates": [1]},
        "memory_map": [{"base": 0, "size": 0x10000, "node": 1}],
    },
    "a-b": {
        "topology": PAIR,
        "terminal": AXI4 | {"address_width": 13},
        "memory_map": [
            {"base": 0x1000, "size": 0x1000, "node": 1},
            {"base": 0, "size": 0x1000, "node": 0},
        ],
    },
}


class Described(NamedTuple):
    """A network's map, its files by their endings, and addresses with their nodes, -1 for none."""

    network: Network
    map: MemoryMap
    texts: dict[str, str]
    addresses: dict[int, int]

    @property
    def name(self) -> str:
        return self.network.name.replace("-", "_")


@pytest.fixture(scope="module", params=["mesh-4x4-axi4", *CASES])
def described(request: pytest.FixtureRequest) -> Described:
    name = request.param
    if name in CASES:
        network = build({"name": name, "routing": {"algorithm": "table"}, **CASES[name]})
    else:
        network = load(name)
    assert isinstance(network.terminal, Axi4Terminal)
    made = network.terminal.memory_map(network.topology)
    files = memory_map_files(network)
    assert {file.partition(".")[0] for file in files} == {f"{name.replace('-', '_')}_memory_map"}
    random_numbers = random.Random(1)
    end = 1 << made.address_width
    edges = [part.base for part in made.ranges()]
    edges += [part.base + part.size for part in made.ranges()]
    near = [edge + random_numbers.randrange(-9000, 9000) for edge in edges]
    anywhere = [
        random_numbers.randrange(1 << random_numbers.randint(1, made.address_width))
        for _ in range(300)
    ]
    tried = {*edges, *(edge - 1 for edge in edges), *near, *anywhere}
    addresses = {}
    for address in sorted(tried):
        if 0 <= address < end:
            node = made.node(address)
            addresses[address] = -1 if node is None else node
    texts = {file.partition(".")[2]: text for file, text in files.items()}
    return Described(network, made, texts, addresses)


def numbered(described: Described) -> list[tuple[int, dict[str, Any]]]:
    """Return the regions as the network was described, with their numbers."""
    return [*enumerate(described.network.description["memory_map"])]


C = """
#include <inttypes.h>
#include <stdio.h>
#include "map.h"
int main(void) {
  static const uint64_t addresses[] = {ADDRESSES};
  for (unsigned i = 0; i < sizeof addresses / sizeof *addresses; i++)
    printf("%d\\n", NAME_node_of(addresses[i]));
VALUES
  return 0;
}
"""


@pytest.mark.parametrize("compiler", [("gcc", "-std=c99"), ("g++", "-xc++")])
def test_c(described: Described, tmp_path: Path, compiler: tuple[str, ...]) -> None:
    big, end = described.name.upper(), 1 << described.map.address_width
    # An address beyond those of the network is of no node.
    beyond = {end + 0x1000: -1} if end < 1 << 64 else {}
    addresses = described.addresses | beyond
    values, expected = [], []
    for index, region in numbered(described):
        macro = f"{big}_REGION_{index}"
        values.append(f"{macro}_SIZE")
        expected.append(region["size"])
        if "node" in region:
            values += [f"{macro}_BASE", f"{macro}_NODE"]
            expected += [region["base"], region["node"]]
        else:
            last = described.network.topology.nodes - 1
            values += [f"{macro}_BASE(0)", f"{macro}_BASE({last} - 1 + 1)"]
            expected += [region["base"], region["base"] + last * region["size"]]
    program = C.replace("NAME", described.name)
    program = program.replace("ADDRESSES", ", ".join(f"UINT64_C({at})" for at in addresses))
    prints = (f'  printf("%" PRIu64 "\\n", (uint64_t){value});' for value in values)
    (tmp_path / "main.c").write_text(program.replace("VALUES", "\n".join(prints)))
    (tmp_path / "map.h").write_text(described.texts["h"])
    flags = "-Wall", "-Wextra", "-Werror", "-pedantic"
    said(*compiler, *flags, "-o", "main", "main.c", folder=tmp_path)
    found = [int(word) for word in said("./main", folder=tmp_path).split()]
    assert found == [*addresses.values(), *expected]


def test_system_verilog(described: Described, tmp_path: Path) -> None:
    package, width = f"{described.name}_memory_map", described.map.address_width
    values = ["$bits(address_t)", "DATA_WIDTH"]
    assert isinstance(described.network.terminal, Axi4Terminal)
    expected = [width, described.network.terminal.data_width]
    for index, region in numbered(described):
        values += [f"REGION_{index}_BASE", f"REGION_{index}_SIZE"]
        expected += [region["base"], region["size"]]
        if "node" in region:
            values.append(f"REGION_{index}_NODE")
            expected.append(region["node"])
    shown = [f"node_of({width}'h{address:x})" for address in described.addresses]
    lines = "".join(f'    $display("%0d", {value});\n' for value in [*shown, *values])
    bench = f"module bench;\n  import {package}::*;\n  initial begin\n{lines}  end\nendmodule\n"
    (tmp_path / f"{package}.sv").write_text(described.texts["sv"])
    (tmp_path / "bench.sv").write_text(bench)
    said("iverilog", "-g2012", "-o", "bench", f"{package}.sv", "bench.sv", folder=tmp_path)
    found = [int(word) for word in said("vvp", "-n", "bench", folder=tmp_path).split()]
    assert found == [*described.addresses.values(), *expected]


@pytest.mark.verilator
def test_system_verilog_is_clean(described: Described, tmp_path: Path) -> None:
    package, width = f"{described.name}_memory_map", described.map.address_width
    (tmp_path / f"{package}.sv").write_text(described.texts["sv"])
    (tmp_path / "top.sv").write_text(
        f"module top(input logic [{width - 1}:0] address, output int node);\n"
        f"  assign node = {package}::node_of(address);\nendmodule\n"
    )
    command = "verilator", "--lint-only", "-Wall", f"{package}.sv", "top.sv", "--top-module", "top"
    said(*command, env=os.environ | environment("verilator"), folder=tmp_path)


def test_system_rdl(described: Described, tmp_path: Path) -> None:
    """As a third party's compiler reads it, which refuses memories that overlap."""
    (tmp_path / "map.rdl").write_text(described.texts["rdl"])
    compiler = RDLCompiler()
    compiler.compile_file(str(tmp_path / "map.rdl"))
    top = compiler.elaborate().top
    assert top.inst_name == f"{described.name}_memory_map"
    found = [
        (node.absolute_address, node.size)
        for node in top.descendants(unroll=True)
        if isinstance(node, MemNode)
    ]
    everywhere = {at: size for at, size, _ in described.map.ranges()}
    assert dict(found) == everywhere
    assert len(found) == len(everywhere)


class Node:
    """A node of a device tree: its label, name, properties as texts, and children."""

    def __init__(self, words: list[str], label: str, name: str) -> None:
        self.label, self.name = label, name
        self.properties: dict[str, str] = {}
        self.children: list[Node] = []
        while (word := words.pop(0)) != "}":
            label, name = "", word
            if word.endswith(":"):
                label, name = word[:-1], words.pop(0)
            if words[0] == "{":
                del words[0]
                self.children.append(Node(words, label, name))
            else:
                self.properties[name] = " ".join(words[: words.index(";")]).removeprefix("= ")
                del words[: words.index(";") + 1]
        assert words.pop(0) == ";"

    def cells(self, name: str) -> list[int]:
        values = self.properties[name].removeprefix("< ").removesuffix(" >").split()
        return [int(value, 0) for value in values]


def tree(text: str) -> Node:
    """Return the root of a device tree, of which names and values are separated by blanks."""
    words = re.sub(r"//.*\n", "", text)
    (start, bracket, *rest) = re.sub(r"([{};=<>])", r" \1 ", words).split()
    assert (start, bracket) == ("/", "{")
    root = Node(rest, "", "/")
    assert not rest
    return root


def test_device_tree(described: Described) -> None:
    """By a parser of a few lines: `dtc` is in no package of Python."""
    (bus,) = tree(described.texts["dtsi"]).children
    assert (bus.label, bus.name) == (described.name, described.network.name[:31])
    assert (bus.properties["compatible"], bus.properties["ranges"]) == ('"simple-bus"', "")
    small = "mesh_4x4_axi4", "some", "one_memory", "a_b"
    cells = 1 if described.name in small else 2
    assert bus.cells("#address-cells") == bus.cells("#size-cells") == [cells]
    found = []
    for part in bus.children:
        reg, (node,) = part.cells("reg"), part.cells("fingerpost,node")
        assert len(reg) == 2 * cells
        assert max(reg) < 1 << 32
        base, size = reg if cells == 1 else ((reg[i] << 32) + reg[i + 1] for i in (0, 2))
        assert part.name == f"memory@{base:x}"
        assert re.fullmatch(rf"{described.name}_region_\d+(_node_{node})?", part.label)
        found.append((base, size, node))
    assert sorted(found) == described.map.ranges()
    assert len({part.label for part in bus.children}) == len(found)


def test_hardware(described: Described) -> None:
    m, address, found = Module(), Signal(described.map.address_width), []
    node, known = look_up_node(m, described.map, address)

    async def bench(ctx: Any) -> None:
        for tried in described.addresses:
            ctx.set(address, tried)
            found.append(ctx.get(node) if ctx.get(known) else -1)

    simulate(m, bench, clock=False)
    assert found == [*described.addresses.values()]


def test_without_a_map_there_are_no_files() -> None:
    assert memory_map_files(load("mesh-4x4-axi")) == {}
