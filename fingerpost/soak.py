"""`fingerpost soak`: networks kept full until so many flits have passed, piece by piece."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from functools import lru_cache
from hashlib import sha256
from itertools import chain, compress, islice
from math import ceil
from pathlib import Path
from typing import Any, Unpack

from fingerpost.golden.engine import unfit, why_plain
from fingerpost.golden.jit.compile import COMPILED, PLAIN
from fingerpost.golden.measure.soak import Soak, SoakError, Totals
from fingerpost.golden.network.kinds import AnyNetwork, build_any
from fingerpost.jobs.console import Columns, aligned, cells
from fingerpost.jobs.files import check_names
from fingerpost.jobs.runner import Job, Means, Progress, Row, run

COLUMNS: Columns = {
    "": "network",
    "model": "engine",
    **{name: f"{{{name}:,}}" for name in ("flits", "packets", "drained", "errors", "cycles")},
    "longest": lambda row: f"{row['longest_time']:,}" if row["longest_time"] else None,
    "bound": lambda row: None if row["time_bound"] is None else f"{row['time_bound']:,}",
    "CPU s": "{cpu_seconds:.1f}",
}
"""What is shown of each network, where it is known of one."""

Piece = tuple[int, int]
"""A network, by its number, and the number of the piece."""

TOTALS = [field.name for field in fields(Totals)]

RTL_PACKETS = 100_000
"""Packets of a piece, about, where hardware runs: some seconds."""


def added(rows: Iterable[Row]) -> Row:
    """Return what came of some pieces together, and the processor time that they took."""
    rows = list(rows)
    totals = sum((Totals(**{name: row[name] for name in TOTALS}) for row in rows), Totals())
    return asdict(totals) | {"cpu_seconds": sum((row["cpu_seconds"] for row in rows), 0.0)}


def beside(
    network: AnyNetwork, directory: Path, progress: Callable[[int, int], None] | None = None
) -> Any:
    """Return the compiled hardware of a network, for lock-step with the model."""
    # Imported here: a soak of the model alone needs no hardware.
    from fingerpost.testbench.compiled.lock_step import HardwareBeside

    return HardwareBeside(network, directory, progress=progress)


def soak(network: AnyNetwork, options: Mapping[str, Any], directory: str | None) -> Soak:
    """Return the soak of a network, with hardware beside the model if there is a directory."""
    if directory is None:
        return Soak(network, **options)
    make = beside(network, Path(directory)).engine
    return Soak(network, **options, packets=RTL_PACKETS, alone=True, make=make)


@lru_cache(maxsize=2)
def _soak(description: str, options: str, directory: str | None) -> Soak:
    """Return a soak; a worker often runs pieces of the same one."""
    return soak(build_any(json.loads(description)), json.loads(options), directory)


def soaked(description: str, options: str, directory: str | None, number: int) -> Row:
    """Return the result of a piece as plain data, see `added`, or the message of a failure.

    Parameters
    ----------
    description, options : str
        Of a network, and those of `soak`, as JSON.
    directory : str, optional
        Where compiled hardware is.
    number : int
        Of the piece.
    """
    return attempt(_soak(description, options, directory), number)


def attempt(soak: Soak, number: int) -> Row:
    """Return what came of a piece of a soak, as `soaked` does."""
    started = time.process_time()
    try:
        totals = soak.piece(number)
    except SoakError as error:
        return {"message": str(error)}
    return asdict(totals) | {"cpu_seconds": time.process_time() - started}


class Pieces:
    """The pieces of several networks: as many of each as it takes to send so many flits.

    Which pieces count depends on what they hold alone, not on the order in which they are finished.

    Parameters
    ----------
    flits : int
        Of each network, at least.
    sizes : sequence of float
        The flits of a piece of each network, as they are to be expected.
    """

    def __init__(self, flits: int, sizes: Sequence[float]) -> None:
        self.flits = flits
        self.planned = [ceil(flits / size) for size in sizes]
        self.done: list[dict[int, Row]] = [{} for _ in sizes]
        self.messages = [""] * len(sizes)
        first = ((network, i) for network, n in enumerate([*self.planned]) for i in range(n))
        self.ahead: Iterator[Piece] = first

    def ready(self, count: int) -> Sequence[Piece]:
        """Return the next pieces, none of a network that has failed."""
        return list(islice((piece for piece in self.ahead if not self.messages[piece[0]]), count))

    def finish(self, piece: Piece, row: Row) -> None:
        """Take what became of a piece; another one follows if all are done, and too small."""
        network, number = piece
        if "message" in row:
            self.messages[network] = self.messages[network] or row["message"]
            return
        done, planned = self.done[network], self.planned[network]
        done[number] = row
        if len(done) == planned and added(done.values())["flits"] < self.flits:
            self.ahead = chain(self.ahead, [(network, planned)])
            self.planned[network] += 1

    def counts(self) -> tuple[int, int]:
        """Return the flits that count so far, and the target."""
        sent = (sum(row["flits"] for row in done.values()) for done in self.done)
        return sum(min(self.flits, flits) for flits in sent), self.flits * len(self.done)


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
    check_names("Soak", [network.name for network in networks])
    for network in networks:
        if rtl and unfit(network):
            raise ValueError(
                f"Soak in RTL needs networks that can be compiled, not {network.name}: "
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
    **means: Unpack[Means],
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
    **means
        The state is that of a soak of any networks, seeds and flits; progress is told in flits.

    Raises
    ------
    ValueError
        If an argument is impossible, if two networks have one name, if hardware cannot be compiled
        for one, or the state is that of another soak.
    OSError
        See `fingerpost.jobs.runner.run`.

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
        For each: `network`, `family`, `nodes`, `engine`, `why`, `load`, `pieces`, `time_bound` (of
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
    options = {
        "enough": None if means.get("state") else flits,
        "seed": seed,
        "load": load,
        "pattern": traffic,
        "arrivals": arrivals,
        "lengths": packet_length,
        "malformed": malformed,
        "stall": stall,
    }
    descriptions = [json.dumps(network.description, sort_keys=True) for network in networks]
    digests = [sha256(each.encode()).hexdigest() for each in descriptions]
    directory = None if rtl is None else str(rtl.resolve())
    # Workers find the hardware that these have made.
    soaks = [soak(network, options, directory) for network in networks]
    pieces, words = Pieces(flits, [each.flits for each in soaks]), json.dumps(options)
    alone = sum(pieces.planned) == 1  # it is not worth while to start another process

    def here(piece: Piece) -> Row:
        return attempt(soaks[piece[0]], piece[1])

    job = Job[Piece](
        "soak",
        soaked,
        lambda piece: (descriptions[piece[0]], words, directory, piece[1]),
        lambda piece: {
            "network": names[piece[0]],
            "digest": digests[piece[0]],
            "seed": seed,
            "piece": piece[1],
        },
        arguments,
        keeps=lambda row: "message" not in row,
    )
    run(job, pieces, here=here if alone else None, **means)
    rows = [
        {
            "network": network.name,
            "family": network.topology.family,
            "nodes": network.topology.nodes,
            "engine": PLAIN if why_plain(network) else COMPILED,
            "why": why_plain(network),
            "load": each.load,
            "pieces": len(pieces.done[number]),
            **added(pieces.done[number].values()),
            "time_bound": None if stall else network.time_bound,
            "message": pieces.messages[number],
        }
        for number, (network, each) in enumerate(zip(networks, soaks, strict=True))
    ]
    return {
        **arguments,
        "seed": seed,
        "networks": rows,
        **added(row for done in pieces.done for row in done.values()),
        "message": next((message for message in pieces.messages if message), ""),
        "seconds": time.perf_counter() - started,
    }


def render(facts: Mapping[str, Any]) -> str:
    """Return a soak as people read it, a line for each network."""
    what = "RTL and model in lock-step" if facts["rtl"] else "model"
    found = "errors found" if facts["message"] else "none lost, duplicated or misdelivered"
    rows = cells(COLUMNS, facts["networks"], none="")
    known = [any(column) for column in zip(*rows, strict=True)]
    table = [list(compress(row, known)) for row in ([*COLUMNS], *rows)]
    return "\n".join(
        (
            f"{what}, seed {facts['seed']}: {facts['flits']:,} flits, {found}",
            f"{facts['cpu_seconds']:.1f} CPU s, {facts['seconds']:.1f} s in this run",
            "",
            *aligned(table),
            *(row["message"] for row in facts["networks"] if row["message"]),
        )
    )
