"""What the OS-Links of the compiled model work on: named tuples of numbers and of arrays."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class PortConfig(NamedTuple):
    """What does not change of OS-Link ports: `OsLinkParameters`, mostly in clocks.

    Attributes
    ----------
    middle : int
        The clock of a bit in which it is sampled.
    byte_bits, acknowledge_bits : int
        Bit times from the start of a packet to that of the next.
    turns : bool
        Whether bytes and acknowledges take turns.
    checked : bool
        Whether stop bits must be low.
    """

    clocks_per_bit: int
    middle: int
    fifo: int
    late: bool
    byte_bits: int
    acknowledge_bits: int
    turns: bool
    timeout: int
    breaks: bool
    checked: bool


class Ports(NamedTuple):
    """OS-Link ports: arrays of records, and (ports * fifo,) bytes that wait in them."""

    port: Array
    receiver: Array
    transmitter: Array
    fifo: Array


class WireConfig(NamedTuple):
    """Links of kind flit: what is sent arrives in the same cycle, so it is not kept."""

    nothing: int

    def recording(self, cycles: int, outputs: int) -> Any:
        """Return room for what is on links besides flits and credits: nothing."""
        return ()


class WireState(NamedTuple):
    """Links of kind flit."""

    nothing: Array


class CellConfig(NamedTuple):
    """Links of kind os-link. Links have the numbers of the outputs at which they start.

    Attributes
    ----------
    port : PortConfig
    bytes : int
        Of a flit.
    rows : int
        Flits that are on a link at most, as there are credits for them.
    crc : (256,) array
        The CRC-16 of every byte.
    """

    port: PortConfig
    bytes: int
    rows: int
    crc: Array

    def recording(self, cycles: int, outputs: int) -> "CellRecording":
        """Return room for what is on so many links in so many cycles."""
        return CellRecording(*np.zeros((2, cycles, outputs), np.int64))


class CellState(NamedTuple):
    """OS-Links between routers.

    Attributes
    ----------
    ports : Ports
    sender, receiver : (links,) arrays of records
    owed : (links * channels,) array
        Credits that are to be sent.
    sent_crc, received_crc : (links * channels,) arrays
        Of the packets on each channel.
    row : (links * rows,) array of FLIT
        The flits of each link that have not arrived.
    wire : (links,) array
        What each port sends in this cycle; used within a cycle only.
    errors : (links,) array
        What each has found wrong so far, a bit for each of `LINK_ERRORS`.
    """

    ports: Ports
    sender: Array
    receiver: Array
    owed: Array
    sent_crc: Array
    received_crc: Array
    row: Array
    wire: Array
    errors: Array


class CellRecording(NamedTuple):
    """What is on OS-Links, and what has been found wrong: (cycles, links)."""

    wire: Array
    errors: Array
