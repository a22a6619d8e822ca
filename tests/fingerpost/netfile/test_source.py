"""What a network file says arrives, wherever it is from; what is wrong is told by line and key."""

import io
import os
import threading
import time
from pathlib import Path

import pytest

from fingerpost.golden.link import CellLink
from fingerpost.golden.network.network import Network
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.routing import ALGORITHMS
from fingerpost.golden.topology import FAMILIES
from fingerpost.netfile.source import LARGEST, NetfileError, load, read
from tests.fingerpost.common import REFUSALS, Run

pytestmark = pytest.mark.usefixtures("here")

GOOD = """\
name: tiny
topology: {family: borel, p: 7, a: 2, A: [0, 1], B: [1, 1]}
routing: {algorithm: two-phase}
"""
KEYS = "the keys here are"
STAR = "name: x\ntopology: {family: star, n: 3}\n"
PARTS = (
    "name, topology, routing, router, link, terminal, memory_map, counters, positions, boards, "
    "faults"
)
NAME = "1 to 64 of the characters a-z 0-9 _ -, a letter first: it names files and modules"


def loaded(text: str) -> Network:
    Path("x.yaml").write_text(text, encoding="utf-8")
    return load("x.yaml")


def refusal(text: str) -> str:
    with pytest.raises(NetfileError) as caught:
        loaded(text)
    return str(caught.value)


def with_change(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new, 1)


def test_minimal_file_gets_the_defaults() -> None:
    network = loaded(GOOD)
    assert network.name == "tiny"
    assert (network.flit_width, network.buffer_depth, network.virtual_channels) == (32, 8, 2)
    assert network.description == {
        "name": "tiny",
        "topology": {"family": "borel", "p": 7, "a": 2, "A": (0, 1), "B": (1, 1)},
        "routing": {"algorithm": "two-phase", "phase1": "table", "words": "balanced"},
        "router": {
            "flit_width": 32,
            "buffer_depth": 8,
            "virtual_channels": "auto",
            "classes": 1,
            "service": "bounded",
            "bypass_limit": "auto",
            "turn_bypass_limit": "auto",
            "hop_cycles": 2,
            "routing_register": False,
        },
        "link": {"kind": "flit"},
    }


@pytest.mark.parametrize("number", ["0x7", "0b111", "+7", "7_"])
def test_what_can_be_read_in_one_way_alone(number: str) -> None:
    Path("x.yaml").write_text(with_change("p: 7", f"p: {number}"), encoding="utf-8-sig")
    assert load("x.yaml").topology.nodes == 21
    merged = loaded("name: x\ntopology: {<<: {family: star}, n: 3}\n")
    assert (merged.topology.nodes, merged.routing.algorithm) == (6, "table")
    link = loaded(GOOD + "link: {kind: os-link, slot: 12}\n").link
    assert isinstance(link, CellLink)
    assert (link.clocks_per_bit, link.fifo, link.acknowledge) == (5, 2, "overlap")
    assert (link.slot, link.timeout, link.breaks) == (12, 0, False)
    Path("x.yaml").write_text(f"{GOOD}router: {{virtual_channels: 1}}\n", encoding="utf-8")
    assert read("x.yaml").routed().topology.nodes == 21  # routing alone needs no channels


def test_every_key_arrives() -> None:
    network = loaded(
        "name: tiny\n"
        "topology: {family: borel, p: 7, a: 2, A: [1, 1], B: [2, 4]}\n"
        "routing: {algorithm: two-phase, phase1: computed, words: first}\n"
        "router: {flit_width: 40, buffer_depth: 64, virtual_channels: 16, channel_order: [2, 0, 1]}"
        "\nlink: {kind: flit}\n"
    )
    assert (network.flit_width, network.buffer_depth, network.virtual_channels) == (40, 64, 16)
    assert network.order is not None
    assert network.order[:3].tolist() == [2, 0, 1]
    assert network.description["routing"] == {
        "algorithm": "two-phase", "phase1": "computed", "words": "first",
    }  # fmt: skip


