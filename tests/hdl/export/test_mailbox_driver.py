"""The C driver of mailboxes, compiled for the host, on the models of their registers."""

import ctypes
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.network import build
from fingerpost.golden.terminal.mailbox import MISUSES, SEND
from fingerpost.hdl.export.software import mailbox_files
from fingerpost.hdl.terminal.mailbox_map import mailbox_map
from tests.hdl.export.mailbox_machine import STRICT, Machine
from tests.hdl.export.mailbox_model import Beat
from tests.hdl.simulators import said
from tests.networks import load, only

OK, AGAIN, ABSENT, CLASS, LENGTH, DESTINATION, UNFINISHED, BUFFER, DAMAGED, UNEXPECTED = range(
    0, -10, -1
)
SERVED, UNREACHABLE = -10, -11
LIMIT = 6
MESH: dict[str, Any] = {
    "name": "mesh-2x3",
    "topology": {"family": "grid", "sizes": [2, 3]},
    "routing": {"algorithm": "table"},
    "terminal": {"kind": "mailbox", "send_words": 16, "receive_words": 16, "packet_limit": LIMIT},
}
NODES = range(6)
CLASSES = {"router": {"classes": 2}}
SPARSE = {"faults": "node:2"}


def machine(folder: Path, **more: Any) -> Machine:
    """Return a machine with its drivers started."""
    found = Machine(build(MESH | more), folder)
    assert set(found.init()) == {OK}
    return found


def misuses(found: Machine, node: int) -> set[str]:
    errors = found.call("errors", node)
    return {name for place, name in enumerate(MISUSES) if errors >> place & 1}


def test_packets_arrive_as_they_were_sent(tmp_path: Path) -> None:
    """Of every length, from all to all, in two classes; nothing is refused."""
    found, rng = machine(tmp_path, **CLASSES), random.Random(5)
    due: dict[tuple[int, int, int], list[list[int]]] = {}
    count = dict.fromkeys(NODES, 0)
    for source in NODES:
        for to in NODES:
            for c in range(2):
                for length in (1, rng.randint(2, LIMIT - 1), LIMIT):
                    words = [rng.getrandbits(32) for _ in range(length)]
                    due.setdefault((source, to, c), []).append(words)
                    count[to] += 1
    got: dict[tuple[int, int, int], list[list[int]]] = {key: [] for key in due}

    def program(node: int) -> None:
        mine = [(to, c, w) for (s, to, c), every in due.items() if s == node for w in every]
        received = 0
        while mine or received < count[node]:
            if mine and found.send(node, mine[0][0], mine[0][2], mine[0][1]) == OK:
                mine.pop(0)
            for c in range(2):
                answer, source, words = found.receive(node, c)
                if answer > 0:
                    got[source, node, c].append(words)
                    received += 1

    found.everywhere(program)
    assert got == due
    assert found.refused == 0
    assert not any(misuses(found, node) for node in NODES)


def test_what_cannot_be_is_an_error_code_and_reaches_no_register(tmp_path: Path) -> None:
    found = machine(tmp_path, **SPARSE)
    assert found.send(0, 1, []) == LENGTH
    assert found.send(0, 1, [7] * (LIMIT + 1)) == LENGTH
    assert found.send(0, 1, [7], c=1) == CLASS
    assert [found.send(0, to, [7]) for to in (2, 6, 1 << 16)] == [DESTINATION] * 3
    assert found.receive(0, c=1)[0] == CLASS
    assert found.receive(0) == (AGAIN, 0, [])
    found.blocked.add(0)
    assert [found.send(0, 1, [7] * LIMIT) for _ in range(3)] == [OK, OK, AGAIN]
    assert found.send(0, 1, [8]) == OK
    found.blocked.clear()
    found.wait(1)
    assert [found.receive(1)[2] for _ in range(2)] == [[7] * LIMIT] * 2
    assert (found.refused, misuses(found, 0)) == (0, set())


def test_a_packet_that_does_not_fit_stays(tmp_path: Path) -> None:
    found = machine(tmp_path)
    assert found.send(3, 4, [1, 2, 3]) == OK
    found.wait(4)
    assert found.receive(4, room=2)[:2] == (BUFFER, 3)
    assert found.receive(4, room=3) == (3, 3, [1, 2, 3])


def test_a_damaged_packet_is_told_and_removed(tmp_path: Path) -> None:
    found = machine(tmp_path)
    arrives = [Beat(9, False, 5), Beat(0, True, 5, True), Beat(4, True, 1)]
    found.under_way[0, 0].extend(arrives)
    found.wait(0)
    assert found.receive(0)[:2] == (DAMAGED, 5)
    assert found.receive(0) == (1, 1, [4])


