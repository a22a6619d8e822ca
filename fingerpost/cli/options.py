"""Options that several commands have, and how networks and traffic are loaded as they say."""

import time
from collections.abc import Callable, Sequence
from functools import partial, reduce
from importlib import import_module
from operator import getitem
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from fingerpost.cli.app import option
from fingerpost.jobs.console import note, progress
from fingerpost.jobs.provenance import uses

if TYPE_CHECKING:  # what is loaded, it imports itself: `--help` must not wait for it
    from fingerpost.golden.network.kinds import AnyNetwork
    from fingerpost.golden.network.network import Routed
    from fingerpost.golden.topology import Topology
    from fingerpost.golden.traffic import Arrivals, Lengths, Pattern
    from fingerpost.golden.traffic.traffic import Transactions
    from fingerpost.netfile.source import Source


shared = partial(option, ...)
"""An option of which the parameter has the default."""


def one_of(module: str, table: str, *keys: str) -> Callable[[str], list[str]]:
    """Return what completes a value for a shell: a name in a table, or in an entry of it.

    The module is imported when a shell asks.
    """

    def complete(incomplete: str) -> list[str]:
        names = reduce(getitem, keys, getattr(import_module(f"fingerpost.{module}"), table))
        return [name for name in names if name.startswith(incomplete)]

    return complete


Net = Annotated[
    Path,
    typer.Argument(metavar="NET", help="A network file; - is standard input.", show_default=False),
]
AsJson = Annotated[bool, shared("Print one JSON object and nothing else.", called="--json")]
Seed = Annotated[int, shared("The same seed gives the same run.", min=0)]
Nets = Annotated[
    list[Path], typer.Argument(metavar="NET...", help="Network files.", show_default=False)
]
OutputName = Annotated[
    Path | None,
    shared(
        "Write NAME.svg, NAME.csv, NAME.json, and NAME.jsonl, from which an interrupted "
        "run resumes.",
        "NAME",
    ),
]
Folder = Annotated[Path, shared("The directory to write to.", "DIR")]
Picture = Annotated[Literal["svg", "png"], shared("The kind of the picture.")]
Table = Annotated[Literal["csv", "parquet"], shared("The kind of the table.")]
Cluster = Annotated[
    str | None,
    shared("A Dask scheduler to use.", "tcp://HOST:PORT", usual="this machine"),
]
Workers = Annotated[int | None, shared("Processes of this machine.", usual="all cores", min=1)]
Cycles = Annotated[int, shared("Cycles at most; the run ends once it is precise enough.", min=1)]
Precision = Annotated[
    float,
    shared(
        "Half the 95 % interval of the mean latency, as a part of the mean; 0: run all --cycles.",
        min=0,
        max=0.99,
    ),
]
WarmUp = Annotated[
    int | None, shared("Cycles before the others, not measured.", usual="found by MSER", min=0)
]


def _no_drain(drain: int | None) -> None:
    if drain is not None:
        raise ValueError(
            "--drain: there is no drain, latencies are those of the packets that arrive; use "
            "--cycles for the length of the run"
        )


Drain = Annotated[int | None, shared("", callback=_no_drain, hidden=True)]
Faults = Annotated[
    str | None,
    shared(
        "Links and nodes that have failed, as in link:0-5,node:12 or links=2%,seed=7.",
        "FAULTS",
        usual="as the file says",
    ),
]
Algorithm = Annotated[
    str | None,
    shared(
        "Another routing algorithm.",
        "ALGORITHM[:KEY=VALUE,...]",
        called="--routing",
        usual="as the file says",
        autocompletion=one_of("golden.routing", "ALGORITHMS"),
    ),
]
Routings = Annotated[
    list[str] | None,
    shared(
        "Routing to try on every network; may be repeated.",
        "ALGORITHM[:KEY=VALUE,...]",
        called="--routing",
        usual="as in the file",
        autocompletion=one_of("golden.routing", "ALGORITHMS"),
    ),
]
LOAD_HELP = "Offered load, in flits per terminal and cycle."


