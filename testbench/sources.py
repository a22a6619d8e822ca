"""The top modules of benches, of few and wide ports."""

from golden.header import bits
from golden.link.cells import LINK_ERRORS
from golden.network import Network
from hdl.network import identifier

__all__ = [
    "Fields",
    "clocks_bench",
    "lane",
    "link_fields",
    "network_bench",
    "no_inline",
    "router_bench",
    "terminal_fields",
    "unit_bench",
    "wire_fields",
]

Fields = tuple[tuple[str, int], ...]


def lane(network: Network) -> tuple[Fields, Fields]:
    """Return the fields, with widths, of one decision: what goes in, and what comes out."""
    ports = bits(network.topology.degree + 1)
    routing = network.routing
    header = routing.header.width
    asked = (("arrival", ports), ("header", header))
    hint = (("hint", routing.hint_width),) if routing.hint else ()
    return asked + hint, (("port", ports), ("next_header", header), ("error", 1))


def link_fields(network: Network) -> Fields:
    """Return the fields of a link as benches see it, lowest first."""
    return (
        ("valid", network.virtual_channels),
        *_flit_fields(network),
        ("credit", network.virtual_channels),
    )


def wire_fields(network: Network) -> Fields:
    """Return the fields of what is between nodes, for each port."""
    return (("wire", 1), ("errors", len(LINK_ERRORS))) if network.link else link_fields(network)


def terminal_fields(network: Network) -> dict[str, Fields]:
    """Return the fields of what a terminal sends, and of what it receives."""
    common: Fields = (("valid", 1), *_flit_fields(network), ("credit", 1))
    return {"sent": common, "received": (*common, ("errors", 8), ("overruns", 8))}


def _flit_fields(network: Network) -> Fields:
    return (("head", 1), ("tail", 1), ("data", network.flit_width))


def no_inline(*modules: str) -> str:
    """Tell Verilator to keep modules: inlined, its output takes far longer to compile."""
    return "`verilator_config\n" + "".join(f'no_inline -module "{m}"\n' for m in modules)


def unit_bench(network: Network, lanes: int) -> str:
    """Put routing units side by side."""
    asked, answered = (sum(width for _, width in fields) for fields in lane(network))
    name, routing = identifier(network.name), network.routing
    ports, header = bits(network.topology.degree + 1), routing.header.width
    hint = f".hint(asked[i * {asked} + {ports + header} +: {routing.hint_width}]), "
    clock = ".clk(clk), .rst(1'b0), " if routing.launch_cycles else ""
    return f"""// {lanes} routing units side by side, all at the same node. What comes from the
// terminal goes through the launch first; it takes {routing.launch_cycles} clocks.
module unit_bench(
  input clk,
  input [{routing.straps.width - 1}:0] straps,
  input [{lanes * asked - 1}:0] asked,
  output [{lanes * answered - 1}:0] answered
);
  genvar i;
  generate for (i = 0; i < {lanes}; i = i + 1) begin : lane
    wire [{ports - 1}:0] arrival = asked[i * {asked} +: {ports}];
    wire [{header - 1}:0] header = asked[i * {asked} + {ports} +: {header}];
    wire source = arrival == {network.topology.local};
    wire [{header - 1}:0] launched, next_header;
    wire [{ports - 1}:0] port;
    wire refused, error;
    {name}_launch launch(
      {clock}.straps(straps), .header(header), .next_header(launched), .error(refused)
    );
    {name}_unit unit(
      {hint if routing.hint else ""}.straps(straps), .arrival(arrival), .port(port),
      .header(source ? launched : header), .next_header(next_header), .error(error)
    );
    assign answered[i * {answered} +: {answered}] =
      {{error | (source & refused), next_header, port}};
  end endgenerate
endmodule
"""


def router_bench(network: Network, module: str) -> str:
    """One router; port p has the bits p*width and up of `sent` and `received`."""
    ports, local = network.topology.degree + 1, network.topology.local
    width, flit = sum(w for _, w in link_fields(network)), network.flit_width + 2
    v = network.virtual_channels
    connections = []
    for port in range(ports):
        terminal = port == local
        channels = 1 if terminal else v
        for name, vector, other in (
            ("inject" if terminal else f"inputs__{port}", "sent", "received"),
            ("eject" if terminal else f"outputs__{port}", "received", "sent"),
        ):
            base = port * width
            connections += [
                f".{name}__valid({vector}[{base} +: {channels}])",
                f".{name}__flit({vector}[{base + v} +: {flit}])",
                f".{name}__credit({other}[{base + v + flit} +: {channels}])",
            ]
    # A terminal has one channel; the bits of the others are 0.
    zeros = "\n".join(
        f"  assign received[{local * width + base + i}] = 1'b0;"
        for base in (0, v + flit)
        for i in range(1, v)
    )
    return f"""// One router. A port of `sent` and `received` is {{credit, flit, valid}};
// the credits of a direction travel in the other vector.
module router_bench(
  input clk,
  input rst,
  input [{network.routing.straps.width - 1}:0] straps,
  input [{(ports - 1) ** 2 - 1}:0] turns,
  input [{ports * width - 1}:0] sent,
  output [{ports * width - 1}:0] received,
  output [7:0] errors,
  output [7:0] overruns
);
  {module} router(
    .clk(clk), .rst(rst), .straps(straps), .turns(turns), .errors(errors),
    .overruns(overruns),
    {", ".join(connections)}
  );
{zeros}
endmodule
"""


