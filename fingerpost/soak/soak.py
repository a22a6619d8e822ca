"""`fingerpost soak`: networks kept full until so many flits have passed, piece by piece."""

import json
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

from fingerpost.golden.compiled import unfit
from fingerpost.golden.measure.soak import Soak
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.jobs.console import aligned
from fingerpost.jobs.state import kept
from fingerpost.jobs.workers import results
from fingerpost.soak.pieces import (
    Done,
    Pieces,
    attempt,
    beside,
    options_of,
    soak,
    soaked,
)

COUNTS = "flits", "packets", "drained", "errors", "cycles"
"""What is shown of each network."""

Progress = Callable[[int, int], None]
Piece = tuple[int, int]


def compiled(networks: Sequence[AnyNetwork], directory: Path, progress: Progress) -> None:
    """Compile the hardware of networks into a folder, where `facts` finds it.

    Raises
    ------
    ValueError
        As in `facts`.
    """
    _check(networks, rtl=True)
    for network in networks:
        beside(network, directory, progress)


def _check(networks: Sequence[AnyNetwork], *, rtl: bool) -> None:
    """Refuse networks that cannot be soaked together."""
    names = [network.name for network in networks]
    for network in networks:
        if names.count(network.name) > 1:
            raise ValueError(f"Soak needs networks of different names, not {network.name} twice")
        if rtl and unfit(network):
            raise ValueError(
                f"Soak in RTL needs networks that the compiled model runs, not {network.name}: "
                f"{unfit(network)}"
            )
        if rtl and network.link.own_clocks:
            raise ValueError(
                "Soak in RTL needs one clock for all nodes, as with link: {kind: flit}, not "
                f"{network.link.kind} as in {network.name}"
            )
        if rtl and network.around:
            raise ValueError(
                "Soak in RTL needs networks with nothing around their nodes: credit terminals and "
                f"no counters, not {network.name}"
            )


def facts(
    networks: Sequence[AnyNetwork],
    *,
    flits: int,
    seed: int = 0,
    load: float | None = None,
    traffic: str = "uniform",
    arrivals: str,
    packet_length: str | None = None,
    malformed: float = 0.05,
    stall: float = 0.1,
    rtl: Path | None = None,
    cluster: str | None = None,
    state: Path | None = None,
    progress: Progress = lambda done, total: None,
) -> dict[str, Any]:
    """Soak networks until so many flits have passed through each, in whole pieces.

    Parameters
    ----------
    flits : int
        Those that are sent in each network, at least.
    seed, load, traffic, arrivals, packet_length, malformed, stall
        See `fingerpost.golden.measure.soak.Soak`. Without `packet_length` each network has its own.
    rtl : Path, optional
        A folder for compiled hardware, which then runs beside the model.
    cluster : str, optional
        The address of a Dask scheduler; otherwise all cores of this machine work.
    state : Path, optional
        A file that keeps what is finished: the same soak, or one of other networks, seeds or more
        flits, goes on from there.
    progress : callable
        Called with the flits that were sent, and the target.

    Raises
    ------
    ValueError
        If an argument is impossible, if two networks have one name, if hardware cannot be compiled
        for one, or the state is that of another soak.
    OSError
        If there is no cluster, or it is lost.

    Keys
    ----
    seed, seconds
    traffic, arrivals
        As in `simulate`.
    packet_length : flits
        The argument; `null`: 1 to 5, or 1 where terminals send no more.
    load : flits/terminal/cycle
        The argument; `null`: as much as terminals can send.
    malformed, stall : probability
        The arguments.
    rtl
        Whether the Verilog ran too.
    packets, flits : packets, flits
        Sent.
    cycles : cycles
        Of all runs.
    delivered, drained : flits
        Arrived; discarded with malformed packets; together `flits`.
    errors : errors
        Counted by routers.
    longest_time : cycles
        The longest that a flit was in a network, of deflection routers; else 0.
    cpu_seconds : CPU s
        Of all pieces.
    message
        The first failure, or `""`.
    networks
        For each: `network`, `family`, `nodes`, `engine`, `load`, `pieces`, `time_bound` (of
        `prove`; `null` where terminals stall), and the keys from `packets` to `message`.
    """
    started = time.perf_counter()
    names = [network.name for network in networks]
    _check(networks, rtl=rtl is not None)
    arguments = {
        "traffic": traffic,
        "arrivals": arrivals,
        "packet_length": packet_length,
        "load": load,
        "malformed": malformed,
        "stall": stall,
        "rtl": rtl is not None,
    }
    # Pieces that are kept are those of a soak of any number of flits.
    options = options_of(arguments, seed, None if state else flits)
    descriptions = [json.dumps(network.description, sort_keys=True) for network in networks]
    digests = [sha256(each.encode()).hexdigest() for each in descriptions]
    with kept(state, "soak", arguments, _record) as (finished, keep):
        known: dict[tuple[str, int], dict[int, Done]] = {}
        for of, number, found in finished:
            known.setdefault(of, {})[number] = found
        directory = None if rtl is None else str(rtl.resolve())
        soaks = [
            soak(network, options, directory) for network in networks
        ]  # workers find what it made
        done = [known.get((digest, seed), {}) for digest in digests]
        pieces = Pieces(flits, [each.flits for each in soaks], done)
        words = json.dumps(options)

        def given(piece: Piece) -> tuple[str, str, str | None, int]:
            return descriptions[piece[0]], words, directory, piece[1]

        alone = cluster is None and pieces.left <= 1
        work = (
            closing(_here(soaks, pieces))
            if alone
            else results(soaked, pieces.ready, given, cluster, job="Soak")
        )
        with work as ended:
            for piece, record in ended:
                if pieces.finish(piece, record):
                    key = {"network": names[piece[0]], "digest": digests[piece[0]], "seed": seed}
                    keep({**key, "piece": piece[1], **record})
                progress(pieces.sent, flits * len(networks))
    rows = [
        {
            "network": network.name,
            "family": network.topology.family,
            "nodes": network.topology.nodes,
            "engine": "reference" if unfit(network) else "compiled",
            "load": each.load,
            "pieces": len(pieces.finished(number)),
            **pieces.sum(number).record,
            "time_bound": None if stall else network.time_bound,
            "message": pieces.messages[number],
        }
        for number, (network, each) in enumerate(zip(networks, soaks, strict=True))
    ]
    total = sum((pieces.sum(number) for number in range(len(networks))), Done())
    return {
        **arguments,
        "seed": seed,
        "networks": rows,
        **total.record,
        "message": next((message for message in pieces.messages if message), ""),
        "seconds": time.perf_counter() - started,
    }


