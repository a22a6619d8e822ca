"""The base of all components: ports are declared once, in the signature."""

from typing import TYPE_CHECKING, Any

from amaranth.lib import wiring


class Component(wiring.Component):
    """A component whose ports are attributes by the names of its signature."""

    def on_ecp5(self) -> str:
        """Return the body of its module as Verilog with cells of an ECP5, if there is such a one.

        It is used where FINGERPOST_ECP5 is defined.
        """
        return ""

    if TYPE_CHECKING:  # the signature is made at run time

        def __getattr__(self, name: str) -> Any: ...
