"""Stream links: flits in frames on AXI4-Stream, for the transceivers between boards.

The model loses and damages words as the hardware of `fingerpost.hdl.link.stream_channel` does.
"""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from fingerpost.golden.arrays import Array, BoolArray, IntArray
from fingerpost.golden.header import Layout, link_layout
from fingerpost.golden.jit.bits import advance_chance
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.link.base import Link
from fingerpost.golden.link.frame_receiver import PASSING, step_receiver
from fingerpost.golden.link.frame_sender import step_sender
from fingerpost.golden.link.frames import (
    CRC_POLYNOMIAL,
    CRC_WIDTH,
    Frames,
    frames_for,
    time_out,
)
from fingerpost.golden.link.pipelined_link import copy_flit
from fingerpost.golden.parameters import Parameter, ParameterError, check_limits
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.state import Config, State
from fingerpost.golden.routing import Routing
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.faulty import Faulty

MOST_ERRORS = 1 << 14

MOST_WIDTH = 512

CRC_ORDER = (
    "the lowest `covers` bits of each word of a frame, the lowest bit first, the end last; bits "
    "above the layout of a word count as 0"
)

Between = Literal["all", "boards"] | list[list[int | str]]
"""How a file says which links are stream links: all, those between boards, or by pairs of nodes."""

NEEDS = "all, boards, or a list of pairs of nodes, as in [[0, 1], [2, 5]]"


