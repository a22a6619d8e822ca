"""A network that is kept full for long, by all that terminals may do wrong; every flit accounted.

It runs in rounds. Each has packets of its own, from the seed and its number, and ends when the
network is empty again: then everything must have come out, or been drained and counted.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from golden.compiled import Engine, engine
from golden.measure.account import Account, wrong_way
from golden.measure.state import dump, restore
from golden.measure.watch import STILL, MakeEngine
from golden.network import Network
from golden.traffic import Arrivals, Lengths, Traffic, spelling

__all__ = ["Soak", "SoakError", "Totals"]

STEP = 500
"""Cycles between looks at whether a round is over."""

ROUND = 200_000
"""Packets of a round, about: some tens of megabytes."""


class SoakError(ValueError):
    """A flit that was lost, doubled or misplaced, or a network in which nothing moves."""


@dataclass
class Totals:
    """What has happened so far, in whole rounds."""

    rounds: int = 0
    cycles: int = 0
    packets: int = 0
    flits: int = 0
    delivered: int = 0
    drained: int = 0
    errors: int = 0


class Soak:
    """A soak of one network.

    Parameters
    ----------
    network : Network
    seed : int
    load : float, optional
        Flits offered per terminal and cycle; otherwise as many as terminals can send.
    arrivals, lengths
        As `golden.traffic.Traffic` takes them; by default in bursts, of 1 to 5 flits.
    malformed : float
        The share of malformed packets.
    stall : float
        The probability with which a terminal does not give a credit back in a cycle.
    packets : int
        Of a round, about.
    make : callable
        What makes the engine.

    Attributes
    ----------
    totals : Totals

    Raises
    ------
    ValueError
        If a share or a load is impossible.
    """

    def __init__(
        self,
        network: Network,
        *,
        seed: int = 0,
        load: float | None = None,
        arrivals: Arrivals | str = "on-off:alpha=0.02,beta=0.02",
        lengths: Lengths | str = "1..5",
        malformed: float = 0.05,
        stall: float = 0.1,
        packets: int = ROUND,
        make: MakeEngine = engine,
    ) -> None:
        if not 0 <= malformed <= 1:
            raise ValueError(f"Soak needs a malformed share in 0..1, not {malformed:g}")
        if not 0 <= stall < 1:
            raise ValueError(f"Soak needs a stall of at least 0 and below 1, not {stall:g}")
        self.network, self.seed, self.stall, self.make = network, seed, stall, make
        self.arrivals, self.lengths = spelling.arrivals(arrivals), spelling.lengths(lengths)
        self.load = min(1.0, self.arrivals.most * self.lengths.mean) if load is None else load
        self.malformed, self.packets = malformed, packets
        self.bad = wrong_way(network)
        self.totals = Totals()
        self._begin()

    def _begin(self) -> None:
        """Make the packets and the engine of the next round."""
        seed = np.random.SeedSequence((self.seed, self.totals.rounds)).generate_state(1)[0]
        terminals = len(self.network.topology.terminals)
        rate = self.load / self.lengths.mean * terminals
        self.traffic = Traffic(
            self.network,
            self.load,
            max(1, round(self.packets / rate)) if rate > 0 else 1,
            seed=int(seed),
            lengths=self.lengths,
            arrivals=self.arrivals,
            malformed=self.malformed,
        )
        self.account = Account.of(self.traffic, self.bad)
        self.engine: Engine = self.make(self.network, [self.traffic], stall=self.stall)
        self.seen, self.moved = (0, 0), 0

    def advance(self) -> None:
        """Go through some cycles, and into the next round if this one is over.

        Raises
        ------
        SoakError
            If a flit was lost, doubled or misplaced, or nothing moves any more.
        """
        run = self.engine.runs[0]
        self.engine.run(STEP)
        if run.faults:
            self._fail(run.faults[0])
        signs = int(run.sent.sum()), int(run.received.sum())
        if signs != self.seen:
            self.seen, self.moved = signs, run.now
        if run.empty and not run.flits:
            self._close()
        elif run.now - self.moved > STILL:
            self._fail(f"nothing has moved since cycle {self.moved}, and {run.flits} flits inside")

    def _close(self) -> None:
        """Compare what happened in the round with what must have."""
        run, account, totals = self.engine.runs[0], self.account, self.totals
        for what, seen, expected in (
            ("flits came out", run.received, account.received),
            ("errors were counted", run.errors, account.errors),
            ("flits overran", run.overruns, np.zeros_like(run.overruns)),
        ):
            wrong = np.flatnonzero(seen != expected)
            if len(wrong):
                node = wrong[0]
                self._fail(f"{seen[node]} {what} at node {node}, not {expected[node]}")
        received = int(account.received.sum())
        totals.rounds += 1
        totals.cycles += run.now
        totals.packets += len(self.traffic.source)
        totals.flits += account.sent
        totals.delivered += received
        totals.drained += account.sent - received
        totals.errors += int(run.errors.sum())
        self._begin()

    def _fail(self, what: str) -> None:
        now = self.engine.runs[0].now
        raise SoakError(
            f"{self.network.name}, seed {self.seed}, round {self.totals.rounds}, cycle {now}: "
            f"{what}"
        )

    def state(self) -> dict[str, NDArray[Any]]:
        """Return all that changes, as arrays."""
        own = {f"total_{key}": np.array(value) for key, value in asdict(self.totals).items()}
        own |= {"seen": np.array(self.seen), "moved": np.array(self.moved)}
        own["now"] = np.array(self.engine.runs[0].now)
        if self.engine.name == "compiled":
            return own | {f"engine_{key}": each for key, each in self.engine.state().items()}
        runs = np.frombuffer(dump(self.engine.runs, self._fixed), np.uint8)
        return own | {"engine": runs}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on where `state` was; the arguments are the same as then."""
        self.totals = Totals(**{key: int(state[f"total_{key}"]) for key in asdict(Totals())})
        self._begin()
        first, second = state["seen"].tolist()
        self.seen, self.moved = (first, second), int(state["moved"])
        if self.engine.name == "compiled":
            names = [key for key in state if key.startswith("engine_")]
            self.engine.restore({key.removeprefix("engine_"): state[key] for key in names})
        else:
            self.engine.runs = restore(state["engine"].tobytes(), self._fixed)

    @property
    def flits(self) -> int:
        """Return the flits that came out so far, those of this round too, for progress."""
        return self.totals.delivered + int(self.engine.runs[0].received.sum())

    @property
    def _fixed(self) -> dict[str, object]:
        """Return what is made anew, and not kept."""
        network = self.network
        return {
            "network": network,
            "routing": network.routing,
            "topology": network.topology,
            "traffic": self.traffic,
        }
