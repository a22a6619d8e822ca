"""The nodes of a network, compiled, cycle after cycle."""

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fingerpost.testbench.compiled.build import Libraries
from fingerpost.testbench.compiled.plan import Kind, Made, Plan, Words, cut
from fingerpost.testbench.lock_step import RESET, Group, Layout
from fingerpost.testbench.packing import words

Address, Number = ctypes.c_void_p, ctypes.c_uint64


class _Kind(ctypes.Structure):
    _fields_ = (("step", Address), ("nodes", Address), ("taken", Address), ("out", Number))


class _Made(ctypes.Structure):
    _fields_ = (("words", Number), ("start", Address), ("pieces", Address))


class _Group(ctypes.Structure):
    _fields_ = (("rows", Number), ("width", Number), ("valid", Address), ("idle", Address))


class _Network(ctypes.Structure):
    _fields_ = (
        *(("now", Address), ("next", Address), ("kinds", Number), ("kind", Address)),
        *(("given_at", Number), ("given_words", Number), ("made_at", Number)),
        *(("made", _Made), ("seen", _Made), ("groups", Number), ("group", Address)),
        *(("watched", Number), ("watch", Address)),
    )


class Hardware:
    """The nodes of a network. Links are copied between them in each cycle.

    Parameters
    ----------
    plan : Plan
    libraries : Libraries
    layout : Layout
        Of what is given and seen.
    """

    def __init__(self, plan: Plan, libraries: Libraries, layout: Layout) -> None:
        self.plan = plan
        self._kept: list[Any] = []  # what C++ has the address of
        network = ctypes.CDLL(str(libraries.network))
        self._run, self._record = network.run, network.record
        self._run.restype, self._run.argtypes = Number, [Address, Number, *[Address] * 4]
        self._record.restype, self._record.argtypes = Number, [Address, Number, *[Address] * 3]
        self._nodes: list[tuple[ctypes.CDLL, int]] = []
        self._words = np.zeros((2, plan.size), np.uint64)
        made_at = plan.constants_at + len(plan.constants)
        self._words[:, plan.constants_at : made_at] = plan.constants
        kinds = [self._kind(kind, libraries.nodes[kind.module]) for kind in plan.kinds]
        rows = self.groups = [self._group(group) for group in layout.groups]
        self._network = _Network(
            now=self._words[0].ctypes.data,
            next=self._words[1].ctypes.data,
            kinds=len(kinds),
            kind=self._array(_Kind, kinds),
            given_at=plan.given_at,
            given_words=plan.given_words,
            made_at=plan.made_at,
            made=self._made(plan.made),
            seen=self._made(plan.seen),
            groups=len(rows),
            group=self._array(_Group, rows),
        )
        self.seen_words = len(plan.seen.start) - 1
        self.given_words = plan.given_words
        self._inputs: list[Words] = []

    def _address(self, array: Any) -> int:
        """Return the address of an array, which is kept."""
        self._kept.append(array)
        return int(array.ctypes.data)

    def _array(self, kind: type[ctypes.Structure], several: Sequence[ctypes.Structure]) -> int:
        array = (kind * len(several))(*several)
        self._kept.append(array)
        return ctypes.addressof(array)

    def _kind(self, kind: Kind, path: Path) -> _Kind:
        library = ctypes.CDLL(str(path))
        nodes = create(library, [self.plan.kept(kind, node) for node in kind.nodes])
        self._nodes.append((library, nodes))
        step = ctypes.cast(library.step, Address).value
        taken = self._address(self.plan.taken(kind))
        return _Kind(step=step, nodes=nodes, taken=taken, out=kind.out)

    def _made(self, made: Made) -> _Made:
        return _Made(
            words=len(made.start) - 1,
            start=self._address(made.start),
            pieces=self._address(made.pieces),
        )

    def _group(self, group: Group) -> _Group:
        masks, offset = {True: 0, False: 0}, 0  # of what is valid, and of what may be anything
        for name, width in group.fields:
            if name == "valid" or name in group.idle:
                masks[name == "valid"] |= ((1 << width) - 1) << offset
            offset += width
        width = words(offset)
        valid, idle = (
            self._address(np.array(cut(masks[which], width), np.uint64)) for which in (True, False)
        )
        return _Group(rows=group.rows, width=width, valid=valid, idle=idle)

    def watch(self, kind: Kind, node: int) -> None:
        """Keep the inputs of a node from now on."""
        self._watch = self.plan.watched(kind, node)
        self._network.watched = len(self._watch)
        self._network.watch = self._watch.ctypes.data

    @property
    def inputs(self) -> Words:
        """Return the inputs that were kept: a row for each cycle."""
        return np.concatenate(self._inputs)

    def reset(self, given: Words | None = None) -> None:
        """Hold the reset, while nothing goes in, or what is given."""
        self._words[:, self.plan.reset_at] = 1
        nothing = np.zeros((RESET, self.given_words), np.uint64)
        self.run(nothing if given is None else given, None)
        self._words[:, self.plan.reset_at] = 0

    def run(self, given: Words, expected: Words | None) -> tuple[int, Words]:
        """Go through cycles, up to one in which what is seen is not what is expected.

        Returns
        -------
        cycles : int
            How many were as expected.
        seen : Words
            What was seen in the one that was not.
        """
        cycles = len(given)
        seen = np.zeros(self.seen_words, np.uint64)
        kept = np.zeros((cycles, self._network.watched), np.uint64)
        done = self._run(
            ctypes.addressof(self._network),
            cycles,
            given.ctypes.data,
            None if expected is None else expected.ctypes.data,
            seen.ctypes.data,
            kept.ctypes.data,
        )
        if self._network.watched:
            self._inputs.append(kept[:done])
        return done, seen

    def record(self, given: Words) -> tuple[Words, Words]:
        """Go through cycles, and keep the rows of the first group that are valid in each.

        Returns
        -------
        rows : Words
            For each the number of the cycle, that of the row, and its words.
        seen : Words
            What is seen after the last cycle.
        """
        group = self.groups[0]
        width = 2 + group.width
        kept = np.empty((len(given) * group.rows + 1, width), np.uint64)
        seen = np.empty(self.seen_words, np.uint64)
        found = self._record(
            ctypes.addressof(self._network),
            len(given),
            given.ctypes.data,
            seen.ctypes.data,
            kept.ctypes.data,
        )
        return kept[:found].copy(), seen

    def cover(self, folder: Path) -> list[Path]:
        """Write what each kind of nodes has counted of its Verilog; only if built to do so."""
        files = [folder / f"{kind.module}.dat" for kind in self.plan.kinds]
        for (library, nodes), file in zip(self._nodes, files, strict=True):
            library.cover(Address(nodes), str(file).encode())
        return files

    def close(self) -> None:
        """Give back the memory of the nodes."""
        for library, nodes in self._nodes:
            library.destroy(Address(nodes))
        self._nodes.clear()


def create(library: ctypes.CDLL, constants: Sequence[Words]) -> int:
    """Make nodes with their constants; return their address."""
    library.create.restype = Address
    nodes: int = library.create(Number(len(constants)))
    for number, kept in enumerate(constants):
        library.keep(Address(nodes), Number(number), Address(kept.ctypes.data))
    return nodes


def replay(path: Path, constants: Words, inputs: Words, waveform: Path) -> None:
    """Give a node that can be traced the inputs of another, and write its waveform."""
    library = ctypes.CDLL(str(path))
    nodes = create(library, [constants])
    scratch = waveform.with_name(f".{waveform.name}")
    library.replay(
        Address(nodes), str(scratch).encode(), Number(len(inputs)), Address(inputs.ctypes.data)
    )
    library.destroy(Address(nodes))
    scratch.replace(waveform)