@dataclass(frozen=True)
class StreamLink(Link):
    """The link between boards: at each end a pair of AXI4-Stream for the core of a transceiver.

    What is lost or damaged on it is sent again (docs/howto/boards.md). Nothing on it waits for a
    router: every flit has its place at the end of the link before it is sent.

    Raises
    ------
    ParameterError
        If a number is beyond its limits.
    """

    kind: ClassVar[str] = "stream"
    jitter_reason: ClassVar[str] = "flits of stream links wait for the end of their frame"

    width: Annotated[
        int, Parameter("Bits of a word, those of tdata.", minimum=32, maximum=MOST_WIDTH)
    ] = 64
    cycles: Annotated[
        int,
        Parameter(
            "Cycles of a word from one end to the other: through both transceivers and the cable.",
            minimum=1,
            maximum=4096,
        ),
    ] = 40
    frame: Annotated[
        int, Parameter("Flits of a frame, at most; a CRC follows them.", minimum=1, maximum=255)
    ] = 30
    between: Annotated[
        Between,
        Parameter(
            "Which links these are: all, those between boards, or those between pairs of nodes, by "
            "number or label; the others are wires.",
            needs=NEEDS,
        ),
    ] = "all"
    errors: Annotated[
        int,
        Parameter(
            "Of 65,536 words, so many are lost in simulation, and as many are damaged.",
            minimum=0,
            maximum=MOST_ERRORS,
        ),
    ] = 0

    def __post_init__(self) -> None:
        given = {"width": self.width, "cycles": self.cycles, "frame": self.frame}
        check_limits(StreamLink, "Link", **given, errors=self.errors)
        between = self.between
        if isinstance(between, str):
            right = between in {"all", "boards"}
        else:
            right = len(between) > 0 and all(len(pair) == 2 for pair in between)
        if not right:
            raise _between(f"{NEEDS}, not {between!r}")

    def streams(self, topology: Topology, boards: IntArray | None) -> BoolArray:
        """Return all links, those between boards, or all that join one of the pairs.

        Raises
        ------
        ParameterError
            If there are no boards for ``between: boards``, or a pair is not joined, or given twice.
        """
        there = topology.neighbour
        if self.between == "all":
            return there >= 0
        if not isinstance(self.between, str):
            return self._of_pairs(self.between, topology)
        if boards is None:
            raise ParameterError(
                "between",
                "Link needs boards for between: boards, such as boards: 2, or between: all",
                section="link",
            )
        found: BoolArray = (there >= 0) & (boards[there] != boards[:, None])
        return found

    def _of_pairs(self, pairs: list[list[int | str]], topology: Topology) -> BoolArray:
        """Return the links of pairs of nodes; a pair whose link has failed is no error."""
        whole = topology.whole if isinstance(topology, Faulty) else topology
        found = np.zeros(whole.neighbour.shape, np.bool_)
        for pair in pairs:
            try:
                start, end = (whole.node(str(name)) for name in pair)
            except ValueError as error:
                raise ParameterError("between", f"{error}", section="link") from None
            there = whole.neighbour[start] == end
            if not there.any():
                joined = np.unique(whole.neighbour[start][whole.neighbour[start] >= 0])
                others = ", ".join(f"{node} ({whole.name(node)})" for node in joined.tolist())
                raise _between(
                    f"pairs of nodes that a link joins, not {pair}; {pair[0]} has links to {others}"
                )
            if found[start, there].any():
                raise _between(f"each pair of nodes once, not {pair} again; remove it")
            found[start] |= there
            found[end] |= whole.neighbour[end] == start
        return found & (topology.neighbour >= 0)

    def frames(self, *, flit_width: int, channels: int, depth: int) -> Frames:
        """Return the frames that carry such flits.

        Raises
        ------
        ParameterError
            If the words are too narrow, or no word is wide enough.
        """
        given = {"cycles": self.cycles, "flits": self.frame, "depth": depth}
        frames = frames_for(width=self.width, channels=channels, flit_width=flit_width, **given)
        if frames is None:
            narrow = Frames(channels, flit_width, self.frame, depth.bit_length())
            least, widest = narrow.width, MOST_WIDTH - narrow.flit.width + flit_width
            if least > MOST_WIDTH:
                raise ParameterError(
                    "flit_width",
                    f"Router needs flits of at most {widest} bits for stream links of {channels} "
                    f"channels, not {flit_width}; lower flit_width",
                    section="router",
                )
            raise ParameterError(
                "width",
                f"Link needs a width of at least {least} for flits of {flit_width} bits and "
                f"{channels} channels, not {self.width}",
                section="link",
            )
        return frames

    def formats(self, *, flit_width: int, channels: int, depth: int) -> dict[str, Any]:
        """Return the layouts of words, what their CRC is, and what both ends must agree on."""
        frames = self.frames(flit_width=flit_width, channels=channels, depth=depth)
        return {
            "words": {
                "flit": frames.flit.describe(),
                "end": frames.end.describe(),
                "crc": {
                    "offset": self.width - CRC_WIDTH,
                    "width": CRC_WIDTH,
                    "polynomial": f"{CRC_POLYNOMIAL:#010x}",
                    "initial": 0,
                    "covers": frames.body,
                    "order": CRC_ORDER,
                },
                "places": frames.places,
                "time_out": time_out(self.cycles, self.frame),
            }
        }

    def check(self, routing: Routing, *, flit_width: int, channels: int) -> None:
        """Refuse links of one way, on which nothing can be acknowledged.

        Raises
        ------
        ParameterError
            If there are any.
        """
        if routing.topology.directed:
            raise ParameterError(
                "kind",
                f"Stream links go both ways, and the links of {routing.topology.family} do not; "
                "kind: flit carries them",
                section="link",
            )

    def rate(self, flit_width: int) -> float:
        """Return the flits per cycle: two words follow those of a frame."""
        return self.frame / (self.frame + 2)

    def seen(self, *, flit_width: int, channels: int) -> Layout:
        """Return what routers see of it: flits that arrive, and credits."""
        return link_layout(flit_width, channels)


def _between(needs: str) -> ParameterError:
    return ParameterError("between", f"Link needs between {needs}", section="link")


class StreamConfig(NamedTuple):
    """Stream links. An end stands at an output and an input of a node, with the same port."""

    outputs: Array
    """Shape (ends,). The output of each end, node * ports + port."""
    partner: Array
    """Shape (ends,). The end at the other side."""
    cycles: int
    time_out: int
    flits: int
    """Of a frame at most."""
    channels: int
    places: int
    """Flits of a channel for which there is room at the end of a link."""
    replay: int
    """Flits that a sender keeps at most."""
    errors: int

    def recording(self, cycles: int, outputs: int) -> Any:
        """Return room for what is on links besides flits and credits: nothing."""
        return ()


