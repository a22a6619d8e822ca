"""What one inverted bit time does to a link: raw, with frames, and with frames and breaks."""

import time
from collections import Counter

import numpy as np

from benchmarks.table import show
from fingerpost.golden.link import OsLinkParameters
from fingerpost.golden.link.frame import decode, encode
from fingerpost.jobs.console import status
from fingerpost.testbench.faults.line import (
    ROUTE_BYTES,
    Effect,
    Links,
    Verdict,
    effects,
    first_wrong,
    judge,
    traffic,
)

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


def percent(count: int, of: int) -> str:
    """Return a share as text."""
    return f"{100 * count / of:.1f}"


def raw() -> None:
    """Show what happens to the bytes, and which of it a CRC finds."""
    links = Links(
        OsLinkParameters(), traffic(2 * FAULTS, count=8, longest=16, seed=SEED),
        seed=SEED, window=(170, 4000),
    )  # fmt: skip
    links.run(14000)
    found, verdicts = effects(links), judge(links)
    rows = []
    for effect in Effect:
        who = [lane for lane, each in enumerate(found) if each is effect]
        ends = [verdicts[end] for lane in who for end in (lane, lane + FAULTS)]
        passed = sum(end.false - end.collisions for end in ends)
        collided = sum(end.collisions for end in ends)
        share = percent(len(who), FAULTS)
        rows.append((effect.value, len(who), share, PAPER.get(effect.value, ""), passed, collided))
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


def main() -> None:
    """Print all of it."""
    started = time.perf_counter()
    for part in (raw, recovered, resynchronised):
        with status(f"{FAULTS} faults: {part.__name__}"):
            part()
    print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
