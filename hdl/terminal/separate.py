"""A network with ports of their own for every terminal, around the one with packed ports."""

from collections.abc import Iterable, Iterator, Sequence

from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.hdl.lib.ports import Port, instance, module, part, passed

__all__ = ["of_terminal", "payload", "separate", "separated", "stream_name"]


WAIVER = (
    "/* verilator lint_off SYNCASYNCNET */ // a reset empties the queues between clocks at once"
)
"""A warning of Verilator that means nothing here, with the reason."""


def payload(ports: Iterable[Port], stream: str) -> list[Port]:
    """Return the ports of a stream that carry a beat, ``s_axis`` or ``m_axis``."""
    handshake = {f"{stream}_tvalid", f"{stream}_tready"}
    return [p for p in ports if p.name.startswith(f"{stream}_") and p.name not in handshake]


def separate(
    network: AnyNetwork, name: str, ports: Sequence[Port], *, crosses: bool = False
) -> str:
    """Return the module {name}_streams: `s_axis_12_tdata` is the part of terminal 12.

    With several message classes `s_axis_12_1_tdata` is that of its class 1.

    Parameters
    ----------
    network : Network
    name : str
        Of the network, as an identifier.
    ports : sequence of Port
        Those of the network; what begins with ``s_axis_`` or ``m_axis_`` is split.
    crosses : bool
        Whether every terminal has a clock of its own.
    """
    streams, others = _streams(ports)
    classes = network.classes
    terminals = network.topology.terminals.tolist()
    count = network.topology.nodes * classes
    body = [f"  wire [{port.bits - 1}:0] {port.name};" for port in streams]
    for stream in range(count):
        v = stream // classes
        if crosses and v in terminals:
            clock = f"[{v}]" if network.link.own_clocks else ""
            body += _crossed(streams, v, count, name, clock)
        else:
            label = stream_name(network, stream)
            body += _joined(streams, stream, count, label if v in terminals else "")
    body.append(instance(f"{name}_network", "network", passed([*others, *streams])))
    return "\n".join(
        [
            f"// {name}_network with separate ports for each terminal.",
            *([WAIVER] if crosses else []),
            module(f"{name}_streams", separated(network, ports, crosses=crosses), body),
        ]
    )


def separated(
    network: AnyNetwork, ports: Sequence[Port], *, crosses: bool = False, endpoints: int = 1
) -> list[Port]:
    """Return the ports of the module that `separate` returns for such ones of the network.

    With several `endpoints` each port that is split has a part for each of them.
    """
    streams, every = _streams(ports)
    each = endpoints * network.classes  # streams of a terminal
    for v in network.topology.terminals.tolist():
        if crosses:
            clock = Port(f"axis_{v}_clk", "input", 1, f"clock of terminal {v}")
            reset = Port(f"axis_{v}_rst", "input", 1, "its synchronous reset, active high")
            every += [clock, reset]
        for stream in range(v * each, (v + 1) * each):
            number = stream // network.classes
            for port in streams:
                bits = port.bits // (network.topology.nodes * each)
                meaning = port.meaning.replace("terminal v", f"terminal {number}")
                name = of_terminal(port, stream_name(network, stream))
                every.append(Port(name, port.direction, bits, meaning))
    return every


def stream_name(network: AnyNetwork, stream: int) -> str:
    """Return the name of stream number * classes + class: the number, and the class if several."""
    node, message_class = divmod(stream, network.classes)
    return f"{node}_{message_class}" if network.classes > 1 else f"{node}"


def of_terminal(port: Port, stream: str) -> str:
    """Return the name of the part of a port of the network that is a stream's."""
    return port.name.replace("axis_", f"axis_{stream}_")


def _streams(ports: Iterable[Port]) -> tuple[list[Port], list[Port]]:
    """Return the ports that are split, and the others."""
    streams: list[Port] = []
    others: list[Port] = []
    for port in ports:
        (streams if port.name.startswith(("s_axis_", "m_axis_")) else others).append(port)
    return streams, others


def _crossed(streams: list[Port], v: int, nodes: int, name: str, clock: str) -> Iterator[str]:
    """Join the ports of a terminal that has its own clock with its parts."""
    own = f"_clk(axis_{v}_clk)", f"_rst(axis_{v}_rst)"
    network = f"_clk(clk{clock})", f"_rst(rst{clock})"
    for way, stream in (("in", "s_axis"), ("out", "m_axis")):
        beat = payload(streams, stream)
        outside = ", ".join(of_terminal(port, f"{v}") for port in beat)
        inside = ", ".join(part(port.name, v, port.bits // nodes) for port in beat)
        signs = (
            [f"{stream}_{v}_t{sign}" for sign in ("valid", "ready")],
            [f"{stream}_t{sign}[{v}]" for sign in ("valid", "ready")],
        )
        ends = [(own, signs[0], outside), (network, signs[1], inside)]
        (write, (valid, ready), data), (read, (r_valid, r_ready), r_data) = (
            ends if way == "in" else ends[::-1]
        )
        clocks = [*(f".write{end}" for end in write), *(f".read{end}" for end in read)]
        yield instance(
            f"{name}_crossing_{way}",
            f"crossing_{way}_{v}",
            ", ".join(clocks),
            f".w_valid({valid}), .w_ready({ready}), .w_data({{{data}}})",
            f".r_valid({r_valid}), .r_ready({r_ready}), .r_data({{{r_data}}})",
        )


def _joined(ports: Iterable[Port], stream: int, count: int, label: str) -> Iterator[str]:
    """Join the ports of a stream with its parts; without a label nothing comes in."""
    for port in ports:
        width = port.bits // count
        packed = part(port.name, stream, width)
        if port.direction == "input":
            source = of_terminal(port, label) if label else f"{width}'d0"
            yield f"  assign {packed} = {source};"
        elif label:
            yield f"  assign {of_terminal(port, label)} = {packed};"
