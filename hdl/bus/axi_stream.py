"""The signals of AXI4-Stream that are used here."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fingerpost.golden.terminal.beat import kept_bytes


class AxiStreamSignature(wiring.Signature):
    """AXI4-Stream, seen from the sender.

    Parameters
    ----------
    width : int
        Bits of tdata.
    user : int
        Bits of tuser.
    streams : int
        So many streams side by side: each member is as many times as wide.

    Members
    -------
    tvalid, tlast : ``Out(1)``
    tdata : ``Out(width)``
    tkeep : ``Out(width // 8)``  If tdata has several bytes, all whole.
    tuser : ``Out(user)``
    tready : ``In(1)``
    """

    def __init__(self, width: int, *, user: int, streams: int = 1) -> None:
        self.width, self.user, self.streams = width, user, streams
        bytes = kept_bytes(width)
        super().__init__(
            {
                "tvalid": Out(streams),
                "tready": In(streams),
                "tdata": Out(width * streams),
                **({"tkeep": Out(bytes * streams)} if bytes > 1 else {}),
                "tlast": Out(streams),
                "tuser": Out(user * streams),
            }
        )