def _here(
    soaks: Sequence[Soak], pieces: Pieces
) -> Generator[tuple[Piece, dict[str, Any]], None, None]:
    """Do pieces in this process: for one it is not worth while to start others."""
    while units := pieces.ready(1):
        network, number = units[0]
        yield units[0], attempt(soaks[network], number)


def _record(record: Mapping[str, Any]) -> tuple[tuple[str, int], int, Done]:
    """Return what a line of the state says."""
    return (record["digest"], int(record["seed"])), int(record["piece"]), Done.of(record)


def render(facts: Mapping[str, Any]) -> str:
    """Return a soak as people read it, a line for each network."""
    what = "RTL and model in lock-step" if facts["rtl"] else "model"
    found = "errors found" if facts["message"] else "none lost, duplicated or misdelivered"
    rows = [
        [
            row["network"],
            row["engine"],
            *(f"{row[name]:,}" for name in COUNTS),
            *_time(row),
            _cpu(row),
        ]
        for row in facts["networks"]
    ]
    table = [["", "model", *COUNTS, "longest", "bound", "CPU s"], *rows]
    known = [i for i, column in enumerate(zip(*rows, strict=True)) if any(column)]
    table = [[row[i] for i in known] for row in table]
    return "\n".join(
        (
            f"{what}, seed {facts['seed']}: {facts['flits']:,} flits, {found}",
            f"{_cpu(facts)} CPU s, {facts['seconds']:.1f} s in this run",
            "",
            *aligned(table),
            *(row["message"] for row in facts["networks"] if row["message"]),
        )
    )


def _time(row: Mapping[str, Any]) -> tuple[str, str]:
    """Return the longest time in the network, and the most that it can be, where known."""
    longest, bound = row["longest_time"], row["time_bound"]
    return f"{longest:,}" if longest else "", "" if bound is None else f"{bound:,}"


def _cpu(facts: Mapping[str, Any]) -> str:
    return f"{facts['cpu_seconds']:.1f}"
