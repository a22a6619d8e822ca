"""A machine of RISC-V processors, one at every terminal of a generated network.

The processors are PicoRV32 or SERV of the packages `pythondata-cpu-...`. Each has a memory, and
either a mailbox or, by loads and stores, the memories of all others. What a program reports is
compared with what Python computes.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import yaml

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.emit.network import top
from fingerpost.hdl.export.generate import generate
from fingerpost.hdl.export.memory_map import memory_map_files
from fingerpost.hdl.export.software import mailbox_files
from fingerpost.hdl.lib.ports import Port, identifier
from fingerpost.netfile import source as netfile
from fingerpost.netfile.schema import NetworkFile
from fingerpost.testbench import toolchain
from fingerpost.testbench.packing import Fields, bits_of

HERE = Path(__file__).resolve().parent

COMPILER = "riscv64-unknown-elf-gcc"

CORES = {"picorv32": "rv32im", "serv": "rv32i"}
"""Processors, and their instruction sets."""

FLAGS = (
    *("-mabi=ilp32", "-ffreestanding", "-nostdlib", "-std=c99", "-O2"),
    *("-fno-tree-loop-distribute-patterns", "-Wall", "-Wextra", "-Werror"),
    "-DFINGERPOST_SHORT_NAMES",
)

REMEDIES = {
    "compiler": "correct the program",
    "objcopy": f"apt-get install --reinstall binutils-{COMPILER[:-4]}",
}
"""What to do if a tool fails."""

COUNTERS = "refused", "expired", "errors", "overruns", "link_errors"
"""Of the network as a whole."""

EVENT: Fields = (("valid", 6), ("place", 10), ("word", 32))
"""What a node tells in a cycle: which events, bits 11 to 2 of the address, the word written."""

SHARED = re.compile(r"(?:^|_)(clk|rst)$")
"""The end of the name of a clock or reset: of all nodes, or of terminals with their own."""

OWN = re.compile(r"_(\d+)(_|$)")
"""The number of a node in the name of a port."""

BUSES = "s_axil_", "wb_"
"""How the ports begin of mailboxes, or of managers of AXI4-Lite."""

MEMORIES = "m_axil_", "mem_"
"""The same of subordinates, or of mailboxes that have access to memory."""

MEMORY = {"request": 1, "wstrb": 4, "address": 14, "wdata": 32, "rdata": 32}
"""What gives access to the memory of a node, and in how many bits."""

CLOCK = {"clk": "clk", "rst": "rst"}

MEMORY_WORDS = 16384
"""Of a node."""

TERMINALS = {
    "mailbox": {},
    "axi4": {"lite": "all", "data_width": 32, "address_width": 32},
}
"""Kinds of terminals that a machine can have, and keys that are as they must be."""

MEMORY_MAP = {"base": 0x40000000, "size": 4 * MEMORY_WORDS, "nodes": "all"}
"""The memories of all nodes, for each of them."""


class MachineError(Exception):
    """The machine cannot be built, in one line."""


def read(
    path: Path,
    *,
    terminal: str = "",
    classes: int = 0,
    endpoints: int = 0,
    bus: str = "",
    memory: int = 0,
    dma: bool = False,
) -> AnyNetwork:
    """Return the network of a file, with the terminals of a machine, and with what is given.

    They are mailboxes if neither the file nor `terminal` names others.

    Raises
    ------
    ValueError, MachineError
        If it is no network file, or the machine cannot have such a network.
    """
    source = netfile.read(path)
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    own = (data.get("terminal") or {}).get("kind")
    kind = terminal or (own if own in TERMINALS else "mailbox")
    if kind != "mailbox" and (bus or endpoints or memory or dma):
        raise MachineError("--bus, --endpoints, --memory and --dma need --terminal mailbox")
    own_map = ", and the memory map of a machine" * (kind == "axi4")
    if own != kind or own_map:
        print(f"machine: {path.name} gets {kind} terminals{own_map}", file=sys.stderr)
    if own != kind:
        data["terminal"] = {"kind": kind}
        if (data.get("router") or {}).get("kind") == "deflection":
            data["terminal"]["flow_control"] = "end-to-end"
    data["terminal"] |= TERMINALS[kind]
    data.pop("memory_map", None)
    if kind == "axi4":
        data["memory_map"] = [MEMORY_MAP]
        for key in ("managers", "subordinates"):
            data["terminal"].pop(key, None)
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
    data["router"].pop("flit_width", None)  # that of 32 bits of data is the default
    if classes:
        data["router"]["classes"] = classes
    try:
        return replace(source, file=NetworkFile.model_validate(data)).any_network()
    except ValueError as error:
        if terminal or classes or endpoints or bus or memory or dma:
            raise MachineError(f"{error} (as the options change the file)") from None
        raise


def counters(network: AnyNetwork) -> list[Port]:
    """Return the error counters of all nodes of a network."""
    return [port for port in top(network)[1] if at_node(port) in COUNTERS]


def at_node(port: Port) -> str:
    """Return what a port of a node is called at the node."""
    return re.sub(r"^node_\d+_", "", port.name)


def machine_verilog(network: AnyNetwork, *, program: str = "") -> str:
    """Return the module that has the network, and a node with its bridges at each terminal.

    Parameters
    ----------
    program : str
        The file that is in all memories at power-up, if any.
    """
    module, ports = top(network)
    terminals = network.terminal.numbers(network.topology.terminals)
    bus = network.terminal.describe().get("bus", "axi-lite")
    bridge, mapped = f"machine_{bus.replace('-', '_')}", network.terminal.kind == "axi4"
    wires: list[str] = []
    by_node: dict[int, list[tuple[str, str]]] = {node: [] for node in terminals}
    for port in ports:
        if SHARED.search(port.name):
            continue
        size = f"[{port.bits - 1}:0] " if port.bits > 1 else ""
        wires.append(f"  wire {size}{port.name};")
        found = OWN.search(port.name)
        if found and port.name.startswith(BUSES + MEMORIES):
            by_node[int(found[1])].append((found.string[found.end() :], port.name))
    # Nodes, or terminals, may have clocks and resets of their own; all are the same here.
    ends = [(port, SHARED.search(port.name)) for port in ports]
    each = {port.name: f"{{{port.bits}{{{end[1]}}}}}" for port, end in ends if end}
    inside = ", ".join(f".{port.name}({each.get(port.name, port.name)})" for port in ports)
    count, counting, event = len(terminals), counters(network), bits_of(EVENT)
    lines = [
        "module machine(",
        "  input clk, input rst, input [31:0] cycle,",
        "  input load, input [13:0] load_address, input [31:0] load_word,",
        f"  output [{count - 1}:0] finished, output [{count - 1}:0] failed,",
        f"  output [{event * count - 1}:0] events,",
        f"  output [{sum(port.bits for port in counting) - 1}:0] counters",
        ");",
        *wires,
        f"  {module} network({inside});",
        f"  assign counters = {{{', '.join(port.name for port in reversed(counting))}}};",
    ]
    firmware = f' #(.FIRMWARE("{program}"))' if program else ""
    for at, node in enumerate(terminals):
        links, others = (
            {short: name for short, name in by_node[node] if name.startswith(prefixes)}
            for prefixes in (BUSES, MEMORIES)
        )
        memory = {name: f"mem_{node}_{name}" for name in MEMORY}
        if mapped:
            lines += [f"  wire [{bits - 1}:0] mem_{node}_{x};" for x, bits in MEMORY.items()]
            sides = {f"mem_{name}": wire for name, wire in memory.items()} | others
            lines.append(f"  machine_memory memory_{node}({connected(CLOCK | sides)});")
        elif others:
            lines.append(f"  assign mem_{node}_ready = 1'b1;")
            memory["wstrb"] = f"{{4{{mem_{node}_write}}}}"
        else:
            memory = {name: f"{bits}'d0" for name, bits in MEMORY.items() if name != "rdata"}
        irq = "1'b0" if mapped else f"irq_{node}"
        lines += [
            f"  wire valid_{node}; wire ready_{node};",
            f"  wire [31:0] addr_{node}; wire [31:0] wdata_{node}; wire [31:0] rdata_{node};",
            f"  wire [3:0] wstrb_{node};",
            f"  wire error_{node};",
            f"  machine_node{firmware} node_{node}(.clk(clk), .rst(rst), .cycle(cycle),",
            f"    .rank(16'd{at}), .mapped(1'b{mapped:d}),",
            "    .load(load), .load_address(load_address), .load_word(load_word),",
            f"    {connected({f'mem_{name}': wire for name, wire in memory.items()})},",
            f"    .irq({irq}), .box_valid(valid_{node}), .box_addr(addr_{node}),",
            f"    .box_wdata(wdata_{node}), .box_wstrb(wstrb_{node}), .box_ready(ready_{node}),",
            f"    .box_rdata(rdata_{node}), .box_error(error_{node}), .finished(finished[{at}]),",
            f"    .failed(failed[{at}]),",
            f"    .event_now(events[{event * at} +: {event}]));",
            f"  {bridge} bridge_{node}(.clk(clk), .rst(rst),",
            f"    .box_valid(valid_{node}), .box_addr(addr_{node}), .box_wdata(wdata_{node}),",
            f"    .box_wstrb(wstrb_{node}), .box_ready(ready_{node}), .box_rdata(rdata_{node}),",
            f"    .box_error(error_{node}), {connected(links)});",
        ]
    return "\n".join([*lines, "endmodule", ""])


def connected(wires: Mapping[str, str]) -> str:
    """Return the connections of an instance, by its ports."""
    return ", ".join(f".{port}({wire})" for port, wire in wires.items())


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


def firmware(
    network: AnyNetwork,
    program: Path,
    folder: Path,
    defined: Mapping[str, int],
    *,
    processor: str = "picorv32",
) -> IntArray:
    """Compile a program for the processors; return its words, also as `firmware.hex` in a folder.

    Raises
    ------
    MachineError
        If there is no compiler, or it finds an error.
    """
    if shutil.which(COMPILER) is None:
        raise MachineError(f"{COMPILER} is missing; on Debian: apt-get install gcc-{COMPILER[:-4]}")
    files = mailbox_files(network) | memory_map_files(network)
    for file, text in files.items():
        (folder / file).write_text(text)
    (folder / "network.h").write_text(_network_header(network, files))
    runtime = HERE / "runtime"
    code = [runtime / "start.S", runtime / "machine.c", program]
    code += [folder / file for file in files if file.endswith(".c")]
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
    words = np.frombuffer(data, "<u4").astype(np.int64)
    (folder / "firmware.hex").write_text("".join(f"{word:08x}\n" for word in words.tolist()))
    return words


def _network_header(network: AnyNetwork, files: Iterable[str]) -> str:
    """Return what programs include, beside headers among `files`: how many cores there are.

    With a memory map it has the memory of a rank, too.
    """
    lines = [f'#include "{file}"' for file in files if file.endswith(".h")]
    if network.terminal.kind == "axi4":
        nodes = network.topology.terminals.tolist()
        base = f"{identifier(network.name).upper()}_REGION_0_BASE"
        lines += [
            f"#define RANKS {len(nodes)}u",
            f"static const uint16_t node_of_rank[] = {{{', '.join(map(str, nodes))}}};",
            f"#define MEMORY_OF(rank) {base}(node_of_rank[rank])",
        ]
    return "\n".join([*lines, ""])