def test_starts_again_in_the_middle(tmp_path: Path) -> None:
    """A packet that was begun goes nowhere, one that was read in part is gone, others stay."""
    found = machine(tmp_path)
    at = {(register.name, c): place for register, c, place in found.map.places()}
    for words in ([1, 2, 3], [4, 5]):
        assert found.send(1, 0, words) == OK
    found.wait(0)
    found.write(0, at["send", 0], int(SEND.join(destination=1, length=3)))
    found.write(0, at["send_data", 0], 99)
    assert found.read(0, at["receive_data", 0]) == 1
    assert found.send(0, 1, [8]) == UNFINISHED
    assert found.call("init", 0, ctypes.c_void_p(0)) == OK
    assert misuses(found, 0) == {"aborted"}
    assert found.receive(0) == (2, 1, [4, 5])
    assert found.send(0, 1, [8]) == OK
    found.wait(1)
    assert found.receive(1) == (1, 0, [8])


def test_is_absent_where_another_network_is(tmp_path: Path) -> None:
    found = machine(tmp_path)
    found.constants[mailbox_map(build(MESH)).fixed[3].address] ^= 1
    assert set(found.init()) == {ABSENT}


def test_interrupts_are_those_that_are_enabled(tmp_path: Path) -> None:
    found = machine(tmp_path)
    assert not found.models[2].irq
    found.call("enable", 2, 1)
    assert found.send(4, 2, [1]) == OK
    for _ in range(4):
        assert found.call("poll", 2) & 1 == found.models[2].irq
    assert found.models[2].irq
    found.receive(2)
    assert not found.models[2].irq


MORE = {"all": {}, "sparse": SPARSE, "classes": CLASSES}


@pytest.mark.regress
@pytest.mark.parametrize("more", only([{}], MORE.values()), ids=MORE)
def test_all_reduce_and_barrier(more: dict[str, Any], tmp_path: Path) -> None:
    """Several in a row, of several lengths; none returns before all have called."""
    found, rng = machine(tmp_path, **more), random.Random(2)
    rounds, c = (1, LIMIT, 3, 1), found.classes - 1
    mine = {node: [[rng.getrandbits(32) for _ in range(n)] for n in rounds] for node in found.nodes}
    results: dict[int, list[list[int]]] = {node: [] for node in found.nodes}
    events: list[str] = []

    def program(node: int) -> None:
        for words in mine[node]:
            array = (ctypes.c_uint32 * len(words))(*words)
            add = ctypes.cast(found.driver.add, ctypes.c_void_p)
            assert found.call("all_reduce", node, c, array, len(words), add) == OK
            results[node].append(list(array))
        for _ in range(20 * node):
            found.call("poll", node)
        events.append("in")
        assert found.call("barrier", node, c) == OK
        events.append("out")

    found.everywhere(program)
    total = [
        [sum(column) % (1 << 32) for column in zip(*every, strict=True)]
        for every in zip(*mine.values(), strict=True)
    ]
    assert all(result == total for result in results.values())
    assert events == ["in"] * len(mine) + ["out"] * len(mine)
    assert found.refused == 0


def test_a_packet_that_belongs_to_no_barrier_is_told(tmp_path: Path) -> None:
    found = machine(tmp_path)
    assert found.send(5, 0, [1]) == OK
    found.wait(0)
    assert found.call("barrier", 0, 0) == UNEXPECTED
    assert found.receive(0) == (1, 5, [1])


def words_of(rng: random.Random, count: int) -> Any:
    return (ctypes.c_uint32 * count)(*(rng.getrandbits(32) for _ in range(count)))


def test_receives_from_one_source_and_keeps_what_others_send(tmp_path: Path) -> None:
    """By source and class in the order of sending; without memory for it a packet stays."""
    found = machine(tmp_path, **CLASSES)
    buffer, memory = words_of(random.Random(0), LIMIT), words_of(random.Random(0), 7)

    def receive_from(source: int, c: int = 0) -> tuple[int, list[int]]:
        answer = found.call("receive_from", 0, c, source, buffer, LIMIT)
        return answer, list(buffer)[: max(0, answer)]

    for source, words, c in ((1, [11, 12], 0), (1, [13], 0), (2, [21], 0), (3, [31, 32, 33], 1)):
        assert found.send(source, 0, words, c) == OK
        found.wait(0)
    assert receive_from(2) == (UNEXPECTED, [])
    assert receive_from(1) == (2, [11, 12])
    found.call("keep", 0, memory, 7)
    assert receive_from(2) == (1, [21])
    assert found.send(4, 0, [41] * LIMIT) == OK
    assert found.send(2, 0, [22]) == OK
    found.wait(0)
    assert receive_from(2) == (UNEXPECTED, [])  # 2 of 7 words are taken, and 7 are needed
    assert receive_from(3, 1) == (3, [31, 32, 33])
    assert found.receive(0) == (1, 1, [13])
    assert receive_from(2) == (1, [22])
    assert receive_from(4) == (LIMIT, [41] * LIMIT)
    assert found.receive(0)[0] == AGAIN
    assert receive_from(9)[0] == DESTINATION
    assert receive_from(1, 2)[0] == CLASS
    assert (found.refused, misuses(found, 0)) == (0, set())


