"""The OS-Link port behind registers: what it does, and that all descriptions of it are one."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from systemrdl.compiler import RDLCompiler
from systemrdl.node import RegNode

import fingerpost.hdl.os_link_port.registered_port
from fingerpost.golden.link import OsLinkParameters
from fingerpost.golden.link.parameters import port_for
from fingerpost.hdl.export.port_files import generate_port
from fingerpost.hdl.os_link_port.port_registers import port_registers
from fingerpost.hdl.os_link_port.registered_port import registered_ports
from fingerpost.testbench.runner import BenchError, Outcome, cosimulate
from tests.formal.planted import plant
from tests.hdl.export.scripts import ports
from tests.hdl.export.test_bare_port import run

HERE = Path(__file__).parent
SETTINGS: dict[str, Any] = {"clocks_per_bit": 5, "fifo": 3, "slot": 0, "timeout": 9000}

PROGRAM = """
#include <stdio.h>
#include <string.h>
#include "os_link_port.h"
static uint32_t words[16];
int main(void) {
  words[0] = 0x46504f4c; words[1] = 0x10007;
  words[2] = 5u | 3u << 10; words[OS_LINK_PORT_STATUS / 4] = OS_LINK_PORT_STATUS_ROOM;
  printf("here %d\\n", os_link_port_is_here(words));
  words[2] ^= 1;
  printf("here %d\\n", os_link_port_is_here(words));
  os_link_port_send(words, 0xa5);
  printf("sent %x\\n", (unsigned)words[4]);
  printf("none %d\\n", os_link_port_receive(words));
  words[5] = 0x1ff;
  printf("some %d\\n", os_link_port_receive(words));
  words[7] = 0x12;
  printf("errors %x\\n", (unsigned)os_link_port_errors(words));
  return 0;
}
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("registers")
    generate_port(OsLinkParameters(**SETTINGS), folder, registers=True)
    return folder


def described(folder: Path) -> dict[str, RegNode]:
    """The registers as a third party's compiler reads them."""
    compiler = RDLCompiler()
    compiler.compile_file(str(folder / "os_link_port.rdl"))
    top = compiler.elaborate().top
    nodes = [node for node in top.descendants() if isinstance(node, RegNode)]
    return {node.inst_name: node for node in nodes}


def reset_word(node: RegNode) -> int | None:
    """What a register always is, if all of its fields have a value and none is written."""
    fields = [field for field in node.fields() if not field.is_hw_writable]
    values: list[Any] = [field.get_property("reset") for field in fields]
    if not values or any(field.is_sw_writable for field in fields):
        return None
    return sum(value << field.low for field, value in zip(fields, values, strict=True))


@pytest.mark.regress
def test_software_sends_and_receives(written: Path, tmp_path: Path) -> None:
    assert outcome(written, tmp_path).report["bytes"] == 60


@pytest.mark.regress
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("since[1] & (port.address", "since[0] & (port.address"),
        ("since[1] & (port.address", "bus.rvalid & bus.rready & (port.address"),
        ("(errors & ~forget)", "errors"),
        ("(errors & ~forget)", "Mux(forget.any(), 0, errors)"),
        ('self.tx.valid if register.name == "send" else 0', "0"),
        ("port.strobe[0]", "port.strobe.any()"),
        ("kept & there", "there"),
        ("port.bad.eq(1)", "port.bad.eq(0)"),
        ("Mux(rx.valid, rx.payload, 0)", "rx.payload"),
        ('asked["send.data"])]', "port.value[8:16])]"),
        ("m.d.sync += tx.valid.eq(0)", "m.d.sync += tx.valid.eq(~rx.valid)"),
    ],
)
def test_bench_of_software_finds_a_fault(
    old: str, new: str, written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, fingerpost.hdl.os_link_port.registered_port, "PortRegisters", old, new)
    generate_port(OsLinkParameters(**SETTINGS), tmp_path / "faulty", registers=True)
    with pytest.raises(BenchError):
        outcome(tmp_path / "faulty", tmp_path / "run")


