import json
import re
from pathlib import Path

from tests.fingerpost.common import Run


def test_port_is_written_as_asked(run: Run, tmp_path: Path) -> None:
    ended = run("port", "--peer", "t800", "--name", "tp", "--clocks-per-bit", "10", "-o", tmp_path)
    assert (ended.status, ended.err) == (0, "")
    files = [Path(line).name for line in ended.out.splitlines()]
    assert files[0] == "tp.v"
    assert sorted(files) == sorted(path.name for path in tmp_path.iterdir())
    manifest = json.loads((tmp_path / "tp.json").read_text())
    assert manifest["peer"] == "t800"
    wanted = {"clocks_per_bit": 10, "acknowledge": "late", "stop": "ignored", "breaks": False}
    assert wanted.items() <= manifest["parameters"].items()
    assert manifest["clock"]["bits_per_second"] == 10_000_000
    for file in files[:-1]:
        text = (tmp_path / file).read_text()
        assert re.search(r"^(//|#) clocks_per_bit 10, fifo 2, acknowledge late", text, flags=re.M)
        assert "SPDX: 0BSD" in text


def test_port_has_registers_if_asked(run: Run, tmp_path: Path) -> None:
    ended = run("port", "--registers", "--peer", "c011", "-o", tmp_path)
    assert (ended.status, ended.err) == (0, "")
    files = {Path(line).name for line in ended.out.splitlines()}
    assert {"os_link_port.v", "os_link_port.rdl", "os_link_port.h"} < files
    assert files == {path.name for path in tmp_path.iterdir()}
    assert "s_axil_araddr" in (tmp_path / "os_link_port.v").read_text()
