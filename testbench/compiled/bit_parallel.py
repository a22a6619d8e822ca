"""The C++ of nodes of a kind side by side: a net is a vector, with one bit for each node."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from string import Template
from typing import NamedTuple

from fingerpost.testbench.compiled.gates import Bit, Gates, Memory
from fingerpost.testbench.compiled.plan import Kind
from fingerpost.testbench.compiled.wiring import Port
from fingerpost.testbench.packing import WORD, words

SOURCE = Template(Path(__file__).with_suffix(".cpp").read_text())


class _Piece(NamedTuple):
    """A word of a port, or less, and where it is in a square."""

    port: int
    word: int
    square: int
    low: int
    width: int

    @property
    def mask(self) -> str:
        return f"0x{(1 << self.width) - 1:x}ull"


class _Squares:
    """Ports in squares: 64 bits for each of 64 nodes. No word of a port is in two.

    Attributes
    ----------
    used : list of int
        Bits for each node that each square has.
    pieces : list of _Piece
    """

    def __init__(self, ports: Sequence[Port]) -> None:
        self.ports, self.used = ports, list[int]()
        self.pieces: list[_Piece] = []
        parts = (
            (min(WORD, port.width - WORD * word), number, word)
            for number, port in enumerate(ports)
            for word in range(words(port.width))
        )
        for width, number, word in sorted(parts, reverse=True):
            fitting = (i for i, used in enumerate(self.used) if used + width <= WORD)
            square = next(fitting, len(self.used))
            self.used += [0] * (square == len(self.used))
            self.pieces.append(_Piece(number, word, square, self.used[square], width))
            self.used[square] += width

    def places(self) -> Iterator[tuple[str, int, int]]:
        """Yield the name of a port, a bit of it, and the vector where this is."""
        for number, word, square, low, width in self.pieces:
            for bit in range(width):
                yield self.ports[number].name, WORD * word + bit, WORD * square + low + bit

    def moved(self, how: str, vectors: str) -> str:
        """Return how all squares get into vectors, or out of them."""
        return _lines(
            12,
            (
                f"{how}(square[{square}], group.{vectors} + {WORD * square}, {used}, block);"
                for square, used in enumerate(self.used)
            ),
        )


class _Writer:
    """Writes the gates that lead to nets, each once, in an order in which all are known.

    Parameters
    ----------
    gates : Gates
    leaves : dict
        What nets are called of which no gate is written: registers, inputs, constants.

    Attributes
    ----------
    lines : list of str
    """

    def __init__(self, gates: Gates, leaves: dict[int, str]) -> None:
        self.gates, self.known, self.lines = gates, dict(leaves), list[str]()
        self.reads = {
            net: (number, port)
            for number, memory in enumerate(gates.memories)
            for port, (_, data) in enumerate(memory.reads)
            for net in data
            if not isinstance(net, bool)
        }

    def value(self, bit: Bit) -> str:
        """Return what a bit is called; its gates are written if they are not yet."""
        if isinstance(bit, bool):
            return "one" if bit else "zero"
        waiting = [bit]
        while waiting:
            needed = [net for net in self._inputs(waiting[-1]) if net not in self.known]
            waiting += needed
            if not needed:
                self._write(waiting.pop())
        return self.known[bit]

    def values(self, bits: Iterable[Bit]) -> str:
        """Return what bits are called, with commas."""
        return ", ".join(map(self.value, bits))

    def _inputs(self, net: int) -> list[int]:
        """Return the nets from which another follows in the same cycle."""
        if net in self.known:
            return []
        if net in self.reads:
            number, port = self.reads[net]
            bits = self.gates.memories[number].reads[port][0]
        else:
            bits = self.gates.functions[net][0]
        return [bit for bit in bits if not isinstance(bit, bool)]

    def _write(self, net: int) -> None:
        if net in self.known:
            return
        if net in self.reads:
            number, port = self.reads[net]
            address, data = self.gates.memories[number].reads[port]
            name = f"{number}_{port}"
            self.lines += [
                f"const Vector a{name}[] = {{{self.values(address)}}};",
                f"Vector r{name}[{len(data)}];",
                f"group.memory{number}.read(group.blocks, a{name}, r{name});",
            ]
            read = {bit: f"r{name}[{i}]" for i, bit in enumerate(data)}
            self.known |= {bit: what for bit, what in read.items() if not isinstance(bit, bool)}
        else:
            bits, truth = self.gates.functions[net]
            several = self.values([*bits, *[False] * (3 - len(bits))])
            self.lines.append(f"const Vector n{net} = lut<{_table(truth)}>({several});")
            self.known[net] = f"n{net}"

    def write(self, number: int, memory: Memory) -> None:
        """Write how a memory is written."""
        for port, (address, data, enable) in enumerate(memory.writes):
            name = f"{number}_{port}"
            whole = len(set(enable)) == 1
            enabled = self.value(enable[0]) if whole else f"{{{self.values(enable)}}}"
            self.lines += [
                f"const Vector w{name}[] = {{{self.values(address)}}};",
                f"const Vector d{name}[] = {{{self.values(data)}}};",
                f"const Vector e{name}{'' if whole else '[]'} = {enabled};",
                f"group.memory{number}.write(group.blocks, w{name}, d{name}, e{name});",
            ]


def _table(truth: int) -> int:
    """Return the table of a function of three bits as `lut` has it: the first bit highest."""
    places = (4 * (i & 1) + 2 * (i >> 1 & 1) + (i >> 2) for i in range(8) if truth >> i & 1)
    return sum(1 << place for place in places)


def parallel_source(kind: Kind, gates: Gates) -> str:
    """Return the C++ of nodes of a kind, side by side."""
    inputs, outputs = _Squares(kind.inputs), _Squares(kind.outputs)
    memories = list(enumerate(gates.memories))
    leaves = {net: f"now[{number}]" for number, net in enumerate(gates.registers)}
    fixed = [net for port in kind.constants for net in gates.ports[port.name]]
    leaves |= {_net(bit): f"fixed[{number}]" for number, bit in enumerate(fixed)}
    given = {_net(gates.ports[name][bit]): f"in[{at}]" for name, bit, at in inputs.places()}
    advance, show = _Writer(gates, leaves | given), _Writer(gates, leaves)
    for name, bit, at in outputs.places():
        writer = advance if name in kind.late else show
        writer.lines.append(f"out[{at}] = {writer.value(gates.ports[name][bit])};")
    for number, (bit, _) in enumerate(gates.registers.values()):
        advance.lines.append(f"next[{number}] = {advance.value(bit)};")
    for number, memory in memories:
        advance.write(number, memory)
    at_power_up = [
        f"state[{number}] = one;"
        for number, (_, high) in enumerate(gates.registers.values())
        if high
    ]
    for number, memory in memories:
        at_power_up += _initial(number, memory)
    return SOURCE.substitute(
        square=WORD,
        state=max(1, len(gates.registers)),
        fixed=max(1, len(fixed)),
        inside=max(1, len(inputs.used)),
        outside=max(1, len(outputs.used)),
        memories=_lines(4, (f"{_type(memory)} memory{number};" for number, memory in memories)),
        advance=_lines(4, advance.lines),
        show=_lines(4, show.lines),
        initial=_lines(8, at_power_up),
        places=", ".join(map(str, _places(kind.constants))) or "0",
        constants=", ".join(port.name for port in kind.constants) or "none",
        constant_bits=len(fixed),
        filled=_lines(
            4,
            (
                f"group.memory{number}.fill(copy, now + {_length(kind.constants)});"
                for number, memory in memories
                if memory.own
            ),
        ),
        inputs=len(kind.inputs),
        outputs=_length(kind.outputs),
        taken=_lines(16, (_taken(kind.inputs, piece) for piece in inputs.pieces)),
        scattered=inputs.moved("scatter", "in"),
        gathered=outputs.moved("gather", "out"),
        given=_lines(16, (_given(kind.outputs, piece) for piece in outputs.pieces)),
    )


def _net(bit: Bit) -> int:
    """Return the net of an input, which is none of the constants."""
    assert not isinstance(bit, bool)
    return bit


def _lines(indent: int, several: Iterable[str]) -> str:
    return "".join(f"{' ' * indent}{line}\n" for line in several)


def _type(memory: Memory) -> str:
    """Return the type of a memory in C++."""
    shared = not memory.own and not memory.writes
    return f"Memory<{memory.size}, {memory.width}, {str(shared).lower()}>"


def _initial(number: int, memory: Memory) -> list[str]:
    """Return how a memory gets what is in it at power-up."""
    if memory.own or not memory.initial:
        return []
    values = ", ".join(
        f"0x{memory.initial >> WORD * word & (1 << WORD) - 1:x}ull"
        for word in range(words(memory.size * memory.width))
    )
    copies = "COPIES" if memory.writes else "1"
    return [
        f"static const Word contents{number}[] = {{{values}}};",
        f"for (unsigned copy = 0; copy < {copies}; ++copy)",
        f"    group->memory{number}.fill(copy, contents{number});",
    ]


def _length(ports: Iterable[Port]) -> int:
    """Return the words of ports."""
    return sum(words(port.width) for port in ports)


def _places(ports: Iterable[Port]) -> Iterator[int]:
    """Yield where the bits of ports are in their words."""
    at = 0
    for port in ports:
        yield from range(WORD * at, WORD * at + port.width)
        at += words(port.width)


def _taken(ports: Sequence[Port], piece: _Piece) -> str:
    """Return how a word of an input gets into its square."""
    start = f"from[{piece.port}]"
    several = ports[piece.port].width > WORD
    source = f"now[({start} >> 6) + {piece.word}]" if several else f"taken(now, {start})"
    return f"square[{piece.square}].row[i] |= ({source} & {piece.mask}) << {piece.low};"


def _given(ports: Sequence[Port], piece: _Piece) -> str:
    """Return how a word of an output gets out of its square."""
    at = _length(ports[: piece.port]) + piece.word
    return f"next[{at}] = square[{piece.square}].row[i] >> {piece.low} & {piece.mask};"
