"""Tools whose caches are damaged or cannot be written."""

from pathlib import Path

import pytest

from fingerpost.hdl.emit.tools import run_tool

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
