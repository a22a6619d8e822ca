"""Verilog is the same in every run and under every version of Python."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from amaranth import Signal, tracer
from amaranth.lib.memory import Memory

from fingerpost.hdl.emit.names import names_from_source
from fingerpost.hdl.emit.verilog import module_verilog
from fingerpost.hdl.terminal.crossing import Crossing
from tests.hdl.corpus import write

ROOT = Path(__file__).parents[3]

OTHERS = [f"python3.{minor}" for minor in (11, 12, 13)]


def digests(folder: Path) -> dict[str, str]:
    """Return what tells texts apart, by file; of the manifests, too, which tell of all others."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
    }


def test_names_are_those_of_the_assignments() -> None:
    with names_from_source():
        single = Signal()
        first, second = Signal(), Signal(3)
        typed: Signal = Signal()
        outer = inner = Signal()
        given = (within := Signal())
        several = [Signal() for _ in range(2)]
        rows: Memory = Memory(shape=2, depth=2, init=[])
        write, read = rows.write_port(), rows.read_port()
    signals = (single, first, second, typed, outer, inner, given, within, *several, read.data)
    assert [signal.name for signal in signals] == [
        *("single", "first", "second", "typed", "outer", "outer", "within", "within"),
        *("$signal", "$signal", "read__data"),
    ]
    assert write.addr.name == "write__addr"


@pytest.mark.regress
def test_no_name_is_from_the_bytecode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bytecode differs between versions of Python, and so would the Verilog."""
    some = "torus-0", "torus-6", "port-2"

    def refuse(*_: object, **__: object) -> str:
        raise AssertionError("a name is from the bytecode")

    monkeypatch.setattr(tracer, "get_var_name", refuse)
    assert write(tmp_path, some) == list(some)


@pytest.mark.regress
def test_order_of_clocks_is_the_same_in_every_run() -> None:
    code = (
        "from fingerpost.hdl.terminal.crossing import Crossing\n"
        "from fingerpost.hdl.emit.verilog import module_verilog\n"
        "print(module_verilog(Crossing(4), 'crossing'), end='')"
    )
    here = module_verilog(Crossing(4), "crossing")
    for seed in ("1", "2"):  # which give the sets of Amaranth another order
        ended = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT, env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert ended.stdout == here


@pytest.mark.regress
@pytest.mark.parametrize("command", OTHERS)
def test_other_versions_of_python_write_the_same(command: str, tmp_path: Path) -> None:
    """Needs the interpreter; its packages are those of the lock file, in a folder of the test."""
    python = shutil.which(command)
    remedy = f"{command} does not run: install it, as with pyenv, and name it in PYENV_VERSION"
    assert python, remedy
    assert not subprocess.run([python, "-c", ""], check=False).returncode, remedy
    environment = tmp_path / "environment"
    subprocess.run([python, "-m", "venv", environment], check=True)
    python = str(environment / "bin" / "python")
    pip = [python, "-m", "pip", "install", "-qq", "--no-input"]
    subprocess.run([*pip, "-c", str(ROOT / "requirements.lock"), f"{ROOT}[load]"], check=True)
    run = [python, "-m", "tests.hdl.corpus", str(tmp_path / "there")]
    subprocess.run(run, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    write(tmp_path / "here")
    assert digests(tmp_path / "there") == digests(tmp_path / "here")
