"""Output folders get all files of one run, or none; locks exclude; caches of tools may be damaged.

A lock excludes threads and processes, and is free again however its holder ends.
"""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from resource import RLIMIT_FSIZE, getrlimit, setrlimit

import pytest

from fingerpost.hdl.emit.files import locked, staged, write_files
from fingerpost.hdl.emit.tools import run_tool


@contextmanager
def limited(size: int) -> Iterator[None]:
    """Let no file become longer: the error is that of a full disk but for its number."""
    soft, hard = getrlimit(RLIMIT_FSIZE)
    setrlimit(RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        setrlimit(RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("folder", ["out", "a/b/out"])
def test_a_full_disk_leaves_nothing_and_the_error_names_the_file(
    folder: str, tmp_path: Path
) -> None:
    place = tmp_path / folder
    with limited(1000), pytest.raises(OSError, match="File too large") as error:
        write_files({"short.v": "x", "long.v": "x" * 5000}, place)
    assert (error.value.errno, error.value.filename) == (errno.EFBIG, str(place / "long.v"))
    assert not [*tmp_path.iterdir()]


def test_after_an_error_the_folder_is_as_it_was(tmp_path: Path) -> None:
    write_files({"short.v": "old", "long.v": "old"}, tmp_path)
    with limited(1000), pytest.raises(OSError, match="File too large"):
        write_files({"short.v": "x", "long.v": "x" * 5000}, tmp_path)
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {
        "short.v": "old",
        "long.v": "old",
    }


def test_what_is_kept_after_an_error_can_be_found(tmp_path: Path) -> None:
    def fail() -> None:
        with staged(tmp_path / "out", keep=(RuntimeError,)) as folder:
            (folder / "log").touch()
            raise RuntimeError(str(folder))

    with pytest.raises(RuntimeError) as error:
        fail()
    assert (Path(str(error.value)) / "log").exists()
    assert not (tmp_path / "out").exists()


def test_two_at_once_do_not_mix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rename = Path.replace

    def slowly(path: Path, target: Path) -> Path:
        os.sched_yield()
        return rename(path, target)

    monkeypatch.setattr(Path, "replace", slowly)
    names = [f"{number}.v" for number in range(20)]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(10):
            sets = [dict.fromkeys(names, text) for text in "abcd"]
            list(pool.map(lambda files: write_files(files, tmp_path / "out"), sets))
            assert len({file.read_text() for file in (tmp_path / "out").iterdir()}) == 1
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == sorted(names)


ROOT = Path(__file__).parents[3]

HOLDER = """
import sys
from pathlib import Path
from fingerpost.hdl.emit.files import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(path: Path) -> subprocess.Popen[str]:
    """Return a process that holds a lock until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, path],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "held\n"
    return process


@pytest.mark.parametrize("killed", [False, True])
def test_another_process_is_refused_until_the_first_has_ended(killed: bool, tmp_path: Path) -> None:
    path = tmp_path / "x"
    with holder(path) as process:
        with pytest.raises(ValueError, match=r"^x is in use$"), locked(path, busy="x is in use"):
            pass
        if killed:
            process.kill()
        process.communicate(None if killed else "")
    with locked(path, busy="x is in use"):
        pass
    assert not [*tmp_path.iterdir()]


def test_threads_take_turns(tmp_path: Path) -> None:
    path, inside, seen = tmp_path / "x", 0, set()

    def work(_: int) -> None:
        nonlocal inside
        for _ in range(20):
            with locked(path):
                inside += 1
                os.sched_yield()
                seen.add(inside)
                inside -= 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert seen == {1}
    assert not [*tmp_path.iterdir()]


def test_names_what_cannot_be_locked(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as error, locked(tmp_path / "nowhere" / "x"):
        pass
    assert error.value.filename == str(tmp_path / "nowhere" / "x")


TOOL = """#!/bin/sh
echo run >> runs
[ -s "$YOWASP_CACHE_DIR/yowasp_tool/code" ] || {{ echo compiled; exit; }}
{}
"""
"""Compiles itself into its cache, or runs what is there."""


def tool(folder: Path, name: str, fails: str) -> Path:
    path = folder / name
    path.write_text(TOOL.format(fails))
    path.chmod(0o755)
    return path


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a file in the cache of the tool."""
    code = tmp_path / "cache" / "yowasp_tool" / "code"
    code.parent.mkdir(parents=True)
    code.write_text("damaged")
    monkeypatch.setenv("YOWASP_CACHE_DIR", str(tmp_path / "cache"))
    return code


FAILS = "kill -SEGV $$", "kill -BUS $$", "kill -ABRT $$", "echo 'OSError: [Errno 28] Full'; exit 1"


@pytest.mark.parametrize("fails", FAILS)
def test_a_cache_that_fails_is_removed(fails: str, cache: Path, tmp_path: Path) -> None:
    said = run_tool([str(tool(tmp_path, "yowasp-tool", fails))], tmp_path, error=ValueError)
    assert said == "compiled\n"
    assert not cache.exists()


@pytest.mark.parametrize(
    ("name", "fails"),
    [
        ("yowasp-tool", "echo ERROR: syntax; exit 1"),
        ("yowasp-tool", "echo killed; kill -KILL $$"),
        ("other-tool", "echo down; kill -SEGV $$"),
    ],
)
def test_a_tool_that_fails_is_run_once(name: str, fails: str, cache: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"{name} broke down: (ERROR: syntax|killed|down)"):
        run_tool([str(tool(tmp_path, name, fails))], tmp_path, error=ValueError)
    assert (tmp_path / "runs").read_text() == "run\n"
    assert cache.exists()


@pytest.mark.usefixtures("cache")
def test_a_disk_that_is_full_everywhere_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tool(tmp_path, "yowasp-tool", "")
    script.write_text("#!/bin/sh\necho 'OSError: [Errno 28] No space left on device'; exit 1\n")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(ValueError, match="it writes to") as error:
        run_tool([str(script)], tmp_path, error=ValueError)
    assert str(error.value) == (
        "yowasp-tool broke down: OSError: [Errno 28] No space left on device; it writes to "
        f"{tmp_path}, {tmp_path / 'cache'} and {tmp_path}"
    )


def test_a_network_made_anew_leaves_no_other_modules(tmp_path: Path) -> None:
    def text(*names: str) -> dict[str, str]:
        return {name: name for name in names}

    def made(*names: str) -> None:
        listed = {name: sha256(name.encode()).hexdigest() for name in names}
        write_files(text(*names) | {"net.json": json.dumps({"sha256": listed})}, tmp_path)

    write_files(text("other.v"), tmp_path)
    made("a.v", "b.v", "c.v")
    (tmp_path / "c.v").write_text("changed by hand")
    made("a.v", "d.v")
    assert {x.name for x in tmp_path.iterdir()} == {"a.v", "c.v", "d.v", "net.json", "other.v"}
    for damaged in '{"sha256": 1}', '{"sha256": {"../a.v": ""}}', "[]", "{":
        (tmp_path / "net.json").write_text(damaged)
        made("a.v")
        assert (tmp_path / "d.v").exists()