def outcome(written: Path, folder: Path) -> Outcome:
    """Run the bench of cocotb on ports, by what their description says."""
    registers = described(written)
    at = {name: node.absolute_address for name, node in registers.items()}
    words = {name: reset_word(node) for name, node in registers.items()}
    constants = {name: word for name, word in words.items() if word is not None}
    assert constants == {
        "id": int.from_bytes(b"FPOL", "big"), "version": 0x10000, "settings": 5 | 3 << 10,
        "timeout": 9000,
    }  # fmt: skip
    return cosimulate(
        "tests.hdl.export.registered_port_bench",
        sources=[written / "os_link_port.v", HERE / "two_registered_ports.v"],
        toplevel="two_registered_ports",
        simulator="icarus",
        folder=folder,
        cache=folder / "built",
        parameters={"at": at, "constants": constants, "beyond": [0x24, 0x3C]},
    )


def test_system_rdl_says_what_software_does(written: Path) -> None:
    registers = described(written)
    fields = [(name, field) for name, node in registers.items() for field in node.fields()]
    writable = {f"{name}.{field.inst_name}" for name, field in fields if field.is_sw_writable}
    names = "err_frame", "err_ack", "err_window", "err_over", "err_timeout", "link_break"
    errors = {f"errors.{name}" for name in names}
    kept = {"enable.room", "enable.received", "enable.errors"}
    assert writable == {"send.data"} | errors | kept
    cleared = {f"{name}.{field.inst_name}" for name, field in fields if field.get_property("woclr")}
    assert cleared == errors


def test_c_header_does_what_it_says(written: Path, tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text(PROGRAM)
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{written}"]
    subprocess.run(["gcc", *flags, "-o", "program", "program.c"], cwd=tmp_path, check=True)
    command = [tmp_path / "program"]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert told.split("\n")[:-1] == [
        "here 1", "here 0", "sent a5", "none -1", "some 255", "errors 12"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("peer", "chosen"),
    [
        ("fingerpost", {"breaks": True, "clocks_per_bit": 4}),
        pytest.param("t800", {}, marks=pytest.mark.regress),
        pytest.param("t425", {"slot": 12, "timeout": 300}, marks=pytest.mark.regress),
    ],
)
def test_bench_passes(peer: str, chosen: dict[str, Any], tmp_path: Path) -> None:
    generate_port(port_for(peer, **chosen), tmp_path, name="p", peer=peer, registers=True)
    ended = run(tmp_path)
    assert re.fullmatch(r"PASS: 16 bytes each way, \d+ cycles\n", ended.stdout)


@pytest.mark.parametrize(
    ("end", "old", "new"),
    [
        (".v", ".data(tx__payload)", ".data(tx__payload ^ 8'h10)"),
        ("_testbench.v", "32'h00010000", "32'h00020000"),
        ("_testbench.v", "in_b <= #7.3 out_a", "in_b <= #7.3 1'b0"),
    ],
)
def test_bench_finds_a_fault(end: str, old: str, new: str, written: Path, tmp_path: Path) -> None:
    for name in ("os_link_port.v", "os_link_port_testbench.v"):
        (tmp_path / name).write_text((written / name).read_text())
    path = tmp_path / f"os_link_port{end}"
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    ended = run(tmp_path)
    assert ended.returncode == 1
    assert "FAIL: " in ended.stdout


def test_all_is_told(written: Path) -> None:
    """Ports and registers are those of module and manifest."""
    expected = {port.name: (port.direction, port.bits) for port in registered_ports()}
    assert ports((written / "os_link_port.v").read_text(), "os_link_port") == expected
    manifest = json.loads((written / "os_link_port.json").read_text())
    assert {port["name"] for port in manifest["ports"]} == set(expected)
    assert {f"os_link_port.{end}" for end in ("h", "rdl")} < set(manifest["sha256"])
    with_breaks = port_registers(OsLinkParameters(breaks=True))
    assert [x["name"] for x in manifest["registers"]] == [x.name for x in with_breaks[:-1]]
