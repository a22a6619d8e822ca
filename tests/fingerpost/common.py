"""What tests of the page share."""

import json
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

import yaml

NETWORKS = Path(__file__).parents[2] / "networks"

NOWHERE = "tcp://127.0.0.1:1"
"""Where no scheduler is."""

SMALL_SEARCH: dict[str, Any] = {"diameter": 4, "p_max": 20}
"""A search that is done in a moment."""

SMALL_SWEEP: dict[str, Any] = {
    "loads": [0.2, 0.9], "seeds": [0, 1], "cycles": 900, "precision": 0, "warm_up": 40,
    "resolution": 0.25,
}  # fmt: skip
"""A sweep that is done in a moment."""


class Ended(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON object that is all of standard output."""
        return json.loads(self.out)


Run = Callable[..., Ended]


def drawn(svg: Path | str) -> str:
    """Return the text of a picture, but for how it was made."""
    text = svg.read_text(encoding="utf-8") if isinstance(svg, Path) else svg
    return re.sub("<dc:description>.*?</dc:description>", "", text, flags=re.S)


def without_progress(err: str) -> str:
    """Return standard error without progress: a busy machine makes every job a long one."""
    return re.sub(r"^fingerpost: .*[:,] \d+ s\n", "", err, flags=re.M)


def python(
    *arguments: object, check: bool = False, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run Python in a process of its own, in the checkout if no folder is given."""
    command = [sys.executable, *map(str, arguments)]
    given: dict[str, Any] = {"cwd": NETWORKS.parent, "stdout": subprocess.PIPE, "timeout": 600}
    given |= {"stderr": subprocess.PIPE, "text": True, **options}
    return subprocess.run(command, check=check, **given)


@contextmanager
def scheduler(tools: Path, folder: Path, workers: int = 1) -> Iterator[str]:
    """Start a Dask scheduler, and workers that are not restarted; yield its address."""
    file = folder / "scheduler.json"
    running: list[subprocess.Popen[bytes]] = []
    file.unlink(missing_ok=True)  # a scheduler that was killed leaves its address there
    options = ["--no-dashboard", "--host", "127.0.0.1", "--scheduler-file", str(file)]
    kinds = [["scheduler", "--port", "0"]] + [["worker", "--no-nanny", "--nthreads", "1"]] * workers
    try:
        running.extend(subprocess.Popen([tools / "dask", *x, *options], cwd=folder) for x in kinds)
        end = time.monotonic() + 60
        while not (found := re.search(r"tcp://[\d.:]+", file.read_text() if file.exists() else "")):
            assert time.monotonic() < end
            time.sleep(0.1)
        yield found[0]
    finally:
        for process in running:
            process.kill()
            process.wait()


class InProcess:
    """A stand-in for the workers of a job: it does in this process what was started last.

    Use it in place of `fingerpost.jobs.runner.pool`.
    """

    def __init__(self, ahead: int = 1) -> None:
        self.ahead, self.started = ahead, list[tuple[Any, Any, Any]]()

    def free(self) -> int:
        return self.ahead - len(self.started)

    def start(self, *unit: Any) -> None:
        self.started.append(unit)

    def busy(self) -> bool:
        return bool(self.started)

    def finished(self) -> tuple[Any, Any]:
        point, work, arguments = self.started.pop()
        return point, work(*arguments)


REFUSALS = yaml.load(Path(__file__).with_name("refusals.yaml").read_text("utf-8"), yaml.CSafeLoader)
"""Tables of wrong files of networks and graphs."""


def written(folder: Path, text: str, name: str = "x.yaml") -> Path:
    """Write a file, and return it."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def like(expected: str, text: str) -> bool:
    """Return whether a text is as expected, `...` being anything."""
    return (
        re.fullmatch(".*".join(map(re.escape, re.split(r" ?\.\.\.", expected))), text, re.S)
        is not None
    )


FILES = {path.name: str(path) for path in NETWORKS.glob("*.yaml")}


def words(command: str) -> list[str]:
    """Return the words of a command; the names of files of networks/ with their folder."""
    return [FILES.get(word, word) for word in shlex.split(command)]


class Page(HTMLParser):
    """What a browser would see: elements with their attributes, and the text outside scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.elements and self.elements[-1][0] not in ("script", "style"):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]
