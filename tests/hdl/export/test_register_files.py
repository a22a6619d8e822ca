"""Registers as others read them: SystemRDL and C have all where the one description has it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from systemrdl.compiler import RDLCompiler
from systemrdl.node import RegNode

from fingerpost.golden.link import OsLinkParameters
from fingerpost.golden.network.network import build
from fingerpost.hdl.counting import register_map
from fingerpost.hdl.emit.manifest import manifest
from fingerpost.hdl.export.generate import generate
from fingerpost.hdl.export.software import counter_files, mailbox_files, port_register_files
from fingerpost.hdl.lib.registers import Block, Register
from fingerpost.hdl.link.registered_port import port_registers
from fingerpost.hdl.terminal.mailbox_map import mailbox_map
from tests.hdl.simulators import said
from tests.networks import load

COUNTED: dict[str, Any] = {
    "name": "few-2x3",
    "topology": {"family": "grid", "sizes": [2, 3]},
    "routing": {"algorithm": "dimension-order"},
    "counters": {"kind": "axi-lite"},
}
MAILBOXES: dict[str, Any] = {
    "name": "few-2x3",
    "topology": {"family": "grid", "sizes": [2, 3]},
    "routing": {"algorithm": "table"},
    "router": {"classes": 2},
}


class Described(NamedTuple):
    """Files, and the description that they are made of."""

    files: dict[str, str]
    registers: tuple[Register, ...]
    block: Block | None = None

    def places(self) -> Iterator[tuple[str, tuple[int, ...], Register, int]]:
        """Yield each register: its path, its indices, and its address."""
        groups: list[tuple[str, tuple[int, ...], tuple[Register, ...], int]]
        groups = [("", (), self.registers, 0)]
        if block := self.block:
            groups += [
                (f"{block.name}[{i}].", (i,), block.registers, block.base + i * block.stride)
                for i in range(block.count)
            ]
        for group, index, registers, base in groups:
            for register in registers:
                for row in range(register.count):
                    path, at = f"{group}{register.name}", base + register.address + 4 * row
                    if register.many:
                        yield f"{path}[{row}]", (*index, row), register, at
                    else:
                        yield path, index, register, at


def counters() -> Described:
    network = build(COUNTED)
    map = register_map(network)
    return Described(counter_files(network), (*map.fixed, map.cycles), map.block)


def mailbox(memory_words: int = 0) -> Described:
    terminal = {"kind": "mailbox", "memory_words": memory_words}
    network = build(MAILBOXES | {"terminal": terminal})
    map = mailbox_map(network)
    return Described(mailbox_files(network), map.fixed, map.block)


def port() -> Described:
    registers = port_registers(OsLinkParameters(5, 3, timeout=9000))
    return Described(port_register_files("os_link_port", registers, ["A port"]), registers)


KINDS: dict[str, Callable[[], Described]] = {
    "counters": counters,
    "mailbox": mailbox,
    "mailbox with memory": lambda: mailbox(16384),
    "port": port,
}


@pytest.fixture(params=KINDS)
def described(request: pytest.FixtureRequest, tmp_path: Path) -> Described:
    """Write the files of a description."""
    found = KINDS[request.param]()
    for name, text in found.files.items():
        (tmp_path / name).write_text(text)
    return found


def test_system_rdl_has_every_register_and_field(described: Described, tmp_path: Path) -> None:
    """As a third party's compiler reads it: places, what software may do, and constants."""
    compiler = RDLCompiler()
    (file,) = tmp_path.glob("*.rdl")
    compiler.compile_file(str(file))
    nodes = compiler.elaborate().top.descendants(unroll=True)
    seen = {
        node.get_path().partition(".")[2]: (
            node.absolute_address,
            {
                (f.inst_name, f.low, f.width, f.is_sw_writable, f.get_property("swacc"),
                 f.get_property("woclr"),
                 None if f.is_hw_writable or f.is_sw_writable else f.get_property("reset"))
                for f in node.fields()
            },
        )
        for node in nodes
        if isinstance(node, RegNode)
    }  # fmt: skip
    expected = {}
    for path, _, register, address in described.places():
        fields = {
            (f.name, f.offset, f.width, f.access not in ("read", "take"), f.access == "take",
             f.access == "clear", f.values[0] if len(f.values) == 1 else None)
            for f in register.fields
        }  # fmt: skip
        whole = {("value", 0, 32, False, False, False, None)}
        expected[path] = address, fields or whole
    assert seen == expected


FLAGS = "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"


def printed(folder: Path, body: str) -> list[str]:
    """Return the words that a program prints that includes all headers of a folder."""
    headers = "".join(f'#include "{file.name}"\n' for file in folder.glob("*.h"))
    program = f"#include <stdio.h>\n{headers}int main(void) {{\n{body}\n  return 0;\n}}\n"
    (folder / "main.c").write_text(program)
    said("gcc", *FLAGS, "-o", "main", "main.c", folder=folder)
    return said(folder / "main", folder=folder).split()


