"""The Verilog that the benches of OS-Link ports run."""

from collections.abc import Mapping, Sequence

from fingerpost.golden.link import OsLinkParameters
from fingerpost.golden.link.os_link import ERRORS
from fingerpost.hdl.emit.verilog import module_verilog
from fingerpost.hdl.link import OsLink
from fingerpost.testbench.packing import Fields

__all__ = ["GIVEN", "SEEN", "clocks_sources", "lockstep_sources"]

GIVEN: Fields = (
    ("rst", 1),
    ("link_in", 1),
    ("tx_data", 8),
    ("tx_valid", 1),
    ("rx_ready", 1),
    ("tx_break", 1),
)
"""What a port gets, lowest first."""

SEEN: Fields = (
    ("link_out", 1),
    ("tx_ready", 1),
    ("rx_data", 8),
    ("rx_valid", 1),
    ("tx_done", 1),
    *((name, 1) for name in ERRORS),
    ("idle", 1),
)
"""What a port shows."""

NAMES = {
    "tx_data": "tx__payload",
    "tx_valid": "tx__valid",
    "tx_ready": "tx__ready",
    "rx_data": "rx__payload",
    "rx_valid": "rx__valid",
    "rx_ready": "rx__ready",
}
"""Of the ports of the module, where they are others."""


def _instance(module: str, name: str, connected: Mapping[str, str]) -> str:
    pins = ", ".join(f".{NAMES.get(port, port)}({wire})" for port, wire in connected.items())
    return f"  {module} {name}({pins});"


def lockstep_sources(sets: Sequence[OsLinkParameters], lanes: int) -> dict[str, str]:
    """Return some ports of each set of parameters, side by side, as files.

    Port i of set s has the fields number s * lanes + i of `given` and `seen`.
    """
    given, seen = (sum(width for _, width in fields) for fields in (GIVEN, SEEN))
    texts, lines = {}, []
    for s, parameters in enumerate(sets):
        module = f"os_link_{s}"
        texts[f"{module}.v"] = module_verilog(OsLink(parameters), module)
        for port in range(s * lanes, (s + 1) * lanes):
            connected = {"clk": "clk"}
            for fields, vector, base in ((GIVEN, "given", given), (SEEN, "seen", seen)):
                at = port * base
                for name, width in fields:
                    connected[name] = f"{vector}[{at} +: {width}]"
                    at += width
            lines.append(_instance(module, f"port_{port}", connected))
    ports, instances = len(sets) * lanes, "\n".join(lines)
    texts["bench.v"] = f"""// {ports} ports; each has a part of `given` and of `seen`.
module os_link_bench(
  input clk,
  input [{ports * given - 1}:0] given,
  output [{ports * seen - 1}:0] seen
);
{instances}
endmodule
"""
    # Verilator: inlined, ports take far longer to compile.
    modules = (f'no_inline -module "os_link_{s}"\n' for s in range(len(sets)))
    texts["bench.vlt"] = "`verilator_config\n" + "".join(modules)
    return texts


def clocks_sources(parameters: OsLinkParameters) -> dict[str, str]:
    """Return two ports on two clocks, whose wires the bench joins, as files."""
    ports, instances = [], []
    for side in "ab":
        connected = {"clk": f"clk_{side}", "rst": f"rst_{side}"}
        ports += [f"input clk_{side}", f"input rst_{side}"]
        for fields, way in ((GIVEN, "input"), (SEEN, "output")):
            for name, width in fields:
                if name == "rst":
                    continue
                connected[name] = f"{name}_{side}"
                ports.append(f"{way} {f'[{width - 1}:0] ' if width > 1 else ''}{name}_{side}")
        instances.append(_instance("os_link", f"port_{side}", connected))
    text = "module os_link_clocks_bench(\n  {}\n);\n{}\nendmodule\n".format(
        ",\n  ".join(ports), "\n".join(instances)
    )
    return {"os_link.v": module_verilog(OsLink(parameters), "os_link"), "bench.v": text}
