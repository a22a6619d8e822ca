"""Measure the curves of the pages again: ``python -m benchmarks.curves [NAME...]``, all by default.

The commands are those of the pages themselves: every ``fingerpost sweep ... -o NAME`` in `PAGES`,
with the heading above it as title. Pictures go to docs/curves, the figures of the tables to
standard output. What is simulated is kept in build/curves: an interrupted run resumes. All take
some 12 CPU minutes.
"""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile

from benchmarks.table import show
from fingerpost.jobs.console import shown

PAGES = tuple(
    Path("docs", x) for x in ("explanation/results.md", "design/curves.md", "design/survey.md")
)

FOLDER, PICTURES = Path("build/curves"), Path("docs/curves")

COLUMNS = "network", "routing", "channels", "zero-load latency", "saturation", "not stable"


def commands() -> Iterator[tuple[str, str, list[str]]]:
    """Yield name, title and arguments of every sweep of the pages."""
    for page in PAGES:
        title = ""
        for block in re.split(r"\n(?=##? )", page.read_text()):
            title = block.partition("\n")[0].lstrip("# ")
            for text in re.findall(r"^    fingerpost (sweep (?:.*\\\n)*.*)", block, re.MULTILINE):
                *arguments, option, name = shlex.split(text.replace("\\\n", " "))
                if option != "-o":
                    sys.exit(f"{page}: a sweep needs -o NAME at its end, not {option} {name}")
                yield name, title, arguments


def main() -> None:
    """Run the sweeps, and print the figures."""
    known = {name: (title, arguments) for name, title, arguments in commands()}
    wanted = sys.argv[1:] or [*known]
    if not {*wanted} <= {*known}:
        sys.exit(f"Curves are {', '.join(known)}, not {' '.join(wanted)}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in wanted:
        title, arguments = known[name]
        output = FOLDER / name
        program = [str(Path(sys.executable).with_name("fingerpost")), *arguments]
        subprocess.run(
            [*program, "--title", title, "-o", str(output)], check=True, stdout=sys.stderr
        )
        copyfile(output.with_suffix(".svg"), PICTURES / f"{name}.svg")
        rows = []
        for curve in json.loads(output.with_suffix(".json").read_text())["curves"]:
            last = curve["points"][-1]
            row = [curve["network"], curve["routing"], curve["virtual_channels"]]
            row += [shown(curve["zero_load_latency"], 1)]
            row += [shown(curve[key], 2) for key in ("saturation", "not_stable")]
            row += [f"{last['accepted']:.2f}", f"{last['accepted_least']:.2f}"]
            rows.append([*row, shown(curve["bound"], 2)])
        show(name, (*COLUMNS, "accepted at the highest load", "least-served", "bound"), rows)


if __name__ == "__main__":
    main()
