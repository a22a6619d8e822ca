"""Programs on RISC-V processors at the terminals of a network."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from examples.machine import machine, place, simulation
from examples.machine.__main__ import source
from examples.machine.expected import EXPECTED, serves
from examples.machine.machine import EVENT
from examples.machine.show import picture, table
from examples.machine.simulation import Event, Run
from fingerpost.golden.network.kinds import build_any
from fingerpost.testbench.compiled import build as building
from fingerpost.testbench.packing import fill

ROUTING = {"algorithm": "dimension-order"}
AXI4 = {
    "terminal": {"kind": "axi4", **machine.TERMINALS["axi4"]},
    "memory_map": [machine.MEMORY_MAP],
}


def mesh(**more: Any) -> Any:
    """Small memories, so that packets wait."""
    terminal = {"kind": "mailbox", "send_words": 32, "receive_words": 32, "packet_limit": 16}
    if "memory_map" in more:
        terminal = {}
    return build_any(
        {
            "name": "machine-2x2",
            "topology": {"family": "grid", "sizes": [2, 2]},
            "terminal": terminal | more.pop("terminal", {}),
        }
        | ({} if "kind" in more.get("router", {}) else {"routing": ROUTING})
        | more
    )


def ran(
    network: Any, program: str | Path, folder: Path, core: str = "picorv32", **defined: int
) -> tuple[Any, list[str]]:
    """Run a program; return what was seen, and what is wrong with it."""
    there = simulation.simulator(network, folder, processor=core)
    code = machine.HERE / f"programs/{program}.c" if isinstance(program, str) else program
    found = simulation.run(network, code, there, folder, defined=defined, processor=core)
    return found, simulation.wrong(network, found, code.stem, defined)


def events(*several: tuple[int, int, Event, int, int], run: Run | None = None) -> Run:
    """Return what a machine has done, of events: cycle, node, what, address and word."""
    cycle, node, valid, place, word = np.array(several, np.int64).reshape(-1, 5).T
    rows = np.zeros((len(several), 1), np.uint64)
    fill(EVENT, {"valid": valid, "place": place >> 2 & 1023, "word": word}, rows)
    found = run or Run()
    found.take(cycle, node, rows)
    return found


CONSOLE, ERRORS, DATA, SEND = 0x80000000, 0x80000008, 0x40000044, 0x40000040
REPORT = CONSOLE + 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all: a simulator is built once for each network."""
    return tmp_path_factory.mktemp("machine")


