"""Components as Verilog text: the same under every version of Python, and in every run.

Signals are named from the source text. Identical modules become one: on the text that Yosys writes,
which has one form only. Every simulator starts the result alike.
"""

import os
import re
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from amaranth.back import verilog
from amaranth.lib import wiring

from fingerpost.golden import caches
from fingerpost.hdl.emit.names import names_from_source

WRITTEN = re.compile(r"^module (\S+ ?)\((.*?)\);$(.*?)^endmodule$", re.M | re.S)
"""A module as Yosys writes it: its name, its ports, and what is inside."""

PORT_NAME = re.compile(r"\\\S+ |\w+")
"""A name; one with a backslash ends with a space."""

DUMMY = re.compile(r"^  reg (\\\$auto\$\S+ ) = 0;$", re.M)
"""The register that Yosys adds to blocks of combinational logic, once a module."""

REGISTER = re.compile(r"^(  reg (?:\[.*?\] )?)(\\\S+ |\w+) = (.*);$", re.M)
"""A register with its initial value."""


def module_verilog(component: wiring.Component, name: str) -> str:
    """Return a component as Verilog that every simulator starts alike.

    It is the same under every version of Python, and in every run.
    """
    # The wheel's Yosys, whatever is on PATH: the output must not depend on the machine.
    os.environ["AMARANTH_USE_YOSYS"] = "builtin"
    caches.home()
    with names_from_source():
        text: str = verilog.convert(component, name=name, emit_src=False, strip_internal_attrs=True)
    return WRITTEN.sub(_finished, merge(text))


def _finished(module: re.Match[str]) -> str:
    """Return a module with its ports sorted and the initial values in a block at its end.

    Amaranth lists the clocks of a module in the order of a set, another one in every run.

    Combinational logic that depends on constants, or on registers that keep their value, would
    stay X in Icarus: its ``always @*`` waits for a change. Yosys puts a dummy register into each
    such block, but initialises it where it is declared, which is no change (amaranth issue 1629).
    At the end of the module, when the blocks already wait, it is one. The others are there as
    well, since Verilator warns of values in declarations, and older ones know no waiver for that.
    """
    name, ports, inside = module.groups()
    if dummy := DUMMY.search(inside):
        inside = inside.replace(dummy[1], "\\$start ")
    values = [f"    {register} = {value};\n" for _, register, value in REGISTER.findall(inside)]
    if values:
        inside = REGISTER.sub(r"\1\2;", inside) + f"  initial begin\n{''.join(values)}  end\n"
    return f"module {name}({', '.join(sorted(PORT_NAME.findall(ports)))});{inside}endmodule"


NAME = r"(\\\S+|[A-Za-z_]\w*) ?"
"""A name; one with a backslash ends with a space."""

MODULE = re.compile(rf"^(?:\(\*.*\*\)\n)*module {NAME}\(.*?^endmodule$", re.M | re.S)
"""A module with the attributes before it, each on a line of its own."""

INSTANCE = re.compile(rf"^  {NAME} ?{NAME} ?\(\n((?:    \..*\n)*)  \);$", re.M)
"""An instance: module, name, and a connection by name on each line."""

PORT = re.compile(rf"^    \.{NAME}\(", re.M)
"""The port of a connection. What it is connected to may have the same name, and is another."""

NUMBERED = re.compile(r"\\(\S*?)((?:\$\d+)+) ")
"""A name that Amaranth or Yosys made unique with numbers, which count across modules."""

DECLARATION = re.compile(r"^(?:  \(\*.*\*\)\n)*  (?:input|output|wire|reg)\b.*;\n", re.M)
"""A declaration with the attributes before it."""

FOREIGN = "\0"
"""Stands for the backslash of a name that is not of the module in whose text it occurs."""


class _Module(NamedTuple):
    """A module whose text does not depend on where it stands, and the new names of its ports."""

    text: str
    ports: Mapping[str, str]


