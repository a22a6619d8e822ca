"""Mailboxes of a generated network, or memory at its nodes, as LiteX modules; the least SoC."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from litex.build.generic_platform import Pins, Subsignal
from litex.build.sim import SimPlatform
from litex.soc.cores.dma import WishboneDMAReader, WishboneDMAWriter
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCMini
from litex.soc.interconnect import axi, wishbone
from migen import Cat, ClockDomain, ClockSignal, Constant, Instance, Module, ResetSignal, Signal

from fingerpost.golden.network.network import Network
from fingerpost.golden.terminal import Axi4Terminal
from fingerpost.hdl.emit.network import top
from fingerpost.hdl.export.generate import generate
from fingerpost.hdl.lib.ports import identifier
from fingerpost.hdl.terminal.axi4 import sides

BASE, STRIDE = 0x4000_0000, 0x1000
"""Where the mailbox of the first terminal is, and how far the next one."""

SRAM = 0x1000
"""Bytes of each memory."""

ROM = 0x10000
"""Where a program is: `always @(*)` in Icarus misses an address that is 0 from the beginning."""

SIGNALS = "dat_w", "dat_r", "sel", "we", "cyc", "stb", "ack", "err"


CHANNEL = re.compile(r"[sm]_axil?_(aw|ar|w|b|r)([a-z]+)")
"""The channel and the field of a port of AXI4."""


class Generated(Module):
    """A network; its Verilog is generated into a folder and added to the platform.

    Attributes
    ----------
    widths : dict of int
        Bits of the ports by their names.
    """

    def __init__(self, platform: Any, network: Network, folder: Path) -> None:
        generate(network, folder)
        listed = (folder / f"{identifier(network.name)}.f").read_text().splitlines()
        for file in (line for line in listed if not line.startswith("//")):
            platform.add_source(str(folder / file))
        self.module, ports = top(network)
        self.widths = {port.name: port.bits for port in ports}

    def instantiate(self, joined: Mapping[str, Any]) -> None:
        """Make the instance, with ports as Migen names them; clocks and resets are LiteX's."""
        ends = {"clk": ClockSignal, "rst": ResetSignal}
        kinds = {name: ends.get(name.rpartition("_")[2]) for name in self.widths}
        clocks = {f"i_{name}": kind() for name, kind in kinds.items() if kind}
        self.specials += Instance(self.module, **clocks, **joined)


