"""The Verilog of a node inside a contract: its registers and wires by name, some of them cut."""

from amaranth import ClockSignal, Const, Instance, Signal
from amaranth.hdl import ValueLike

from fingerpost.formal.contract import FIRST, Contract

__all__ = ["Netlist"]

READ = """read_verilog -sv node.v
hierarchy -top {0}; proc; flatten; opt_clean
{1}
rename {0} netlist
"""


class Netlist:
    """A module, flattened. `connect` puts it into the contract when all is named.

    Parameters
    ----------
    contract : Contract
    name, verilog : str
        The module, and a file that has it and all its parts.
    """

    def __init__(self, contract: Contract, name: str, verilog: str) -> None:
        self.contract, self.name, self.verilog = contract, name, verilog
        self._seen: dict[str, Signal] = {}
        self._cut: dict[str, Signal] = {}
        self._driven: dict[str, ValueLike] = {}
        self._given: dict[str, ValueLike] = {"clk": ClockSignal(), "rst": Const(0, 1)}

    def wire(self, name: str, width: int = 1) -> Signal:
        """Return a wire, register or output of the module; of a wire that is cut what drives it."""
        return self._seen.setdefault(name, Signal(width, name=name))

    def cut(self, name: str, width: int = 1) -> Signal:
        """Return what a wire is for all that it drives: anything."""
        if name not in self._cut:
            self._cut[name] = self.contract.anything(f"{name}.cut", width)
            self.drive(name, self._cut[name])
        return self._cut[name]

    def drive(self, name: str, value: ValueLike) -> None:
        """Let a wire be a value for all that it drives."""
        self._driven[name] = value

    def put(self, name: str, value: ValueLike) -> None:
        """Give an input of the module a value."""
        self._given[name] = value

    def connect(self) -> None:
        """Make the instance; what is not given is anything."""
        ports: dict[str, ValueLike] = {f"i_{name}": value for name, value in self._given.items()}
        ports |= {f"i_{name}.i": signal for name, signal in self._driven.items()}
        ports |= {f"o_{name}": signal for name, signal in self._seen.items()}
        self.contract.m.submodules.netlist = Instance("netlist", **ports)
        shown = [name for name in self._seen if name not in self._driven]
        commands = [f"select -assert-count 1 w:{name}" for name in (*self._driven, *shown)]
        for option, names in ("-cut", list(self._driven)), ("", shown):
            some = " ".join(f"w:{name}" for name in names)
            commands += [f"expose {option} {some}"] * bool(some)
        read = READ.format(self.name, "\n".join(commands))
        self.contract.sources |= {"node.v": self.verilog, FIRST: read}
