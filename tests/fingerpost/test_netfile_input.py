"""What a network file comes from, and files that are too much of a good thing."""

import io
import os
import threading
import time
from pathlib import Path

import pytest

from fingerpost.netfile.source import LARGEST, NetfileError, load, read
from tests.fingerpost.common import NETWORKS, Run, python
from tests.fingerpost.netfiles import GOOD, KEYS, NAME, PARTS, refusal

STAR = "name: x\ntopology: {family: star, n: 3}\n"
KNOWN = f"{KEYS} {PARTS}"


pytestmark = pytest.mark.usefixtures("here")


def give(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


@pytest.mark.parametrize("command", [("info",), ("route", 0, 5), ("loads",)])
def test_standard_input_is_read(
    run: Run, monkeypatch: pytest.MonkeyPatch, command: tuple[object, ...]
) -> None:
    give(monkeypatch, STAR)
    ended = run(command[0], "-", *command[1:], "--json")
    assert (ended.status, ended.err) == (0, "")
    give(monkeypatch, "name: x\ntopology: {family: star, n: 2}\n")
    ended = run(command[0], "-", *command[1:], "--json")
    assert ended == (2, "", "fingerpost: <stdin>:2: topology.n: Star needs an n in 3..9, not 2\n")


def test_a_pipe_is_read(run: Run) -> None:
    os.mkfifo("pipe")
    writer = threading.Thread(target=Path("pipe").write_text, args=(STAR,))
    writer.start()
    ended = run("info", "pipe", "--json")
    writer.join()
    assert (ended.status, ended.json["nodes"]) == (0, 6)


def test_the_edge_list_of_a_pipe_is_in_the_current_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("list.txt").write_text("a b\nb c\n", encoding="utf-8")
    give(monkeypatch, "name: x\ntopology: {family: edge-list, file: list.txt}\n")
    assert read("-").topology().nodes == 3


def test_devices_on_standard_input_are_read_too() -> None:
    text = (NETWORKS / "borel-21.yaml").read_text(encoding="utf-8")
    shown = python("-m", "fingerpost", "route", "/dev/stdin", "0", "16", input=text)
    assert shown.stdout.startswith("borel-21, two-phase: 3 hops")


@pytest.mark.parametrize("more", ["#" + "c" * 50_000_000, "a: 0\n" * LARGEST])
def test_a_file_too_large_is_not_read(more: str) -> None:
    started = time.process_time()
    message = f"x.yaml: a network file needs at most {LARGEST} bytes, not more"
    assert refusal(STAR + more) == message
    assert time.process_time() - started < 1


def test_many_unknown_keys_cost_no_more_than_reading_them() -> None:
    Path("one.yaml").write_text("".join(f"a{i}: 0\n" for i in range(10_000)), encoding="utf-8")
    started = time.process_time()
    with pytest.raises(NetfileError) as caught:
        read("one.yaml")
    assert str(caught.value) == f"one.yaml:1: a0: unknown key; {KNOWN}"
    assert time.process_time() - started < 5  # 60 seconds when each was explained


def test_the_first_unknown_key_of_every_part_counts() -> None:
    more = "router:\n  b: 0\n  c: 0\n"
    assert refusal(f"{STAR}{more}a: 0\n").startswith("x.yaml:4: router.b: unknown key")
    assert refusal(f"a: 0\n{STAR}{more}").startswith("x.yaml:1: a: unknown key")


@pytest.mark.parametrize("key", ["null", "~", "5", "0x10", "1.0", "2020-01-01"])
def test_a_key_is_what_is_written(key: str) -> None:
    assert refusal(f"{STAR}{key}: 3\n") == f"x.yaml:3: {key}: unknown key; {KNOWN}"


def test_a_key_that_yaml_takes_for_true() -> None:
    assert refusal(f"{STAR}true: 3\n").startswith("x.yaml:3: true: unknown key; ")


def test_a_strange_key_is_shown_in_quotes() -> None:
    assert refusal(f"{STAR}'': 3\n") == f"x.yaml:3: '': unknown key; {KNOWN}"
    message = refusal(f"{STAR}? {'k' * 900}\n: 3\n")
    assert message.startswith("x.yaml:3: 'kkk")
    assert len(message) < 200


def test_merged_keys_are_still_merged() -> None:
    Path("x.yaml").write_text("name: x\ntopology: {<<: {family: star}, n: 3}\n", encoding="utf-8")
    assert read("x.yaml").topology().nodes == 6


@pytest.mark.parametrize("path", ["a" * 5000, "/".join(["a"] * 2500), "/".join(["a"] * 1500)])
def test_a_long_path_is_shortened(path: str) -> None:
    with pytest.raises(NetfileError, match=r"^.{80,90}\.{3}.{80,90}'?: (cannot|there)") as caught:
        read(path)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: \0", "x.yaml:2: not YAML: a character that text files do not have"),
        ("[" * 5000, "x.yaml: not YAML for a network: nested too deeply"),
        (
            f"name: 0x{'f' * 5000}",
            f"x.yaml:1: name: needs {NAME}, not a number of thousands of digits",
        ),
    ],
)
def test_not_a_network_file(text: str, message: str) -> None:
    assert refusal(text) == message


def test_text_that_is_not_utf_8() -> None:
    Path("x.yaml").write_bytes(b"name: \xff\n")
    with pytest.raises(NetfileError, match=r"^x\.yaml: not text in UTF-8, so not a network file$"):
        load("x.yaml")


def test_byte_order_mark_is_no_matter() -> None:
    Path("x.yaml").write_text(GOOD, encoding="utf-8-sig")
    assert load("x.yaml").name == "tiny"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("no.yaml", "no.yaml: there is no such file"),
        (".", ".: a directory, not a network file"),
        ("/dev/null", "/dev/null: a device, not a network file"),
        ("a\0b", r"'a\x00b': cannot be read: embedded null byte"),
    ],
)
def test_not_a_file(path: str, message: str) -> None:
    with pytest.raises(NetfileError) as caught:
        load(path)
    assert str(caught.value) == message
