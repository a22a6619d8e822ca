"""Sets of files that are complete or not there, and manifests that can be read."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fingerpost.hdl.emit.scratch import naming
from fingerpost.hdl.emit.staged import staged


def write_files(files: Mapping[str, str], directory: Path) -> list[Path]:
    """Write texts by name, all or none; see `staged`."""
    with staged(directory) as scratch:
        for file, content in files.items():
            with naming(scratch / file):
                (scratch / file).write_text(content, encoding="utf-8", newline="\n")
    return [directory / file for file in files]


def as_text(manifest: Mapping[str, Any]) -> str:
    """Return a manifest as JSON; what holds no further lists on one line."""
    text = json.dumps(manifest, indent=2)
    return re.sub(r"[\[{][^\[\]{}]*[\]}]", _on_one_line, text) + "\n"


def _on_one_line(found: re.Match[str]) -> str:
    """Return a list or object of a manifest on one line, if it fits there or is all numbers."""
    line = re.sub(r"\s*\n\s*", " ", found[0])
    return line if len(line) <= 100 or re.fullmatch(r"[\[\s\d,\]]+", line) else found[0]