def test_a_default_that_does_not_fit_is_told_where_the_router_would_stand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def too_wide(description: object) -> None:
        message = "Router needs a flit_width of at least 40, not 32"
        raise ParameterError("flit_width", message, section="router")

    def lost(description: object) -> None:
        raise ValueError("m needs more than n = 3 hops from 0 to 2")

    monkeypatch.setattr("fingerpost.netfile.source.build", lost)  # which tells no key
    assert refusal(GOOD) == "x.yaml: m needs more than n = 3 hops from 0 to 2"
    monkeypatch.setattr("fingerpost.netfile.source.build", too_wide)
    message = "router.flit_width: Router needs a flit_width of at least 40, not 32"
    assert refusal(GOOD) == f"x.yaml:3: {message}"
    assert refusal(f"{GOOD}router: {{buffer_depth: 4}}\n") == f"x.yaml:4: {message}"


def test_name_in_a_path_of_another_directory_is_kept() -> None:
    Path("sub").mkdir()
    Path("sub/x.yaml").write_text(with_change("p: 7", "p: 15"), encoding="utf-8")
    with pytest.raises(NetfileError, match=r"^sub/x\.yaml:2: topology\.p: "):
        load("sub/x.yaml")


def test_links_that_are_no_network_are_told_by_the_key_of_their_file() -> None:
    Path("links.txt").write_text("a -> b\nc -> b\n", encoding="utf-8")
    assert refusal("name: x\ntopology:\n  family: edge-list\n  file: links.txt\n") == (
        "x.yaml:4: topology.file: Edge-list needs a way from every node to every other, "
        "not none from a to c; links go one way, as the graph is directed"
    )


def test_edge_list_is_read_from_the_file_beside_the_network_file() -> None:
    Path("sub").mkdir()
    Path("sub/links.txt").write_text("a b\nb c\nc a\n", encoding="utf-8")
    Path("sub/x.yaml").write_text(
        "name: x\ntopology: {family: edge-list, file: links.txt}\n", encoding="utf-8"
    )
    network = load("sub/x.yaml")
    assert [network.topology.name(node) for node in range(3)] == ["a", "b", "c"]
    assert network.description["topology"]["links"] == [(0, 1), (1, 2), (2, 0)]
    Path("sub/links.txt").write_text("a b\nb b\n", encoding="utf-8")
    with pytest.raises(
        ValueError, match=r"^sub/links\.txt:2: a link needs two nodes, not b alone; remove it"
    ):
        load("sub/x.yaml")


KNOWN = f"{KEYS} {PARTS}"


