"""Frames over OS-Links: their latency in the hardware, and what one inverted bit time does to them.

``python -m benchmarks.os_link_frames [latency|raw|recovered|resynchronised]...``, by default all.
"""

from collections import Counter
from typing import Any

import numpy as np

from benchmarks.table import run, show
from fingerpost.golden.link import OsLinkParameters
from fingerpost.golden.link.frame import decode, encode
from fingerpost.testbench.os_link.frame_chain import Chain, Times, send
from fingerpost.testbench.os_link.line import (
    ROUTE_BYTES,
    Effect,
    Links,
    Verdict,
    effects,
    first_wrong,
    judge,
    traffic,
)

LINKS = 5
CLOCKS_PER_BIT = 5
FRAME = encode(b"\x12\x34", bytes(range(15)))
P = 11
"""Bit times of a byte."""

S = (10 * CLOCKS_PER_BIT + (CLOCKS_PER_BIT - 1) // 2 + 4) / CLOCKS_PER_BIT
"""Bit times from the edge of a byte until it is there."""

R = 0.4
"""Bit times that docs/design/os-link-internals.md allows for the way through a relay."""


FAULTS = 3000
SEED = 5

PAPER = {
    "wrong byte, no flag": "67",
    "hang, and a flag": "19",
    "hang, no flag": "8.5",
    "byte lost or doubled, and a flag": "6",
}
"""Percents that a first, throw-away model had."""

LIMIT = 100
"""ACK_TIMEOUT, in bit times, where there is one."""

RESULTS = (0, 1, 2, 3, 8, 16, 1 << 30)
"""Ends of the classes of missing frames."""


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


def latency() -> None:
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


def percent(count: int, of: int) -> str:
    """Return a share as text."""
    return f"{100 * count / of:.1f}"


def raw() -> None:
    """Show what happens to the bytes, and which of it a CRC finds."""
    links = Links(
        OsLinkParameters(),
        traffic(2 * FAULTS, count=8, longest=16, seed=SEED),
        seed=SEED,
        window=(170, 4000),
    )
    links.run(14000)
    found, verdicts = effects(links), judge(links)
    rows = []
    for effect in Effect:
        lanes = [lane for lane, each in enumerate(found) if each is effect]
        ends = [verdicts[end] for lane in lanes for end in (lane, lane + FAULTS)]
        passed = sum(end.false - end.collisions for end in ends)
        collided = sum(end.collisions for end in ends)
        share = percent(len(lanes), FAULTS)
        rows.append(
            (effect.value, len(lanes), share, PAPER.get(effect.value, ""), passed, collided)
        )
    columns = "bytes", "faults", "%", "expected", "wrong passed", "CRC collisions"
    show(f"{FAULTS} inverted bit times, N = 5, both ways saturated, no breaks", columns, rows)


def _class(at: int) -> str:
    first, last = RESULTS[at - 1] + 1 if at else 0, RESULTS[at]
    return str(last) if first == last else f"{first} to {last}" if last < 1 << 30 else "more"


def missing(verdicts: list[Verdict]) -> Counter[int]:
    """Return how many links miss how many frames, both directions together, in classes."""
    pairs = zip(verdicts[:FAULTS], verdicts[FAULTS:], strict=True)
    counts = np.array([here.missing + there.missing for here, there in pairs])
    return Counter(np.searchsorted(RESULTS, counts).tolist())


def recovered() -> None:
    """Show how many frames a fault costs where what is lost asks for a break."""
    sent = traffic(2 * FAULTS, count=40, longest=16, seed=SEED)
    links = Links(OsLinkParameters(breaks=True, timeout=LIMIT), sent, seed=SEED, window=(600, 4000))
    links.run(80000)
    verdicts = judge(links)
    classes = missing(verdicts)
    rows = [(_class(at), classes[at], percent(classes[at], FAULTS)) for at in range(len(RESULTS))]
    show("Frames missing per fault, both directions, with breaks", ("frames", "faults", "%"), rows)
    stuck = sum(not end.complete for end in verdicts)
    false, collided = sum(end.false for end in verdicts), sum(end.collisions for end in verdicts)
    print(f"directions that did not come back: {stuck}; timeout after {LIMIT} bit times")
    print(f"wrong frames passed: {false - collided}; CRC collisions: {collided}")
    hits = lengths_hit(links)
    costs = [verdicts[port].missing for port in hits]
    if costs:
        print(
            f"of these, LEN hit: {len(hits)}; frames missing in that direction: "
            f"{np.mean(costs):.1f} on average, {max(costs)} at most"
        )


def lengths_hit(links: Links) -> list[int]:
    """Return the ports whose first wrong byte was a LEN, and the next byte as it was sent."""
    found = []
    for port, byte in enumerate(first_wrong(links).tolist()):
        sender = (port + FAULTS) % links.ports
        starts = np.cumsum([0, *map(len, links.traffic.frames[sender])])
        if byte - ROUTE_BYTES not in starts:
            continue
        # The ports begin with a break.
        came = links.received[port, 1 + byte : 3 + byte]
        if came[0] >= 0 and came[1] == links.traffic.data[sender, byte + 1]:
            found.append(port)
    return found


def resynchronised(trials: int = 1000, count: int = 600) -> None:
    """Show after how many frames a reader finds back by chance if a LEN was hit."""
    rng = np.random.default_rng(SEED)
    costs: list[int] = []
    for _ in range(trials):
        frames = [
            encode(rng.bytes(ROUTE_BYTES), rng.bytes(int(length)))
            for length in rng.integers(0, 17, count)
        ]
        data = bytearray(b"".join(frames))
        data[ROUTE_BYTES] ^= 1 << int(rng.integers(8))
        good = sum(frame.good for frame in decode(data, ROUTE_BYTES))
        costs.append(count - good)
    low, middle, high = np.percentile(costs, (10, 50, 90))
    print(
        f"\nLEN hit, neither break nor reset: {low:.0f} / {middle:.0f} / {high:.0f} frames missing "
        f"(10 / 50 / 90 %), {percent(sum(cost >= count for cost in costs), trials)} % "
        f"of {trials} not back within {count}"
    )


if __name__ == "__main__":
    run(latency, raw, recovered, resynchronised)
