"""What is measured: the interface of a terminal by itself."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from fingerpost.cost.designs import Design, designs
from fingerpost.golden.network.network import build
from fingerpost.jobs.tools import CostError

FOUR: dict[str, Any] = {
    "name": "four",
    "topology": {"family": "grid", "sizes": [2, 2]},
    "routing": {"algorithm": "dimension-order"},
}


def compiles(design: Design, folder: Path) -> None:
    """Assert that Icarus reads a design in its harness, and has nothing to say."""
    for name, text in design.files.items():
        (folder / name).write_text(text)
    compiler = subprocess.run(
        ["iverilog", "-g2005", "-Wportbind", "-s", "harness", "-o", "sim", *design.files],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (compiler.returncode, compiler.stderr) == (0, "")


@pytest.mark.parametrize("more", [{}, {"flow_control": "end-to-end"}, {"store": 8}], ids=str)
def test_terminal_has_its_table_and_no_router(tmp_path: Path, more: dict[str, Any]) -> None:
    terminal = {"kind": "axi-stream", **more}
    (design,) = designs(build(FOUR | {"terminal": terminal}), "terminal", 3)
    compiles(design, tmp_path)
    assert "four_headers headers(" in design.files["top.v"]
    assert not any("router" in text for text in design.files.values())


def test_terminal_without_an_interface() -> None:
    with pytest.raises(CostError, match=r"^Part terminal needs a terminal with AXI4-Stream"):
        designs(build(FOUR), "terminal", 3)


def test_endpoints_stand_without_their_terminal(tmp_path: Path) -> None:
    network = build(FOUR | {"terminal": {"kind": "mailbox", "endpoints": 4}})
    (design,) = designs(network, "endpoints", 3)
    compiles(design, tmp_path)
    assert [*design.sources] == ["concentrator.v", "distributor.v", "top.v"]
    with pytest.raises(CostError, match=r"^Part endpoints needs several of them, as in terminal: "):
        designs(build(FOUR | {"terminal": {"kind": "mailbox"}}), "endpoints", 3)


def test_mailbox_is_alone() -> None:
    (design,) = designs(build(FOUR | {"terminal": {"kind": "mailbox"}}), "mailbox", 3)
    assert (design.top, [*design.sources]) == ("four_mailbox", ["mailbox.v"])
    assert {"irq", "bus__awaddr", "tx__tdata"} < {port.name for port in design.around}


def test_mailbox_without_one() -> None:
    with pytest.raises(CostError, match=r"^Part mailbox needs mailboxes, as in terminal: "):
        designs(build(FOUR), "mailbox", 3)


def test_terminal_with_classes() -> None:
    network = build(FOUR | {"router": {"classes": 2}, "terminal": {"kind": "axi-stream"}})
    with pytest.raises(CostError, match=r"^Part terminal needs one message class, not 2$"):
        designs(network, "terminal", 3)
