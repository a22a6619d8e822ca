"""A frame as a packet: ROUTE, LEN, PAYLOAD, then zeros up to whole flits, the last two a status.

On a link the status is a CRC, see `fingerpost.golden.link.cells`.
"""

from fingerpost.golden.link.cells import STATUS

LONGEST = 255
"""Bytes of a payload: LEN is one byte."""


def packet(header: int, header_width: int, payload: bytes, flit_width: int) -> list[int]:
    """Return the flits of a frame.

    Raises
    ------
    ValueError
        If the payload is too long.
    """
    if len(payload) > LONGEST:
        raise ValueError(f"Frame needs a payload of at most {LONGEST} bytes, not {len(payload)}")
    route = header.to_bytes(-(-header_width // 8), "little")
    content = route + bytes([len(payload)]) + payload
    size = flit_width // 8
    flits = -(-(len(content) + STATUS // 8) // size)
    content += bytes(flits * size - len(content))
    return [
        int.from_bytes(content[at : at + size], "little") for at in range(0, len(content), size)
    ]


def frame(flits: list[int], header_width: int, flit_width: int) -> tuple[bytes, int]:
    """Return the payload and the status of the frame that came as `flits`.

    Raises
    ------
    ValueError
        If LEN is more than there is.
    """
    size, route = flit_width // 8, -(-header_width // 8)
    content = b"".join(flit.to_bytes(size, "little") for flit in flits)
    status = int.from_bytes(content[-STATUS // 8 :], "little")
    length = content[route]
    if length > len(content) - route - 1 - STATUS // 8:
        raise ValueError(f"Frame of {len(content)} bytes cannot have {length} of payload")
    return content[route + 1 : route + 1 + length], status
