"""Mailboxes, and memory at other nodes, on the bus of a LiteX SoC, in Icarus."""

import contextlib
import subprocess
from pathlib import Path
from typing import Any

import pytest

from examples.machine.firmware import COMPILER
from fingerpost.golden.network.network import build
from fingerpost.golden.terminal.mailbox import RECEIVED, SEND
from fingerpost.hdl.terminal.mailbox_map import ID, mailbox_map

# LiteX has a string with `\$`, of which Python warns when it compiles it.
pytestmark = pytest.mark.filterwarnings("ignore:invalid escape sequence:DeprecationWarning")

PAIR: dict[str, Any] = {
    "name": "pair",
    "topology": {"family": "grid", "sizes": [2]},
    "routing": {"algorithm": "table"},
    "terminal": {
        "kind": "mailbox",
        "bus": "wishbone",
        "send_words": 16,
        "receive_words": 16,
        "packet_limit": 8,
    },
}

MESH: dict[str, Any] = {
    "name": "mesh",
    "topology": {"family": "grid", "sizes": [2, 3]},
    "routing": {"algorithm": "dimension-order"},
    "terminal": {"kind": "axi4", "lite": "all", "managers": [0], "subordinates": [5]},
    "memory_map": [{"base": 0x40000000, "size": 0x10000, "node": 5}],
}

PROGRAM = """
    li t0, 0x40000000
    li t1, 0xcafe
    sw t1, 0(t0)
    lw t2, 0(t0)
    addi t2, t2, 1
    sw t2, 8(t0)
    sb t2, 9(t0)
1:  j 1b
"""

BENCH = Path(__file__).with_name("soc.v").read_text()


def simulated(soc: Any, folder: Path, accesses: list[str]) -> list[str]:
    """Return what a bench tells that gives the host's accesses."""
    soc.finalize()
    # Blocks that read what they assign never settle in Icarus; memories' contents go beside it.
    with contextlib.chdir(folder):
        soc.platform.get_verilog(soc, name="soc", regular_comb=False).write("soc.v")
    (folder / "bench.v").write_text(BENCH.replace("ACCESSES", "\n".join(accesses)))
    sources = [*(str(file) for file, *_ in soc.platform.sources), "soc.v", "bench.v"]
    command = ["iverilog", "-g2012", "-s", "bench", "-o", "bench.vvp", *sources]
    subprocess.run(command, cwd=folder, check=True)
    ran = subprocess.run(
        ["vvp", "bench.vvp"], cwd=folder, check=True, capture_output=True, text=True
    )
    told = ("finish", "readmemh")  # a memory that is not full
    return [line for line in ran.stdout.splitlines() if not any(word in line for word in told)]


@pytest.mark.regress  # needs `scripts/setup machine`, and fails without it
def test_a_packet_goes_from_one_mailbox_to_the_other(tmp_path: Path) -> None:
    from examples.litex.soc import BASE, STRIDE, Soc

    network = build(PAIR)
    soc = Soc(network, tmp_path)
    at = {(register.name, c): place for register, c, place in mailbox_map(network).places()}

    def access(terminal: int, name: str, word: int | None = None) -> str:
        address = BASE + terminal * STRIDE + at[name, 0]
        write, value = int(word is not None), word or 0
        return f"    access(32'h{address:x}, {write}, 32'h{value:x});"

    head = int(SEND.join(destination=1, length=2))
    accesses = [
        *(access(terminal, name) for terminal in (0, 1) for name in ("id", "node")),
        *(access(0, "send", head), access(0, "send_data", 0xCAFE), access(0, "send_data", 7)),
        "    repeat (80) @(negedge clk);",
        *(access(1, name) for name in ("receive", "receive_data", "receive_data", "receive_data")),
        access(0, "send_data", 9),
    ]
    lines = simulated(soc, tmp_path, accesses)
    told = int(RECEIVED.join(source=0, length=2, valid=1))
    due = [(ID, 0), (0, 0), (ID, 0), (1, 0), (told, 0), (0xCAFE, 0), (7, 0), (0, 1)]
    assert lines == [*(f"{word:08x} {err}" for word, err in due), "refused"]


@pytest.mark.regress
def test_a_processor_reaches_memory_that_is_three_hops_away(tmp_path: Path) -> None:
    from examples.litex.soc import Soc

    network = build(MESH)  # from one corner to the other
    (tmp_path / "program.S").write_text(PROGRAM)
    for command in (
        [COMPILER, "-march=rv32i", "-mabi=ilp32", "-c", "program.S"],
        [COMPILER.replace("gcc", "objcopy"), "-O", "binary", "program.o", "program.bin"],
    ):
        subprocess.run(command, cwd=tmp_path, check=True)
    code = (tmp_path / "program.bin").read_bytes()
    words = [int.from_bytes(code[at : at + 4], "little") for at in range(0, len(code), 4)]
    accesses = [
        "    repeat (1000) @(negedge clk);",
        *(f"    access(32'h{0x40000000 + at:x}, 0, 0);" for at in (0, 8)),
        "    access(32'h40000004, 1, 32'h12345678);",
        "    access(32'h40000004, 0, 0);",
    ]
    lines = simulated(Soc(network, tmp_path, words), tmp_path, accesses)
    assert lines == ["0000cafe 0", "0000ffff 0", "12345678 0"]


@pytest.mark.regress
def test_an_engine_copies_from_memory_to_memory(tmp_path: Path) -> None:
    from examples.litex.soc import Soc

    sides = {"managers": [0, 3], "subordinates": [2, 5]}
    at = {2: 0x40020000, 5: 0x40050000}
    network = build(
        MESH
        | {"terminal": MESH["terminal"] | sides}
        | {"memory_map": [{"base": 0x40000000, "size": 0x10000, "nodes": "all"}]}
    )
    soc = Soc(network, tmp_path)
    soc.finalize()
    words = [0xCAFE + 3 * n for n in range(8)]
    accesses = [f"    access(32'h{at[5] + 4 * n:x}, 1, {word});" for n, word in enumerate(words)]
    for name, node in (("writer", 2), ("reader", 5)):
        # The base has two words, the higher first; length and enable follow. Icarus evaluates a
        # block when an input changes, as `loop` does here, and not before.
        for place, value in ((4, at[node]), (8, 4 * len(words)), (20, 1), (20, 0), (12, 1)):
            register = soc.csr_regions[name].origin + place
            accesses.append(f"    access(32'h{register:x}, 1, 32'h{value:x});")
    accesses += ["    repeat (1000) @(negedge clk);"]
    accesses += [f"    access(32'h{at[2] + 4 * n:x}, 0, 0);" for n in range(9)]
    lines = simulated(soc, tmp_path, accesses)
    assert lines == [*(f"{word:08x} 0" for word in words), "xxxxxxxx 0"]  # and no word more
