"""What a network file comes from, and files that are too much of a good thing."""

import io
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from fingerpost.netfile import LARGEST, NetfileError, read
from tests.fingerpost.common import NETWORKS, Run

GOOD = "name: x\ntopology: {family: star, n: 3}\n"
KNOWN = "the keys here are name, topology, routing, router, link, terminal"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def refusal(text: str) -> str:
    Path("x.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(NetfileError) as caught:
        read("x.yaml")
    return str(caught.value)


def give(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


@pytest.mark.parametrize("command", [("info",), ("route", 0, 5), ("loads",)])
def test_standard_input_is_read(
    run: Run, monkeypatch: pytest.MonkeyPatch, command: tuple[object, ...]
) -> None:
    give(monkeypatch, GOOD)
    ended = run(command[0], "-", *command[1:], "--json")
    assert (ended.status, ended.err) == (0, "")
    give(monkeypatch, "name: x\ntopology: {family: star, n: 2}\n")
    ended = run(command[0], "-", *command[1:], "--json")
    assert ended == (2, "", "fingerpost: <stdin>:2: topology.n: Star needs an n in 3..9, not 2\n")


def test_a_pipe_is_read(run: Run) -> None:
    os.mkfifo("pipe")
    writer = threading.Thread(target=Path("pipe").write_text, args=(GOOD,))
    writer.start()
    ended = run("info", "pipe", "--json")
    writer.join()
    assert (ended.status, ended.json["nodes"]) == (0, 6)


def test_the_edge_list_of_a_pipe_is_in_the_current_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path("list.txt").write_text("a b\nb c\n", encoding="utf-8")
    give(monkeypatch, "name: x\ntopology: {family: edge-list, file: list.txt}\n")
    assert read("-").topology().nodes == 3


def test_devices_on_standard_input_are_read_too() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "fingerpost", "route", "/dev/stdin", "0", "16"],
        cwd=NETWORKS.parent,
        input=(NETWORKS / "borel-21.yaml").read_text(encoding="utf-8"),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert shown.stdout.startswith("borel-21, two-phase: 3 hops")


@pytest.mark.parametrize("more", ["#" + "c" * 50_000_000, "a: 0\n" * LARGEST])
def test_a_file_too_large_is_not_read(more: str) -> None:
    started = time.monotonic()
    message = f"x.yaml: a network file needs at most {LARGEST} bytes, not more"
    assert refusal(GOOD + more) == message
    assert time.monotonic() - started < 1


def test_many_unknown_keys_cost_no_more_than_reading_them() -> None:
    Path("one.yaml").write_text("".join(f"a{i}: 0\n" for i in range(10_000)), encoding="utf-8")
    started = time.process_time()
    with pytest.raises(NetfileError) as caught:
        read("one.yaml")
    assert str(caught.value) == f"one.yaml:1: a0: unknown key; {KNOWN}"
    assert time.process_time() - started < 5  # 60 seconds when each was explained


def test_the_first_unknown_key_of_every_part_counts() -> None:
    more = "router:\n  b: 0\n  c: 0\n"
    assert refusal(f"{GOOD}{more}a: 0\n").startswith("x.yaml:4: router.b: unknown key")
    assert refusal(f"a: 0\n{GOOD}{more}").startswith("x.yaml:1: a: unknown key")


@pytest.mark.parametrize("key", ["null", "~", "5", "0x10", "1.0", "2020-01-01"])
def test_a_key_is_what_is_written(key: str) -> None:
    assert refusal(f"{GOOD}{key}: 3\n") == f"x.yaml:3: {key}: unknown key; {KNOWN}"


def test_a_key_that_yaml_takes_for_true() -> None:
    assert refusal(f"{GOOD}true: 3\n").startswith("x.yaml:3: true: unknown key; ")


def test_a_key_that_nobody_means_is_shown_in_quotes() -> None:
    assert refusal(f"{GOOD}'': 3\n") == f"x.yaml:3: '': unknown key; {KNOWN}"
    message = refusal(f"{GOOD}? {'k' * 900}\n: 3\n")
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
