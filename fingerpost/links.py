"""The kinds of links that a network file may name: one class each, in `LINK_PARTS`."""

from typing import Annotated, Literal

from pydantic import Field

from fingerpost.parts import Needs, Part

__all__ = ["LINK_PARTS", "FlitLink"]


class FlitLink(Part):
    """A valid/credit link inside a chip."""

    kind: Literal["flit"] = Field(description="The kind of link.")


class OsLink(Part):
    """A transputer link between chips: one wire each way, a byte and an acknowledge."""

    kind: Literal["os-link"] = Field(description="The kind of link.")
    clocks_per_bit: Annotated[int, Needs("a whole number in 4..1000"), Field(ge=4, le=1000)] = (
        Field(default=5, description="Clocks of a node in a bit time; 5 at 100 MHz: 20 Mbit/s.")
    )
    fifo: Annotated[int, Needs("a whole number in 1..64"), Field(ge=1, le=64)] = Field(
        default=2, description="Bytes that a receiver holds."
    )
    acknowledge: Annotated[Literal["overlap", "late"], Needs("overlap or late")] = Field(
        default="overlap", description="A byte is acknowledged with its second bit, or its last."
    )
    slot: Annotated[int, Needs("a whole number in 0..255"), Field(ge=0, le=255)] = Field(
        default=0, description="Bit times from packet to packet on a wire, at least."
    )
    timeout: Annotated[int, Needs("a whole number in 0..1000000"), Field(ge=0, le=1_000_000)] = (
        Field(default=0, description="Bit times to wait for an acknowledge; 0: for ever.")
    )


LINK_PARTS: tuple[type[Part], ...] = (FlitLink, OsLink)
"""Every kind of link."""
