"""Test benches: one in plain Verilog and one for cocotb, for each kind of terminal.

Each is a template in `templates/testbench` or `templates/cocotb`, named as the kind of terminal,
inside a frame that lists the packets of `plan` and checks that all arrived.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from fingerpost.golden.header import bits
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.terminal.axi_stream import AxiStreamTerminal
from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.hdl.emit.network import control_ports, looped, missing, parts, vectors
from fingerpost.hdl.export.render import has_template, render
from fingerpost.hdl.export.software import table
from fingerpost.hdl.lib.banner import BENCH, banner, with_banner
from fingerpost.hdl.lib.ports import identifier, idle, part
from fingerpost.hdl.terminal import terminal_end
from fingerpost.hdl.terminal.axi4 import Axi4TerminalEnd, Axi4TerminalText, Side
from fingerpost.hdl.terminal.axi_stream import AxiStreamTerminalEnd
from fingerpost.hdl.terminal.axi_text import AxiStreamTerminalText
from fingerpost.hdl.terminal.credit import CreditTerminalEnd
from fingerpost.hdl.terminal.os_link import OsLinkTerminalEnd

PACKETS = 4096
"""The most packets of a bench, but that every terminal sends one."""

LIMIT, CALM = 2_000, 100
"""Cycles in which nothing comes after which nothing more does; the other where all has come."""

SLOW_LINK, SLOW_TERMINAL = 40_000, 4_000
"""The first in bit times, where links are serial, and where terminals alone are."""


class Plan(NamedTuple):
    """Packets from every terminal to every other, or to a few if there would be too many.

    Packet p is from terminal p // each, and goes to the one that is 1 + p % each * stride further.
    """

    terminals: int
    each: int
    """Packets of a terminal."""
    stride: int
    """How many terminals two of its packets are apart."""
    limit: int
    """Cycles in which nothing comes after which nothing more does."""
    calm: int
    """The same where all that was sent has come."""

    @property
    def packets(self) -> int:
        """Return how many there are."""
        return self.terminals * self.each

    @property
    def destinations(self) -> str:
        """Return the destinations of each terminal, as text."""
        return "every other" if self.stride == 1 else f"{self.each} others"


def plan(network: AnyNetwork) -> Plan:
    """Return the packets of a network's benches."""
    count = len(network.terminal.numbers(network.topology.terminals))
    each = count - 1 if count * (count - 1) <= PACKETS else max(1, PACKETS // count)
    link, terminal = network.link.describe(), network.terminal.describe()
    bit = terminal.get("clocks_per_bit", 0)
    return Plan(
        terminals=count,
        each=each,
        stride=(count - 1) // each,
        limit=max(LIMIT, SLOW_LINK * link.get("clocks_per_bit", 0), SLOW_TERMINAL * bit),
        calm=(CALM + terminal.get("slot", 0)) * max(1, bit),
    )


SPOKEN = "inject_", "eject_", "s_axis_", "m_axis_", "link_in", "link_out"
"""How the names of ports begin by which terminals speak."""


def verilog_bench(network: AnyNetwork) -> str | None:
    """Return a bench that sends packets between all terminals, and checks that all arrived.

    Every terminal sends one to every other, or to a few if that would be more than
    `PACKETS`. None if there is no template for this kind of terminal.
    """
    template = f"testbench/{network.terminal.kind}.v"
    if not has_template(template):
        return None
    return with_banner(network, render(template, **_values(network)), BENCH)


def cocotb_bench(network: AnyNetwork) -> str | None:
    """Return the same bench for cocotb.

    None if cocotb cannot drive these terminals: headers of credit terminals are not listed; or the
    clock of AXI is part of a vector, on whose edges no driver can wait.
    """
    template, kind = f"cocotb/{network.terminal.kind}.py", network.terminal.kind
    silent = (kind == CreditTerminalEnd.kind and table(network) is None) or (
        kind in (AxiStreamTerminalEnd.kind, Axi4TerminalEnd.kind)
        and network.link.own_clocks
        and "clock" not in network.terminal.describe()
    )
    if silent or not has_template(template):
        return None
    return render(template, **_values(network))


def _values(network: AnyNetwork) -> dict[str, Any]:
    """Return what the templates are filled in with."""
    spoken = [port for port in vectors(network) if port.name.startswith(SPOKEN)]
    counted = [port for port in vectors(network) if port not in spoken]  # 0 if all is well
    numbers = network.terminal.numbers(network.topology.terminals)
    text = terminal_end(network).text
    if isinstance(text, AxiStreamTerminalText):
        spoken = text.endpoint_streams()
    of_kind = OF_KIND.get(network.terminal.kind, lambda _: {})
    names, (module, ports) = {port.name for port in counted}, looped(network)
    joined = [(x.name, x.name) for x in ports if x.name in names]
    absent: list[str] = []  # assigns 0 to what no port of the module drives
    if not joined:
        of_nodes = [(port.name, at) for port, at in parts(network)]
        joined = [(name, at) for name, at in of_nodes if at.partition("[")[0] in names]
        absent = [x for x in missing(network) if x.split()[1].partition("[")[0] in names]
    return {
        "name": identifier(network.name),
        "module": module,
        "joined": joined,
        "absent": absent,
        "banner": banner(network),
        "network": network,
        "nodes": network.topology.terminal_numbers * network.terminal.endpoints,
        "terminals": numbers,
        "clocks": network.topology.nodes if network.link.own_clocks else 1,
        "terminal": network.terminal.describe(),
        "plan": plan(network),
        "spoken": spoken,
        "counted": counted,
        "control": control_ports(network),
        **of_kind(network),
    }


def _credit(network: AnyNetwork) -> dict[str, Any]:
    sent, terminals, known = plan(network), network.topology.terminals, table(network)
    by_packet = known is None or known.by_source
    if known is not None and not known.by_source:
        headers = known.headers[0, terminals]
    else:
        source, step = np.divmod(np.arange(sent.packets), sent.each)
        target = (source + 1 + step * sent.stride) % sent.terminals
        headers = network.routing.addresses(terminals[source], terminals[target])
    return {
        "by_packet": by_packet,
        "headers": headers.tolist(),
        "header_width": network.routing.address_layout.width,
        # The flits that it takes to say the number of a packet.
        "body": -(-max(1, (sent.packets - 1).bit_length()) // network.flit_width),
    }


def _axi_stream(network: AnyNetwork) -> dict[str, Any]:
    # A sender may pause inside a packet if no time-out is so short that it would be reached.
    terminal = network.terminal.describe()
    pauses = not 0 < terminal["timeout"] < 8
    assert isinstance(network.terminal, AxiStreamTerminal)
    longest = min(4, network.terminal.longest or 4)  # beats
    return {
        "layout": AxiLayout.of(network),
        "number": bits(network.topology.terminal_numbers * network.terminal.endpoints),
        "longest": longest,
        "pauses": pauses,
    }


def _axi4(network: AnyNetwork) -> dict[str, Any]:
    """Return managers and memories; each manager has a slot of its own in each memory."""
    text = terminal_end(network).text
    assert isinstance(text, Axi4TerminalText)
    bytes, longest = text.terminal.data_width // 8, 4  # beats
    parts = {x.node: x for region in text.map.regions[::-1] for x in text.map.parts(region)}
    memories = [parts[node] for node, side in text.sides if not side.manager and node in parts]
    managers = [(node, side) for node, side in text.sides if side.manager]
    while True:
        sent = _transfers(len(managers), len(memories))
        slots = sent.each * -(-len(managers) // len(memories))
        if slots * longest * bytes <= min(memory.size for memory in memories):
            break
        managers.pop()
    place = {(True, node): at for at, (node, _) in enumerate(managers)}
    place |= {(False, memory.node): at for at, memory in enumerate(memories)}
    # What AXI4-Lite does not have: a request is of one beat.
    alone = {"size": bytes.bit_length() - 1, "burst": 1, "last": 1}
    connections, fixed, unused = list[str](), list[tuple[str, int]](), list[str]()
    for node, side in text.sides:
        at = place.get((side.manager, node))
        of_lite = {port.name.replace("axil", "axi"): port for port in side.ports()}
        for port in Side(text, manager=side.manager, lite=False).ports():
            if port.name not in of_lite and port.direction == "output" and at is not None:
                field = port.name.rpartition("_")[2].lstrip("awr")
                fixed.append((part(port.name, at, port.bits), alone.get(field, 0)))
            elif port.name in of_lite:
                there = port._replace(name=side.named(of_lite[port.name], node))
                if at is None:
                    connections.append(idle(there))
                    unused += [there.name] * (port.direction == "input")
                else:
                    connections.append(f".{there.name}({part(port.name, at, port.bits)})")
    vectors = [
        port._replace(bits=port.bits * count)
        for manager, count in ((True, len(managers)), (False, len(memories)))
        for port in Side(text, manager=manager, lite=False).ports()
    ]
    return {
        "plan": sent,
        "terminals": [node for node, _ in managers],
        "lite": sum(side.lite << at for at, (_, side) in enumerate(managers)),
        "memories": memories,
        "slots": slots,
        "longest": longest,
        "bytes": bytes,
        "size": alone["size"],
        "vectors": vectors,
        "connections": connections,
        "fixed": fixed,
        "unused": unused,
    }


def _transfers(managers: int, memories: int) -> Plan:
    """Return the transfers from each manager to every memory, or to a few."""
    each = memories if managers * memories <= PACKETS else max(1, PACKETS // managers)
    return Plan(managers, each, memories // each, LIMIT, CALM)


def _os_link(network: AnyNetwork) -> dict[str, Any]:
    terminal = network.terminal.describe()
    # A peer pauses for a quarter of a time-out, at most; in another two a byte and its acknowledge
    # go, `slot` and all.
    pause = min(64, terminal["timeout"] // 4 or 64)
    return {"longest": min(16, terminal["longest"]), "pause": pause}  # bytes of data; bit times


OF_KIND: dict[str, Callable[[Any], dict[str, Any]]] = {
    CreditTerminalEnd.kind: _credit,
    AxiStreamTerminalEnd.kind: _axi_stream,
    Axi4TerminalEnd.kind: _axi4,
    OsLinkTerminalEnd.kind: _os_link,
}
"""What only the templates of one kind of terminal need."""