def network_bench(network: Network) -> str:
    """Show all that can be seen of the generated network in one vector."""
    topology = network.topology
    n, local, flit = topology.nodes, topology.local, network.flit_width + 2
    between = sum(width for _, width in wire_fields(network))
    sent, received = (sum(w for _, w in terminal_fields(network)[x]) for x in ("sent", "received"))
    wires = [
        _os_wire(network, i, p)
        if network.link
        else _wire(i, p)
        if p in topology.kind[i].outputs
        else f"{between}'d0"
        for i in range(n)
        for p in range(local)
    ]
    terminals = [
        f"{{overruns[{i * 8} +: 8], errors[{i * 8} +: 8], inject_credit[{i}], "
        f"eject_flit[{i * flit} +: {flit}], eject_valid[{i}]}}"
        for i in range(n)
    ]
    joined = ",\n    ".join(reversed(wires + terminals))
    errors = n * local * len(LINK_ERRORS)
    return f"""// The network. Node i has the bits i*{sent} and up of `given`,
// {{credit, flit, valid}}; `seen` is what is on the links, by node and port, then all terminals.
module network_bench(
  input clk,
  input rst,
  input [{n * sent - 1}:0] given,
  output [{n * (local * between + received) - 1}:0] seen
);
  wire [{n - 1}:0] inject_valid, inject_credit, eject_valid, eject_credit;
  wire [{n * flit - 1}:0] inject_flit, eject_flit;
  wire [{n * 8 - 1}:0] errors, overruns;
  wire [{errors - 1}:0] link_errors;
  genvar i;
  generate for (i = 0; i < {n}; i = i + 1) begin : terminal
    assign {{eject_credit[i], inject_flit[i * {flit} +: {flit}], inject_valid[i]}} =
      given[i * {sent} +: {sent}];
  end endgenerate
  {identifier(network.name)}_network n(
    {_clocks(network)}.inject_valid(inject_valid), .inject_flit(inject_flit),
    .inject_credit(inject_credit), .eject_valid(eject_valid), .eject_flit(eject_flit),
    .eject_credit(eject_credit), .errors(errors), .overruns(overruns)
  );
  assign seen = {{
    {joined}
  }};
endmodule
"""


def _clocks(network: Network) -> str:
    """Return how a bench of one clock connects it, and what else an OS-Link network has."""
    if network.link is None:
        return ".clk(clk), .rst(rst), "
    n = network.topology.nodes
    return f".clk({{{n}{{clk}}}}), .rst({{{n}{{rst}}}}), .link_errors(link_errors),\n    "


def _wire(node: int, port: int) -> str:
    """Return what is on a link, {credit, flit, valid}."""
    return f"{{n.credit_{node}_{port}, n.flit_{node}_{port}, n.valid_{node}_{port}}}"


def _os_wire(network: Network, node: int, port: int) -> str:
    """Return what a port has on its wire, and what it has found wrong."""
    errors = len(LINK_ERRORS)
    at = (node * network.topology.local + port) * errors
    return f"{{link_errors[{at} +: {errors}], n.out_{node}[{port}]}}"


def clocks_bench(network: Network) -> str:
    """Give every node of a network across OS-Links its own clock, reset and terminal."""
    n, flit = network.topology.nodes, network.flit_width + 2
    errors = network.topology.local * len(LINK_ERRORS)
    ports = "\n".join(
        f"  input clk_{i}, input rst_{i}, input [{flit + 1}:0] given_{i}, "
        f"output [{flit + 1}:0] seen_{i},"
        for i in range(n)
    )

    def joined(name: str) -> str:
        return ", ".join(f"{name}_{i}" for i in reversed(range(n)))

    wires = "\n".join(
        f"  assign {{eject_credit[{i}], inject_flit[{i * flit} +: {flit}], inject_valid[{i}]}} = "
        f"given_{i};\n"
        f"  assign seen_{i} = "
        f"{{inject_credit[{i}], eject_flit[{i * flit} +: {flit}], eject_valid[{i}]}};"
        for i in range(n)
    )
    return f"""// The network, every node on its own clock.
// A terminal gives and sees {{credit, flit, valid}}.
module clocks_bench(
{ports}
  output [{n * 8 - 1}:0] errors,
  output [{n * 8 - 1}:0] overruns,
  output [{n * errors - 1}:0] link_errors
);
  wire [{n - 1}:0] inject_valid, inject_credit, eject_valid, eject_credit;
  wire [{n * flit - 1}:0] inject_flit, eject_flit;
{wires}
  {identifier(network.name)}_network n(
    .clk({{{joined("clk")}}}),
    .rst({{{joined("rst")}}}),
    .inject_valid(inject_valid), .inject_flit(inject_flit), .inject_credit(inject_credit),
    .eject_valid(eject_valid), .eject_flit(eject_flit), .eject_credit(eject_credit),
    .errors(errors), .overruns(overruns), .link_errors(link_errors)
  );
endmodule
"""