class Mailboxes(Generated):
    """The mailboxes of a network.

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
        super().__init__(platform, network, folder)
        terminals = network.terminal.numbers(network.topology.terminals)
        self.buses = {v: wishbone.Interface() for v in terminals}
        self.irqs = {v: Signal() for v in terminals}
        joined = dict[str, Any]()
        for v, bus in self.buses.items():
            joined[f"o_irq_{v}"] = self.irqs[v]
            joined[f"i_wb_{v}_adr"] = Cat(Constant(0, 2), bus.adr)[: self.widths[f"wb_{v}_adr"]]
            for name in SIGNALS:
                way = "o" if name in {"dat_r", "ack", "err"} else "i"
                joined[f"{way}_wb_{v}_{name}"] = getattr(bus, name)
        self.instantiate(joined)


class Memory(Generated):
    """The sides of AXI4, or of AXI4-Lite, of a network.

    Parameters
    ----------
    platform : GenericPlatform
    network : Network
        With ``terminal: {kind: axi4}``.
    folder : Path
        Where its files go.

    Attributes
    ----------
    managers, subordinates : dict of AXIInterface or AXILiteInterface
        By terminal: where a manager is connected, and where a subordinate is.
    """

    def __init__(self, platform: Any, network: Network, folder: Path) -> None:
        super().__init__(platform, network, folder)
        self.managers, self.subordinates = dict[int, Any](), dict[int, Any]()
        joined = dict[str, Any]()
        for v, side in sides(network):
            given: dict[str, Any] = {
                "data_width": side.bus.data_width,
                "address_width": side.bus.address_width,
            }
            bus = (
                axi.AXILiteInterface(**given)
                if side.lite
                else axi.AXIInterface(id_width=side.bus.id_width, **given)
            )
            (self.managers if side.manager else self.subordinates)[v] = bus
            for port in side.ports():
                channel, field = CHANNEL.fullmatch(port.name).groups()  # type: ignore[union-attr]
                signal = getattr(getattr(bus, channel), field)
                joined[f"{port.direction[0]}_{side.named(port, v)}"] = signal
        self.instantiate(joined)


class Soc(SoCMini):
    """A bus, and mailboxes or memory on it; managers are outside, and a processor with a program.

    With AXI4-Lite terminals the bus has the first manager side; the subordinates are memories. At
    the second manager side is a DMA engine, which copies from one memory to another.

    Parameters
    ----------
    network : Network
    folder : Path
    program : sequence of int
        Words from address `ROM`; without any there is no processor.
    """

    mem_map = SoCMini.mem_map | {"rom": ROM}

    def __init__(self, network: Network, folder: Path, program: Sequence[int] = ()) -> None:
        widths = {"adr": 30, "dat_w": 32, "dat_r": 32, "sel": 4}
        host = [Subsignal(name, Pins(widths.get(name, 1))) for name in ("adr", *SIGNALS)]
        pins = [("sys_clk", 0, Pins(1)), ("sys_rst", 0, Pins(1)), ("host", 0, *host)]
        platform = SimPlatform("SIM", pins)
        processor: dict[str, Any] = {
            "cpu_type": "picorv32",
            "integrated_rom_init": [*program],
            "integrated_rom_size": 4 * len(program),
            "integrated_sram_size": SRAM,
        }
        super().__init__(platform, clk_freq=100_000_000, **(processor if program else {}))
        self.clock_domains.cd_sys = ClockDomain("sys")
        self.comb += self.cd_sys.clk.eq(platform.request("sys_clk"))
        self.comb += self.cd_sys.rst.eq(platform.request("sys_rst"))
        outside, manager = platform.request("host"), wishbone.Interface()
        for name in ("adr", *SIGNALS):
            one, other = getattr(outside, name), getattr(manager, name)
            answer = name in {"dat_r", "ack", "err"}
            self.comb += one.eq(other) if answer else other.eq(one)
        self.bus.add_master("host", master=manager)
        if network.terminal.kind == "mailbox":
            self._mailboxes(platform, network, folder)
        else:
            self._memory(platform, network, folder)

    def _mailboxes(self, platform: Any, network: Network, folder: Path) -> None:
        self.submodules.mailboxes = Mailboxes(platform, network, folder)
        for place, (v, bus) in enumerate(self.mailboxes.buses.items()):
            region = SoCRegion(origin=BASE + place * STRIDE, size=STRIDE, cached=False)
            self.bus.add_slave(f"mailbox_{v}", bus, region)

    def _memory(self, platform: Any, network: Network, folder: Path) -> None:
        self.submodules.memory = memory = Memory(platform, network, folder)
        assert isinstance(network.terminal, Axi4Terminal)
        map = network.terminal.memory_map(network.topology)
        region = SoCRegion(origin=map.regions[0].base, size=map.regions[0].span(map.nodes))
        own, *others = memory.managers.values()
        self.bus.add_slave("memory", own, region)
        if others:
            self._engine(others[0])
        for bus in memory.subordinates.values():
            self.submodules += axi.AXILiteSRAM(SRAM, bus=bus)

    def _engine(self, manager: Any) -> None:
        """Let what a reader reads be what a writer writes; both have registers on the bus."""
        self.submodules.reader = reader = WishboneDMAReader(wishbone.Interface(), with_csr=True)
        self.submodules.writer = writer = WishboneDMAWriter(wishbone.Interface(), with_csr=True)
        self.comb += reader.source.connect(writer.sink)
        both = wishbone.Interface()
        self.submodules += wishbone.Arbiter([reader.bus, writer.bus], both)
        self.submodules += axi.Wishbone2AXILite(both, manager)
