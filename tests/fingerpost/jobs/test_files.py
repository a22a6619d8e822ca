import errno
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from fingerpost.jobs import files


def refuse_to_work(*_: Any, **__: Any) -> None:
    raise AssertionError("this is work, and what it is for cannot be written")


def test_a_folder_that_can_be_made_is_fine(tmp_path: Path) -> None:
    files.check_folder(tmp_path)
    files.check_folder(tmp_path / "a" / "b")
    files.check_folder(Path("a/b"))


def test_a_file_is_written_over_but_a_device_is_not(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("old", encoding="utf-8")
    files.write(tmp_path / "x", lambda path: path.touch())
    assert not (tmp_path / "x").read_text(encoding="utf-8")
    for path in (tmp_path, Path("/dev/null")):
        with pytest.raises(ValueError, match=r"is no file, so it cannot be written$"):
            files.write(path, refuse_to_work)


def test_a_file_system_that_may_not_be_written_on_is_told_by_the_name_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, *_: Any, **__: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    for method in ("open", "unlink"):  # Linux refuses to remove even what is not there
        monkeypatch.setattr(Path, method, refuse)
    with pytest.raises(OSError, match="Read-only") as error:
        files.write_text(tmp_path / "x.svg", "text")
    assert error.value.filename == str(tmp_path / "x.svg")


def test_threads_that_write_one_file_do_not_mix(tmp_path: Path) -> None:
    def work(text: str) -> None:
        for _ in range(50):
            files.write_text(tmp_path / "x", text)
            assert len(set((tmp_path / "x").read_text(encoding="utf-8"))) == 1

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, (letter * 10_000 for letter in "abcd")))
    assert [file.name for file in tmp_path.iterdir()] == ["x"]
