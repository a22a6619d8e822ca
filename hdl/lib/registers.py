"""Registers for software: addresses, fields and access rights.

Hardware, SystemRDL, C header, manifest and the tables of the docs are made of such descriptions.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

WORD = 4
"""Bytes of a register."""


Access = Literal["read", "take", "pulse", "give", "keep", "clear"]


@dataclass(frozen=True)
class Field:
    """Some bits of a register."""

    name: str
    offset: int
    width: int
    meaning: str
    values: tuple[int, ...] = ()
    """What it always is, in each register of a row, if that is known beforehand."""
    access: Access = "read"
    """What software does: ``read``; ``take``, as it is gone when it was read; write a 1 for a
    ``pulse`` that starts something, or ``give`` something, which both read as 0; ``keep`` what then
    reads as it was written; or ``clear`` the bits where it writes a 1."""


@dataclass(frozen=True)
class Register:
    """A register, or several in a row."""

    name: str
    address: int
    """In bytes; of those of a node, from where the node's begin."""
    meaning: str
    fields: tuple[Field, ...] = ()
    """The whole of it, if there are none."""
    count: int = 1
    """How many there are."""
    many: bool = field(default=False, kw_only=True)
    """Whether it is a row, even if it is a row of one."""


@dataclass(frozen=True)
class Block:
    """Registers that are there several times."""

    name: str
    """Of what each is."""
    registers: tuple[Register, ...]
    """Their addresses are from where a block begins."""
    count: int
    """How many blocks there are."""
    base: int
    stride: int
    """Address of the first, and bytes from one to the next."""


def identity(letters: int, what: str, version: tuple[int, int]) -> tuple[Register, Register]:
    """Return the registers with which a map begins: what it is, in four letters, and a version."""
    text, (major, minor) = letters.to_bytes(4, "big").decode(), version
    return (
        Register(
            "id",
            0x00,
            f"identifies {what}",
            (Field("id", 0, 32, f'"{text}" in ASCII', (letters,)),),
        ),
        Register(
            "version",
            0x04,
            "version of this map",
            (
                Field("minor", 0, 16, "rises if registers are added", (minor,)),
                Field("major", 16, 16, "rises if the map changes", (major,)),
            ),
        ),
    )


def constants(registers: Iterable[Register]) -> Iterator[tuple[int, int]]:
    """Yield the address and the value of what never changes."""
    for register in registers:
        known = [part for part in register.fields if part.values]
        if known:
            for row in range(register.count):
                values = (part.values[row] << part.offset for part in known)
                yield register.address + row * WORD, sum(values)
