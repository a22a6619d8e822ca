"""The base of all components: ports are declared once, in the signature."""

from typing import TYPE_CHECKING, Any

from amaranth.lib import wiring
from amaranth.lib.wiring import Member


class Component(wiring.Component):
    """A component whose ports are attributes by the names of its signature.

    Parameters
    ----------
    members : dict of Member
        Ports by their names.
    ports : Member
        More of them, as keywords.
    """

    def __init__(self, members: dict[str, Member] | None = None, /, **ports: Member) -> None:
        place: Any = {"src_loc_at": 1}  # ports are where the component says so
        super().__init__({**(members or {}), **ports}, **place)

    if TYPE_CHECKING:  # the signature is made at run time

        def __getattr__(self, name: str) -> Any: ...
