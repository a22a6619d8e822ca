"""Components as modules of Verilog-2005; equal ones are one."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from amaranth.lib import wiring

from fingerpost.hdl.emit.printer import expressions, source
from fingerpost.hdl.emit.printer.layout import folded
from fingerpost.hdl.emit.printer.tree import Design, Module
from fingerpost.hdl.emit.printer.writer import Writer


@dataclass
class _Entry:
    """A module, for as many instances as have this text."""

    ports: list[str]
    body: list[str]
    component: Any
    parameters: dict[str, str]
    children: list[str]
    instances: list[str] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """The name of the class, as one of a module."""
        name = type(self.component).__name__
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


class Printer:
    """Prints designs one after the other; equal modules are one."""

    def __init__(self, prefix: str, tops: Iterable[str]) -> None:
        self.prefix, self.tops = prefix, tuple(tops)
        self.names: dict[tuple[str, ...], str] = {}
        self.entries: dict[str, _Entry] = {}
        self.printed: dict[Module, str] = {}

    def add(self, design: Design, name: str) -> None:
        """Print the modules of a design."""
        self._print(design.module, name)
        expressions.forget()

    def _print(self, module: Module, path: str) -> str:
        """Print a module after those in it; return its name."""
        inner = [self._print(each.module, f"{path}.{each.name}") for each in module.instances]
        shown = source.parameters(module.component)
        ports, body = Writer(module, self.printed).write()
        entry = _Entry(ports, body, module.component, shown, inner)
        kind = f"{self.prefix}_{entry.kind}" if "." in path else path
        name, number = kind, 1
        while name in self.entries or (name in self.tops and name != path):
            number += 1
            name = f"{kind}_{number}"
        name = self.names.setdefault((kind, *entry.ports, "", *entry.body), name)
        entry = self.entries.setdefault(name, entry)
        entry.parameters = {k: v for k, v in entry.parameters.items() if shown.get(k) == v}
        entry.instances.append(path)
        self.printed[module] = name
        return name

    def texts(self) -> dict[str, str]:
        """Return all modules by name: the tops, then the others in the order of their first use."""
        order = list(self.tops)
        for name in order:
            order += [child for child in self.entries[name].children if child not in order]
        texts: dict[str, str] = {}
        told: dict[str, str] = {}
        for name in order:
            entry = self.entries[name]
            lines = [*self._header(entry, told.setdefault(entry.kind, name), name)]
            lines += [f"module {name} (", *entry.ports, ");", *entry.body, "endmodule", ""]
            texts[name] = "\n".join(lines)
        return texts

    @staticmethod
    def _header(entry: _Entry, first: str, name: str) -> list[str]:
        """Return the comment above a module; the docstring only above the first of a class."""
        said = source.about(entry.component)
        said[0] = f"{type(entry.component).__name__}: {said[0]}".rstrip(": ")
        said[1:] = said[1:] if first == name else [f"See {first}."]
        shown = [f"{key} = {value}".replace(" ", "\xa0") for key, value in entry.parameters.items()]
        said += ["", f"Parameters: {', '.join(shown)}"][: 1 + bool(shown)]
        said.append(f"Source: {source.shown(source.place_of_class(entry.component))}")
        where = [*dict.fromkeys(path.partition(".")[2] for path in entry.instances if "." in path)]
        said += [f"Instances: {', '.join(where)}"] * bool(where)
        lines = (part for paragraph in said for part in folded(paragraph))
        return [f"// {line}".rstrip().replace("\xa0", " ") for line in lines]


def print_designs(components: Mapping[str, wiring.Component], *, prefix: str) -> dict[str, str]:
    """Return components as modules of these names, and the modules that they consist of.

    The names of the latter begin with `prefix`; equal ones are one.

    Raises
    ------
    UnsupportedError
        If a component has a construct that is not known here.
    """
    printer = Printer(prefix, components)
    for name, component in components.items():
        printer.add(Design(component, name), name)
    return printer.texts()


def module_verilog(component: wiring.Component, name: str) -> str:
    """Return a component as Verilog, with all modules that it consists of."""
    return "\n".join(print_designs({name: component}, prefix=name).values())