@pytest.mark.verilator
@pytest.mark.regress  # needs the tools of `scripts/setup machine`, and fails without them
class TestPrograms:
    @pytest.mark.parametrize("program", [name for name in EXPECTED if serves("mailbox", name)])
    def test_compute_what_python_does(self, program: str, folder: Path) -> None:
        found, wrong = ran(mesh(router={"classes": 2}), program, folder)
        assert wrong == []
        assert found.sent.total() > 10

    def test_nodes_side_by_side_take_as_many_cycles(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        network = mesh(router={"classes": 2})
        alone, _ = ran(network, "all_reduce", folder)
        monkeypatch.setattr(building, "SEVERAL", 1)
        together, wrong = ran(network, "all_reduce", folder)
        assert wrong == []
        assert together == alone

    def test_descriptors_move_what_registers_do(self, folder: Path) -> None:
        network = mesh(terminal={"memory_words": machine.MEMORY_WORDS})
        assert ran(network, "ping_pong", folder)[1] == []

    @pytest.mark.parametrize(
        "more",
        [
            {"terminal": {"endpoints": 2}},
            {"router": {"kind": "deflection"}, "terminal": {"flow_control": "end-to-end"}},
            {"router": {"classes": 2}, "terminal": {"clock": "own"}},
        ],
        ids=["endpoints", "deflection", "clocks"],
    )
    def test_other_nodes(self, more: dict[str, Any], folder: Path) -> None:
        assert ran(mesh(**more), "all_reduce", folder)[1] == []

    def test_a_second_core_on_wishbone(self, folder: Path) -> None:
        network = mesh(terminal={"bus": "wishbone"})
        assert ran(network, "ping_pong", folder, "serv", ROUNDS=2, WORDS=20)[1] == []

    def test_boards_that_os_links_join(self, folder: Path) -> None:
        network = mesh(topology={"family": "grid", "sizes": [2]}, link={"kind": "os-link"})
        assert ran(network, "ping_pong", folder, ROUNDS=1)[1] == []

    def test_boards_whose_links_lose_words(self, folder: Path) -> None:
        link = {"kind": "stream", "between": "boards", "errors": 20}
        network = mesh(link=link, boards=[[0, 1], [2, 3]])
        assert ran(network, "all_reduce", folder)[1] == []

    def test_memory_of_other_nodes(self, folder: Path) -> None:
        network = mesh(topology={"family": "grid", "sizes": [2, 3]}, **AXI4)
        found, wrong = ran(network, "shared_memory", folder, WORDS=20)
        assert wrong == []
        # Three barriers, a word and a byte and a load for each of six; and the copy.
        assert found.sent.total() == 6 * (3 * 6 + 3 * 6 + 2 * 20)
        assert all(
            found.sent[v, to] == 6 + 20 * ((to - v) % 6 in (1, 2))
            for v in range(6)
            for to in range(6)
        )

    def test_an_address_that_no_node_has_ends_a_program(self, folder: Path, tmp_path: Path) -> None:
        program = tmp_path / "astray.c"
        access = "if (my_rank() == 2) *(volatile uint32_t *)0x4ff00000u = 1;"
        program.write_text(f'#include "machine.h"\nvoid program(void) {{ {access} }}\n')
        found, wrong = ran(mesh(**AXI4), program, folder)
        assert (found.end, wrong) == ("finished", ["node 2 ended with an error"])

    def test_request_reply_locks_with_one_class_and_not_with_two(self, folder: Path) -> None:
        found, wrong = ran(mesh(router={"classes": 2}), "request_reply", folder, REQUESTS=200)
        assert wrong == []
        found, _ = ran(mesh(), "request_reply", folder, REQUESTS=200)
        assert found.end == "locked"


def test_a_wrong_word_or_count_is_told() -> None:
    text = machine.machine_verilog(mesh(link={"kind": "os-link"}))
    assert ".clk({4{clk}}), .rst({4{rst}})" in text
    own = machine.machine_verilog(mesh(terminal={"clock": "own"}))
    assert ".mailbox_3_clk({1{clk}}), .mailbox_3_rst({1{rst}})" in own
    assert not re.search(r"wire \w+_clk", own)
    assert re.search(r"assign counters = \{node_3_link_errors, .*\};", text)
    network = mesh()
    reports = [
        (9, node, Event.CONSOLE, REPORT, word)
        for node, words in EXPECTED["all_reduce"](4, 16, {}).items()
        for word in words
    ]
    run = events(*reports)
    run.end = "finished"
    assert simulation.wrong(network, run, "all_reduce", {}) == []
    other = (9, 0, Event.CONSOLE, REPORT, 1)
    run = events(reports[0], other, *reports[2:], (9, 2, Event.CONSOLE, ERRORS, 3))
    run.end, run.counters = "locked", 1
    told = simulation.wrong(network, run, "all_reduce", {})
    assert [line.partition(":")[0] for line in told] == [
        "the machine is locked",
        "the error counters of the network sum up to 1",
        "the mailbox of node 2 counts 3 errors",
        "node 0",
    ]


def test_terminals_of_a_machine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "two.yaml"
    text = "name: two\ntopology: {family: grid, sizes: [2]}\n"
    own = text + "terminal: {kind: axi4, managers: [0], outstanding: 4}\n"
    own += "memory_map: [{base: 0, size: 4096, node: 1}]\n"
    for given, terminal, kind in ((text, "", "mailbox"), (text, "axi4", "axi4"), (own, "", "axi4")):
        file.write_text(given)
        network = machine.read(file, terminal=terminal)
        assert network.terminal.kind == kind
        more = ", and the memory map of a machine" if kind == "axi4" else ""
        assert capsys.readouterr().err == f"machine: two.yaml gets {kind} terminals{more}\n"
    assert network.terminal.describe()["outstanding"] == 4
    text = machine.machine_verilog(network)
    assert text.count("machine_memory memory_") == text.count("machine_axi_lite bridge_") == 2
    with pytest.raises(machine.MachineError, match=r"^--bus, .* need --terminal mailbox$"):
        machine.read(file, dma=True)
    message = "--program: heat is for mailbox terminals; give --terminal mailbox"
    with pytest.raises(machine.MachineError, match=f"^{message}$"):
        source("heat", "axi4")


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
    run = events(
        (10, 0, Event.BEGINS, SEND, 2 << 16 | 3),
        (12, 0, Event.MOVES, DATA, 1),
        (20, 0, Event.MOVES, DATA, 2),
    )
    # What was written before is remembered.
    events(
        (31, 3, Event.IRQ, 0, 0),
        (40, 0, Event.BEGINS | Event.IRQ, SEND, 5 << 16 | 3),
        (50, 1, Event.BEGINS, SEND, 1 << 16),
        (60, 1, Event.CONSOLE, CONSOLE, ord("h")),
        (61, 1, Event.CONSOLE, CONSOLE, ord("i")),
        (70, 2, Event.TRAP, 0, 0),
        (71, 1, Event.CONSOLE, CONSOLE + 12, 0),
        (72, 0, Event.CONSOLE, CONSOLE + 12, 1),
        run=run,
    )
    assert run.sent == {(0, 3): 2, (1, 0): 1}
    assert run.words == {(0, 3): 7, (1, 0): 1}
    assert run.network_cycles == [11, 20]
    assert run.printed == {1: "hi"}
    assert run.cycles == 20
    assert (run.ended, run.failed) == ({0, 1, 2}, [2, 0])
    facts = json.loads(json.dumps(run.facts()))
    assert facts["sent"] == [[0, 3, 2, 7], [1, 0, 1, 1]]
    assert (facts["printed"], facts["ended"], facts["cycles"]) == ({"1": "hi"}, [0, 1, 2], 20)
    rows = table(mesh(), run.sent).splitlines()
    assert rows[1].split() == ["0", ".", ".", ".", "2"]
    assert picture(mesh(), run.sent).count("<rect") == 2


def test_mistakes_are_told(tmp_path: Path) -> None:
    sixteen = mesh(topology={"family": "grid", "sizes": [16]})
    for network, run, said in (
        (mesh(), Run(ended={0, 2, 3}), "has not ended within the cycles of --cycles; ...: 1"),
        (sixteen, Run(end="locked", ended={0}, cycles=9),
         "is locked: no word was moved after cycle 9; ...: 1, 2, 3, 4, 5, 6, 7, 8 and 7 more"),
    ):  # fmt: skip
        line = f"the machine {said.replace('...', 'nodes still running')}"
        assert simulation.wrong(network, run, "x.c", {}) == [line]
    file = tmp_path / "two.yaml"
    file.write_text("name: two\ntopology: {family: grid, sizes: [2]}\nterminal: {kind: mailbox}\n")
    with pytest.raises(machine.MachineError, match=r"not 3 \(as the options change the file\)$"):
        machine.read(file, endpoints=3)
    with pytest.raises(machine.MachineError, match=r"^--program: there is no /nowhere/x.c; give"):
        source("/nowhere/x.c", "mailbox")