def give(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


@pytest.mark.parametrize("command", [("info",), ("route", 0, 5)])
def test_standard_input_is_read(
    run: Run, monkeypatch: pytest.MonkeyPatch, command: tuple[object, ...]
) -> None:
    give(monkeypatch, STAR)
    ended = run(command[0], "-", *command[1:], "--json")
    assert (ended.status, ended.err) == (0, "")
    give(monkeypatch, "name: x\ntopology: {family: star, n: 2}\n")
    ended = run(command[0], "-", *command[1:], "--json")
    assert ended == (2, "", "fingerpost: <stdin>:2: topology.n: Star needs n in 3..9, not 2\n")


def test_a_pipe_is_read_with_what_is_in_the_current_folder(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("list.txt").write_text("a b\nb c\n", encoding="utf-8")
    text = "name: x\ntopology: {family: edge-list, file: list.txt}\n"
    give(monkeypatch, text)
    assert read("-").topology().nodes == 3
    os.mkfifo("pipe")
    writer = threading.Thread(target=Path("pipe").write_text, args=(text,))
    writer.start()
    ended = run("info", "pipe", "--json")
    writer.join()
    assert (ended.status, ended.json["nodes"]) == (0, 3)


@pytest.mark.parametrize("more", ["#" + "c" * 50_000_000, "a: 0\n" * LARGEST])
def test_a_file_too_large_is_not_read(more: str) -> None:
    started = time.process_time()
    message = f"x.yaml: a network file needs at most {LARGEST} bytes, not more"
    assert refusal(STAR + more) == message
    assert time.process_time() - started < 1


def test_the_first_unknown_key_of_every_part_counts() -> None:
    more = "router:\n  b: 0\n  c: 0\n"
    assert refusal(f"{STAR}{more}a: 0\n").startswith("x.yaml:4: router.b: unknown key")
    assert refusal(f"a: 0\n{STAR}{more}").startswith("x.yaml:1: a: unknown key")


@pytest.mark.parametrize("key", ["null", "5", "0x10", "1.0", "2020-01-01", "''"])
def test_a_key_is_what_is_written(key: str) -> None:
    assert refusal(f"{STAR}{key}: 3\n") == f"x.yaml:3: {key}: unknown key; {KNOWN}"


def test_a_strange_key_is_shown_in_quotes() -> None:
    assert refusal(f"{STAR}true: 3\n").startswith("x.yaml:3: true: unknown key; ")
    message = refusal(f"{STAR}? {'k' * 900}\n: 3\n")
    assert message.startswith("x.yaml:3: 'kkk")
    assert len(message) < 200


@pytest.mark.parametrize("path", ["a" * 5000, "/".join(["a"] * 2500), "/".join(["a"] * 1500)])
def test_a_long_path_is_shortened(path: str) -> None:
    with pytest.raises(NetfileError, match=r"^.{80,90}\.{3}.{80,90}'?: (cannot|there)") as caught:
        read(path)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"a: 1\nb: \0", "x.yaml:2: not YAML: a character that text files do not have"),
        (b"[" * 5000, "x.yaml: not YAML for a network: nested too deeply"),
        (
            b"name: 0x" + b"f" * 5000,
            f"x.yaml:1: name: needs {NAME}, not a number of thousands of digits",
        ),
        (b"name: \xff\n", "x.yaml: not text in UTF-8, so not a network file"),
        ("no.yaml", "no.yaml: there is no such file"),
        (".", ".: a directory, not a network file"),
        ("/dev/null", "/dev/null: a device, not a network file"),
        ("a\0b", r"'a\x00b': cannot be read: embedded null byte"),
    ],
)
def test_not_a_network_file(text: bytes | str, message: str) -> None:
    if isinstance(text, bytes):
        Path("x.yaml").write_bytes(text)
    with pytest.raises(NetfileError) as caught:
        load(text if isinstance(text, str) else "x.yaml")
    assert str(caught.value) == message


NAMED = {
    "{FAMILY}": f"needs one of {', '.join(FAMILIES)}",
    "{ALGORITHM}": f"needs one of {', '.join(ALGORITHMS)}",
    "{KEYS}": KEYS,
    "{PARTS}": PARTS,
    "{REGION}": "such as {base: 0, size: 0x10000, nodes: all}",
    "{NAME}": NAME,
    "{BETWEEN}": "all, boards, or a list of pairs of nodes, as in [[0, 1], [2, 5]]",
    "{NOT_KEYS}": "a network file needs keys such as name, topology, routing, as in "
    "networks/borel-21.yaml",
    "{CYCLE}": ", ".join(f"B^-1 from node {v} on channel 0" for v in ("0,0", "2,3", "1,1")),
}


def told(message: str) -> str:
    for name, words in NAMED.items():
        message = message.replace(name, words)
    return message.replace("\\\\", "\\")


TEXTS = [
    *(
        (kind, line)
        for kind in ("changed", "added", "texts")
        for line in REFUSALS[kind].splitlines()
    )
]


@pytest.mark.parametrize(("kind", "line"), TEXTS)
def test_a_wrong_file_is_told_by_line_and_key(kind: str, line: str) -> None:
    *text, _ = line.replace("\\n", "\n").split(" | ")
    whole = with_change(*text) if kind == "changed" else GOOD * (kind == "added") + text[0]
    said = told(line.rsplit(" | ", maxsplit=1)[-1])
    assert refusal(whole) == f"x.yaml{':' * (kind != 'texts')}{said}"


@pytest.mark.parametrize("line", REFUSALS["families"].splitlines())
def test_wrong_parameters_of_every_family(line: str) -> None:
    family, algorithm, message = line.split(" | ")
    Path("x.yaml").write_text(
        f"name: x\ntopology: {{family: {family}}}\nrouting: {{algorithm: {algorithm}}}\n",
        encoding="utf-8",
    )
    with pytest.raises(NetfileError) as caught:
        read("x.yaml").routed()
    assert str(caught.value).partition(": ")[2] == message
