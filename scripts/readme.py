"""The two pictures of README.md: what a dense network carries, and what the tool looks like.

`python -m scripts.readme` runs the commands that the second shows. With the JSON file of a sweep of
the networks of `CARRIED` it draws the first: `fingerpost sweep ... -o about-1000`, then
`python -m scripts.readme about-1000.json`.
"""

import contextlib
import io
import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.sax.saxutils import escape

from matplotlib.figure import Figure

from fingerpost.cli.main import main
from fingerpost.drawing import picture
from fingerpost.drawing.charts import line, of_family, plain
from fingerpost.drawing.draw import svg
from fingerpost.drawing.picture import GRID, INK, PAPER, SHADE
from fingerpost.netfile.source import read

ROOT = Path(__file__).resolve().parent.parent

CARRIED = {
    "borel-1081-shortest": ("dense graph", "3,011 LUT4 sites, 2 block RAMs, 75 MHz"),
    "torus-32x32": ("torus", "1,600 LUT4 sites, 95 MHz"),
    "mesh-32x32": ("mesh", "1,085 LUT4 sites, 137 MHz"),
}
"""Networks of about 1,000 nodes and degree 4: their names in the picture, and their routers on
ECP5, as in docs/howto/choosing.md."""

NAME = "borel-21"

SESSION: dict[tuple[str, ...], str] = {
    ("info", f"{NAME}.yaml"): "name|family|nodes|degree|diameter|mean|routing  |virtual|assumption",
    ("generate", f"{NAME}.yaml", "-o", "build"): r".*(router|network|testbench)\.v|.*json",
    ("cosim", f"{NAME}.yaml", "--level", "network"): NAME,
}
"""Commands, and the lines of their output that are shown."""

VERILOG = (
    r"module|  input (clk|rst)|  // node 0:|  (input|output) (\[.*\] )?node_0_|\);|  \w+_router|"
    r"    \.(clk|straps|inject|eject)|  \);"
)
"""The lines of the network's Verilog that are shown: ports of a node, and those of its router."""

WIDTH, EDGE = 800, 16
DRAWN = 330
LETTER, LINE = 13, 18.0
NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
MONO = "font-family='DejaVu Sans Mono, Menlo, Consolas, monospace'"


def message(facts: Mapping[str, Any]) -> str:
    """Return what the first picture says."""
    ends = {curve["network"]: curve["points"][-1]["accepted"] for curve in facts["curves"]}
    best, *others = CARRIED
    torus, mesh = (f"{ends[best] / ends[name]:.1f} times" for name in others)
    return f"A dense graph carries {torus} the load\nof a torus, and {mesh} that of a mesh"


def carried(facts: Mapping[str, Any]) -> Figure:
    """Return what is accepted against what is offered; each curve has its network and router."""
    made = Figure(figsize=(6.4, 4.6), layout="constrained")
    axes = made.subplots()
    axes.plot([0, 1], [0, 1], color=GRID, linewidth=1.5, zorder=0)
    for curve in facts["curves"]:
        if curve["network"] not in CARRIED:
            continue
        look = of_family(line(curve)) | {"linewidth": 2.4, "markersize": 8}
        load, accepted = ([p[key] for p in curve["points"]] for key in ("load", "accepted"))
        axes.plot(load, accepted, **look)
        name, router = CARRIED[curve["network"]]
        label = f"{name}, {curve['nodes']:,} nodes: {accepted[-1]:.2f}"
        for text, above, size, weight in ((label, 6, 13, "bold"), (router, -13, 11, "normal")):
            axes.annotate(
                text, (load[-1], accepted[-1]), (0, above), textcoords="offset points",
                ha="right", color=look["color"], fontsize=size, weight=weight,
            )  # fmt: skip
    axes.set(xlim=(0, 1.02), ylim=(0, 0.55))
    axes.tick_params(labelsize=13)
    axes.set_xlabel("offered load [flits/terminal/cycle]", fontsize=14)
    axes.set_ylabel("accepted load", fontsize=14)
    axes.set_title(message(facts), color=INK, fontsize=15, weight="bold", loc="left")
    plain(axes)
    return made


