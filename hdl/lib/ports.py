"""Modules that are written as text: their ports, the parts of vectors, instances."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from amaranth.lib.wiring import In, Member, Out

from fingerpost.hdl.lib.text import comment


class Port(NamedTuple):
    """A port of the network module."""

    name: str
    direction: Literal["input", "output"]
    bits: int
    meaning: str


def ports_of(signature: Any, prefix: str, meanings: Mapping[str, str]) -> list[Port]:
    """Return the members of a signature as ports of a component that has it."""
    return [
        Port(
            f"{prefix}_{name}",
            "output" if member.flow is Out else "input",
            member.shape,
            meanings[name],
        )
        for name, member in signature.members.items()
    ]


def members(ports: Iterable[Port]) -> dict[str, Member]:
    """Return ports as members of a signature."""
    return {port.name: (In if port.direction == "input" else Out)(port.bits) for port in ports}


def identifier(name: str) -> str:
    """Return the name of a network file as a Verilog identifier."""
    return name.replace("-", "_")


def declaration(port: Port) -> str:
    """Return the declaration of a port in the header of a module."""
    return f"{port.direction} {f'[{port.bits - 1}:0] ' * (port.bits > 1)}{port.name}"


def module(
    name: str,
    ports: Iterable[Port],
    body: Iterable[str],
    remarks: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return a module with these ports and lines; remarks stand above ports, by name."""
    header = ",\n".join(
        "".join(f"{x}\n" for x in [remarks.get(port.name)] if x) + f"  {declaration(port)}"
        for port in ports
    )
    return "\n".join([f"module {name}(", header, ");", *body, "endmodule"])


def instance(module: str, name: str, *connections: str, remark: str = "") -> str:
    """Return an instance of a module, each of its connections in a line, behind a remark."""
    body = ",\n    ".join(connections)
    return f"  {module} {name}({remark and f' {comment(remark)}'}\n    {body}\n  );"


def passed(ports: Iterable[Port]) -> str:
    """Return the connections of ports with wires of the same names."""
    return ", ".join(f".{port.name}({port.name})" for port in ports)


def idle(port: Port) -> str:
    """Return the connection of an unused port: 0 at an input."""
    return f".{port.name}({port.bits}'d0)" if port.direction == "input" else f".{port.name}()"


def local_name(name: str, local: int) -> str:
    """Return the name of a part of a router that is there for each terminal: inject, inject1 ..."""
    return f"{name}{local or ''}"


def of_node(name: str, node: int | str) -> str:
    """Return the name of a node's port at the network: ``node_3_inject_flit``."""
    return f"node_{node}_{name}"


def part(name: str, index: int, width: int) -> str:
    """Return the part of a vector of `width` bits for each that belongs to `index`."""
    return f"{name}[{index}]" if width == 1 else f"{name}[{index * width} +: {width}]"
