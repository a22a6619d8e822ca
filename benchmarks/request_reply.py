"""Request-reply software on generated RTL: whether it waits for itself, and what it stops.

``python -m benchmarks.request_reply [--json] [--simulator verilator] [--requests N,N]
[--beats N] [--limit N] [--classes N,N] [--serial] [--pair] [NETWORK...]``. Every terminal has a
core (request_reply.v) that sends so many requests to each other one and replies to those that it
gets; while a reply waits to be sent it reads nothing. With two message classes replies have a class
of their own, and are always read; with --serial a reply still waits for a request that is being
sent. Terminals are AXI4-Stream, without end-to-end flow control (raw) and with it (flow). With
--pair two terminals far apart are not part of it, and always send to each other.

A run ends when all replies have come, or when none has come for `SILENCE` cycles: the software is
locked. "standing" are cycles in which flits were in routers and nothing had moved for `QUIET`
cycles on any link, "flits" those in routers at the end, and "heard" the beats that the pair
received in the last half of the silence. With --json one object on standard output.
"""

import json
import os
import subprocess
from argparse import Namespace
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from benchmarks.flow_control import FLOW, RAW, built
from benchmarks.table import arguments, tell
from fingerpost.golden.header import bits
from fingerpost.golden.network.network import Network
from fingerpost.hdl.export.generate import generate
from fingerpost.hdl.lib.ports import identifier
from fingerpost.hdl.link import link_ends
from fingerpost.testbench.toolchain import environment

CORE = Path(__file__).with_suffix(".v")

SILENCE, QUIET, LONGEST = 4000, 16, 2_000_000

TERMINALS = {"raw": RAW, "flow": FLOW}


class Software(NamedTuple):
    """What the cores do."""

    requests: int
    """To each other core; with 0 only the pair does anything."""
    beats: int = 1
    """Of each packet."""
    limit: int = 0
    """Requests to each other core that may wait for their replies; 0: any number."""
    serial: bool = False
    """Whether it sends one packet at a time, of whatever class."""
    pair: tuple[int, int] | None = None
    """Terminals that are not part of it, and always send to each other."""


def bench(network: Network) -> str:
    """Return a bench in Verilog; it prints what came of the software as JSON."""
    topology = network.topology
    n, number, top = topology.nodes, bits(topology.nodes), f"{identifier(network.name)}_vectors"
    classes = network.classes
    terminals = topology.terminals.tolist()
    wide = {"tvalid": 1, "tready": 1, "tdata": 32, "tlast": 1}
    streams = {"s": wide | {"tdest": number}, "m": wide | {"tuser": number + 1}}
    parts = [
        (f"{way}_{x}", w * classes) for way, stream in streams.items() for x, w in stream.items()
    ]
    wires = "\n".join(f"  wire [{n * width - 1}:0] {part};" for part, width in parts)
    ports = ", ".join(f".{part[0]}_axis{part[1:]}({part})" for part, _ in parts)
    cores = "\n".join(
        f"  request_reply #(.NODES({n}), .NUMBER({number}), .ME({node}), .CLASSES({classes})) "
        f"core_{node}(.clk(clk), .rst(rst), .members(members), .requests(requests), "
        ".beats(beats), .limit(limit), .serial(serial), "
        f".partner({node} == first ? second : first), "
        + ", ".join(f".{part}({part}[{node * width} +: {width}])" for part, width in parts)
        + f", .came(came[{node}]), .done(done[{node}]), .wrong(wrong[{node}]));"
        for node in terminals
    )
    starts = np.argwhere(topology.neighbour >= 0).tolist()
    links = [f"|dut.network.{link_ends(network).passes(*start).lstrip('|')}" for start in starts]
    enters, leaves = (
        " + ".join(f"(|dut.network.node_{node}.router.{valid})" for node in terminals)
        for valid in ("injection.valid", "eject_valid")
    )
    return f"""module bench;
  reg clk = 0, rst = 1;
  always #5 clk = ~clk;
  reg [{n - 1}:0] members;
  reg serial;
  reg [31:0] requests, beats, limit;
  reg [{number - 1}:0] first, second;
  wire [{n - 1}:0] came, done, wrong;
{wires}
{cores}
  {top} dut(.clk(clk), .rst(rst), {ports},
    .s_axis_tuser({n * classes}'d0), .s_axis_tkeep({{{4 * n * classes}{{1'b1}}}}));

  wire [15:0] enters = 16'd0 + {enters};
  wire [15:0] leaves = 16'd0 + {leaves};
  wire moves = enters != 0 | leaves != 0 | {" | ".join(links)};
  integer cycle = 0, replies = 0, last = 0, flits = 0, quiet = 0, standing = 0, heard = 0;
  integer i, reply;
  always @(posedge clk) if (!rst) begin
    reply = 0;
    for (i = 0; i < {n}; i = i + 1) reply = reply + came[i];
    cycle <= cycle + 1;
    replies <= replies + reply;
    flits <= flits + enters - leaves;
    quiet <= moves ? 0 : quiet + 1;
    standing <= standing + (flits != 0 && quiet >= {QUIET});
    if (reply != 0) last <= cycle;
    heard <= cycle - last < {SILENCE // 2} ? 0
      : heard + (m_tvalid[first * {classes}] & ~members[first])
        + (m_tvalid[second * {classes}] & ~members[second]);
    if (|wrong | (&done & requests != 0) | cycle - last == {SILENCE} | cycle == {LONGEST}) begin
      $write("{{\\"wrong\\": %0d, \\"cycles\\": %0d, ", |wrong, last);
      $write("\\"replies\\": %0d, \\"locked\\": %0d, ", replies, !(&done));
      $display("\\"flits\\": %0d, \\"standing\\": %0d, \\"heard\\": %0d}}", flits, standing, heard);
      $finish;
    end
  end
  initial begin
    if (!$value$plusargs("requests=%d", requests) || !$value$plusargs("beats=%d", beats)
        || !$value$plusargs("limit=%d", limit) || !$value$plusargs("serial=%d", serial)
        || !$value$plusargs("members=%h", members)
        || !$value$plusargs("first=%d", first) || !$value$plusargs("second=%d", second)) $finish;
    #52 rst = 0;
  end
endmodule
"""