@pytest.mark.regress
def test_broadcast_and_gather(tmp_path: Path) -> None:
    """From and to several nodes, one after the other."""
    found, rng = machine(tmp_path, **SPARSE, **CLASSES), random.Random(4)
    c, roots, size = found.classes - 1, (found.nodes[-1], 1, 0), 2
    given = {root: list(words_of(rng, size)) for root in roots}
    mine = {node: list(words_of(rng, size)) for node in found.nodes}
    got: dict[int, list[int]] = {}
    heard: dict[int, dict[int, list[int]]] = {node: {} for node in found.nodes}

    def program(node: int) -> None:
        for root in roots:
            words = (ctypes.c_uint32 * size)(*(given[root] if node == root else [9] * size))
            assert found.call("broadcast", node, c, root, words, size) == OK
            heard[node][root] = list(words)
        for root in roots:
            own, every = (ctypes.c_uint32 * size)(*mine[node]), words_of(rng, 16)
            all = every if node == root else None
            assert found.call("gather", node, c, root, own, size, all) == OK
            if node == root:
                got[root] = list(every)[: size * len(found.nodes)]

    found.everywhere(program)
    assert all(heard[node] == given for node in found.nodes)
    everything = [word for node in found.nodes for word in mine[node]]
    assert got == dict.fromkeys(roots, everything)
    assert found.refused == 0
    assert found.call("gather", 0, c, 0, None, LIMIT + 1, None) == LENGTH
    assert found.call("gather", 0, c, 9, None, 1, None) == DESTINATION
    assert found.call("broadcast", 0, c, 9, None, 1) == DESTINATION


def test_stores_as_many_packets_as_it_promises(tmp_path: Path) -> None:
    """Of every length: the next one waits."""
    found = machine(tmp_path)
    terminal = found.terminal
    for words in (1, 3, LIMIT):
        beats = [Beat(i, i == words - 1, 1) for i in range(words)]
        box = found.models[0].receivers[0]
        while box.valid:
            found.receive(0)
        found.under_way[0, 0].extend(beats * 9)
        for _ in range(2):
            found.wait(0)
        waiting = len(found.under_way[0, 0]) // words
        assert 9 - waiting == terminal.stored(words)
        while found.under_way[0, 0] or box.valid:
            found.receive(0)
            found.wait(0)


def test_two_networks_fit_in_a_program(tmp_path: Path) -> None:
    """With all their names, and each with a number of nodes of its own."""
    for network in (build(MESH | SPARSE | {"name": "one"}), build(MESH | {"name": "two"})):
        for file, text in mailbox_files(network).items():
            (tmp_path / file).write_text(text)
    program = """
    #include <stdio.h>
    #include "one_mailbox.h"
    #include "two_mailbox.h"
    int main(void) {
      one_mailbox_t one; two_mailbox_t two;
      (void)one; (void)two;
      printf("%u %u %u %u", ONE_MAILBOX_TERMINALS, (unsigned)one_mailbox_node_of(2),
             TWO_MAILBOX_TERMINALS, (unsigned)two_mailbox_node_of(2));
    }"""
    (tmp_path / "two.c").write_text(program)
    sources = "two.c", "one_mailbox.c", "two_mailbox.c"
    said("gcc", "-Wall", "-Werror", "-o", "two", *sources, folder=tmp_path)
    assert said(tmp_path / "two", folder=tmp_path) == "5 3 6 2"


@pytest.mark.parametrize(
    "compiler", ["gcc", *filter(shutil.which, ("clang", "riscv64-unknown-elf-gcc"))]
)
@pytest.mark.parametrize("name", ["mesh-2x2-mailbox", "sparse"])
def test_compiles_without_a_warning(compiler: str, name: str, tmp_path: Path) -> None:
    network = build(MESH | SPARSE) if name == "sparse" else load(name)
    files = mailbox_files(network)
    for file, text in files.items():
        (tmp_path / file).write_text(text)
    machine = ["-march=rv32im", "-mabi=ilp32", "-ffreestanding"] if "riscv" in compiler else []
    (driver,) = tmp_path.glob("*.c")
    said(compiler, *machine, *STRICT, "-c", driver, "-o", "driver.o", folder=tmp_path)


