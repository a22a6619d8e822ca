"""A network that is kept full for long, by all that terminals may do wrong; every flit accounted.

It goes in pieces. Each has packets of its own, from the seed and its number, starts at reset, and
ends when the network is empty again: then everything must have come out, or been drained and
counted. So pieces can be done in any order, by any worker, and finished ones need not be kept.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.counters import ERRORS
from fingerpost.golden.engine import Engine, Run, engine, unfit
from fingerpost.golden.header import bits
from fingerpost.golden.measure.watch import STILL, MakeEngine
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.network.network import Network
from fingerpost.golden.parameters import either
from fingerpost.golden.terminal import (
    Axi4Terminal,
    AxiStreamTerminal,
    CreditTerminal,
    MailboxTerminal,
)
from fingerpost.golden.terminal.single_flit import SingleFlitTerminal
from fingerpost.golden.traffic import (
    BAD_HEADER,
    NO_HEAD,
    NO_TAIL,
    WELL_FORMED,
    Arrivals,
    Lengths,
    Pattern,
    Traffic,
    spelling,
)

ARRIVALS, LENGTHS = "on-off:alpha=0.02,beta=0.02", "1..5"
"""What terminals send by default."""

STEP = 500
"""Cycles between looks at whether a piece is over."""

PACKETS = 400_000
"""Packets of a piece, about, where a flit moves in every cycle: a second or so, and some hundred
megabytes."""

FEW = 20
"""Packets of a terminal in a piece at least, and where the model is plain Python, which is slow."""

MOST = 2000
"""Packets of a terminal in a run. With one of 20 malformed, counters of errors stay below 255."""


PAUSING, PAUSE = 8, 2000
"""One of so many AXI4-Stream users pauses once in a piece, for up to so many cycles."""


class SoakError(ValueError):
    """A flit that was lost, doubled or misplaced, or a network in which nothing moves."""


@dataclass(frozen=True)
class Totals:
    """What has happened in some pieces.

    `longest_time` is the longest time in the network, where it is noted.
    """

    cycles: int = 0
    packets: int = 0
    flits: int = 0
    delivered: int = 0
    drained: int = 0
    errors: int = 0
    longest_time: int = 0

    def __add__(self, other: "Totals") -> "Totals":
        names = [field.name for field in fields(self) if field.name != "longest_time"]
        sums = {name: getattr(self, name) + getattr(other, name) for name in names}
        return Totals(**sums, longest_time=max(self.longest_time, other.longest_time))


class Soak:
    """A soak of one network.

    Parameters
    ----------
    network : AnyNetwork
    seed : int
    load : float, optional
        Flits offered per terminal and cycle; otherwise as many as terminals can send.
    pattern, arrivals, lengths
        As `golden.traffic.Traffic` takes them; by default uniform, in bursts, of 1 to 5 flits, or
        of one where terminals send no more.
    malformed : float
        The share of malformed packets.
    stall : float
        The probability with which a terminal does not give a credit back in a cycle.
    packets : int, optional
        Of a piece, about; otherwise as many as take a second or so.
    enough : int, optional
        Flits that are enough: a piece is no larger, but has a packet for each terminal.
    alone : bool
        Whether a piece is one run; otherwise it is several where a run of all would be long.
    make : callable
        What makes the engine.

    Attributes
    ----------
    runs : int
        Of a piece, each with packets of its own.
    flits : float
        Of a piece, as they are to be expected.
    in_order : bool
        Whether packets of each pair and class come out in the order in which they went in.

    Raises
    ------
    ValueError
        If a share or a load is impossible, the packets are those of a trace, or terminals have no
        credits.
    """

    def __init__(
        self,
        network: AnyNetwork,
        *,
        seed: int = 0,
        load: float | None = None,
        pattern: Pattern | str = "uniform",
        arrivals: Arrivals | str = ARRIVALS,
        lengths: Lengths | str | None = None,
        malformed: float = 0.05,
        stall: float = 0.1,
        packets: int | None = None,
        enough: int | None = None,
        alone: bool = False,
        make: MakeEngine = engine,
    ) -> None:
        if not 0 <= malformed <= 1:
            raise ValueError(f"Soak needs a malformed share in 0..1, not {malformed:g}")
        if not 0 <= stall < 1:
            raise ValueError(f"Soak needs a stall of at least 0 and below 1, not {stall:g}")
        self.account = account(network)
        terminal = network.terminal
        one = isinstance(terminal, SingleFlitTerminal)
        lengths = lengths or ("1" if one else LENGTHS)
        controlled = isinstance(terminal, AxiStreamTerminal) and terminal.flow(network)
        self.in_order = network.in_order or bool(controlled)
        self.network, self.seed, self.stall, self.make = network, seed, stall, make
        self.pattern, self.lengths = spelling.pattern(pattern), spelling.lengths(lengths)
        self.arrivals, self.malformed = spelling.arrivals(arrivals), malformed
        if self.pattern.recorded:
            raise ValueError(f"Soak needs traffic made by chance, not {self.pattern.name}")
        self.load = self._most if load is None else load
        terminals = len(network.topology.terminals)
        fast = 0 if unfit(network) else round(PACKETS * min(1, network.rate))
        packets = packets or max(FEW * terminals, fast)
        if enough is not None:
            packets = min(packets, max(terminals, ceil(enough / self.lengths.mean)))
        most = min(packets, MOST * terminals)
        self.runs = 1 if alone else packets // most
        rate = self.load / self.lengths.mean * terminals
        self.cycles = max(1, round(most / rate)) if rate > 0 else 1
        self.flits = self.runs * self.cycles * self.load * terminals
        self._traffic(0, 0, cycles=1)  # raises at once for impossible traffic

    @property
    def _most(self) -> float:
        """Return the greatest load that all terminals can send."""
        share = float(self.pattern.demand(self.network.topology).sends.max())
        return min(1.0, self.arrivals.most * self.lengths.mean / share)

    def _traffic(self, piece: int, run: int, *, cycles: int) -> Traffic:
        """Return the packets of a run."""
        seed = np.random.SeedSequence((self.seed, piece, run)).generate_state(1)[0]
        return Traffic(
            self.network,
            self.load,
            cycles,
            seed=int(seed),
            lengths=self.lengths,
            arrivals=self.arrivals,
            pattern=self.pattern,
            malformed=self.malformed,
        )

    def piece(self, number: int) -> Totals:
        """Go through a piece.

        Raises
        ------
        SoakError
            If a flit was lost, doubled or misplaced, or nothing moves any more.
        """
        traffics = [self._traffic(number, run, cycles=self.cycles) for run in range(self.runs)]
        pauses = self._pauses(number) if self.stall else {}
        engine = self.make(self.network, traffics, stall=self.stall, **pauses)
        try:
            self._empty(engine)
            return sum((self._close(run) for run in engine.runs), Totals())
        except SoakError as error:
            where = f"{self.network.name}, seed {self.seed}, piece {number}"
            raise SoakError(f"{where}, {error}") from None

    def _pauses(self, piece: int) -> dict[str, dict[int, int]]:
        """Return when users of AXI4-Stream terminals neither send nor read for a time, some each.

        They stop in the middle of packets, too.
        """
        if not isinstance(self.network.terminal, AxiStreamTerminal):
            return {}
        rng = np.random.default_rng((self.seed, piece))
        streams = self.network.topology.terminal_numbers * self.network.classes
        found: dict[str, dict[int, int]] = {}
        for what in ("sends", "reads"):
            some = rng.choice(streams, max(1, streams // PAUSING), replace=False)
            begin = rng.integers(self.cycles, size=len(some))
            end = begin + rng.integers(1, PAUSE, size=len(some))
            for name, times in (("until", begin), ("again", end)):
                found[f"{what}_{name}"] = dict(zip(some.tolist(), times.tolist(), strict=True))
        return found

    def _empty(self, engine: Engine) -> None:
        """Go on until nothing is left in any run."""
        seen, moved = [(0, 0)] * self.runs, [0] * self.runs
        while not all(run.empty and not run.flits for run in engine.runs):
            engine.run(STEP)
            for number, run in enumerate(engine.runs):
                if run.faults:
                    raise SoakError(run.faults[0])
                signs = int(run.sent.sum()), int(run.received.sum())
                if signs != seen[number]:
                    seen[number], moved[number] = signs, run.now
                elif run.now - moved[number] > STILL and not (run.empty and not run.flits):
                    raise SoakError(f"cycle {run.now}: {_still(run, moved[number])}")

    def _close(self, run: Run) -> Totals:
        """Compare what happened in a run with what must have."""
        account = self.account(run.traffic)
        received = run.received
        if account.packets is not None:
            beats = np.where(account.packets, run.beats, 0)
            received = np.bincount(run.traffic.destination, beats, len(received)).astype(np.int64)
        for what, seen, expected in (
            ("flits came out", received, account.received),
            ("errors were counted", run.errors, account.errors),
            ("flits overran", run.overruns, np.zeros_like(run.overruns)),
        ):
            wrong = np.flatnonzero(seen != expected)
            if len(wrong):
                node = wrong[0]
                where = f"{what} at node {node}"
                raise SoakError(f"cycle {run.now}: {seen[node]} {where}, not {expected[node]}")
        if self.in_order:
            _in_order(run)
        delivered = int(account.received.sum())
        return Totals(
            cycles=run.now,
            packets=len(run.traffic.source),
            flits=account.sent,
            delivered=delivered,
            drained=account.sent - delivered,
            errors=int(run.errors.sum()),
            longest_time=run.longest_time or 0,
        )


def _still(run: Run, since: int) -> str:
    """Return what is missing of a run in which nothing moves."""
    missing = int((run.expected & (run.delivered < 0)).sum())
    packets = f"{missing} packet{'s' * (missing != 1)} missing"
    return f"nothing has moved since cycle {since}: {run.flits} flits inside, {packets}"


def _in_order(run: Run) -> None:
    """See to it that packets of each pair and class came out in the order they went in."""
    traffic, number = run.traffic, np.flatnonzero(run.expected)
    channel = traffic.terminal_channel
    flow = channel[number] * traffic.network.topology.terminal_numbers + traffic.destination[number]
    number = number[np.argsort(flow, kind="stable")]  # packets are by channel, then by time
    source, goal = traffic.source[number], traffic.destination[number]
    same = (np.diff(channel[number]) == 0) & (goal[1:] == goal[:-1])
    wrong = np.flatnonzero(same & (np.diff(run.delivered[number]) <= 0))
    if len(wrong):
        at = wrong[0]
        first, second = number[at : at + 2]
        raise SoakError(
            f"cycle {run.delivered[second]}, node {goal[at]}: packet {second} of node {source[at]} "
            f"overtook packet {first}"
        )


class Ends(NamedTuple):
    """Where packets end, by the terminals that send them; shape (places,) both."""

    goal: IntArray
    """The terminal; -1: it is refused."""
    node: IntArray
    """The last node."""


def wrong_way(network: Network) -> Ends:
    """Return where packets end whose headers are all ones.

    Such a header names no terminal in most networks; where it names one, the packet is well-formed.
    """
    routing, topology = network.routing, network.topology
    ends = Ends(*np.full((2, topology.terminal_numbers), -1))
    source, turns = topology.terminals, [network.used_turns[kind] for kind in topology.node_type]
    used = np.pad(np.stack(turns), ((0, 0), (0, 0), (0, 1 << 4)))  # no local port that is named
    node, local = np.divmod(source, topology.local_ports)
    arrival = topology.local + local
    header = np.full(len(source), (1 << routing.address_layout.width) - 1)
    selection = np.zeros(len(source), np.int64)
    for _ in range(topology.nodes + 1):
        given = selection[: len(node)] if routing.selection else None
        decision = routing.decide(node, arrival, header, given)
        refused = decision.error.astype(np.bool_)
        port = np.where(refused, topology.local, decision.port)
        refused |= ~used[node, arrival, port]
        out = ~refused & (port >= topology.local)
        ends.goal[source[out]] = (node * topology.local_ports + port - topology.local)[out]
        ends.node[source] = node
        away = ~refused & ~out
        source, node, port = source[away], node[away], decision.port[away]
        if not len(source):
            break
        header = decision.header[away]
        node, arrival = topology.neighbour[node, port], topology.arrival_port[node, port]
    return ends


@dataclass(frozen=True)
class Account:
    """What a traffic leaves when the network is empty again."""

    sent: int
    """Flits that terminals send."""
    received: IntArray
    """Shape (places,). Flits that come out at each terminal; the others are drained."""
    errors: IntArray
    """Shape (nodes,). What the counter of each node shows."""
    packets: BoolArray | None = None
    """Shape (packets,), array of bool, optional. With AXI4-Stream terminals `sent` and `received`
    are beats, of these packets: the others are dropped, or may be closed by the time-out."""

    @classmethod
    def of(cls, traffic: Traffic, bad: Ends) -> "Account":
        """Return that of a traffic; `bad` is `wrong_way` of its network."""
        source, kind, length = traffic.source, traffic.kind, traffic.length
        channel = traffic.terminal_channel
        topology = traffic.network.topology
        # What comes behind a packet without a tail is swallowed by it, up to the next tail.
        follows = np.zeros(len(source), np.bool_)
        follows[1:] = (channel[1:] == channel[:-1]) & (kind[:-1] == NO_TAIL)
        opener = np.maximum.accumulate(np.where(follows, 0, np.arange(len(source))))
        goal = np.where(kind == BAD_HEADER, bad.goal[source], traffic.destination)
        goal = np.where(kind == NO_HEAD, -1, goal)[opener]
        refused = (kind == BAD_HEADER) & (bad.goal[source] < 0)
        node = np.where(refused & ~follows, bad.node[source], topology.node_of(source))
        errors = np.where(kind == NO_HEAD, length, refused)
        errors = np.where(follows, kind != NO_HEAD, errors)
        out = goal >= 0
        return cls(
            int(length.sum()),
            np.bincount(goal[out], length[out], topology.terminal_numbers).astype(np.int64),
            np.minimum(np.bincount(node, errors, topology.nodes).astype(np.int64), ERRORS.most),
        )


def _axi(network: AnyNetwork) -> Callable[[Traffic], Account]:
    terminal = network.terminal
    assert isinstance(terminal, AxiStreamTerminal)
    flow, topology = terminal.flow(network), network.topology
    # A number of bits names others, too, unless all are terminals.
    strangers = len(topology.terminals) < 1 << bits(topology.terminal_numbers)

    def found(traffic: Traffic) -> Account:
        kind, length = traffic.kind, traffic.length
        packets = (kind != BAD_HEADER) | (not strangers)
        if flow:
            packets &= length <= flow.packet_limit
        elif terminal.store:
            packets &= length <= terminal.store
        elif terminal.timeout:
            packets &= kind != NO_TAIL
        count = topology.terminal_numbers
        received = np.bincount(traffic.destination[packets], length[packets], count)
        none = np.zeros(topology.nodes, np.int64)
        return Account(int(length.sum()), received.astype(np.int64), none, packets)

    return found


def _wormhole(network: Network) -> Callable[[Traffic], Account]:
    if isinstance(network.terminal, AxiStreamTerminal):
        return _axi(network)
    bad = wrong_way(network)
    return lambda traffic: Account.of(traffic, bad)


def _deflection(network: DeflectionNetwork) -> Callable[[Traffic], Account]:
    if isinstance(network.terminal, AxiStreamTerminal):
        return _axi(network)

    def found(traffic: Traffic) -> Account:
        nodes = network.topology.nodes
        # What is not well-formed names a destination that does not exist, if there is one.
        known = (traffic.kind == WELL_FORMED) | network.all_known
        received = np.bincount(traffic.destination[known], minlength=nodes)
        errors = np.bincount(traffic.source[~known], minlength=nodes)
        return Account(len(known), received, np.minimum(errors, ERRORS.most))

    return found


ACCOUNTS: dict[str, tuple[tuple[str, ...], Callable[[Any], Callable[[Traffic], Account]]]] = {
    "wormhole": (
        (
            CreditTerminal.kind,
            AxiStreamTerminal.kind,
            MailboxTerminal.kind,
            Axi4Terminal.kind,
        ),
        _wormhole,
    ),
    "deflection": (
        (SingleFlitTerminal.kind, AxiStreamTerminal.kind, MailboxTerminal.kind),
        _deflection,
    ),
}
"""For every kind of routers the kinds of terminals whose flits are accounted for, and how."""


def account(network: AnyNetwork) -> Callable[[Traffic], Account]:
    """Return what tells the account of a traffic in a network.

    Raises
    ------
    ValueError
        If it has terminals whose flits cannot be accounted for.
    """
    kinds, of = ACCOUNTS[network.router_kind]
    if network.terminal.kind not in kinds:
        raise ValueError(
            f"Soak needs terminals of kind {either(kinds)}, whose flits it accounts for, "
            f"not {network.terminal.kind}"
        )
    return of(network)
