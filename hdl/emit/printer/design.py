"""Components as modules of Verilog-2005; equal ones are one."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from amaranth.lib import wiring

from fingerpost.hdl.emit.printer import expressions, source
from fingerpost.hdl.emit.printer.layout import folded
from fingerpost.hdl.emit.printer.tree import Design, Module
from fingerpost.hdl.emit.printer.writer import Text, Writer

SHOWN = 6
"""Instances that a header names."""


@dataclass(frozen=True)
class PrintedModule:
    """A module of Verilog.

    Attributes
    ----------
    name, text : str
        The text ends with a line break.
    instances : tuple of str
        Paths from the top, as ``router.output0``; that of a top is its name alone.
    places : mapping
        Where the names in the text come from in the source: ``hdl/router/router.py:31`` by name.
    """

    name: str
    text: str
    instances: tuple[str, ...]
    places: Mapping[str, str]


@dataclass(frozen=True)
class Printed:
    """The modules of one or more designs.

    Attributes
    ----------
    modules : mapping
        By name: the tops, then the others in the order of their first use.
    tops : tuple of str
    """

    modules: Mapping[str, PrintedModule]
    tops: tuple[str, ...]

    @property
    def text(self) -> str:
        """All modules in one text."""
        return "\n".join(module.text for module in self.modules.values())

    @property
    def shared(self) -> list[str]:
        """The modules that are no top."""
        return [name for name in self.modules if name not in self.tops]

    def source(self, path: str) -> str:
        """Return the place in the source of a name in a hierarchy: ``router.output0.grant``.

        Raises
        ------
        KeyError
            If there is no such name.
        """
        where, _, name = path.rpartition(".")
        for module in self.modules.values():
            if where in module.instances:
                return module.places[name]
        raise KeyError(path)


@dataclass
class _Entry:
    """A module, for as many instances as have this text."""

    text: Text
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

    def add(self, design: Design, name: str) -> None:
        """Print the modules of a design."""
        self._print(design.module, name)
        expressions.forget()

    def _print(self, module: Module, path: str) -> str:
        """Print a module after those in it; return its name."""
        inner = {
            each.module: self._print(each.module, f"{path}.{each.name}")
            for each in module.instances
        }
        shown = source.parameters(module.component)
        entry = _Entry(Writer(module, inner).write(), module.component, shown, list(inner.values()))
        kind = f"{self.prefix}_{entry.kind}" if "." in path else path
        name, number = kind, 1
        while name in self.entries or (name in self.tops and name != path):
            number += 1
            name = f"{kind}_{number}"
        name = self.names.setdefault((kind, *entry.text.ports, "", *entry.text.body), name)
        entry = self.entries.setdefault(name, entry)
        entry.parameters = {k: v for k, v in entry.parameters.items() if shown.get(k) == v}
        entry.instances.append(path)
        return name

    def printed(self) -> Printed:
        """Return all modules."""
        order = list(self.tops)
        for name in order:
            order += [child for child in self.entries[name].children if child not in order]
        modules: dict[str, PrintedModule] = {}
        told: dict[str, str] = {}
        for name in order:
            entry = self.entries[name]
            lines = [
                *self._header(entry, told.setdefault(entry.kind, name), name),
                f"module {name} (",
            ]
            lines += [*entry.text.ports, ");", *entry.text.body, "endmodule", ""]
            places = {
                key: f"{source.short(file)}:{line}"
                for key, (file, line) in entry.text.places.items()
            }
            modules[name] = PrintedModule(name, "\n".join(lines), tuple(entry.instances), places)
        return Printed(modules, self.tops)

    @staticmethod
    def _header(entry: _Entry, first: str, name: str) -> list[str]:
        """Return the comment above a module; the docstring only above the first of a class."""
        file, line = source.place_of_class(entry.component)
        said = source.about(entry.component)
        said[0] = f"{type(entry.component).__name__}: {said[0]}".rstrip(": ")
        said[1:] = said[1:] if first == name else [f"See {first}."]
        shown = [f"{key}\xa0=\xa0{value}" for key, value in entry.parameters.items()]
        said += ["", f"Parameters: {', '.join(shown)}"][: 1 + bool(shown)]
        said.append(f"Source: {source.short(file)}:{line}")
        where = list(
            dict.fromkeys(path.partition(".")[2] for path in entry.instances if "." in path)
        )
        if len(where) > SHOWN:
            where[SHOWN - 1 :] = [f"and {len(where) - SHOWN + 1} more"]
        said += [f"Instances: {', '.join(where)}"] * bool(where)
        lines = (part for paragraph in said for part in folded(paragraph))
        return [f"// {line}".rstrip().replace("\xa0", " ") for line in lines]


def print_designs(components: Mapping[str, wiring.Component], *, prefix: str) -> Printed:
    """Return several components as modules of these names; `prefix` begins the names of others.

    Raises
    ------
    UnsupportedError
        If a component has a construct that is not known here.
    """
    printer = Printer(prefix, components)
    for name, component in components.items():
        printer.add(Design(component, name), name)
    return printer.printed()


def print_design(component: wiring.Component, *, name: str, prefix: str = "") -> Printed:
    """Return a component as a module of this name; see `print_designs`."""
    return print_designs({name: component}, prefix=prefix or name)
