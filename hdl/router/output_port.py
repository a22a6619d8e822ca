"""Output port: VC allocation, switch allocation, its part of the crossbar, the registered link."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from amaranth import Cat, Module, Signal, Value
from amaranth.lib.wiring import In, Out

from fingerpost.golden.deadlock.lanes import Lanes
from fingerpost.golden.router.pipeline import Pipeline
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import LinkSignature, flit_layout
from fingerpost.hdl.lib.logic import delayed, select
from fingerpost.hdl.lib.ports import local_name
from fingerpost.hdl.router.switch_allocator import SwitchAllocator
from fingerpost.hdl.router.vc_allocator import (
    BatchArbiter,
    CreditCounter,
    Source,
    VcAllocator,
    choose_lane,
    front_layout,
    sources,
)


class OutputPort(Component):
    """Send the flits of one output: connect its arbiters and counters, and register the link.

    For each virtual channel of the link there are a `CreditCounter`, a `VcAllocator`, and, where an
    input has several virtual channels, a `BatchArbiter`. One `SwitchAllocator` grants the output to
    one of the candidates that are eligible. A flit takes two cycles: it is granted and crosses
    the switch, and is on the link; with `hop_cycles` 3 it crosses in the cycle after the grant::

        cycle       0 1    stage                           0 1 2
        grant       1 0    switch allocation               1 0 0
        st_flit     F -    switch traversal                - F -
        link.flit   - F    link traversal                  - - F

    Parameters
    ----------
    channels : tuple of int
        Virtual channels of each input from which routes turn to this output.
    terminals : int
        How many of these inputs, the last ones, are terminals.
    lanes : Lanes
        The virtual channels of links.
    eject : bool
        Whether the link goes to a terminal: then it has one virtual channel for each message
        class.
    depth : int
        Flits that the receiver holds for each virtual channel.
    batches : bool
        Whether heads are served in batches: else there is no `BatchArbiter`.
    yielding : sequence of int
        The inputs whose heads yield to others up to a bypass limit.
    flit_width : int
    pipeline : Pipeline

    Members
    -------
    fronts : ``In(front_layout)``, by input        Front flits of the buffers of this input; inputs
                                                   are numbered as in `channels`.
    increments : ``In(inputs)``                    Inputs whose packets move to the next channel.
    lane : ``In(lanes * classes)``, by terminal    One-hot in each message class: the lane of the
                                                   terminal's packet, or what a head takes if it is
                                                   free. They are lane, lane1, lane2 ...
    next_lane : ``Out(lanes * classes)``, by terminal
                                                   With several lanes: the one that it takes.
    promoted : ``In(channels)``, by yielding input The head has reached its bypass limit.
    eligible : ``Out(channels)``, by input         Front flits that this output could take now.
    eligible_next : ``Out(channels)``, by input    The same in the next cycle if all candidates are
                                                   granted; predicted for the terminal, if inputs
                                                   have several channels to choose from.
    grant : ``Out(inputs)``                        One-hot or 0: the input that is granted.
    st_flit : ``In(flit_layout)``, by input        The input's candidate in switch traversal.
    tail_passed : ``Out(inputs)``                  With `yielding`: the one whose tail was granted
                                                   in the previous cycle.
    link : ``Out(LinkSignature)``                  The link; all its outputs are registers.
    """

    fronts: list[Any]
    promoted: list[Signal]
    eligible: list[Signal]
    eligible_next: list[Signal]
    lane_of: list[Signal]
    next_lane_of: list[Signal]

    def __init__(
        self,
        *,
        channels: tuple[int, ...],
        terminals: int,
        lanes: Lanes,
        eject: bool,
        depth: int,
        batches: bool = True,
        yielding: Sequence[int] = (),
        flit_width: int,
        pipeline: Pipeline = Pipeline(),
    ) -> None:
        self.channels, self.terminals, self.lanes, self.eject = channels, terminals, lanes, eject
        self.depth, self.yielding, self.pipeline = depth, tuple(yielding), pipeline
        self.batches = batches and max(channels) > 1  # else the switch arbiter alone is fair
        self.outgoing = lanes.copies if eject else lanes.all_channels
        self.predicts = eject and max(channels) > 1
        self.single = self.outgoing == max(channels) == 1
        self.choosing = bool(terminals) and not eject and lanes.spare and lanes.copies == 1
        lane, every = lanes.copies * int(lanes.count[0]), range(max(1, terminals))
        super().__init__(
            **{f"front{i}": In(front_layout(width)) for i, width in enumerate(channels)},
            **{f"eligible{i}": Out(width) for i, width in enumerate(channels)},
            **{f"eligible_next{i}": Out(width) for i, width in enumerate(channels)},
            increments=In(len(channels)),
            **{local_name("lane", t): In(lane) for t in every},
            **{local_name("next_lane", t): Out(lane) for t in every if self.choosing},
            **{f"promoted{i}": In(channels[i]) for i in yielding},
            grant=Out(len(channels)),
            st_flit=In(flit_layout(flit_width)).array(len(channels)),
            **({"tail_passed": Out(len(channels))} if yielding else {}),
            link=Out(LinkSignature(channels=self.outgoing, flit_width=flit_width)),
        )
        self.fronts = [getattr(self, f"front{i}") for i in range(len(channels))]
        self.promoted = [getattr(self, f"promoted{i}") for i in yielding]
        self.eligible = [getattr(self, f"eligible{i}") for i in range(len(channels))]
        self.eligible_next = [getattr(self, f"eligible_next{i}") for i in range(len(channels))]
        self.lane_of = [getattr(self, local_name("lane", t)) for t in every]
        choosing = every if self.choosing else ()
        self.next_lane_of = [getattr(self, local_name("next_lane", t)) for t in choosing]

    def elaborate(self, platform: object) -> Module:
        """Connect the stages VA, SA, ST, LT of one output; VA and SA share a cycle."""
        m = Module()
        # SA: the output is granted to one of the candidates that are eligible.
        m.submodules.switch_allocator = switch = SwitchAllocator(
            self.channels,
            yielding=self.yielding,
            by_packet=self.lanes.spare,
            gated=self.single,
        )
        for i, front in enumerate(self.fronts):
            m.d.comb += switch.candidate[i].eq(front.candidate)
        for number, i in enumerate(self.yielding):
            m.d.comb += [
                switch.head[number].eq(self.fronts[i].head),
                switch.promoted[number].eq(self.promoted[number]),
            ]
        tails = Cat((front.candidate & front.tail).any() for front in self.fronts)
        sent_tail = Signal()
        m.d.comb += [self.grant.eq(switch.grant), sent_tail.eq((self.grant & tails).any())]
        if self.lanes.spare:
            m.d.comb += switch.tail.eq(tails)

        # VA: the front flits that have a credit and may use their virtual channel are eligible.
        lane = self.next_lane_of if self.choosing else self.lane_of
        stages = self.pipeline
        crossing = Signal(self.outgoing)
        now: defaultdict[tuple[int, int], list[Value]] = defaultdict(lambda: [Value.cast(0)])
        later: defaultdict[tuple[int, int], list[Value]] = defaultdict(lambda: [Value.cast(0)])
        free: list[list[Value]] = [[] for _ in range(self.terminals)]
        for c in range(self.outgoing):
            users = list(
                sources(
                    self.lanes,
                    c,
                    terminals=self.terminals,
                    eject=self.eject,
                    increments=self.increments,
                    lane=lane,
                )
            )
            if not users:
                continue
            credits, vc = self._vc_allocator(m, c, users, switch, sent_tail)
            m.d.comb += crossing[c].eq(credits.sent_q if stages.allocation else credits.sent)
            for t in range(self.terminals if self._is_chosen(c) else 0):
                free[t].append(vc.free & ~vc.served[len(users) - self.terminals + t])
            for k, (i, v, _) in enumerate(users):
                now[i, v].append(vc.eligible[k])
                later[i, v].append(vc.eligible_next[k])
        for i, width in enumerate(self.channels):
            for wires, terms in ((self.eligible[i], now), (self.eligible_next[i], later)):
                able = Cat(Cat(terms[i, v]).any() for v in range(width))
                m.d.comb += wires.eq(able & switch.enable if self.single else able)
            m.d.comb += switch.eligible[i].eq(
                Cat(now[i, 0]).any() if self.single else self.eligible[i]
            )

        for t, taken in enumerate(self.next_lane_of):
            head = self.fronts[len(self.fronts) - self.terminals + t].head[0]
            m.d.comb += taken.eq(choose_lane(self.lane_of[t], Cat(free[t]), head))

        # ST: a column of the crossbar; in the cycle of SA it need not wait for `grant`, since only
        # valid flits count. LT: the register of the link.
        grant_q = delayed(m, "grant_q", self.grant, stages.allocation)
        column = switch.winner if self.single and not stages.allocation else grant_q
        flit = delayed(m, "flit", select(column, self.st_flit), stages.traversal - 1)
        valid = delayed(m, "valid", crossing, stages.traversal - 1)
        m.d.sync += [self.link.flit.eq(flit), self.link.valid.eq(valid)]
        if self.yielding:
            passed = grant_q & Cat(flit.tail for flit in self.st_flit)
            passed = delayed(m, "passed", passed, 1 - stages.allocation)
            m.d.comb += self.tail_passed.eq(passed)
        return m

    def _vc_allocator(
        self, m: Module, c: int, users: list[Source], switch: SwitchAllocator, sent_tail: Signal
    ) -> tuple[CreditCounter, VcAllocator]:
        """Connect the allocator and the credits of virtual channel c."""
        m.submodules[f"credit_counter{c}"] = credits = CreditCounter(self.depth)
        m.submodules[f"vc_allocator{c}"] = vc = VcAllocator(
            len(users), predict=self.predicts, lanes=self._is_chosen(c)
        )
        granted, sent = Signal(len(users), name=f"granted{c}"), Signal(name=f"sent{c}")
        m.d.comb += [
            granted.eq(
                Cat(self.grant[i] & self.fronts[i].candidate[v] & here for i, v, here in users)
            ),
            # A flit is sent; with one virtual channel the requests alone tell, before the grant.
            sent.eq(switch.sent if self.outgoing == 1 else granted.any()),
            credits.sent.eq(sent),
            credits.credit.eq(self.link.credit[c]),
            vc.sent.eq(sent),
            vc.sent_tail.eq(sent_tail),
            vc.has_credit.eq(1 if self.single else credits.has_credit),
        ]
        if self.single:  # the credit decides after arbitration, which takes longer
            m.d.comb += switch.enable.eq(credits.has_credit)
        for k, (i, v, here) in enumerate(users):
            front = self.fronts[i]
            m.d.comb += [
                vc.front.request[k].eq(front.request[v] & here),
                vc.front.valid[k].eq(front.valid[v]),
                vc.front.head[k].eq(front.head[v]),
                vc.front.tail[k].eq(front.tail[v]),
                vc.front.candidate[k].eq(front.candidate[v]),
            ]
        if self.batches:
            self._batches(m, c, users, vc, granted)
        elif self.predicts:
            m.d.comb += vc.pending.eq(vc.waiting)
        return credits, vc

    def _is_chosen(self, c: int) -> bool:
        """Return whether virtual channel c is a lane that heads from the terminal may choose."""
        return self.choosing and c % self.lanes.channels < int(self.lanes.count[0])

    def _batches(
        self, m: Module, c: int, users: list[Source], vc: VcAllocator, granted: Signal
    ) -> None:
        """Connect the batch arbiter of virtual channel c."""
        yielding = {k: i for k, (i, _, _) in enumerate(users) if i in self.yielding}
        m.submodules[f"batch_arbiter{c}"] = batch = BatchArbiter(
            len(users), yielding=tuple(yielding)
        )
        m.d.comb += [
            batch.valid.eq(vc.waiting),
            batch.granted.eq(granted & vc.front.head),
            batch.starts.eq(vc.starts),
            vc.served.eq(batch.served),
            vc.pending.eq(batch.pending),
        ]
        for number, (k, i) in enumerate(yielding.items()):
            promoted = self.promoted[self.yielding.index(i)]
            m.d.comb += batch.promoted[number].eq(promoted[users[k].channel])
