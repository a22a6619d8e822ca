"""The bench for AXI4-Stream terminals in cocotb: it passes, and it can fail."""

import re
from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.network import build
from tests.hdl.export.test_axi_bench import FAULTS, four, generated
from tests.hdl.export.test_bench import STAR, copied, made
from tests.hdl.export.test_cocotb_bench import LONG, OS_LINK, run
from tests.networks import load

__all__ = ["generated"]


def test_all_packets_come(generated: Path, tmp_path: Path) -> None:
    copied(generated, tmp_path)
    ended = run(tmp_path, "four")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert re.search(r" 12 packets, \d+ cycles$", ended.stdout, flags=re.M)


TOLD = {
    # It does not watch what is offered and not taken, but a packet is lost by it.
    "beat that is withdrawn": "of 12 packets came",
    "source that is another": "a packet of 1 that was not sent, or for the second time",
    "source that changes": "a beat of another source|a packet of . that was not sent",
    "sources exchanged": "a packet of 1 that was not sent, or for the second time",
    "packets that are cut": "other data than 2 has sent",
    "bytes that nobody sent": "other data than 2 has sent",
    "inverted bit": "other data than 3 has sent",
    "mark that is lost": "another error mark than 1 has sent",
    "number that is another": "node 2: a beat whose tdest is another node",
    "wrong header": "node 3: a packet of . that was not sent|node 3: other data",
    "beat that is never taken": "node 1: a packet of . that was not sent, or for the second time",
    "packets that are refused": "refused is 0*1",
    "terminal that is never heard": "9 of 12 packets came",
}
"""What it says of faults, in its own words."""

SHORT = {"inverted bit"}


@pytest.mark.parametrize(
    "fault",
    [fault if fault in SHORT else pytest.param(fault, marks=LONG) for fault in FAULTS],
)
def test_fault_is_found(generated: Path, tmp_path: Path, fault: str) -> None:
    module, sound, faulty, _ = FAULTS[fault]
    copied(generated, tmp_path)
    path = tmp_path / f"four_{module}.v"
    path.write_text(path.read_text().replace(sound, faulty))
    ended = run(tmp_path, "four")
    assert ended.returncode == 1
    assert re.search(TOLD[fault], ended.stdout + ended.stderr), ended.stdout


@LONG
@pytest.mark.parametrize("link", [{"kind": "flit"}, OS_LINK], ids=["flit", "os-link"])
def test_clocks_of_their_own(tmp_path: Path, link: dict[str, Any]) -> None:
    terminal = {"kind": "axi-stream", "clock": "own", "timeout": 8}
    network = build({"name": "ring", **STAR, "link": link, "terminal": terminal})
    ended = run(tmp_path, made(tmp_path, network), several_clocks=True)
    assert ended.returncode == 0, ended.stdout
    assert " 30 packets, " in ended.stdout


@LONG
def test_flow_control(tmp_path: Path) -> None:
    """No packet is longer than allowed, and those of 2 beats wait for a grant."""
    terminal = {"kind": "axi-stream", "flow_control": "end-to-end", "eager": 1, "packet_limit": 2}
    ended = run(tmp_path, made(tmp_path, build({"name": "ring", **STAR, "terminal": terminal})))
    assert ended.returncode == 0, ended.stdout
    assert " 30 packets, " in ended.stdout


@LONG
def test_leaves_and_counters(tmp_path: Path) -> None:
    kyklos = load("kyklos-2-2-4").description
    axi = {"terminal": {"kind": "axi-stream"}, "counters": {"kind": "axi-lite"}}
    ended = run(tmp_path, made(tmp_path, build({**kyklos, **axi})))
    assert ended.returncode == 0, ended.stdout
    assert f" {16 * 15} packets, " in ended.stdout


@LONG
@pytest.mark.verilator
def test_in_verilator(tmp_path: Path) -> None:
    ended = run(tmp_path, made(tmp_path, four(1, timeout=1)), "verilator")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert " 12 packets, " in ended.stdout