def compiled(network: Network, folder: Path, simulator: str = "icarus") -> list[str]:
    """Write and compile a network with cores; return the command that runs it.

    Raises
    ------
    RuntimeError
        If it does not compile.
    """
    generate(network, folder)
    (folder / "bench.v").write_text(bench(network))
    name = identifier(network.name)
    own = {f"{name}_{part}.v" for part in ("testbench", "streams", "template")}
    sources = [str(path) for path in sorted(folder.glob("*.v")) if path.name not in own]
    command, runs = {
        "icarus": (["iverilog", "-g2005", "-s", "bench", "-o", "sim"], ["vvp", "-n", "sim"]),
        "verilator": (
            ["verilator", "--binary", "--top-module", "bench", "-Wno-fatal", "-Wno-lint"],
            ["obj_dir/Vbench"],
        ),
    }[simulator]
    _run([*command, *sources, str(CORE)], folder, simulator)
    return [runs[0] if len(runs) > 1 else str(folder / runs[0]), *runs[1:]]


def run(network: Network, folder: Path, command: list[str], software: Software) -> dict[str, Any]:
    """Return what came of software on a network that was `compiled` in a folder.

    Raises
    ------
    RuntimeError
        If a packet came to a wrong terminal, or not from its source.
    """
    terminals = set(network.topology.terminals.tolist())
    members = sum(1 << node for node in terminals - {*(software.pair or ())})
    first, second = software.pair or (0, 0)
    plus = {
        "requests": software.requests,
        "beats": software.beats,
        "limit": software.limit,
        "serial": int(software.serial),
        "members": f"{members:x}",
        "first": first,
        "second": second,
    }
    said = _run([*command, *(f"+{key}={value}" for key, value in plus.items())], folder)
    found: dict[str, Any] = json.loads(said.splitlines()[0])
    if found.pop("wrong"):
        raise RuntimeError(f"{network.name}: a packet is out of place: {found}")
    return found


def _run(command: list[str], folder: Path, simulator: str = "") -> str:
    ended = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | (environment(simulator) if simulator else {}),
        check=False,
        capture_output=True,
        text=True,
    )
    if ended.returncode:
        raise RuntimeError(f"{command[0]}: {ended.stdout[-2000:]}{ended.stderr[-2000:]}")
    return ended.stdout


def far_apart(network: Network) -> tuple[int, int]:
    """Return the first terminal, and the last one of those that are farthest from it."""
    topology = network.topology
    first = int(topology.terminals[0])
    reached, newest = np.zeros(topology.nodes, np.bool_), np.array([first])
    last = first
    while len(newest):
        reached[newest] = True
        last = max(np.intersect1d(newest, topology.terminals).tolist(), default=last)
        near = np.unique(topology.neighbour[newest])
        near = near[near >= 0]
        newest = near[~reached[near]]
    return first, last


def main() -> None:
    """Run the software, and print a table or an object."""
    asked = arguments(
        __doc__, "networks", simulator="icarus", requests=(20, 200), beats=(1,), limit=(0,),
        classes=(1,), serial=False, pair=False, terminals=("raw", "flow"),
    )  # fmt: skip
    tell(asked, "Request-reply software", _rows(asked))


def _rows(asked: Namespace) -> Iterator[dict[str, Any]]:
    """Yield what came of each software on each network."""
    networks = asked.networks or ["mesh-2x2", "borel-21"]
    for name, kind, count in product(networks, asked.terminals, asked.classes):
        (network,) = built(name, TERMINALS[kind], classes=count)
        pair = far_apart(network) if asked.pair else None
        with TemporaryDirectory() as folder:
            command = compiled(network, Path(folder), asked.simulator)
            for size, limit, number in product(asked.beats, asked.limit, asked.requests):
                software = Software(number, size, limit, asked.serial, pair)
                found = run(network, Path(folder), command, software)
                what = {"network": name, "terminals": kind, "classes": count}
                yield what | software._asdict() | found


if __name__ == "__main__":
    main()