def read(path: Path) -> "Source":
    """Return the checked contents of a network file."""
    from fingerpost.netfile import source as netfile

    return netfile.read(path)


def load_source(path: Path, *, faults: str | None = None, routing: str | None = None) -> "Source":
    """Load a network file, with the faults and the routing of the command line if given."""
    return read(path).changed(faults=faults, routing=routing)


def load_routed(
    path: Path,
    *,
    faults: str | None = None,
    routing: str | None = None,
    routes: bool = True,
    boards: bool = False,
) -> "Routed":
    """Load a network file for questions that need no virtual channels, and perhaps no routes."""
    source = load_source(path, faults=faults, routing=routing)
    with progress("looking for routes") as tell:
        network = source.routed(routes=routes, boards=boards, progress=tell)
    uses(source.description)
    tell_faults(network.topology)
    return network


def load_any(path: Path, *, faults: str | None = None, routing: str | None = None) -> "AnyNetwork":
    """Load a network file of routers of any kind."""
    network = prove_any(load_source(path, faults=faults, routing=routing))
    tell_faults(network.topology)
    return network


def remark_plain(networks: Sequence["AnyNetwork"]) -> None:
    """Say so if the model of networks is slow plain Python, though nothing asked for that."""
    from fingerpost.golden.engine import why_plain
    from fingerpost.golden.jit.compile import CHOSEN

    for why, network in {why_plain(network): network for network in reversed(networks)}.items():
        if why not in ("", CHOSEN):
            note(f"{network.name} runs as plain Python, hundreds of times slower: {why}")


def tell_faults(topology: "Topology") -> None:
    """Report failed links and nodes, and nodes that are cut off."""
    from fingerpost.netfile.faults import sentence

    found = sentence(topology)
    if found:
        note(f"faults: {found}")


LONG = 5.0
"""Seconds from which the user is told what a search found."""


def prove_any(source: "Source") -> "AnyNetwork":
    """Build a network of routers of any kind, with the proof if it needs one."""
    began, steps = time.monotonic(), 0

    def searched(done: int, total: int) -> None:
        nonlocal steps
        steps = done + 1
        tell(done, total)

    with progress(
        "looking for boards or a channel order (`fingerpost order` prints one to keep)"
    ) as tell:
        network = source.any_network(searched)
    if steps and time.monotonic() - began > LONG:
        _tell_order(network, steps)
    uses(network.description)
    return network


def _tell_order(network: "AnyNetwork", steps: int) -> None:
    """Report what a search that took its time found, unless no order can be better."""
    from fingerpost.golden.deadlock.order import ORDERED
    from fingerpost.golden.network.network import Network

    given = network.description.get("router") or {}
    if not isinstance(network, Network) or network.order is None or "channel_order" in given:
        return
    if (needed := network.channels.needed) > ORDERED:
        note(
            f"the search for a channel order ended after {steps:,} steps: {needed} virtual "
            "channels are needed; `fingerpost order` may find an order that needs fewer"
        )


def prove_if_small(source: "Source") -> "Routed":
    """Load a network with its proof, unless it is too large for one."""
    try:
        return prove_any(source)
    except ValueError as error:
        from fingerpost.golden.deadlock.state_graph import TooManyRoutesError

        if isinstance(error.__cause__, TooManyRoutesError):
            uses(source.description)
            return source.routed()
        raise


def _read(what: str) -> Callable[[str], Any]:
    """Return the reader of `golden.traffic.spelling` for an option; what it refuses names that."""

    def parse(text: str) -> Any:
        from fingerpost.golden.traffic import spelling

        try:
            return getattr(spelling, what)(text)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return parse


