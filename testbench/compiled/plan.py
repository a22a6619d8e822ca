"""Where everything of a network is in a row of words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.testbench.compiled.wiring import CONSTANT, Instance, Port, Slice, Wiring
from fingerpost.testbench.packing import WORD, words

Words = NDArray[np.uint64]

PIECE = np.dtype([("from", "<u4"), ("right", "u1"), ("left", "u1"), ("width", "u1"), ("", "u1")])
"""A Piece of lock_step.h."""


@dataclass(frozen=True)
class Made:
    """Words that are made of pieces: word i of pieces start[i] to start[i + 1]."""

    start: NDArray[np.uint32]
    pieces: NDArray[np.void]


@dataclass
class Kind:
    """The nodes of a kind."""

    module: str
    clock: str
    """The port of the clock."""
    constants: tuple[Port, ...]
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    """An input is a constant if it is one at each of the nodes."""
    nodes: list[Instance]
    contents: tuple[Port, ...]
    """The parameters: what is in the memories of a node."""
    read: set[str]
    """The outputs that some node has as an input."""
    late: tuple[str, ...] = ()
    """The outputs that follow from inputs of the same cycle: they are seen a cycle later."""
    out: int = 0
    """The word where the outputs of the first of them are; those of the others follow."""

    @property
    def shape(self) -> dict[str, Any]:
        """Return the ports by what they are."""
        names = "clock", "constants", "contents", "inputs", "outputs", "late"
        return {name: getattr(self, name) for name in names}


class Plan:
    """The words of a network in lock-step, and what is made of them.

    Parameters
    ----------
    wiring : Wiring
    sent : int
        Bits that a terminal gives in a cycle.
    rows : sequence of (rows, bits)
        What is seen, as rows of so many bits.

    Attributes
    ----------
    kinds : list of Kind
    size : int
        Words in a row.
    given_at, reset_at, made_at : int
        The words of what is given, of the reset, and of `made`.
    constants : Words
        What is in the words from `constants_at` on.
    made, seen : Made
        Inputs that come from several places, and what is seen.
    """

    def __init__(self, wiring: Wiring, *, sent: int, rows: Sequence[tuple[int, int]]) -> None:
        self.wiring, self.sent = wiring, sent
        groups: dict[str, list[Instance]] = {}
        for node in wiring.nodes:
            groups.setdefault(node.module, []).append(node)
        self.sources = wiring.origins
        modules = {node.name: node.module for node in wiring.nodes}
        nets = {piece.net for pieces in self.sources.values() for piece in pieces}
        names = (net.rpartition(".") for net in nets if "." in net)
        self._read = {(modules[node], port) for node, _, port in names if node in modules}
        self.kinds = [self._kind(module, nodes) for module, nodes in groups.items()]
        self.places: dict[str, int] = {}
        size = 0
        for kind in self.kinds:
            kind.out = size
            for node in kind.nodes:
                for port in kind.outputs:
                    self.places[f"{node.name}.{port.name}"] = size
                    size += words(port.width)
        self.given_at, self.given_words = size, words(sent) * (wiring.widths["given"] // sent)
        self.reset_at = size + self.given_words
        self.constants_at = self.reset_at + 1
        self._constants: dict[int, int] = {0: 0}
        self.seen = self._seen(rows)
        # The inputs that are made come last: only then is known how many constants there are.
        self._made: list[list[tuple[int, int, int, int]]] = []
        self._from = {kind.module: self._inputs(kind) for kind in self.kinds}
        self.constants = np.array(list(self._constants), np.uint64)
        self.made_at = self.constants_at + len(self.constants)
        self.made = _made(self._made)
        self.size = self.made_at + len(self._made)

    def _kind(self, module: str, nodes: list[Instance]) -> Kind:
        several = self.wiring.modules[module]
        clock = next(
            port.name
            for port in several
            if not port.output and self.sources[nodes[0].name, port.name] == [Slice("clk", 0, 1)]
        )
        inputs = [port for port in several if not port.output and port.name != clock]
        constants = tuple(
            port
            for port in inputs
            if all(
                piece.net == CONSTANT
                for node in nodes
                for piece in self.sources[node.name, port.name]
            )
        )
        return Kind(
            module=module,
            clock=clock,
            constants=constants,
            inputs=tuple(port for port in inputs if port not in constants),
            outputs=tuple(port for port in several if port.output),
            nodes=nodes,
            contents=tuple(
                Port(name, False, self.wiring.slices(value, "")[0].width)
                for name, value in nodes[0].parameters.items()
            ),
            read={name for of, name in self._read if of == module},
        )

    def kept(self, kind: Kind, node: Instance) -> Words:
        """Return the constants of a node, and the contents of its memories."""
        found: list[int] = []
        for port in kind.constants:
            value = at = 0
            for piece in self.sources[node.name, port.name]:
                value |= piece.low << at
                at += piece.width
            found += cut(value, words(port.width))
        for port in kind.contents:
            (whole,) = self.wiring.slices(node.parameters[port.name], "")
            found += cut(whole.low, words(port.width))
        return np.array(found, np.uint64)

    def taken(self, kind: Kind) -> NDArray[np.uint32]:
        """Return where the inputs of nodes come from, as `taken` of lock_step.h has it."""
        offset = np.array(self._from[kind.module], np.int64)
        made = offset < 0
        offset[made] = (self.made_at + ~offset[made]) << 6
        return offset.astype(np.uint32)

    def watched(self, kind: Kind, node: int) -> NDArray[np.uint32]:
        """Return the words of the inputs of a node."""
        each = self.taken(kind).reshape(len(kind.nodes), -1)[node]
        found = [
            int(start) + (word << 6)
            for start, port in zip(each, kind.inputs, strict=True)
            for word in range(words(port.width))
        ]
        return np.array(found, np.uint32)

    def _inputs(self, kind: Kind) -> list[int]:
        """Return the place of each input: word and bit, or the complement of a word of `made`."""
        found = []
        for node in kind.nodes:
            for port in kind.inputs:
                pieces = self._pieces(self.sources[node.name, port.name])
                if len(pieces) == 1 and port.width <= WORD:
                    _, place, right, _ = pieces[0]
                    found.append(place << 6 | right)
                else:
                    found.append(~len(self._made))
                    self._made += _by_word(pieces, words(port.width))
        return found

    def _seen(self, rows: Sequence[tuple[int, int]]) -> Made:
        wiring = self.wiring
        pieces = iter(self._pieces(wiring.sources(wiring.slices("seen", ""))))
        found: list[list[tuple[int, int, int, int]]] = []
        at, left = 0, next(pieces, None)
        for count, bits in rows:
            for _ in range(count):
                row, end = [], at + bits
                while left is not None and left[0] < end:
                    start, place, right, width = left
                    inside = min(width, end - start)
                    row.append((start - at, place, right, inside))
                    if inside < width:
                        left = end, place, right + inside, width - inside
                    else:
                        left = next(pieces, None)
                found += _by_word(row, words(bits))
                at = end
        return _made(found)

    def _pieces(self, sources: Iterable[Slice]) -> list[tuple[int, int, int, int]]:
        """Return for bits where they go, the word that they come from, the place there, how many.

        None is longer than a word or reaches across two.
        """
        found, at = [], 0
        for net, low, width in sources:
            done = 0
            while done < width:
                place, right, most = self._place(net, low, done)
                some = min(width - done, most)
                found.append((at + done, place, right, some))
                done += some
            at += width
        return found

    def _place(self, net: str, low: int, done: int) -> tuple[int, int, int]:
        """Return the word and bit where a net goes on, and how far it goes."""
        if net == CONSTANT:
            value = low >> done & (1 << WORD) - 1
            number = self._constants.setdefault(value, len(self._constants))
            return self.constants_at + number, 0, WORD
        if net == "rst":
            return self.reset_at, 0, WORD
        bit = low + done
        if net == "given":
            row, bit = divmod(bit, self.sent)
            most = min(self.sent - bit, WORD - bit % WORD)
            return self.given_at + row * words(self.sent) + bit // WORD, bit % WORD, most
        return self.places[net] + bit // WORD, bit % WORD, WORD - bit % WORD

    def driver(self, bit: int) -> tuple[Kind, int] | None:
        """Return the node that drives a bit of what is seen: its kind and its number there."""
        (piece,) = self.wiring.sources([Slice("seen", bit, 1)])
        name, _, _ = piece.net.rpartition(".")
        for kind in self.kinds:
            for number, node in enumerate(kind.nodes):
                if node.name == name:
                    return kind, number
        return None


def cut(value: int, count: int) -> list[int]:
    """Return a number as words, lowest first."""
    return [value >> WORD * word & (1 << WORD) - 1 for word in range(count)]


def _by_word(
    pieces: Iterable[tuple[int, int, int, int]], count: int
) -> list[list[tuple[int, int, int, int]]]:
    """Return pieces by the word that they go to; `count` is how many there are."""
    found: list[list[tuple[int, int, int, int]]] = [[] for _ in range(count)]
    for start, place, right, width in pieces:
        done = 0
        while done < width:
            word, left = divmod(start + done, WORD)
            some = min(width - done, WORD - left)
            found[word].append((place, right + done, left, some))
            done += some
    return found


def _made(by_word: Sequence[Sequence[tuple[int, int, int, int]]]) -> Made:
    start = np.zeros(len(by_word) + 1, np.uint32)
    start[1:] = np.cumsum([len(pieces) for pieces in by_word])
    rows = [(*piece, 0) for pieces in by_word for piece in pieces]
    return Made(start, np.array(rows, PIECE))
