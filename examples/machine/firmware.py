"""Programs in C for the processors of a machine."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from examples.machine.machine import HERE, MachineError
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.export.software import mailbox_files, memory_map_files
from fingerpost.hdl.lib.ports import identifier
from fingerpost.testbench import toolchain

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
