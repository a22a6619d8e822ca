"""Pages in Chromium without a window: all of them in one start, driven by a page of our own."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

BROWSERS = "chromium", "chromium-browser", "google-chrome"


def drive(driver: Path, tasks: list[dict[str, Any]], folder: Path, *options: str) -> Any:
    """Open a page with tasks in the place of TASKS, and return what it writes as JSON.

    It may use a folder for itself. Nothing may be in the console.
    """
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.fail("Chromium is missing: run `scripts/setup browser`")
    path = folder / "driver.html"
    text = driver.read_text(encoding="utf-8").replace("TASKS;", f"{json.dumps(tasks)};")
    path.write_text(text, encoding="utf-8")
    ended = subprocess.run(
        [
            *(browser, "--headless", "--no-sandbox", "--disable-gpu"),
            *("--allow-file-access-from-files", "--enable-logging=stderr"),
            *("--window-size=1500,1000", "--virtual-time-budget=60000"),
            *(f"--user-data-dir={folder / 'profile'}", *options),
            *("--dump-dom", path.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert re.findall(r"CONSOLE.*", ended.stderr) == []
    found = re.search(r'<pre id="found">(.*?)</pre>', ended.stdout, flags=re.S)
    assert found, ended.stdout[-500:]
    return json.loads(html.unescape(found[1]))
