"""The C++ around a compiled node: how its ports get and give words."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from string import Template

from fingerpost.testbench.compiled.plan import Kind
from fingerpost.testbench.compiled.wiring import Port
from fingerpost.testbench.packing import WORD, words

TOP = "compiled_node"
"""The module that is compiled: a node, and registers that hold its constants."""

SOURCE = Template(Path(__file__).with_suffix(".cpp").read_text())


def _name(port: Port) -> str:
    """Return the name of a port in Verilator's C++."""
    return f"root.{port.name.replace('__', '___05F')}"


def _put(port: Port, source: str, indent: str) -> list[str]:
    """Return how an input gets its value; `source` has a place for the number of a word."""
    if port.width <= WORD:
        mask = (1 << port.width) - 1
        return [f"{indent}{_name(port)} = {source.format(0)} & 0x{mask:x}ull;"]
    lines = []
    for half in range(-(-port.width // 32)):
        mask = (1 << min(32, port.width - 32 * half)) - 1
        value = f"{source.format(half // 2)} >> {half % 2 * 32} & 0x{mask:x}u"
        lines.append(f"{indent}{_name(port)}[{half}] = {value};")
    return lines


def _get(port: Port, at: int) -> list[str]:
    """Return how an output gives its value to the words from `at` on."""
    indent = " " * 8
    if port.width <= WORD:
        return [f"{indent}next[{at}] = {_name(port)};"]
    halves = -(-port.width // 32)
    return [
        f"{indent}next[{at + word}] = "
        + " | ".join(
            f"Word{{{_name(port)}[{half}]}} << {half % 2 * 32}"
            for half in range(2 * word, min(2 * word + 2, halves))
        )
        + ";"
        for word in range(words(port.width))
    ]


def around(
    kind: Kind, top: str, lines: Iterable[str] = (), names: Mapping[str, str] = {}, values: str = ""
) -> str:
    """Return a module around a node, with the same ports.

    Parameters
    ----------
    lines : iterable of str
        What else is in it.
    names : mapping
        What ports are connected to, if not to those of the same name.
    values : str
        The parameters.
    """
    several = [*kind.constants, *kind.inputs, *kind.outputs]
    ports = "".join(
        f",\n  {'output' if port.output else 'input'} [{port.width - 1}:0] {port.name}"
        for port in several
    )
    joined = "".join(f",\n    .{x.name}({names.get(x.name, x.name)})" for x in several)
    return (
        f"module {top}(\n  input {kind.clock}{ports}\n);\n{''.join(lines)}"
        f"  {kind.module} {values}node(\n    .{kind.clock}({kind.clock}){joined}\n  );\nendmodule\n"
    )


def node_verilog(kind: Kind) -> str:
    """Return a module around a node, in which its constants are in registers.

    What depends on inputs is evaluated twice in a cycle: when they change, and behind the edge. So
    what depends on constants must not depend on inputs. Outputs that are late go through a
    register, and contents are as a module has them by default.
    """
    held = [
        f"  reg [{port.width - 1}:0] held_{port.name};\n"
        f"  always @(posedge {kind.clock}) held_{port.name} <= {port.name};\n"
        for port in kind.constants
    ]
    late = [
        f"  wire [{port.width - 1}:0] early_{port.name};\n"
        f"  reg [{port.width - 1}:0] late_{port.name};\n"
        f"  always @(posedge {kind.clock}) late_{port.name} <= early_{port.name};\n"
        f"  assign {port.name} = late_{port.name};\n"
        for port in kind.outputs
        if port.name in kind.late
    ]
    names = {port.name: f"held_{port.name}" for port in kind.constants}
    return around(kind, TOP, [*held, *late], names | {x: f"early_{x}" for x in kind.late})


def node_source(kind: Kind, *, falls_by: str | None, memories: Mapping[str, int]) -> str:
    """Return the C++ of a kind of node.

    Parameters
    ----------
    falls_by : str, optional
        The variable in which Verilator keeps what the clock was. Without it the nodes are evaluated
        at the falling edge too, at which nothing happens.
    memories : mapping of str to int
        The variables in which Verilator keeps memories, and their entries. Each has all contents.
    """
    kept, filled, at = [], list[str](), 0
    for port in kind.constants:
        kept += _put(port, f"now[{at} + {{}}]", " " * 4)
        at += words(port.width)
    for port in kind.contents:
        for name, entries in memories.items():
            width = port.width // entries
            filled += [
                f"    for (Word i = 0; i < {entries}; ++i)",
                f"        root.{name}[i] = bits(now + {at}, {width} * i, {width});",
            ]
        at += words(port.width)
    taken = []
    for number, port in enumerate(kind.inputs):
        several = port.width > WORD
        source = f"now[(from[{number}] >> 6) + {{}}]" if several else f"taken(now, from[{number}])"
        taken += _put(port, source, " " * 8)
    given, outs = [], 0
    for port in kind.outputs:
        given += _get(port, outs)
        outs += words(port.width)
    replayed, watched = [], 0
    for port in kind.inputs:
        replayed += _put(port, f"now[{watched} + {{}}]", " " * 8)
        watched += words(port.width)
    return SOURCE.substitute(
        clock=kind.clock,
        constants=", ".join(port.name for port in kind.constants) or "none",
        filled="".join(f"{line}\n" for line in filled),
        kept="".join(f"{line}\n" for line in kept),
        taken="".join(f"{line}\n" for line in taken),
        given="".join(f"{line}\n" for line in given),
        replayed="".join(f"{line}\n" for line in replayed),
        down=f"root.{falls_by} = 0;" if falls_by else f"root.{kind.clock} = 0; model->eval();",
        inputs=len(kind.inputs),
        outputs=outs,
        watched=watched,
    )