def merge(text: str) -> str:
    """Return Verilog in which modules that differ in nothing but names are one.

    What was numbered across modules is numbered within each module, children first. Modules that
    are then equal, ports and declarations in any order, are replaced by the first of them. The
    first module of the text is the top; its ports keep their names.

    Raises
    ------
    ValueError
        If the text is not as Yosys writes it.
    """
    originals = {found[1]: found[0] for found in MODULE.finditer(text)}
    top = next(iter(originals))
    done: dict[str, _Module] = {}
    first: dict[tuple[object, ...], str] = {}
    stands: dict[str, str] = {}

    def visit(name: str) -> None:
        for child in INSTANCE.finditer(originals[name]):
            if child[1] in originals and child[1] not in stands:
                visit(child[1])
        body = INSTANCE.sub(lambda found: _connected(found, stands, done), originals[name])
        body = body.replace(f"module {name}", f"module {_foreign(name)}", 1)
        for other in originals:
            if other.startswith("\\") and f"{other} " in body:
                raise ValueError(f"Verilog needs an instance of {other} that connects by name")
        done[name] = _numbered(body, top=name == top)
        stands[name] = first.setdefault(_key(done[name].text, name), name)

    for name in originals:
        if name not in stands:
            visit(name)
    good = _plain_names(stands)
    modules = [done[name].text for name in originals if stands[name] == name]
    modules = [_renamed(module, good) for module in modules]
    start, end = text.index(originals[top]), text.rindex("endmodule") + len("endmodule")
    return text[:start] + "\n\n".join(modules).replace(FOREIGN, "\\") + text[end:]


def _foreign(name: str) -> str:
    """Return a name that is safe from what happens to the names of the module around it."""
    return name.replace("\\", FOREIGN)


def _renamed(module: str, names: Mapping[str, str]) -> str:
    """Return a module with better names of modules, its own and those of its instances."""
    for name, better in names.items():
        old = re.compile(rf"^(  |module ){re.escape(_foreign(name))} ", re.M)
        module = old.sub(rf"\g<1>{_foreign(better)} ", module)
    return module


def _connected(found: re.Match[str], stands: Mapping[str, str], done: Mapping[str, _Module]) -> str:
    """Return an instance of the module that stands for that of the text, by its new ports."""
    kind, name, connections = found.groups()
    if kind not in stands:
        return found[0]
    # Equal modules number their ports alike, so their own new names serve.
    ports = done[kind].ports

    def port(at: re.Match[str]) -> str:
        new = ports.get(at[1], at[1])
        return f"    .{_foreign(new)}{' ' * new.startswith(chr(92))}("

    return f"  {_foreign(stands[kind])}  {name} (\n{PORT.sub(port, connections)}  );"


def _numbered(text: str, *, top: bool) -> _Module:
    """Return a module with its numbered names counted from 1 for each stem, in their order."""
    header = text.partition(";\n")[0]
    kept = {found[0] for found in NUMBERED.finditer(header)} if top else set()
    if kept:
        raise ValueError(f"Top module needs ports without numbers, not {', '.join(sorted(kept))}")
    stems: dict[str, set[tuple[int, ...]]] = {}
    for found in NUMBERED.finditer(text):
        numbers = tuple(int(number) for number in found[2].split("$")[1:])
        stems.setdefault(found[1], set()).add(numbers)
    new = {
        f"\\{stem}{''.join(f'${number}' for number in numbers)}": f"\\{stem}${place}"
        for stem, several in stems.items()
        for place, numbers in enumerate(sorted(several), 1)
    }
    ports = {found[0][:-1]: new[found[0][:-1]] for found in NUMBERED.finditer(header)}
    return _Module(NUMBERED.sub(lambda found: f"{new[found[0][:-1]]} ", text), ports)


def _key(text: str, name: str) -> tuple[object, ...]:
    """Return what two modules have in common when they differ in nothing but their name."""
    header, _, body = text.partition(";\n")
    before, _, ports = header.partition(f"module {_foreign(name)}")
    return (
        before,
        tuple(sorted(port.strip() for port in ports.strip(" ()").split(","))),
        tuple(sorted(DECLARATION.findall(body))),
        DECLARATION.sub("", body),
    )


def _plain_names(stands: Mapping[str, str]) -> dict[str, str]:
    """Return better names for modules that stand for several: without the numbers.

    ``router.input`` stands for ``router.input0``, ``router.input1`` ...; but it would say too
    much if there were another such module for other inputs.
    """
    several = {name for name, count in Counter(stands.values()).items() if count > 1}
    plain = {name: re.sub(r"(?<=[a-z])\d+(?=\.|$)", "", name) for name in several}
    taken = Counter(plain.values()) + Counter(set(stands) - several)
    return {name: short for name, short in plain.items() if taken[short] == 1}
