"""The reference model behind the interface of the compiled one: slower, for every network."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.compiled.base import Columns, Engine, Record, Run
from fingerpost.golden.flit import Flits
from fingerpost.golden.model.kinds import AnyModel, model
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.terminal import AxiTerminalModel, TerminalModel
from fingerpost.golden.traffic import Traffic


class Reference(Engine):
    """The reference model, for every network.

    Parameters
    ----------
    network : Network
    traffics : sequence of Traffic
    why : str
        Why it is taken.
    options
        Those of `fingerpost.golden.terminal.Terminal.model`.
    """

    name = "reference"

    def __init__(
        self, network: AnyNetwork, traffics: Sequence[Traffic], *, why: str = "", **options: Any
    ) -> None:
        self.why = why
        self.runs: list[ReferenceRun] = [
            ReferenceRun(network, traffic, **options) for traffic in traffics
        ]

    def run(self, cycles: int, *, until_delivered: bool = False) -> None:
        for run in self.runs:
            for _ in range(cycles):
                if until_delivered and run.all_delivered:
                    break
                run.step()

    def record(self, cycles: int) -> Record:
        first = self.runs[0].now
        rows = [self.runs[0].recorded() for _ in range(cycles)]
        for run in self.runs[1:]:
            for _ in range(cycles):
                run.step()
        return Record(first, *map(_stacked, zip(*rows, strict=True)))

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Refuse.

        Raises
        ------
        ValueError
            Always.
        """
        raise ValueError(
            f"State needs the compiled model to be saved, not the reference{self._for}"
        )

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Refuse.

        Raises
        ------
        ValueError
            Always.
        """
        raise ValueError(f"State needs the compiled model to go on{self._for}")

    @property
    def _for(self) -> str:
        return f", and not the reference: {self.why}" if self.why else ", not the reference"


class ReferenceRun(Run):
    """A model and its terminals.

    Attributes
    ----------
    model : AnyModel
    terminals : TerminalModel
    """

    def __init__(self, network: AnyNetwork, traffic: Traffic, **options: Any) -> None:
        self.network, self.traffic = network, traffic
        self.model: AnyModel = model(network)
        self.terminals: TerminalModel = network.terminal.model(traffic, **options)
        self._now = 0
        self._received = np.zeros(self.model.nodes, np.int64)
        self._sent = np.zeros((self.model.nodes, self.model.ports), np.int64)

    def step(self) -> None:
        """Go through one cycle."""
        self._step(self._exchange())

    def recorded(self) -> tuple[Columns, Columns, Columns]:
        """Go through one cycle; return what was seen in it, as the fields of `Record`."""
        network, model, terminals = self.network, self.model, self.terminals
        ends = self._exchange()
        links, streams = dict(model.wires()), network.terminal.streams(network)
        idle = links["valid"] == 0
        for name in network.link.payload:
            links[name] = np.where(idle, 0, links[name])
        seen = terminals.seen(model.ejected, model.injection_credit)
        seen |= {c.name: np.repeat(getattr(model, c.name), streams) for c in network.node_counters}
        found = _copied(terminals.given(*ends)), links, _copied(seen)
        self._step(ends)
        return found

    def _exchange(self) -> tuple[Flits, IntArray]:
        """Let terminals receive and send; return what they send, and the credits they return."""
        self.terminals.credit(self.model.injection_credit)
        sent = self.terminals.send(self._now)
        self.terminals.receive(self.model.ejected, self._now)
        return sent, self.terminals.give_back()

    def _step(self, ends: tuple[Flits, IntArray]) -> None:
        """Count what moves, and go through the cycle."""
        model = self.model
        for flits in (model.link, model.ejected):
            # Flits of one terminal may be several.
            np.add.at(self._sent.ravel(), flits.port_index, 1)
        np.add.at(self._received, model.ejected.port_index // model.ports, 1)
        model.step(*ends)
        self._now += 1

    @property
    def now(self) -> int:
        return self._now

    @property
    def expected(self) -> BoolArray:
        return self.terminals.expected

    @property
    def delivered(self) -> IntArray:
        return self.terminals.delivered

    @property
    def received(self) -> IntArray:
        return self._received

    @property
    def beats(self) -> IntArray:
        if not isinstance(self.terminals, AxiTerminalModel):
            return super().beats
        return self.terminals.received

    @property
    def sent(self) -> IntArray:
        return self._sent

    @property
    def faults(self) -> list[str]:
        return self.terminals.faults

    @property
    def errors(self) -> IntArray:
        return self.model.errors

    @property
    def overruns(self) -> IntArray:
        return self.model.overruns

    @property
    def flits(self) -> int:
        return self.model.flits

    @property
    def longest_time(self) -> int | None:
        return self.terminals.longest_time

    @property
    def empty(self) -> bool:
        return self.terminals.empty

    def stop(self) -> None:
        self.terminals.stop()


def _copied(columns: Columns) -> Columns:
    """Return columns that the next cycle leaves as they are."""
    return {name: column.copy() for name, column in columns.items()}


def _stacked(rows: Sequence[Columns]) -> Columns:
    """Return the columns of several cycles, with the cycle first."""
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}
