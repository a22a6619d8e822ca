"""Write what a bench runs; as a command, for the sources of another tree."""

import json
import sys
from importlib import import_module
from pathlib import Path

from fingerpost.hdl.emit.files import naming
from fingerpost.testbench.benches.bench import Bench


def write(bench: Bench, folder: Path) -> list[Path]:
    """Write what a bench runs to a folder, and return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for file, text in bench.sources().items():
        paths.append(folder / file)
        with naming(paths[-1]):
            paths[-1].write_text(text)
    return paths


def main() -> None:
    """``python -m testbench.write MODULE CLASS FOLDER``, parameters as JSON on standard input."""
    module, kind, folder = sys.argv[1:]
    write(getattr(import_module(module), kind).of(json.load(sys.stdin)), Path(folder))


if __name__ == "__main__":
    main()
