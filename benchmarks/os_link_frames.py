"""Latency of a frame over OS-Links and relays, in the hardware, beside the formulae."""

from typing import Any

from benchmarks.table import show
from fingerpost.golden.link import OsLinkParameters
from fingerpost.golden.link.frame import encode
from fingerpost.testbench.os_link.frame_chain import Chain, Times, send

LINKS = 5
CLOCKS_PER_BIT = 5
FRAME = encode(b"\x12\x34", bytes(range(15)))
P = 11
"""Bit times of a byte."""

S = (10 * CLOCKS_PER_BIT + (CLOCKS_PER_BIT - 1) // 2 + 4) / CLOCKS_PER_BIT
"""Bit times from the edge of a byte until it is there."""

R = 0.4
"""Bit times that docs/design/os-link-internals.md allows for the way through a relay."""


def store_and_forward() -> float:
    """Return the formula's figure."""
    return LINKS * ((len(FRAME) - 1) * P + S) + (LINKS - 1) * R


def cut_through(header: int) -> float:
    """Return the formula's figure if that many bytes must be there."""
    hop = (header - 1) * P + S + R
    return (LINKS - 1) * hop + (len(FRAME) - 1) * P + S


def rate(fifo: int, **relay: Any) -> float:
    """Return the bit times of a byte through a relay, frames back to back."""
    chain = Chain(2, OsLinkParameters(fifo=fifo), route_bytes=2, **relay)
    times = send(chain, FRAME * 6, 6 * len(FRAME))
    two, six = times.available[2 * len(FRAME) - 1], times.available[-1]
    return (six - two) / (4 * len(FRAME)) / CLOCKS_PER_BIT


def bits(times: Times) -> tuple[float, float]:
    """Return the bit times of the frame, and of its first byte from one link to the next."""
    hop = (times.edges[-1] - times.edges[0]) / (LINKS - 1)
    return (times.available[-1] - times.edges[0]) / CLOCKS_PER_BIT, hop / CLOCKS_PER_BIT


def main() -> None:
    """Send the frame through each kind of relay."""
    rows = []
    kinds: tuple[tuple[str, int, dict[str, bool], float], ...] = (
        ("store-and-forward", 2, {"store": True}, store_and_forward()),
        ("cut-through", 2, {}, cut_through(2)),
        ("cut-through", 3, {}, cut_through(2)),
        ("cut-through, rewrites ROUTE", 2, {"rewrite": True}, cut_through(2)),
        ("cut-through, rewrites ROUTE", 3, {"rewrite": True}, cut_through(2)),
    )
    for name, fifo, relay, formula in kinds:
        parameters = OsLinkParameters(clocks_per_bit=CLOCKS_PER_BIT, fifo=fifo)
        chain = Chain(LINKS, parameters, route_bytes=2, **relay)
        times = send(chain, FRAME, len(FRAME))
        if bytes(times.data) != FRAME:
            raise RuntimeError(f"{name}: the frame does not come out as it went in")
        frame, hop = bits(times)
        steady = f"{rate(fifo, **relay):.2f}"
        rows.append((name, fifo, f"{frame:.1f}", f"{formula:.1f}", f"{hop:.1f}", steady))
    columns = "relay", "F", "frame", "expected", "first byte, per hop", "per byte, back to back"
    show(
        f"{len(FRAME)} bytes over {LINKS} links, N = {CLOCKS_PER_BIT}, in bit times", columns, rows
    )
    print(f"expected: {cut_through(1):.1f} with H = 1, one byte relayed {S + R:.1f}")


if __name__ == "__main__":
    main()