TrafficOption = Annotated[
    Any,
    shared(
        "Where packets go: uniform, transpose, bitcomp, bitrev, shuffle, bitrot, butterfly, "
        "tornado, neighbor, randperm, hotspot:nodes=3, matrix:FILE, trace:FILE or all-to-all.",
        "PATTERN[:KEY=VALUE,...]",
        called="--traffic",
        usual="uniform",
        parser=_read("pattern"),
        autocompletion=one_of("golden.traffic.patterns", "PATTERNS"),
    ),
]
ArrivalsOption = Annotated[
    Any,
    shared(
        "When packets are made: bernoulli, on-off:alpha=0.1,beta=0.1 or self-similar:sources=16.",
        "PROCESS[:KEY=VALUE,...]",
        called="--arrivals",
        usual="bernoulli",
        parser=_read("arrivals"),
        autocompletion=one_of("golden.traffic.arrivals", "ARRIVALS"),
    ),
]
PacketLength = Annotated[
    Any,
    shared(
        "Flits of a packet: 4, 1..8, or bimodal:SHORT,LONG,SHARE.",
        "FLITS",
        called="--packet-length",
        usual="1; of cosim 1..4, with flow control up to twice the eager limit",
        parser=_read("lengths"),
    ),
]

Classes = Annotated[
    str | None,
    shared(
        "The share of packets of each message class: 3,1.",
        "SHARE,SHARE...",
        called="--classes",
        usual="equal shares",
    ),
]
Reads = Annotated[
    float | None,
    shared("The share of transactions that read, with AXI4 terminals.", usual="0.5", min=0, max=1),
]
Outstanding = Annotated[
    int | None,
    shared(
        "Reads, and writes, that a manager has in flight at most, with AXI4 terminals.",
        usual="as the file says",
        min=1,
    ),
]
MemoryCycles = Annotated[
    int | None,
    shared(
        "Cycles in which a memory answers an address, or the last beat of a write, with AXI4 "
        "terminals.",
        usual="1",
        min=1,
        max=4096,
    ),
]


def transactions(
    network: "AnyNetwork",
    reads: float | None,
    outstanding: int | None,
    memory_cycles: int | None,
) -> "Transactions | None":
    """Return what three options say of transactions; None if terminals are not AXI4.

    Raises
    ------
    ValueError
        If one is given, and terminals are not AXI4.
    """
    from fingerpost.golden.terminal import Axi4Terminal
    from fingerpost.golden.traffic.traffic import Transactions

    named = {"reads": reads, "outstanding": outstanding, "memory_cycles": memory_cycles}
    given: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
    if isinstance(network.terminal, Axi4Terminal):
        return Transactions(**given)
    for name in given:
        raise ValueError(
            f"--{name.replace('_', '-')} needs AXI4 terminals, as in terminal: {{kind: axi4}}, "
            f"not {network.terminal.kind} as in {network.name}"
        )
    return None


def shares(text: str) -> list[float]:
    """Return the shares of message classes.

    Raises
    ------
    typer.BadParameter
        If they are no numbers.
    """
    try:
        return [float(share) for share in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"--classes needs numbers as in 3,1, not {text!r}") from None


def sent_as(
    pattern: "Pattern | None", arrivals: "Arrivals | None", lengths: "Lengths | None"
) -> "tuple[Pattern, Arrivals, Lengths]":
    """Return what the three options ask for.

    Raises
    ------
    ParameterError
        If arrivals or lengths are given to a pattern that has its own.
    """
    from fingerpost.golden.parameters import ParameterError
    from fingerpost.golden.traffic import spelling

    for name, given in (("--arrivals", arrivals), ("--packet-length", lengths)):
        if pattern and pattern.recorded and given is not None:
            raise ParameterError(
                "traffic",
                f"--traffic {pattern.name} has times and lengths of its own: leave out {name}",
            )
    return (
        pattern or spelling.pattern("uniform"),
        arrivals or spelling.arrivals("bernoulli"),
        lengths or spelling.lengths(1),
    )
