"""Programs on RISC-V processors at the terminals of a network, in Verilator."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from examples.machine import machine, place
from examples.machine.expected import EXPECTED
from examples.machine.show import picture, table
from fingerpost.golden.network.network import build


def mesh(**more: Any) -> Any:
    """Small memories, so that packets wait."""
    terminal = {"kind": "mailbox", "send_words": 32, "receive_words": 32, "packet_limit": 16}
    return build(
        {
            "name": "machine-2x2",
            "topology": {"family": "grid", "sizes": [2, 2]},
            "routing": {"algorithm": "dimension-order"},
            "terminal": terminal | more.pop("terminal", {}),
        }
        | more
    )


def ran(
    network: Any, program: str, folder: Path, core: str = "picorv32", **defined: int
) -> tuple[Any, list[str]]:
    """Run a program; return what was seen, and what is wrong with it."""
    there = machine.simulator(network, folder, processor=core)
    code = machine.HERE / f"programs/{program}.c"
    found = machine.run(network, code, there, defined=defined, processor=core)
    return found, machine.wrong(network, found, program, defined)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all: a simulator is built once for each network."""
    return tmp_path_factory.mktemp("machine")


@pytest.mark.verilator
@pytest.mark.regress  # needs the tools of `scripts/setup machine`, and fails without them
class TestPrograms:
    @pytest.mark.parametrize("program", EXPECTED)
    def test_compute_what_python_does(self, program: str, folder: Path) -> None:
        found, wrong = ran(mesh(router={"classes": 2}), program, folder)
        assert wrong == []
        assert found.sent.total() > 10

    def test_descriptors_move_what_registers_do(self, folder: Path) -> None:
        network = mesh(terminal={"memory_words": machine.MEMORY_WORDS})
        assert ran(network, "ping_pong", folder)[1] == []

    def test_a_second_core_on_wishbone(self, folder: Path) -> None:
        network = mesh(terminal={"bus": "wishbone"})
        assert ran(network, "ping_pong", folder, "serv", ROUNDS=2, WORDS=20)[1] == []

    def test_boards_that_os_links_join(self, folder: Path) -> None:
        network = mesh(topology={"family": "grid", "sizes": [2]}, link={"kind": "os-link"})
        assert ran(network, "ping_pong", folder, ROUNDS=1)[1] == []

    def test_request_reply_locks_with_one_class_and_not_with_two(self, folder: Path) -> None:
        found, wrong = ran(mesh(router={"classes": 2}), "request_reply", folder, REQUESTS=200)
        assert wrong == []
        found, _ = ran(mesh(), "request_reply", folder, REQUESTS=200)
        assert found.end == "locked"


def test_a_wrong_word_or_count_is_told() -> None:
    network = mesh()
    lines = [
        f"report {node} 9 {word}"
        for node, words in EXPECTED["all_reduce"](4, 16, {}).items()
        for word in words
    ]
    run = machine.Run.of("\n".join([*lines, "end finished 100 0"]))
    assert machine.wrong(network, run, "all_reduce", {}) == []
    wrong = [lines[0], "report 0 9 1", *lines[2:]]
    run = machine.Run.of("\n".join([*wrong, "errors 2 9 3", "end locked 100 1"]))
    told = machine.wrong(network, run, "all_reduce", {})
    assert [line.partition(":")[0] for line in told] == [
        "the machine is locked",
        "the error counters of the network sum up to 1",
        "the mailbox of node 2 counts 3 errors",
        "node 0",
    ]


def test_an_error_of_an_os_link_is_counted() -> None:
    text = machine.machine_verilog(mesh(link={"kind": "os-link"}))
    assert ".clk({4{clk}}), .rst({4{rst}})" in text
    assert re.search(r"assign counters = .*\(\|link_errors\);", text)


def test_a_machine_is_placed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[list[str]] = []

    def run_tool(command: list[str], folder: Path) -> None:
        calls.append(command)
        used = {name: {"used": 7, "available": 9} for name in place.CELLS}
        clocks = {"clk": {"achieved": 51.23}}
        report = json.dumps({"utilization": used, "fmax": clocks})
        (folder / "report.json").write_text(report)

    monkeypatch.setattr(place, "find_tool", lambda name: name)
    monkeypatch.setattr(place, "run_tool", run_tool)
    files = ("node.v", "core_serv.v")
    monkeypatch.setattr(machine, "core", lambda name: [machine.HERE / file for file in files])
    monkeypatch.setattr(place, "firmware", lambda *given, **more: None)
    said = place.placed(mesh(), Path("x.c"), tmp_path, 40, processor="serv").splitlines()
    assert said[0] == "     7 of 9 LUT4"
    assert said[-1] == "51.2 MHz reached, 40 asked"
    (synthesis, placing) = calls
    read = re.findall(r"\S+\.v\b", synthesis[-1])
    assert {"machine.v", "top.v", "node.v", "core_serv.v", "machine_2x2_node.v"} <= {*read}
    assert all((tmp_path / name).is_file() for name in read)
    assert placing[placing.index("--freq") + 1] == "40"
    assert "--85k" in placing


def test_counts_who_talked_to_whom() -> None:
    text = "send 0 10 3 2 0\nword 0 12\nword 0 20\nirq 3 31\nsend 0 40 3 5 0\nsend 1 50 0 1 0\n"
    run = machine.Run.of(text + "print 1 60 104\nprint 1 61 105\nend finished 99 0\n")
    assert run.sent == {(0, 3): 2, (1, 0): 1}
    assert run.words == {(0, 3): 7, (1, 0): 1}
    assert run.network_cycles == [11]
    assert run.printed == {1: "hi"}
    rows = table(mesh(), run.sent).splitlines()
    assert rows[1].split() == ["0", ".", ".", ".", "2"]
    assert picture(mesh(), run.sent).count("<rect") == 2
