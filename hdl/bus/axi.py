"""The signals of AXI4, AXI4-Lite and AXI4-Stream that are used here."""

from collections.abc import Sequence
from typing import Any

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fingerpost.golden.terminal.beat import kept_bytes
from fingerpost.hdl.lib.ports import Port, ports_of


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


FIELDS = {
    "id": "ID of the transaction",
    "addr": "byte address",
    "len": "beats but one",
    "size": "log2 of the bytes of a beat",
    "burst": "0 FIXED, 1 INCR, 2 WRAP",
    "lock": "exclusive access; not supported: answered OKAY",
    "prot": "protection",
    "cache": "memory attributes",
    "qos": "quality of service",
    "data": "data",
    "strb": "bytes to write",
    "last": "last beat of the burst",
    "resp": "0 OKAY, 2 SLVERR, 3 DECERR",
    "valid": "the {channel} channel is valid",
    "ready": "what is valid is accepted",
}
"""What the signals of a channel mean, in their order."""

LITE = {
    "aw": ("addr", "prot"),
    "w": ("data", "strb"),
    "b": ("resp",),
    "ar": ("addr", "prot"),
    "r": ("data", "resp"),
}
"""The fields of the channels of AXI4-Lite."""

ADDRESS = "id", "addr", "len", "size", "burst", "lock", "prot", "cache", "qos"

FULL = {
    "aw": ADDRESS,
    "w": ("data", "strb", "last"),
    "b": ("id", "resp"),
    "ar": ADDRESS,
    "r": ("id", "data", "resp", "last"),
}
"""The same of AXI4; there is neither region nor user."""


class Axi4Signature(wiring.Signature):
    """AXI4 or AXI4-Lite, seen from the manager.

    Parameters
    ----------
    address_width, data_width : int
    id_width : int
        Bits of an ID; 0 for AXI4-Lite.
    channels : sequence of str, optional
        Those that there are; all by default.
    protection : bool, optional
        Whether there are awprot and arprot.

    Members
    -------
    awaddr, awvalid ... : ``Out``     Requests and data.
    bresp, bvalid ... : ``In``        Responses.
    """

    def __init__(
        self,
        address_width: int,
        data_width: int,
        *,
        id_width: int,
        channels: Sequence[str] = (),
        protection: bool = True,
    ) -> None:
        self.address_width, self.data_width = address_width, data_width
        self.id_width, self.lite = id_width, id_width == 0
        self.channels = tuple(channels or FULL)
        widths = {
            "id": id_width,
            "addr": address_width,
            "len": 8,
            "size": 3,
            "burst": 2,
            "prot": 3,
            "cache": 4,
            "qos": 4,
            "data": data_width,
            "strb": data_width // 8,
            "resp": 2,
        }
        members = {}
        for channel in self.channels:
            fields = (LITE if self.lite else FULL)[channel]
            forth, back = (In, Out) if channel in ("b", "r") else (Out, In)
            for name in fields:
                if protection or name != "prot":
                    members[channel + name] = forth(widths.get(name, 1))
            members |= {f"{channel}valid": forth(1), f"{channel}ready": back(1)}
        super().__init__(members)

    def only(self, *channels: str) -> "Axi4Signature":
        """Return the same with some channels."""
        return Axi4Signature(
            self.address_width, self.data_width, id_width=self.id_width, channels=channels
        )


def axi4_ports(signature: Any, prefix: str) -> list[Port]:
    """Return the ports of a module that has the signature, with names such as s_axi_awaddr."""
    meanings = {
        channel + name: FIELDS[name].format(channel=channel.upper())
        for channel, fields in FULL.items()
        for name in (*fields, "valid", "ready")
    }
    return ports_of(signature, prefix, meanings)
