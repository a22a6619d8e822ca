"""`fingerpost board`: a network on a board, with something that exercises it; as a bitstream."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from fingerpost import boards as known
from fingerpost.boards import Board, constraints
from fingerpost.cli import options
from fingerpost.cli.app import command, option
from fingerpost.jobs.console import answer, status
from fingerpost.jobs.files import check_folder
from fingerpost.jobs.tools import CostError, find_tool, run_tool

if TYPE_CHECKING:
    from fingerpost.golden.network.kinds import AnyNetwork
    from fingerpost.hdl.board import Cable

USED = {
    "TRELLIS_COMB": "LUT4, also of carries and memories",
    "TRELLIS_FF": "flip-flops",
    "TRELLIS_RAMW": "write ports of LUT memories",
    "DP16KD": "block RAM",
}
"""What nextpnr counts, and what people call it."""

TOOLS = "yosys", "nextpnr-ecp5", "ecppack"
"""What makes a bitstream, in this order."""


@command("board networks/petersen.yaml --board ulx3s-85f -o build/board")
def main(
    net: options.Net,
    output: options.Folder,
    board: str = option(
        "ulx3s-85f",
        "ulx3s-12f, ulx3s-25f, ulx3s-45f or ulx3s-85f.",
        "BOARD",
        autocompletion=options.one_of("boards", "BOARDS"),
    ),
    baud: int = option(115_200, "Of the UART that reports.", min=1),
    files: bool = option(False, "Write the design only, without a bitstream."),
    part: Literal["network", "node"] = option("network", "What is on the board."),
    node: str | None = option(
        None, "With --part node: which; its links are pins.", "NODE", usual=False
    ),
    faults: options.Faults = None,
    routing: options.Algorithm = None,
    as_json: options.AsJson = False,
) -> None:
    """Exercise a network, or a node of one, on a board: packets sent, checked and reported."""
    if (node is None) is (part == "node"):
        raise ValueError("board needs --part node and --node NODE, or neither")
    check_folder(output)
    chosen = known.board(board)
    source = options.load_source(net, faults=faults, routing=routing)
    network = options.prove_any(source.with_streams())
    options.tell_faults(network.topology)
    number = None if node is None else network.topology.node(node)
    with status("board") as tell:
        found = facts(
            network,
            chosen,
            baud=baud,
            directory=output,
            node=number,
            make=not files,
            progress=tell,
        )
    answer(found, render, as_json=as_json)


def pace(board: Board, baud: int) -> dict[str, int]:
    """Return the `divisor` and `interval` of a board's UART, as `hdl.board.board_verilog` has them.

    Raises
    ------
    ValueError
        If the clock of the board is too slow for that.
    """
    if not 0 < baud <= board.clock_hz // 2:
        raise ValueError(f"--baud needs a number in 1..{board.clock_hz // 2}, not {baud}")
    interval = (board.clock_hz // 2).bit_length()
    return {"divisor": round(board.clock_hz / baud), "interval": interval}


def facts(
    network: "AnyNetwork",
    board: Board,
    *,
    baud: int,
    directory: Path,
    node: int | None = None,
    make: bool = True,
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Write the design, and make a bitstream of it; return what it takes and how fast it may run.

    Parameters
    ----------
    network : AnyNetwork
        With AXI4-Stream terminals.
    baud : int
        Of the UART.
    node : int, optional
        The one node that is to be on the board, if it is not the network.
    make : bool
        Whether there is to be a bitstream.

    Raises
    ------
    ToolError
        If a tool is missing or breaks down, also since the design is too large or too slow.
    ValueError
        If there can be no such design.

    Keys
    ----
    network
    board, device
        Board and FPGA.
    node, links, reset
        With `--part node`: the node; of its links `port`, `neighbour`, and the pins `out`, `to`,
        `in`, `from`; the pin common to all boards.
    clock_mhz : MHz
        Of the board.
    baud : bit/s
        Of the UART.
    seconds_a_line : s
        Between two lines.
    files
        Written files.
    utilization : cells
        By nextpnr's names `used` and `available`; `null` with `--files`, like the next rows.
    fmax_mhz : MHz
        After place and route.
    bitstream, bitstream_bytes : -, bytes
        File and size.
    """
    from fingerpost.hdl.board import board_verilog, cables, node_board_verilog
    from fingerpost.hdl.emit.files import staged, write_files
    from fingerpost.hdl.export.generate import generate
    from fingerpost.hdl.lib.ports import identifier

    paced = pace(board, baud)
    if node is None:
        joined, pins, texts = [], board.pins, board_verilog(network, **paced)
    else:
        texts = node_board_verilog(network, node, **paced)
        joined = cables(network, node)
        pins = board.node_pins(len(joined))
    tools = [find_tool(f"yowasp-{name}") for name in TOOLS] if make else []
    top = list(texts)[-1]
    own = {f"{name}.v": text for name, text in texts.items()}
    own[f"{top}.lpf"] = constraints(board, pins)
    made: dict[str, Any] = {"utilization": None, "fmax_mhz": None, "bitstream_bytes": None}
    with staged(directory, keep=(CostError,)) as folder:
        files = generate(network, folder, progress=progress) + write_files(own, folder)
        if make:
            listed = (folder / f"{identifier(network.name)}.f").read_text(encoding="utf-8")
            verilog = [line for line in listed.splitlines() if not line.startswith("//")]
            verilog += [f"{name}.v" for name in texts]
            made = _bitstream(tools, board, top, verilog, folder, progress)
    return {
        "network": network.name,
        "board": board.name,
        "device": board.device,
        "node": node,
        "links": [_link(board, cable) for cable in joined],
        "reset": board.shared.name if joined else None,
        "clock_mhz": board.clock_hz / 1e6,
        "baud": board.clock_hz / paced["divisor"],
        "seconds_a_line": (1 << paced["interval"]) / board.clock_hz,
        "files": [str(directory / file.name) for file in files],
        "bitstream": str(directory / f"{top}.bit") if make else None,
        **made,
    }


