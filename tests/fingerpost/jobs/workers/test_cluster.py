"""What needs Dask, and what does not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fingerpost.common import NETWORKS, NOWHERE


def search(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Search where Dask is not installed."""
    for name in ("dask", "distributed"):
        text = f"raise ModuleNotFoundError('No module named {name}', name='{name}')\n"
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "fingerpost", "search", "--diameter", "3", "--p-max", "7"]
    return subprocess.run(
        [*command, *more],
        cwd=NETWORKS.parent,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.regress
def test_cores_of_this_machine_need_no_dask(tmp_path: Path) -> None:
    ended = search(tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "topology: {family: borel, p: 7, a: 2, A: [0, 1], B: [1, 1]}" in ended.stdout


def test_a_cluster_needs_it(tmp_path: Path) -> None:
    ended = search(tmp_path, "--cluster", NOWHERE)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        "fingerpost: needs the Python package distributed: "
        "run `pip install 'fingerpost[cluster]'`\n"
    )
