"""The signals of AXI4-Stream that are used here."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["AxiStreamSignature"]


class AxiStreamSignature(wiring.Signature):
    """AXI4-Stream, seen from the sender.

    Parameters
    ----------
    bytes : int
        Of tdata.
    user : int
        Bits of tuser.

    Members
    -------
    tvalid, tlast : ``Out(1)``
    tdata : ``Out(8 * bytes)``
    tkeep : ``Out(bytes)``       Not if there is one byte only.
    tuser : ``Out(user)``
    tready : ``In(1)``
    """

    def __init__(self, bytes: int, *, user: int) -> None:
        self.bytes, self.user = bytes, user
        super().__init__(
            {
                "tvalid": Out(1),
                "tready": In(1),
                "tdata": Out(8 * bytes),
                **({"tkeep": Out(bytes)} if bytes > 1 else {}),
                "tlast": Out(1),
                "tuser": Out(user),
            }
        )