def _link(board: Board, cable: "Cable") -> dict[str, Any]:
    """Return the pins of a link, and those that they go to."""
    here, there = board.pairs[cable.place], board.pairs[cable.there]
    return {
        "port": cable.port,
        "neighbour": cable.neighbour,
        "out": here.out.name,
        "to": there.into.name,
        "in": here.into.name,
        "from": there.out.name,
    }


def _bitstream(
    tools: list[str],
    board: Board,
    top: str,
    verilog: list[str],
    folder: Path,
    progress: Callable[[str], None],
) -> dict[str, Any]:
    """Synthesise, place, route and pack; return what has come of it."""
    yosys, nextpnr, ecppack = tools
    progress("synthesis")
    script = f"read_verilog {' '.join(verilog)}; synth_ecp5 -top {top} -json {top}.netlist"
    run_tool([yosys, "-q", "-l", f"{top}.yosys.log", "-p", script], folder)
    progress("place and route")
    inputs = ["--json", f"{top}.netlist", "--lpf", f"{top}.lpf"]
    outputs = ["--textcfg", f"{top}.config", "--report", f"{top}.report"]
    outputs += ["-l", f"{top}.nextpnr.log"]
    run_tool([nextpnr, *board.options, *inputs, *outputs, "-q"], folder)
    progress("bitstream")
    run_tool([ecppack, "--compress", f"{top}.config", f"{top}.bit"], folder)
    report = json.loads((folder / f"{top}.report").read_text(encoding="utf-8"))
    return {
        "utilization": {name: report["utilization"][name] for name in USED},
        "fmax_mhz": max(float(clock["achieved"]) for clock in report["fmax"].values()),
        "bitstream_bytes": (folder / f"{top}.bit").stat().st_size,
    }


def render(facts: Mapping[str, Any]) -> str:
    """Return what has come of it as people read it."""
    rate = f"a line each {facts['seconds_a_line']:.2f} s at {facts['baud']:.0f} baud"
    what = facts["network"]
    if facts["node"] is not None:
        what = f"node {facts['node']} of {what}"
    lines = [f"{what} on {facts['board']}, {rate}"]
    lines += [
        "{out} to {to} and {in} from {from} of node {neighbour}".format(**link)
        for link in facts["links"]
    ]
    if facts["reset"]:
        lines.append(f"{facts['reset']}, the reset, and ground to all boards")
    if facts["bitstream"] is None:
        return "\n".join([*lines, *facts["files"]])
    for name, title in USED.items():
        count = facts["utilization"][name]
        share = count["used"] / count["available"]
        lines.append(f"{count['used']:6} of {count['available']}, {share:.0%}: {title}")
    lines.append(f"Fmax {facts['fmax_mhz']:.1f} MHz; the clock has {facts['clock_mhz']:.0f}")
    lines.append(f"{facts['bitstream']}, {facts['bitstream_bytes']} bytes")
    return "\n".join(lines)