class StreamState(NamedTuple):
    """The registers and memories of the ends of stream links."""

    chance: Array
    """Shape (1,)."""
    sender: Array
    receiver: Array
    held: Array
    word: Array
    """Shape (ends,), arrays of records."""
    sender_channel: Array
    receiver_channel: Array
    """Shape (ends * channels,), arrays of records."""
    kept: Array
    """Shape (ends * replay,), array of FLIT. The flits of the sender."""
    place: Array
    """Shape (ends * channels * (places + 1),), array of FLIT. Those at the end of a link."""
    passing: Array
    """Shape (ends * PASSING,), array of FLIT. Those on their way to the router."""
    line: Array
    """Shape (ends * (cycles + 1),), array of WORD. What is on its way to each end."""
    pushed: Array
    """Shape (ends,). The channel of the flit from the router, -1 without one."""
    returned: Array
    """Shape (ends,). The channels of the credits from the router, as a mask."""

    @property
    def rows(self) -> tuple[Array, ...]:
        """Return the flits on links."""
        return self.kept, self.place, self.passing


@compiled
def note_links(noted: Any, row: int, config: Config, state: State) -> None:
    """Note nothing: what arrives is noted anyway."""


@compiled
def step_links(slots: Slots, config: Config, state: State) -> None:
    """Take what routers send to each other in this cycle; give them what arrives in it."""
    streams, links, now = config.links, state.links, state.clock[0].now
    for end in range(len(streams.outputs)):
        _take(end, slots, config, streams, links)
    for end in range(len(streams.outputs)):
        _give(end, now, slots, config, streams, links)
        _send_word(end, now, streams, links)
    tick = now != 0 and now % streams.time_out == 0
    length = streams.cycles + 1
    for end in range(len(streams.outputs)):
        accepted, word = links.receiver[end].accepted, links.line[end * length + now % length]
        step_sender(end, links.pushed[end], accepted, tick, streams, links)
        step_receiver(end, word, links.returned[end], now, streams, links)
    links.chance[0] = advance_chance(links.chance[0])


@compiled
def _take(end: int, slots: Slots, config: Config, streams: Any, links: Any) -> None:
    """Take the flit of an output, and the credits that the input beside it returns."""
    link = config.link[streams.outputs[end]]
    node, port = link.dst_node, link.dst_port
    links.pushed[end] = -1
    if slots.arriving[node] >> port & 1:
        slots.arriving[node] &= ~(1 << port)
        flit, sender = slots.flits[node * config.ports + port], links.sender[end]
        copy_flit(flit, links.kept[end * streams.replay + sender.written % streams.replay])
        links.pushed[end] = flit.channel
    first = port * config.channels
    credits = slots.credits[node] >> first & (1 << config.channels) - 1
    slots.credits[node] &= ~(credits << first)
    links.returned[end] = credits


@compiled
def _give(end: int, now: int, slots: Slots, config: Config, streams: Any, links: Any) -> None:
    """Give the router at an end a flit and credits."""
    output = streams.outputs[end]
    node, port = output // config.ports, output % config.ports
    for channel in range(config.channels):
        grant = links.sender_channel[end * config.channels + channel].grant
        slots.credits[node] |= grant << port * config.channels + channel
    passing = links.passing[end * PASSING + now % PASSING]
    if passing.valid:
        copy_flit(passing, slots.flits[output])
        slots.arriving[node] |= 1 << port


@compiled
def _send_word(end: int, now: int, streams: Any, links: Any) -> None:
    """Put the word of an end on the link, unless it is lost there."""
    word, length = links.word[end], streams.cycles + 1
    there = links.line[streams.partner[end] * length + (now + streams.cycles) % length]
    chance = links.chance[0] ^ streams.outputs[end] * 0x9E37 & 0xFFFF
    there.valid = word.valid and chance >= streams.errors
    there.end, there.flit, there.channel = word.end, word.flit, word.channel
    there.sequence, there.acknowledged = word.sequence, word.acknowledged
    there.freed, there.crc = word.freed, word.crc
    there.damaged = there.valid and chance < 2 * streams.errors


def flits_on(links: StreamState, streams: StreamConfig, run: int) -> IntArray:
    """Return the flits that each end has taken from its router, but the other end not given."""
    gone = links.receiver_channel["freed"][run].reshape(-1, streams.channels).sum(1)
    passing = links.passing["valid"][run].reshape(-1, PASSING).sum(1)
    taken: IntArray = links.sender["written"][run] - (gone - passing)[streams.partner]
    return taken
