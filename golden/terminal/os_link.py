"""Terminals that speak over an OS-Link: a transputer, a link adaptor, or another port of that kind.

A port stands before an AXI4-Stream interface, and between them bytes become packets.
"""

from dataclasses import asdict, dataclass, field, fields
from typing import Annotated, Any, ClassVar

from fingerpost.golden.counters import Counter
from fingerpost.golden.header import Layout
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.link import Link, OsLinkParameters
from fingerpost.golden.link.os_link import errors, link_out, step_port, tx_ready
from fingerpost.golden.link.parameters import ERRORS
from fingerpost.golden.parameters import Parameter, ParameterError, check_limits
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.records import record
from fingerpost.golden.router.state import Config, State
from fingerpost.golden.routing import Routing
from fingerpost.golden.terminal import axi_users
from fingerpost.golden.terminal.axi_interface import front, step_receiver
from fingerpost.golden.terminal.base import Terminal
from fingerpost.golden.terminal.beat import REFUSED, AxiLayout, whole_bytes
from fingerpost.golden.terminal.credit import return_credit
from fingerpost.golden.terminal.message import (
    FLAWS,
    LONGEST,
    MESSAGE_COUNTERS,
    MOST_NODES,
    is_ready,
    is_stranger,
    offered_byte,
    step_message_receiver,
    step_message_sender,
)
from fingerpost.golden.terminal.programs import (
    NOT_GIVEN_UP,
    begin,
    message_byte,
    next_message,
    note_fault,
    step_program,
    withdraw,
)
from fingerpost.golden.terminal.queues import step_queue, write_row
from fingerpost.golden.terminal.state import OsLinkRecording
from fingerpost.golden.traffic.carrier import Carrier

BOTH_WAYS = 13.4
"""Bit times of a byte on a link of which one end acknowledges late, or both directions are busy."""

NARROWEST, WIDEST = 16, 56
"""Bits of a beat: the length of a message is in its first; the model holds no more in a number."""

LEAST = 64
"""Bit times of a time-out at least: after a reset a port sends nothing for 32."""