def said(command: tuple[str, ...]) -> list[str]:
    """Run a command, and return the lines that it prints.

    Raises
    ------
    RuntimeError
        If it fails.
    """
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = main(list(command))
    if status:
        raise RuntimeError(f"fingerpost {' '.join(command)} ended with status {status}")
    return out.getvalue().splitlines()


def kept(lines: list[str], pattern: str) -> list[str]:
    """Return the lines that a pattern begins; `...` stands for what is left out."""
    found: list[str] = []
    for each in lines:
        if re.match(pattern, each):
            found.append(re.sub("; built.*", "; ...", each))  # how long it took
        elif found and found[-1].strip() != "...":
            found.append(" " * (len(each) - len(each.lstrip())) + "...")
    return found[:-1] if found and found[-1].strip() == "..." else found


def words(lines: list[str], x: float, y: float, size: float, step: float) -> str:
    """Return lines of text, those of commands in bold."""
    bold = ' font-weight="bold"'
    return "".join(
        f'<text x="{x}" y="{y + step * row:g}" font-size="{size}" xml:space="preserve"'
        f"{bold if each.startswith('$') else ''}>{escape(each)}</text>"
        for row, each in enumerate(lines)
    )


def session() -> str:
    """Return the second picture: commands with what they print, the network, its Verilog."""
    lines: list[str] = []
    with TemporaryDirectory() as folder, contextlib.chdir(folder):
        shutil.copy(ROOT / f"networks/{NAME}.yaml", folder)
        for command, pattern in SESSION.items():
            lines += [f"$ fingerpost {' '.join(command)}", *kept(said(command), pattern), ""]
        network = Path(f"build/{NAME.replace('-', '_')}_network.v").read_text(encoding="utf-8")
    verilog = kept(network.partition(" node_1(")[0].splitlines()[:-1], VERILOG)
    drawn = svg(read(ROOT / f"networks/{NAME}.yaml").network())
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', drawn)
    if box is None:
        raise ValueError("the drawing of the network has no viewBox")
    top, room = EDGE + LINE * len(lines), 15.0 * len(verilog) + EDGE
    scale = DRAWN / float(box[1])
    down = top + (room + EDGE - scale * float(box[2])) / 2
    drawn = drawn[drawn.index("<defs") : drawn.rindex("</svg>")]
    drawn = f'<g transform="translate({EDGE / 2} {down:g}) scale({scale:g})">{drawn}</g>'
    title = f"{NAME}: what fingerpost prints, the network and its Verilog"
    height = top + room + 2 * EDGE
    return (
        f'<svg {NAMESPACES} viewBox="0 0 {WIDTH} {height:g}" role="img">'
        f"<style>{picture.DARK}</style><title>{title}</title>"
        f'<rect width="{WIDTH}" height="{height:g}" rx="8" fill="{PAPER}"/>'
        f'<rect width="{WIDTH}" height="{top - 4:g}" rx="8" fill="{SHADE}"/>'
        f'<g fill="{INK}" {MONO}>'
        f"{words(lines, EDGE, EDGE + LETTER, LETTER, LINE)}"
        f"{words(verilog, DRAWN + EDGE, top + 2 * EDGE + 4, 11, 15.0)}</g>{drawn}</svg>\n"
    )


def pictures(sweeps: list[str]) -> None:
    """Draw the first picture of a sweep, or the second."""
    if not sweeps:
        os.environ["COLUMNS"] = "100"
        (ROOT / "docs/session.svg").write_text(session(), encoding="utf-8")
    for sweep in sweeps:
        facts = json.loads(Path(sweep).read_text(encoding="utf-8"))
        title = message(facts).replace("\n", " ")
        picture.draw(ROOT / "docs/carried.svg", partial(carried, facts), title)


if __name__ == "__main__":
    pictures(sys.argv[1:])
