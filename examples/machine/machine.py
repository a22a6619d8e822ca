"""A machine of RISC-V processors, one at every terminal of a generated network, in Verilator.

The processors are PicoRV32 or SERV of the packages `pythondata-cpu-...`, with memory and mailbox.
What a program reports is compared with what Python computes.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path

import yaml

from examples.machine.expected import EXPECTED
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.emit.network import node_names, router_names, top
from fingerpost.hdl.export.generate import generate
from fingerpost.hdl.export.registers import mailbox_files
from fingerpost.hdl.lib.ports import identifier
from fingerpost.netfile import source as netfile
from fingerpost.netfile.description import NetworkFile
from fingerpost.testbench import toolchain

__all__ = [
    "COMPILER",
    "CORES",
    "HERE",
    "MEMORY_WORDS",
    "MachineError",
    "Run",
    "firmware",
    "machine_verilog",
    "read",
    "run",
    "simulator",
    "sources",
    "wrong",
]

HERE = Path(__file__).resolve().parent

COMPILER = "riscv64-unknown-elf-gcc"

CORES = {"picorv32": "rv32im", "serv": "rv32i"}
"""Processors, and their instruction sets."""

PATIENCE = {"picorv32": 100_000, "serv": 2_000_000}
"""Cycles without a moved or reported word after which a machine is locked; SERV multiplies in
software."""

FLAGS = (
    *("-mabi=ilp32", "-ffreestanding", "-nostdlib", "-std=c99", "-O2"),
    *("-fno-tree-loop-distribute-patterns", "-Wall", "-Wextra", "-Werror"),
    "-DFINGERPOST_SHORT_NAMES",
)

VERILATOR = (
    *("verilator", "--cc", "--exe", "--build", "-j", "2", "--Mdir", "obj", "--hierarchical"),
    *("-O3", "--x-assign", "fast", "--x-initial", "fast", "--no-timing", "-Wno-fatal"),
    *("--timescale", "1ns/1ns", "-CFLAGS", "-O1", "--top-module", "machine"),
)

REMEDIES = {
    "verilator": "if memory or disk were full, free some and run again",
    "compiler": "correct the program",
    "objcopy": f"apt-get install --reinstall binutils-{COMPILER[:-4]}",
    "run": "delete this folder, and run again",
}
"""What to do if a tool fails."""

COUNTERS = "refused", "expired", "errors", "overruns"
"""Of the network as a whole."""

SHARED = "clk", "rst"
"""Of all nodes."""

PREFIXES = "s_axil_", "wb_", "irq_", "mem_"
"""Of the ports of mailboxes."""

MEMORY_WORDS = 16384
"""Of a node."""


class MachineError(Exception):
    """The machine cannot be built, in one line."""


@dataclass
class Run:
    """What a machine has done.

    Attributes
    ----------
    end : str
        finished, locked or cycles.
    cycles : int
        Until the last node ended, or the last word was moved or reported.
    counters : int
        Sum of the error counters of the network.
    printed, reported : dict
        Text and words by node.
    errors : dict of int
        Misuses and bad packets that the mailbox of a node has counted.
    failed : list of int
        Nodes that ended with an error, or in a trap.
    sent : Counter
        Packets by source and destination.
    words : Counter
        The words of these.
    """

    end: str = "broken"
    cycles: int = 0
    counters: int = 0
    printed: dict[int, str] = field(default_factory=dict)
    reported: dict[int, list[int]] = field(default_factory=dict)
    errors: dict[int, int] = field(default_factory=dict)
    failed: list[int] = field(default_factory=list)
    sent: Counter[tuple[int, int]] = field(default_factory=Counter)
    words: Counter[tuple[int, int]] = field(default_factory=Counter)
    network_cycles: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, text: str) -> "Run":
        """Return what the lines that the machine has printed say."""
        run = cls()
        moved = 0
        for line in text.splitlines():
            event, *given = line.split()
            if event == "end":
                run.end, run.cycles, run.counters = given[0], int(given[1]), int(given[2])
                continue
            node, cycle, *rest = map(int, given)
            match event:
                case "print":
                    run.printed[node] = run.printed.get(node, "") + chr(rest[0])
                case "report":
                    run.reported.setdefault(node, []).append(rest[0])
                case "errors":
                    run.errors[node] = rest[0]
                case "exit" if rest[0]:
                    run.failed.append(node)
                case "trap":
                    run.failed.append(node)
                case "send":
                    run.sent[node, rest[0]] += 1
                    run.words[node, rest[0]] += rest[1]
                case "word":
                    moved = cycle
                case "irq":
                    run.network_cycles.append(cycle - moved)
        return run


def read(
    path: Path,
    *,
    classes: int = 0,
    endpoints: int = 0,
    bus: str = "",
    memory: int = 0,
    dma: bool = False,
) -> AnyNetwork:
    """Return the network of a file, with mailboxes at its terminals, and with what is given.

    Raises
    ------
    ValueError, MachineError
        If it is no network file, or the machine cannot have such a network.
    """
    source = netfile.read(path)
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    if (data.get("terminal") or {}).get("kind") != "mailbox":
        print(f"machine: {path.name} gets mailboxes at its terminals", file=sys.stderr)
        data["terminal"] = {"kind": "mailbox"}
        if (data.get("router") or {}).get("kind") == "deflection":
            data["terminal"]["flow_control"] = "end-to-end"
    if bus:
        data["terminal"]["bus"] = bus
    if endpoints:
        data["terminal"]["endpoints"] = endpoints
    if memory:
        limit = min(64, memory // 2)
        data["terminal"] |= {"send_words": memory, "receive_words": memory, "packet_limit": limit}
    if dma:
        data["terminal"]["memory_words"] = MEMORY_WORDS
    data["router"] = dict(data.get("router") or {})
    data["router"].pop("flit_width", None)  # that of mailboxes is the default
    if classes:
        data["router"]["classes"] = classes
    return replace(source, file=NetworkFile.model_validate(data)).any_network()


def machine_verilog(network: AnyNetwork) -> str:
    """Return the module that has the network, and a node with a bridge at each terminal."""
    module, ports = top(network)
    terminals = network.terminal.numbers(network.topology.terminals)
    described = network.terminal.describe()
    bus = described["bus"]
    bridge = f"machine_{bus.replace('-', '_')}"
    own, shared = re.compile(r"_(\d+)(_|$)"), []
    wires: list[str] = []
    by_node: dict[int, list[tuple[str, str]]] = {node: [] for node in terminals}
    width = 0
    for port in ports:
        if port.name in SHARED:
            continue
        size = f"[{port.bits - 1}:0] " if port.bits > 1 else ""
        wires.append(f"  wire {size}{port.name};")
        found = own.search(port.name)
        if found and port.name.startswith(PREFIXES):
            by_node[int(found[1])].append((found.string[found.end() :], port.name))
            if port.name.endswith(("awaddr", "_adr")):
                width = port.bits
        else:
            shared.append(port.name)
    # Across OS-Links each node has a clock and a reset; all are the same here.
    each = {port.name: f"{{{port.bits}{{{port.name}}}}}" for port in ports if port.name in SHARED}
    inside = ", ".join(f".{port.name}({each.get(port.name, port.name)})" for port in ports)
    summed = [name for name in COUNTERS if name in shared]
    if "link_errors" in shared:
        summed.append("|link_errors")
    lines = [
        "module machine(input clk, input rst, output finished, output failed, output active,",
        "               output [31:0] counters);",
        *wires,
        "  reg [31:0] cycle;",
        "  always @(posedge clk) cycle <= rst ? 0 : cycle + 1;",
        f"  {module} network({inside});",
        f"  assign counters = {' + '.join(f'({name})' for name in summed)};",
    ]
    for node in terminals:
        links = ", ".join(
            f".{short}({name})"
            for short, name in by_node[node]
            if not name.startswith(("irq", "mem"))
        )
        memory = [
            f".mem_{short}({name})"
            for short, name in by_node[node]
            if name.startswith("mem") and short != "ready"
        ]
        if memory:
            lines.append(f"  assign mem_{node}_ready = 1'b1;")
        else:
            memory = [".mem_request(1'b0), .mem_write(1'b0), .mem_address(14'd0)"]
        lines += [
            f"  wire valid_{node}, ready_{node}, finished_{node}, failed_{node}, active_{node};",
            f"  wire [31:0] addr_{node}, wdata_{node}, rdata_{node};",
            f"  wire [3:0] wstrb_{node};",
            f"  machine_node node_{node}(.clk(clk), .rst(rst), .node(16'd{node}), .cycle(cycle),",
            f"    {', '.join(memory)},",
            f"    .irq(irq_{node}), .box_valid(valid_{node}), .box_addr(addr_{node}),",
            f"    .box_wdata(wdata_{node}), .box_wstrb(wstrb_{node}), .box_ready(ready_{node}),",
            f"    .box_rdata(rdata_{node}), .finished(finished_{node}), .failed(failed_{node}),",
            f"    .active(active_{node}));",
            f"  {bridge} #(.WIDTH({width})) bridge_{node}(.clk(clk), .rst(rst),",
            f"    .box_valid(valid_{node}), .box_addr(addr_{node}), .box_wdata(wdata_{node}),",
            f"    .box_wstrb(wstrb_{node}), .box_ready(ready_{node}), .box_rdata(rdata_{node}),",
            f"    {links});",
        ]
    for name, joined in (("finished", "&"), ("failed", "|"), ("active", "|")):
        every = f" {joined} ".join(f"{name}_{node}" for node in terminals)
        lines.append(f"  assign {name} = {every};")
    return "\n".join([*lines, "endmodule", ""])


def core(name: str) -> list[Path]:
    """Return the Verilog of a processor, and of the bridge to AXI4-Lite, which is PicoRV32's.

    Raises
    ------
    MachineError
        If the package that has it is not installed.
    """
    folders = []
    for package in ("picorv32", name):
        found = find_spec(f"pythondata_cpu_{package}")
        if found is None or found.origin is None:
            raise MachineError("the processor is missing; run `pip install 'fingerpost[machine]'`")
        folders.append(Path(found.origin).parent / "verilog")
    files = [HERE / "node.v", HERE / f"core_{name}.v", folders[0] / "picorv32.v"]
    if name == "serv":
        rtl = sorted((folders[1] / "rtl").glob("*.v"))
        files += [file for file in rtl if file.stem != "serv_synth_wrapper"]
    return files


def sources(network: AnyNetwork, folder: Path, *, processor: str = "picorv32") -> list[Path]:
    """Write the network into a folder; return all Verilog of a machine but its top."""
    files = generate(network, folder)
    listed = (folder / f"{identifier(network.name)}.f").read_text().splitlines()
    return [file for file in files if file.name in listed] + core(processor)


def command(arguments: Sequence[str], folder: Path, what: str) -> str:
    """Run a tool; return what it prints.

    Raises
    ------
    MachineError
        If it fails.
    """
    variables = os.environ | toolchain.environment("verilator")
    ended = subprocess.run(
        arguments, cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    (folder / f"{what}.log").write_text(ended.stdout + ended.stderr)
    if ended.returncode:
        last = (ended.stderr.strip() or ended.stdout.strip()).splitlines()[:3]
        told = f"{what} failed, see {folder / what}.log: {' '.join(last)}"
        raise MachineError(f"{told}; {REMEDIES[what]}")
    return ended.stdout


def simulator(network: AnyNetwork, folder: Path, *, processor: str = "picorv32") -> Path:
    """Build the simulator of a machine, if it is not there; return its folder."""
    folder = folder.resolve()
    verilog = sources(network, folder / "generated", processor=processor)
    texts = [file.read_text() for file in [*verilog, HERE / "main.cpp"]]
    made_by = [*VERILATOR, str(toolchain.versions("verilator", engine="compiled"))]
    texts += [machine_verilog(network), *made_by]
    digest = hashlib.sha256("\0".join(texts).encode()).hexdigest()
    place = folder / digest[:16]
    if (place / "obj" / "Vmachine").is_file():
        return place
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    (place / "machine.v").write_text(machine_verilog(network))
    # Nodes of deflection routers have parameters, of which hierarchical blocks are made anew.
    names = router_names if isinstance(network, DeflectionNetwork) else node_names
    blocks = ["machine_node", f"{identifier(network.name)}_mailbox", *names(network).values()]
    hierarchy = [f'hier_block -module "{module}"' for module in blocks]
    (place / "blocks.vlt").write_text("\n".join(["`verilator_config", *hierarchy, ""]))
    print("machine: Verilator builds it, which takes a minute or more", file=sys.stderr)
    command(
        [*VERILATOR, "blocks.vlt", "machine.v", *map(str, verilog), str(HERE / "main.cpp")],
        place,
        "verilator",
    )
    return place


def firmware(
    network: AnyNetwork,
    program: Path,
    folder: Path,
    defined: Mapping[str, int],
    *,
    processor: str = "picorv32",
) -> None:
    """Compile a program for the processors, as `firmware.hex` in a folder.

    Raises
    ------
    MachineError
        If there is no compiler, or it finds an error.
    """
    if shutil.which(COMPILER) is None:
        raise MachineError(f"{COMPILER} is missing; on Debian: apt-get install gcc-{COMPILER[:-4]}")
    name = f"{identifier(network.name)}_mailbox"
    for file, text in mailbox_files(network).items():
        (folder / file).write_text(text)
    (folder / "network.h").write_text(f'#include "{name}.h"\n')
    runtime = HERE / "runtime"
    code = [runtime / "start.S", runtime / "machine.c", program, folder / f"{name}.c"]
    definitions = [f"-D{key}={number}" for key, number in defined.items()]
    command(
        [
            *(COMPILER, f"-march={CORES[processor]}", *FLAGS, *definitions),
            *(f"-I{runtime}", f"-I{folder}"),
            *("-T", str(runtime / "link.ld"), *map(str, code), "-lgcc", "-o", "firmware.elf"),
        ],
        folder,
        "compiler",
    )
    command(
        [COMPILER.replace("gcc", "objcopy"), "-O", "binary", "firmware.elf", "firmware.bin"],
        folder,
        "objcopy",
    )
    data = (folder / "firmware.bin").read_bytes()
    data += bytes(-len(data) % 4)
    words = [data[i : i + 4][::-1].hex() for i in range(0, len(data), 4)]
    (folder / "firmware.hex").write_text("\n".join([*words, ""]))


def run(
    network: AnyNetwork,
    program: Path,
    place: Path,
    *,
    defined: Mapping[str, int] | None = None,
    cycles: int = 100_000_000,
    processor: str = "picorv32",
) -> Run:
    """Run a program on a machine, whose simulator is at a place.

    Raises
    ------
    MachineError
        If a tool is missing or fails.
    """
    there = place / "-".join([program.stem, *(f"{k}{v}" for k, v in (defined or {}).items())])
    there.mkdir(exist_ok=True)
    firmware(network, program.resolve(), there, defined or {}, processor=processor)
    limits = str(cycles), str(PATIENCE[processor])
    return Run.of(command([str(place / "obj" / "Vmachine"), *limits], there, "run"))


def wrong(network: AnyNetwork, run: Run, program: str, defined: Mapping[str, int]) -> list[str]:
    """Return what is wrong with a run, a line for each."""
    terminals = network.terminal.numbers(network.topology.terminals)
    limit = network.terminal.describe()["packet_limit"]
    found = [f"node {node} ended with an error" for node in run.failed]
    if run.end != "finished":
        found.append(f"the machine is {run.end}: no word was moved after cycle {run.cycles}")
    if run.counters:
        found.append(f"the error counters of the network sum up to {run.counters}")
    found += [f"the mailbox of node {n} counts {k} errors" for n, k in run.errors.items() if k]
    if program not in EXPECTED:
        return found
    expected = EXPECTED[program](len(terminals), limit, defined)
    for rank, node in enumerate(terminals):
        due, given = expected.get(rank, []), run.reported.get(node, [])
        if len(due) != len(given):
            found.append(f"node {node} reports {len(given)} words, not {len(due)}")
        for i, (one, other) in enumerate(zip(due, given, strict=False)):
            if one != other:
                found.append(f"node {node}: word {i} is {other:#x}, not {one:#x}")
                break
    return found
