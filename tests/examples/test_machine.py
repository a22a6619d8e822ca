"""Programs on RISC-V processors at the terminals of a network, in Verilator."""

from pathlib import Path
from typing import Any

import pytest

from examples.machine import machine
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


def ran(network: Any, program: str, folder: Path, **defined: int) -> tuple[Any, list[str]]:
    """Run a program; return what was seen, and what is wrong with it."""
    place = machine.simulator(network, folder)
    found = machine.run(network, machine.HERE / f"programs/{program}.c", place, defined=defined)
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
