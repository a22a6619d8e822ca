"""What is compiled is made once, and is complete or not there."""

import errno
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fingerpost.testbench.cosim import run_folder
from fingerpost.testbench.runner import BenchError, cached, plain
from tests.golden.test_caches import DAMAGES
from tests.hdl.emit.test_files import limited


def test_one_of_many_makes_it(tmp_path: Path) -> None:
    made = []

    def fill(folder: Path) -> None:
        made.append(folder)
        time.sleep(0.1)
        (folder / "x.so").write_text("whole")

    def ask(_: int) -> str:
        return (cached(tmp_path / "cache" / "x", fill) / "x.so").read_text()

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(ask, range(8))) == {"whole"}
    assert len(made) == 1
    assert [file.name for file in (tmp_path / "cache").iterdir()] == ["x"]


def test_what_fails_is_made_again(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise BenchError("it broke")

    with pytest.raises(BenchError):
        cached(tmp_path / "x", fail)
    assert not [*tmp_path.iterdir()]
    assert cached(tmp_path / "x", lambda folder: (folder / "whole").touch()) == tmp_path / "x"


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("name", ["x.so", "complete"])
def test_what_is_damaged_is_made_again(
    name: str, damage: Callable[[Path], object], tmp_path: Path
) -> None:
    made = []

    def fill(folder: Path) -> None:
        made.append(folder)
        (folder / "x.so").write_text("whole" * 20)
        (folder / "y.o").touch()

    for _ in range(2):
        place = cached(tmp_path / "x", fill)
    assert len(made) == 1
    damage(place / name)
    for _ in range(2):
        assert (cached(place, fill) / "x.so").read_text() == "whole" * 20
    assert len(made) == 2
    assert [*tmp_path.iterdir()] == [place]


def test_a_file_in_the_place_of_the_folder_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    assert (cached(tmp_path / "x", lambda folder: (folder / "whole").touch()) / "whole").is_file()


@pytest.mark.parametrize("name", ["plain", "a b", "a\tb", "a#b", "a:b", "a;b", "a$b", "a'b", "a%b"])
def test_make_sees_plain_names_only(name: str, tmp_path: Path) -> None:
    folder, source = tmp_path / name, tmp_path / name / "x.v"
    folder.mkdir()
    source.write_text("module x; endmodule")
    with plain(folder, [source]) as (place, sources):
        assert (place == folder) == (name == "plain")
        makefile = f"{place}/y: {sources[0]}\n\tcp $< $@\n"
        place.mkdir(exist_ok=True)
        (place / "makefile").write_text(makefile)
        subprocess.run(["make", "-s", "-C", place, f"{place}/y"], check=True)
    assert (folder / "y").read_text() == "module x; endmodule"


def test_a_tool_that_does_not_tell_of_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    with limited(1000), pytest.raises(OSError, match="File too large") as error:
        cached(tmp_path / "x", lambda folder: (folder / "cut").touch())
    assert (error.value.errno, error.value.filename) == (errno.EFBIG, str(tmp_path))
    assert not [*tmp_path.iterdir()]


def test_each_run_has_a_folder_which_stays(tmp_path: Path) -> None:
    folders = []
    for _ in range(3):
        with run_folder(tmp_path / "star" / "unit") as folder:
            folders.append(folder)
    assert len(set(folders)) == 3
    assert all(folder.is_dir() for folder in folders)


@pytest.mark.parametrize(
    ("error", "stays"), [(BenchError, True), (KeyboardInterrupt, False), (KeyError, False)]
)
def test_a_run_that_failed_can_be_looked_at(
    error: type[BaseException], stays: bool, tmp_path: Path
) -> None:
    with pytest.raises(error), run_folder(tmp_path) as folder:
        raise error
    assert folder.is_dir() == stays


def test_a_full_disk_is_told_without_the_name_of_the_run(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="File too large") as error, run_folder(tmp_path) as folder:
        with limited(1000):
            (folder / "run.log").write_text("x" * 5000)
    assert error.value.filename == str(tmp_path)
    assert not [*tmp_path.iterdir()]
