"""The signals of AXI4-Stream that are used here."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class AxiStreamSignature(wiring.Signature):
    """AXI4-Stream, seen from the sender.

    Parameters
    ----------
    bytes : int
        Of tdata.
    user : int
        Bits of tuser.
    streams : int
        So many streams side by side: each member is as many times as wide.

    Members
    -------
    tvalid, tlast : ``Out(1)``
    tdata : ``Out(8 * bytes)``
    tkeep : ``Out(bytes)``       Not if there is one byte only.
    tuser : ``Out(user)``
    tready : ``In(1)``
    """

    def __init__(self, bytes: int, *, user: int, streams: int = 1) -> None:
        self.bytes, self.user, self.streams = bytes, user, streams
        super().__init__(
            {
                "tvalid": Out(streams),
                "tready": In(streams),
                "tdata": Out(8 * bytes * streams),
                **({"tkeep": Out(bytes * streams)} if bytes > 1 else {}),
                "tlast": Out(streams),
                "tuser": Out(user * streams),
            }
        )
