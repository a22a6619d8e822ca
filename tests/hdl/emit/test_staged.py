"""Output folders get all files of one run, or none."""

import errno
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from resource import RLIMIT_FSIZE, getrlimit, setrlimit

import pytest

from fingerpost.hdl.emit.files import staged, write_files


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