def test_c_header_has_every_register(described: Described, tmp_path: Path) -> None:
    (file,) = tmp_path.glob("*.h")
    places = [*described.places()]
    calls = (
        f"{file.stem}_{register.name}".upper() + (f"({', '.join(map(str, at))})" if at else "")
        for _, at, register, _ in places
    )
    body = "\n".join(f'  printf("%u\\n", (unsigned){call});' for call in calls)
    assert [int(word) for word in printed(tmp_path, body)] == [place[-1] for place in places]


def test_constants_of_counters_are_those_of_the_network() -> None:
    network = build(COUNTED)
    values = dict(register_map(network).constants())
    words = [values[register_map(network).named("hash").address + 4 * i] for i in range(8)]
    assert "".join(f"{word:08x}" for word in words) == manifest(network, {})["description_sha256"]
    assert values[0].to_bytes(4, "big") == b"FPNC"
    assert values[4] == 1 << 16
    assert values[8] == (2 + 3 + 4 + 2) << 20 | 6


def test_c_functions_of_counters(tmp_path: Path) -> None:
    network, described = build(COUNTED), counters()
    (tmp_path / "few.h").write_text(described.files["few_2x3_counters.h"])
    known = "".join(
        f"  at[{address // 4}] = {value}u;\n"
        for address, value in register_map(network).constants()
    )
    told = printed(
        tmp_path,
        f"  static volatile uint32_t at[1024];\n{known}"
        "  few_2x3_counters_snapshot(at, 0); unsigned first = at[3];\n"
        "  few_2x3_counters_snapshot(at, 1); unsigned second = at[3];\n"
        "  int here = few_2x3_counters_is_here(at); at[15] ^= 1;\n"
        '  printf("%u %u %d %d\\n", first, second, here, few_2x3_counters_is_here(at));\n'
        "  for (unsigned i = 0; i < 7 * 3; i++)\n"
        '    printf("%u\\n", (unsigned)few_2x3_counters_in(i / 3, i % 3));\n',
    )
    assert told[:4] == ["1", "3", "1", "0"]
    # What comes in is counted at the other end of the link; there is no node 6.
    links = {(x["to_node"], x["to_port"]): x for x in manifest(network, {})["links"]}
    ends = [links.get((i // 3, i % 3)) for i in range(7 * 3)]
    map = register_map(network)
    starts = [map.address(x["node"], "out", x["port"]) if x else 0 for x in ends]
    assert [int(word) for word in told[4:]] == starts


def test_c_functions_of_a_port(tmp_path: Path) -> None:
    described = port()
    (tmp_path / "os_link_port.h").write_text(described.files["os_link_port.h"])
    told = printed(
        tmp_path,
        """  static uint32_t at[16] = {0x46504f4c, 0x10007, 5u | 3u << 10};
  at[OS_LINK_PORT_STATUS / 4] = OS_LINK_PORT_STATUS_ROOM;
  int here = os_link_port_is_here(at);
  at[2] ^= 1;
  printf("%d %d\\n", here, os_link_port_is_here(at));
  os_link_port_send(at, 0xa5);
  int none = os_link_port_receive(at);
  at[5] = 0x1ff;
  printf("%x %d %d\\n", (unsigned)at[4], none, os_link_port_receive(at));
  at[7] = 0x12;
  printf("%x\\n", (unsigned)os_link_port_errors(at));""",
    )
    assert told == ["1", "0", "a5", "-1", "255", "12"]


def test_generate_writes_the_files_of_counters(tmp_path: Path) -> None:
    network = build(COUNTED)
    names = {path.name for path in generate(network, tmp_path)}
    assert names > {f"few_2x3_counters{end}" for end in (".v", "_tap.v", ".rdl", ".h")}
    listed = (tmp_path / "few_2x3.f").read_text()
    assert "few_2x3_counters.v\nfew_2x3_counters_tap.v\n" in listed
    written = json.loads((tmp_path / "few_2x3.json").read_text())["counters"]
    assert {port["name"] for port in written["ports"]} >= {"s_axil_awaddr", "s_axil_rdata"}
    registers = {row["name"]: row for row in written["registers"]}
    assert registers["node.out"]["count"] == 3
    assert registers["node.out"]["address"] == register_map(network).address(0, "out")


def test_without_counters_there_is_nothing() -> None:
    network = load("borel-21")
    assert counter_files(network) == {}
    assert "counters" not in manifest(network, {})
    with pytest.raises(ValueError, match=r"^Register map needs a network with counters: \{kind"):
        register_map(network)
