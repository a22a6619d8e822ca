"""An input port: a queue for every channel, and the flit that it nominates."""

from typing import Any

from amaranth import Cat, Const, Module, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from golden.header import bits
from golden.routing import Routing
from hdl.admission import Admission
from hdl.arbiter import Arbiter
from hdl.flit import LinkSignature, flit_layout
from hdl.header import struct
from hdl.logic import select
from hdl.queue import Queue

__all__ = ["InputPort"]

UNSEEN = {"no_rw_check": "1"}
"""Nobody reads a row at the edge at which it is written: a front was written at one before. So no
logic is needed to tell what is read then, and the memory can be block RAM or LUT-RAM."""


class InputPort(wiring.Component):
    """Keep the flits of one link, and nominate one of those that are ready in each cycle.

    A flit gets its way and is written while it is on the link. One channel is nominated in each
    cycle, that was chosen in the cycle before: of those that were ready, or else that to which a
    flit came: its front is read from the memory. When its output takes it, it crosses in the cycle
    after. A flit without a way is drained. In the cycle after it has
    gone or is drained its credit goes back.

    Parameters
    ----------
    routing : Routing
    port : int
        Which input port this is.
    outputs : tuple of int
        The output ports to which routes turn from here.
    channels : int
        Virtual channels of this input.
    depth : int
        Flits that each channel can hold.
    flit_width : int
    register : bool
        Whether what has got its way is written a cycle later: a register behind the routing unit.

    Members
    -------
    straps, selection, header, refused : ``In``    As for `Admission`.
    link : ``In(LinkSignature)``              Flits in, credits out.
    inside : ``Out(channels)``                As of `Admission`.
    full, waits, head, last : ``Out(channels)``, and
    wants : ``Out(outputs)``, by channel      Of the front of each channel, as of `Queue`.
    ready : ``In(channels)``                  The front may go, if its output takes it.
    soon : ``In(channels)``                   It may in the next cycle, if all nominees go now.
    nominee : ``Out(channels)``               One-hot: the channel that is nominated.
    granted : ``In(1)``                       The output of the nominee takes it.
    crossing : ``Out(flit_layout)``           What was nominated in the cycle before.
    error : ``Out(1)``                        The arriving flit is malformed.
    """

    straps: data.View
    selection: Signal
    header: data.View
    refused: Signal
    link: Any
    inside: Signal
    full: Signal
    waits: Signal
    head: Signal
    last: Signal
    wants: list[Signal]
    ready: Signal
    soon: Signal
    nominee: Signal
    granted: Signal
    crossing: data.View
    error: Signal

    def __init__(
        self,
        routing: Routing,
        *,
        port: int,
        outputs: tuple[int, ...],
        channels: int,
        depth: int,
        flit_width: int,
        register: bool = False,
    ) -> None:
        self.routing, self.port, self.outputs = routing, port, outputs
        self.channels, self.depth, self.flit_width = channels, depth, flit_width
        self.register = register
        super().__init__(
            {
                "straps": In(struct(routing.straps)),
                **({"selection": In(routing.selection_width)} if routing.selection else {}),
                "header": In(struct(routing.header)),
                "refused": In(1),
                "link": In(LinkSignature(channels=channels, flit_width=flit_width)),
                "inside": Out(channels),
                "full": Out(channels),
                "waits": Out(channels),
                "head": Out(channels),
                "last": Out(channels),
                "wants": Out(len(outputs)).array(channels),
                "ready": In(channels),
                "soon": In(channels),
                "nominee": Out(channels, init=1),  # type: ignore[call-arg]
                "granted": In(1),
                "crossing": Out(flit_layout(flit_width)),
                "error": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Admission, queues, nominee, memory: the stages of a flit in their order."""
        m = Module()
        link = self.link
        m.submodules.admission = admission = Admission(
            self.routing,
            port=self.port,
            outputs=self.outputs,
            channels=self.channels,
            flit_width=self.flit_width,
        )
        m.d.comb += [
            admission.straps.eq(self.straps),
            admission.valid.eq(link.valid),
            admission.flit.eq(link.flit),
            admission.header.eq(self.header),
            admission.refused.eq(self.refused),
            self.inside.eq(admission.inside),
            self.error.eq(admission.error),
        ]
        if self.routing.selection:
            m.d.comb += admission.selection.eq(self.selection)

        arrives, way, tail, content = link.valid, admission.way, admission.tail, admission.data
        if self.register:
            arrives, way, tail, content = (
                self._later(m, name, value)
                for name, value in (
                    ("arrives", arrives), ("way", way), ("tail", tail), ("content", content),
                )
            )  # fmt: skip
        self._nominate(m, arrives)
        queues = [Queue(depth=self.depth, outputs=len(self.outputs)) for _ in range(self.channels)]
        for v, queue in enumerate(queues):
            m.submodules[f"queue{v}"] = queue
            drained = queue.waits & ~queue.wants.any()
            m.d.comb += [
                queue.arrives.eq(arrives[v]),
                queue.comes.eq(arrives[v] if self.register else 0),
                queue.way.eq(way),
                queue.tail.eq(tail),
                queue.goes.eq((self.granted & self.nominee[v]) | drained),
                self.full[v].eq(queue.full),
                self.waits[v].eq(queue.waits),
                self.head[v].eq(queue.head),
                self.last[v].eq(queue.last),
                self.wants[v].eq(queue.wants),
            ]
            m.d.sync += link.credit[v].eq(queue.goes)

        store: Memory = Memory(
            shape=self.flit_width,
            depth=self.channels << bits(self.depth),
            init=[],
            attrs=UNSEEN,
        )
        m.submodules.data = store
        write, read = store.write_port(), store.read_port()
        rows = {
            end: [Cat(getattr(queue, end), self._number(v)) for v, queue in enumerate(queues)]
            for end in ("newest", "oldest")
        }
        m.d.comb += [
            write.addr.eq(select(arrives, rows["newest"])),
            write.data.eq(content),
            write.en.eq(arrives.any()),
            read.addr.eq(select(self.nominee, rows["oldest"])),
            self.crossing.data.eq(read.data),
        ]
        m.d.sync += [
            self.crossing.head.eq((self.nominee & self.head).any()),
            self.crossing.tail.eq((self.nominee & self.last).any()),
        ]
        return m

    def _nominate(self, m: Module, arrives: Value) -> None:
        """Say a cycle before who may go: it stays if it could have gone and was not taken.

        Else it is the one of the other channels that may go soon that was not taken for longest, or
        else the channel to which a flit comes; and if there is neither, the same again.
        """
        if self.channels == 1:
            m.d.comb += self.nominee.eq(1)
            return
        m.submodules.choice = choice = Arbiter(self.channels)
        m.d.comb += [
            choice.request.eq(self.soon & ~self.nominee),
            choice.served.eq(self.nominee & self.granted.replicate(self.channels)),
        ]
        with m.If(self.granted | ~(self.ready & self.nominee).any()):
            with m.If(choice.request.any()):
                m.d.sync += self.nominee.eq(choice.grant)
            with m.Elif(arrives.any()):
                m.d.sync += self.nominee.eq(arrives)

    def _later(self, m: Module, name: str, value: Signal) -> Signal:
        """Return a value a cycle later."""
        register = Signal.like(value, name=name)
        m.d.sync += register.eq(value)
        return register

    def _number(self, channel: int) -> Any:
        """Return the bits of a row that are the number of a channel."""
        width = bits(self.channels) if self.channels > 1 else 0
        return [] if not width else Const(channel, width)
