"""The state of a long job: one job uses it at a time, and errors name it."""

import re
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from fingerpost.jobs.state import kept
from tests.hdl.emit.test_staged import limited


def number(line: dict[str, Any]) -> int:
    return int(line["n"])


def test_what_is_kept_is_there_next_time(tmp_path: Path) -> None:
    for n in range(3):
        with kept(tmp_path / "x", "job", {"a": 1}, number) as (done, keep):
            assert done == [*range(n)]
            keep({"n": n})
    assert [file.name for file in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize(
    "content",
    [b"notes", b"notes\n", b"[]\n", b"{}\n", b"\xff\n", b'{"a": 1}\n{"p": 7}\n', b'{"a": 1}\n7\n'],
)
def test_refuses_a_file_that_is_no_state(content: bytes, tmp_path: Path) -> None:
    state = tmp_path / "x"
    state.write_bytes(content)
    message = f"^{re.escape(f'{state}: is not the state of a job')}"
    with pytest.raises(ValueError, match=message), kept(state, "job", {"a": 1}, number):
        pass
    assert state.read_bytes() == content


def test_a_second_job_is_refused(tmp_path: Path) -> None:
    state = tmp_path / "x.jsonl"
    link = tmp_path / "link"
    link.symlink_to(state)
    with kept(state, "sweep", {}, number) as (_, keep):
        for name in (state, link):
            message = (
                f"{name}: another sweep is using it; wait until that has ended, or name another"
            )
            with (
                pytest.raises(ValueError, match=f"^{re.escape(message)} file$"),
                kept(name, "sweep", {}, number),
            ):
                pass
        keep({"n": 7})
    with kept(state, "sweep", {}, number) as (done, _):
        assert done == [7]


def test_the_other_thread_is_refused_too(tmp_path: Path) -> None:
    refused = []

    def other() -> None:
        try:
            with kept(tmp_path / "x", "job", {}, number):
                pass
        except ValueError as error:
            refused.append(str(error))

    with kept(tmp_path / "x", "job", {}, number):
        thread = Thread(target=other)
        thread.start()
        thread.join()
    assert len(refused) == 1


def test_a_full_disk_names_the_state(tmp_path: Path) -> None:
    with kept(tmp_path / "x", "job", {}, number) as (_, keep):
        keep({"n": 1})
        with limited(100), pytest.raises(OSError, match="File too large") as error:
            keep({"n": "x" * 5000})
    assert error.value.filename == str(tmp_path / "x")
    with kept(tmp_path / "x", "job", {}, number) as (done, _):
        assert done == [1]  # the torn line is done again