DMA = {"terminal": MESH["terminal"] | {"memory_words": 16384, "descriptors": 4}}


class TestDescriptors:
    """A node's rings are at word 1024 x node, its buffers behind them."""

    def start(self, found: Machine, node: int, c: int = 0) -> int:
        base = 1024 * node
        return found.call("rings", node, c, found.at(base + 16 * c), found.at(base + 8 + 16 * c))

    def post(self, found: Machine, node: int, to: int, place: int, words: list[int]) -> int:
        for i, word in enumerate(words):
            found.memory[place + i] = word
        return found.call("try_post", node, 0, to, found.at(place), len(words))

    def test_packets_are_sent_from_memory_and_arrive_there(self, tmp_path: Path) -> None:
        found, rng = machine(tmp_path, **DMA), random.Random(7)
        due = {
            (s, to): [[rng.getrandbits(32) for _ in range(n)] for n in (1, LIMIT, 3)]
            for s in NODES
            for to in NODES
        }
        got: dict[tuple[int, int], list[list[int]]] = {key: [] for key in due}
        assert {self.start(found, node) for node in NODES} == {OK}

        def program(node: int) -> None:
            mine = [(to, words) for (s, to), every in due.items() if s == node for words in every]
            received = posted = provided = 0
            while received < 3 * len(NODES) or found.call("unsent", node, 0):
                place = 1024 * node + 64 + 8 * (posted % 64)
                if posted < len(mine):
                    to, words = mine[posted]
                    posted += self.post(found, node, to, place, words) == OK
                into = found.at(1024 * node + 640 + 8 * (provided % 32))
                if found.call("try_provide", node, 0, into, LIMIT) == OK:
                    provided += 1
                answer, source, words = found.fetch(node)
                if answer > 0:
                    got[source, node].append(words)
                    received += 1
                found.call("poll", node)  # memory alone takes no cycles here

        found.everywhere(program)
        assert got == due
        assert found.refused == 0
        assert not any(misuses(found, node) for node in NODES)

    def test_a_packet_longer_than_its_buffer_waits_for_the_next(self, tmp_path: Path) -> None:
        found = machine(tmp_path, **DMA)
        assert [self.start(found, node) for node in (0, 1)] == [OK, OK]
        assert self.post(found, 0, 1, 64, [5, 6, 7]) == OK
        assert found.call("try_provide", 1, 0, found.at(1100), 2) == OK
        assert found.call("try_provide", 1, 0, found.at(1200), 3) == OK
        for _ in range(4):
            found.wait(1)
        assert found.fetch(1)[0] == BUFFER
        assert found.fetch(1) == (3, 0, [5, 6, 7])
        assert found.fetch(1)[0] == AGAIN
        assert found.memory[1100:1103] == [0, 0, 0]

    def test_what_cannot_be_is_an_error_code(self, tmp_path: Path) -> None:
        found = machine(tmp_path, **DMA | CLASSES)
        assert found.call("try_post", 0, 0, 1, found.at(64), 1) == SERVED
        assert found.call("rings", 0, 2, found.at(0), found.at(8)) == CLASS
        assert found.call("rings", 0, 0, found.at(4), found.at(8)) == UNREACHABLE
        assert found.call("rings", 0, 0, found.at(16384), found.at(8)) == UNREACHABLE
        assert self.start(found, 0) == OK
        assert found.send(0, 1, [1]) == SERVED
        assert found.send(0, 1, [1], c=1) == OK
        assert self.post(found, 0, 1, 64, []) == LENGTH
        assert self.post(found, 0, 6, 64, [1]) == DESTINATION
        assert found.call("try_post", 0, 0, 1, found.at(16383), 2) == UNREACHABLE
        assert found.call("try_provide", 0, 0, found.at(16383), 1) == OK
        found.blocked.add(0)
        answers = [self.post(found, 0, 1, 64, [1] * LIMIT) for _ in range(12)]
        found.wait(0)
        assert {OK, AGAIN} == set(answers)
        assert found.call("unsent", 0, 0) in range(1, 5)
        found.blocked.clear()
        found.wait(0)
        found.wait(0)
        assert found.call("unsent", 0, 0) == 0
        assert found.call("rings", 0, 0, None, None) == OK
        assert (found.refused, misuses(found, 0)) == (0, set())
        assert found.send(0, 1, [1]) == OK
