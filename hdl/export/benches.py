"""Test benches: one in plain Verilog and one for cocotb, for each kind of terminal.

Each is a template in `templates/testbench` or `templates/cocotb`, named as the kind of terminal,
around which a frame sends no packet itself but says which there are, and tells whether all came.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from fingerpost.golden.network.network import Network
from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.hdl.emit.network import control_ports, identifier, top
from fingerpost.hdl.export import bench_plan
from fingerpost.hdl.export.headers import table
from fingerpost.hdl.export.render import has_template, render
from fingerpost.hdl.lib.banner import banner, with_banner
from fingerpost.hdl.terminal.axi_stream import AxiStreamTerminalEnd
from fingerpost.hdl.terminal.credit import CreditTerminalEnd
from fingerpost.hdl.terminal.os_link import OsLinkTerminalEnd

__all__ = ["cocotb_bench", "verilog_bench"]


def verilog_bench(network: Network) -> str | None:
    """Return a bench that sends packets between all terminals, and tells whether all came.

    Every terminal sends one to every other, or to a few if that would be more than
    `hdl.export.bench_plan.PACKETS`. None if there is no template for this kind of terminal.
    """
    template = f"testbench/{network.terminal.kind}.v"
    if not has_template(template):
        return None
    return with_banner(network, render(template, **_values(network)))


def cocotb_bench(network: Network) -> str | None:
    """Return the same bench for cocotb.

    None, too, if it cannot speak with these terminals: headers of credit terminals are not listed,
    or the clock of AXI4-Stream is part of a vector, of which no driver can wait for an edge.
    """
    template, kind = f"cocotb/{network.terminal.kind}.py", network.terminal.kind
    silent = (kind == CreditTerminalEnd.kind and table(network) is None) or (
        kind == AxiStreamTerminalEnd.kind
        and network.link.own_clocks
        and "clock" not in network.terminal.describe()
    )
    if silent or not has_template(template):
        return None
    return render(template, **_values(network))


def _values(network: Network) -> dict[str, Any]:
    """Return what the templates are filled in with."""
    spoken, counted = bench_plan.spoken_and_counted(network)
    return {
        "name": identifier(network.name),
        "module": top(network)[0],
        "banner": banner(network),
        "network": network,
        "nodes": network.topology.nodes,
        "terminals": network.topology.terminals.tolist(),
        "clocks": network.topology.nodes if network.link.own_clocks else 1,
        "terminal": network.terminal.describe(),
        "plan": bench_plan.plan(network),
        "spoken": spoken,
        "counted": counted,
        "control": control_ports(network),
        **OF_KIND[network.terminal.kind](network),
    }


def _credit(network: Network) -> dict[str, Any]:
    plan, terminals, known = bench_plan.plan(network), network.topology.terminals, table(network)
    by_packet = known is None or known.by_source
    if known is not None and not known.by_source:
        headers = known.headers[0, terminals]
    else:
        source, step = np.divmod(np.arange(plan.packets), plan.each)
        target = (source + 1 + step * plan.stride) % plan.terminals
        headers = network.routing.encode(terminals[source], terminals[target])
    return {
        "by_packet": by_packet,
        "headers": headers.tolist(),
        "header_width": network.routing.header.width,
        # The flits that it takes to say the number of a packet.
        "body": -(-max(1, (plan.packets - 1).bit_length()) // network.flit_width),
    }


def _axi_stream(network: Network) -> dict[str, Any]:
    layout = AxiLayout.of(network)
    return {
        "bytes": layout.bytes,
        "number": layout.number,
        "longest": 4,  # beats of a packet
        "pauses": bench_plan.pauses(network),
    }


def _os_link(network: Network) -> dict[str, Any]:
    return {
        "longest": bench_plan.longest_data(network),
        "pause": bench_plan.longest_pause(network),
        "late": int(network.terminal.describe()["acknowledge"] == "late"),
        "short": int(network.terminal.describe()["stop"] == "ignored"),
    }


OF_KIND: dict[str, Callable[[Network], dict[str, Any]]] = {
    CreditTerminalEnd.kind: _credit,
    AxiStreamTerminalEnd.kind: _axi_stream,
    OsLinkTerminalEnd.kind: _os_link,
}
"""What only the templates of one kind of terminal need."""