@dataclass(frozen=True)
class OsLinkTerminal(OsLinkParameters, Terminal):
    """An OS-Link at every terminal: messages in, messages out. Parameters are those of its port.

    Behind it is the interface of an AXI4-Stream terminal, whose beats are the bytes.

    Raises
    ------
    ParameterError
        If there can be no such port, time-out or limit.
    """

    kind: ClassVar[str] = "os-link"
    around: ClassVar[bool] = True
    counters: ClassVar[tuple[Counter, ...]] = MESSAGE_COUNTERS
    unit: ClassVar[str] = "beats"
    jitter_reason: ClassVar[str] = "terminals are serial, and their peers may differ in clock"

    timeout: Annotated[
        int,
        Parameter(
            "Bit times in which a peer does not go on with a message, after which it is given up: "
            "what it sends is closed with an error mark, what it should take is dropped; 0: never.",
            minimum=0,
            maximum=1_000_000,
        ),
    ] = 0
    """Bit times; 0: never. A message is abandoned if its peer is silent for so long in the middle
    of it. Packets for a peer that takes no byte for so long are dropped."""
    breaks: bool = field(default=False, init=False)  # no INMOS part has them
    longest: Annotated[
        int,
        Parameter(
            "Bytes of data in a message at most; longer ones are dropped.",
            minimum=0,
            maximum=LONGEST,
        ),
    ] = LONGEST
    """Bytes of data in a message."""

    def __post_init__(self) -> None:
        check_limits(OsLinkTerminal, "OS-Link terminal", longest=self.longest, timeout=self.timeout)
        super().__post_init__()
        least = max(LEAST, 4 * self.slot)
        if 0 < self.timeout < least:
            raise ParameterError(
                "timeout",
                f"OS-Link terminal needs a timeout of 0 or at least {least} bit times with slot: "
                f"{self.slot}, not {self.timeout}",
            )

    @property
    def port(self) -> OsLinkParameters:
        """Return the parameters of the port; the time-out is not its own."""
        given = asdict(self)
        own = {each.name: given[each.name] for each in fields(OsLinkParameters)}
        return OsLinkParameters(**own | {"timeout": 0})

    def beat_width(self, flit_width: int) -> int:
        return whole_bytes("OS-Link terminal", flit_width)

    def flit_width(
        self, data_width: int, routing: Routing, link: Link, *, in_order: bool = True
    ) -> int:
        """Return the bits of a flit, as AXI4-Stream terminals have them.

        Raises
        ------
        ParameterError
            If a beat has no room for a length, or a head flit none for a header and a number, or
            a number has too many bits.
        """
        title, count = "OS-Link terminal", routing.topology.terminal_numbers
        if not NARROWEST <= data_width <= WIDEST:
            raise ParameterError(
                "flit_width",
                f"{title} needs a flit_width in {NARROWEST}..{WIDEST}, not {data_width}",
                section="router",
            )
        if count > MOST_NODES:
            raise ParameterError(
                "kind",
                f"{title} needs at most {MOST_NODES} terminals, not {count}",
                section="terminal",
            )
        return AxiLayout.flit_width(title, data_width, routing, link)

    def rate(self, data_width: int) -> float:
        """Return the flits per cycle: each is its bytes."""
        return 1 / (BOTH_WAYS * (data_width // 8) * self.clocks_per_bit)

    def given(self, network: Carrier) -> Layout:
        return Layout.sequence(wire=(1, "link_in"))

    def seen(self, network: Carrier) -> Layout:
        counters = {counter.name: (counter.width, counter.meaning) for counter in MESSAGE_COUNTERS}
        return Layout.sequence(wire=(1, "link_out"), **counters)

    @property
    def payload(self) -> tuple[str, ...]:
        """Return nothing: all of it always means something."""
        return ()


SENDER = record(
    int64="data",
    int32="credits refused flaws last_byte tag",
    bool="held opened dropping known last error credited takes",
)
"""The sender of an interface, as `fingerpost.hdl.terminal.axi_sender`, and the beat that it holds.

`credited`: a credit comes back in this cycle; `takes`: the terminal takes a byte. `flaws` are those
of the port.
"""

WRONG = (1 << ERRORS.index("err_over") + 1) - 1
"""The errors of a port that are flaws, as a mask."""

MOST_REFUSED, MOST_FLAWS = REFUSED.most, FLAWS.most

receive = axi_users.receive


@compiled
def receive_credits(slots: Slots, config: Config, state: State) -> None:
    """Note the credits that the routers return to their terminals."""
    for node in range(config.places):
        state.terminals.sender[node].credited = slots.terminal_credits[node] > 0


@compiled
def _drops(sender: Any) -> bool:
    """Return whether the beat that is held is dropped."""
    stranger = not sender.opened and not sender.known
    return sender.held and (sender.dropping or stranger)


@compiled
def _sends(sender: Any) -> bool:
    """Return whether a flit is sent: a head before the first beat of a packet."""
    return sender.held and sender.credits > 0 and not _drops(sender)


@compiled
def send(slots: Slots, config: Config, state: State, stalls: Any) -> None:
    """Let programs begin the messages that are due; send a flit from every terminal that can."""
    terminals, terminal, now = state.terminals, config.terminal, state.clock[0].now
    for node in range(config.places):
        begin(terminals.program[node], now)
        sender, sent = terminals.sender[node], slots.injecting[node]
        if not _sends(sender):
            continue
        packet = state.packets[sender.tag]
        sent.valid, sent.channel, sent.tag = True, 0, sender.tag
        if not sender.opened:
            sent.head, sent.tail, sent.data, sent.step = True, False, packet.header, packet.step
            continue
        sent.head, sent.tail, sent.step = False, sender.last, -1
        sent.data = sender.data << terminal.fields.data_offset
        if sender.last:
            sent.data |= sender.last_byte << terminal.fields.last_byte_offset
            sent.data |= 1 if sender.error else 0


@compiled
def _step_sender(node: int, config: Config, state: State) -> bool:
    """Let the sender of an interface take the beat of a message; return tready."""
    sender, message = state.terminals.sender[node], state.terminals.messages[node]
    drops, sends, opened = _drops(sender), _sends(sender), sender.opened
    ready = not sender.held or drops or (sends and opened)
    if drops and not sender.dropping:
        sender.refused = min(sender.refused + 1, MOST_REFUSED)
    sender.credits += (1 if sender.credited else 0) - (1 if sends else 0)
    if sends:
        sender.opened = not (opened and sender.last)
    if drops:
        sender.dropping = not sender.last
    takes = message.full and ready
    sender.held = takes or (sender.held and not ready)
    if takes:
        terminal = config.terminal
        named = terminal.known[message.dest & len(terminal.known) - 1]
        sender.known = named and not is_stranger(message, terminal)
        sender.data, sender.last, sender.error = message.data, message.last, message.bad
        sender.last_byte, sender.tag = max(message.filled, 1) - 1, message.tag
    return ready


@compiled
def _step_sending(node: int, config: Config, state: State) -> None:
    """Take a byte of a message, and its beats into the network; note what is given up."""
    terminals, terminal, port = state.terminals, config.terminal, config.terminal.port
    ready, message = _step_sender(node, config, state), terminals.messages[node]
    sender, program = terminals.sender[node], terminals.program[node]
    sender.takes = is_ready(message)
    valid = terminals.ports.port[node].level > 0
    first, byte = message.place == 0, terminals.ports.fifo[node * port.fifo]
    tag = min(program.going, len(state.packets) - 1)
    step_message_sender(message, byte, valid, ready, tag, terminal)
    if sender.takes and valid and first:
        program.going += 1
    if not message.expires:
        return
    if not program.silent:
        note_fault(node, NOT_GIVEN_UP, 0, state)
        return
    packet = state.packets[program.packet]
    packet.closed = message.closes and packet.expected
    withdraw(program.packet, state)
    program.silent = False
    next_message(program, state)


@compiled
def _follow(node: int, config: Config, state: State) -> None:
    """Follow whose messages are written, cut or lost."""
    terminals, depth = state.terminals, config.terminal.coming
    answers, coming = terminals.answers[node], terminals.coming[node]
    if answers.begins:
        row = write_row(coming, terminals.coming_row, node * depth, depth, False, state.clock[0])
        row.tag = answers.tag
        step_queue(coming, False, True, depth)
    if answers.cuts:
        last = (coming.read + coming.level - 1) % depth
        number = terminals.coming_row[node * depth + last].tag
        state.packets[number].cut = True
        withdraw(number, state)
    if answers.loses:
        withdraw(answers.tag, state)
        packet = state.packets[answers.tag]
        packet.closed = packet.closed and packet.cut


@compiled
def _step_receiving(node: int, config: Config, state: State, stalls: Any) -> None:
    """Make bytes of what comes out, and let the port and the program go through a clock edge."""
    terminals, terminal, port = state.terminals, config.terminal, config.terminal.port
    ports, programs = terminals.ports, terminals.programs
    receiver, beat, answers = (
        terminals.receiver[node],
        terminals.beat[node],
        terminals.answers[node],
    )
    valid, ready = front(node, config, state), tx_ready(node, ports, port)
    byte, offers = offered_byte(answers, valid, beat, receiver.source)
    taken = step_message_receiver(answers, valid, beat, receiver.source, ready, terminal)
    _follow(node, config, state)
    step_receiver(node, taken, config, state)
    terminals.came[node].valid = False
    sender, program = terminals.sender[node], terminals.program[node]
    if errors(node, ports, port) & WRONG:
        sender.flaws = min(sender.flaws + 1, MOST_FLAWS)

    there, back = link_out(node, programs), link_out(node, ports)
    speaks, listens = program.talks and program.pause == 0, program.deaf == 0
    word = message_byte(state.packets[program.packet], program.index) if program.talks else 0
    heard, heard_byte = programs.port[node].level > 0, programs.fifo[node * port.fifo]
    step_program(node, heard, heard_byte, config, state, stalls)
    step_port(node, back, word, speaks, listens, False, programs, port)
    step_port(node, there, byte, offers, sender.takes, False, ports, port)


@compiled
def return_credits(slots: Slots, config: Config, state: State, stalls: Any) -> None:
    """Go through the clock edge of all that is between programs and routers; return credits."""
    for node in range(config.places):
        _step_sending(node, config, state)
    for node in range(config.places):
        if state.terminals.receiver[node].credit:
            return_credit(node, slots, config)
        _step_receiving(node, config, state, stalls)
    if len(stalls):
        state.clock[0].drawn += 2 * config.places


@compiled
def note_sent(noted: OsLinkRecording, row: int, config: Config, state: State) -> None:
    """Note what is on the wires, and the counters."""
    terminals = state.terminals
    for node in range(config.places):
        noted.given_wire[row, node] = link_out(node, terminals.programs)
        noted.wire[row, node] = link_out(node, terminals.ports)
        sender = terminals.sender[node]
        noted.refused[row, node], noted.flaws[row, node] = sender.refused, sender.flaws
        noted.expired[row, node] = terminals.messages[node].expired
        noted.lost[row, node] = terminals.answers[node].lost


@compiled
def note_received(noted: OsLinkRecording, row: int, config: Config, state: State) -> None:
    """Note nothing: all is noted before."""
