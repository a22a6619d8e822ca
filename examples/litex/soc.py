"""Mailboxes of a generated network on Wishbone as a LiteX module, and the least SoC with it."""

from pathlib import Path
from typing import Any

from litex.build.generic_platform import Pins, Subsignal
from litex.build.sim import SimPlatform
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCMini
from litex.soc.interconnect import wishbone
from migen import Cat, ClockDomain, ClockSignal, Constant, Instance, Module, ResetSignal, Signal

from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.network import top
from fingerpost.hdl.export.generate import generate
from fingerpost.hdl.lib.ports import identifier

BASE, STRIDE = 0x4000_0000, 0x1000
"""Where the mailbox of the first terminal is, and how far the next one."""

SIGNALS = "dat_w", "dat_r", "sel", "we", "cyc", "stb", "ack", "err"


class Mailboxes(Module):
    """The network; its Verilog is added to the platform.

    Parameters
    ----------
    platform : GenericPlatform
    network : Network
        With ``terminal: {kind: mailbox, bus: wishbone}``.
    folder : Path
        Where its files go.

    Attributes
    ----------
    buses : dict of wishbone.Interface
        By terminal: LiteX's, whose addresses are those of words.
    irqs : dict of Signal
        By terminal.

    Raises
    ------
    ValueError
        If the terminals are others.
    """

    def __init__(self, platform: Any, network: Network, folder: Path) -> None:
        kind = network.terminal.describe()
        if (kind["kind"], kind.get("bus")) != ("mailbox", "wishbone"):
            raise ValueError("LiteX needs terminal: {kind: mailbox, bus: wishbone}")
        generate(network, folder)
        listed = (folder / f"{identifier(network.name)}.f").read_text().splitlines()
        for file in (line for line in listed if not line.startswith("//")):
            platform.add_source(str(folder / file))
        module, ports = top(network)
        widths = {port.name: port.bits for port in ports}
        terminals = network.terminal.numbers(network.topology.terminals)
        self.buses = {v: wishbone.Interface() for v in terminals}
        self.irqs = {v: Signal() for v in terminals}
        ends = {"clk": ClockSignal, "rst": ResetSignal}
        kinds = {name: ends.get(name.rpartition("_")[2]) for name in widths}
        joined: dict[str, Any] = {f"i_{name}": kind() for name, kind in kinds.items() if kind}
        for v, bus in self.buses.items():
            joined[f"o_irq_{v}"] = self.irqs[v]
            joined[f"i_wb_{v}_adr"] = Cat(Constant(0, 2), bus.adr)[: widths[f"wb_{v}_adr"]]
            for name in SIGNALS:
                way = "o" if name in {"dat_r", "ack", "err"} else "i"
                joined[f"{way}_wb_{v}_{name}"] = getattr(bus, name)
        self.specials += Instance(module, **joined)


class Soc(SoCMini):
    """No processor: a bus whose manager is outside, and the mailboxes on it."""

    def __init__(self, network: Network, folder: Path) -> None:
        widths = {"adr": 30, "dat_w": 32, "dat_r": 32, "sel": 4}
        host = [Subsignal(name, Pins(widths.get(name, 1))) for name in ("adr", *SIGNALS)]
        pins = [("sys_clk", 0, Pins(1)), ("sys_rst", 0, Pins(1)), ("host", 0, *host)]
        platform = SimPlatform("SIM", pins)
        super().__init__(platform, clk_freq=100_000_000)
        self.clock_domains.cd_sys = ClockDomain("sys")
        self.comb += self.cd_sys.clk.eq(platform.request("sys_clk"))
        self.comb += self.cd_sys.rst.eq(platform.request("sys_rst"))
        outside, manager = platform.request("host"), wishbone.Interface()
        for name in ("adr", *SIGNALS):
            one, other = getattr(outside, name), getattr(manager, name)
            answer = name in {"dat_r", "ack", "err"}
            self.comb += one.eq(other) if answer else other.eq(one)
        self.bus.add_master("host", master=manager)
        self.submodules.mailboxes = Mailboxes(platform, network, folder)
        for place, (v, bus) in enumerate(self.mailboxes.buses.items()):
            region = SoCRegion(origin=BASE + place * STRIDE, size=STRIDE, cached=False)
            self.bus.add_slave(f"mailbox_{v}", bus, region)
