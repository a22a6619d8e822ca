"""The bench for OS-Link terminals in cocotb: it passes, and it can fail."""

import re
from pathlib import Path

import pytest

from tests.hdl.export.test_bench import copied, made
from tests.hdl.export.test_cocotb_bench import LONG, run
from tests.hdl.export.test_link_bench import FAULTS, OTHERS, four, generated

__all__ = ["generated"]


def test_all_packets_come(generated: Path, tmp_path: Path) -> None:
    copied(generated, tmp_path)
    ended = run(tmp_path, "four")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert re.search(r" 12 packets, \d+ cycles$", ended.stdout, flags=re.M)


@LONG
@pytest.mark.parametrize("name", OTHERS)
def test_all_packets_come_in(tmp_path: Path, name: str) -> None:
    network, packets, _ = OTHERS[name]
    ended = run(tmp_path, made(tmp_path, network))
    assert ended.returncode == 0, ended.stdout
    assert re.search(rf" {packets} packets, ", ended.stdout)


TOLD = {
    **{fault: FAULTS[fault][-1] for fault in ("glitch", "high wire", "acknowledge for nothing")},
    "byte too early": "node 3: a byte before the last one was acknowledged",
    "sources exchanged": "node [02]: other data than 1 has sent",
    "source that is another": "node 0: a packet of 0 that was not sent, or for the second time",
    "other length": "node [013]: other data than 2 has sent",
    "bytes exchanged": "node [013]: other data than 2 has sent",
    "mark": "node [013]: a status of 1 of 2",
    "wrong header": "node 3: (other data|a packet of . that was not sent, or for the second time)",
    "packets that are refused": "refused is 0*1",
    "message that is lost": "refused is 0*1",
    "terminal that is never heard": r"\d of 12 packets came",
}
"""What it says of faults, in its own words; that of which none is told hits its time alone."""

SHORT = {"bytes exchanged"}


@pytest.mark.parametrize(
    "fault",
    [fault if fault in SHORT else pytest.param(fault, marks=LONG) for fault in TOLD],
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
def test_acknowledge_that_is_too_early_is_found(tmp_path: Path) -> None:
    made(tmp_path / "sound", four(acknowledge="late"))
    copied(tmp_path / "sound", tmp_path)
    made(tmp_path / "early", four())
    port = "four_terminal.v"
    (tmp_path / port).write_text((tmp_path / "early" / port).read_text())
    ended = run(tmp_path, "four")
    assert ended.returncode == 1
    assert "an acknowledge before the end of a byte" in ended.stdout + ended.stderr


@LONG
@pytest.mark.verilator
def test_in_verilator(tmp_path: Path) -> None:
    ended = run(tmp_path, made(tmp_path, four(stop="ignored", timeout=64)), "verilator")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert " 12 packets, " in ended.stdout
