"""Stream links: flits in frames on AXI4-Stream, for the transceivers between boards."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.link.base import Link
from fingerpost.golden.link.frames import Frames, frames_for
from fingerpost.golden.parameters import Parameter, ParameterError, check_limits
from fingerpost.golden.topology import Topology


@dataclass(frozen=True)
class StreamLink(Link):
    """The link between boards: at each end a pair of AXI4-Stream for the core of a transceiver.

    What is lost or damaged on it is sent again (docs/howto/boards.md).

    Raises
    ------
    ParameterError
        If a number is beyond its limits.
    """

    kind: ClassVar[str] = "stream"
    jitter_reason: ClassVar[str] = "flits of stream links wait for the end of their frame"

    width: Annotated[int, Parameter("Bits of a word, those of tdata.", minimum=32, maximum=512)] = (
        64
    )
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
        Literal["all", "boards"],
        Parameter("Which links these are: all, or those between boards; the others are wires."),
    ] = "all"

    def __post_init__(self) -> None:
        check_limits(StreamLink, "Link", width=self.width, cycles=self.cycles, frame=self.frame)

    def streams(self, topology: Topology, boards: IntArray | None) -> BoolArray:
        """Return all links, or those between boards.

        Raises
        ------
        ParameterError
            If there are no boards for ``between: boards``.
        """
        there = topology.neighbour
        if self.between == "all":
            return there >= 0
        if boards is None:
            raise ParameterError(
                "between",
                "Link needs boards for between: boards, such as boards: 2, or between: all",
                section="link",
            )
        found: BoolArray = (there >= 0) & (boards[there] != boards[:, None])
        return found

    def frames(self, *, flit_width: int, channels: int, depth: int) -> Frames:
        """Return the frames that carry such flits.

        Raises
        ------
        ParameterError
            If the words are too narrow.
        """
        given = {"cycles": self.cycles, "flits": self.frame, "depth": depth}
        frames = frames_for(width=self.width, channels=channels, flit_width=flit_width, **given)
        if frames is None:
            least = Frames(channels, flit_width, self.frame, depth.bit_length()).width
            raise ParameterError(
                "width",
                f"Link needs a width of at least {least} for flits of {flit_width} bits and "
                f"{channels} channels, not {self.width}",
                section="link",
            )
        return frames
