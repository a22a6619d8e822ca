"""A router under load: what the gates of the generated Verilog do with any traffic, in any state.

The Verilog of a node is cut between its input buffers and its outputs. On either side the cut wires
are anything that the other side is proven to keep to:

- `arrivals`: a flit gets the route of its head in the cycle in which it arrives, and keeps it until
  it is popped, whenever that may be.
- `departures`: whatever is at the front of the buffers, a flit leaves by its route, on the virtual
  channel that the lanes and increments of the network give, and waits for nothing else than a
  credit of that channel, that the channel is free, and flits that could go now.

Assumed of neighbours is that flits arrive with credits, on one channel at a time, and that credits
return for flits that were sent: `departures` and `arrivals` of these claim it.

Claims are proven one by one: what is proven helps to prove the others.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from amaranth import Cat, ClockSignal, Const, Instance, Mux, Signal

from fingerpost.formal.arrivals import arrivals
from fingerpost.formal.contract import FIRST, Contract
from fingerpost.formal.decisions import Decisions
from fingerpost.formal.departures import departures
from fingerpost.formal.gates import Finding, flat
from fingerpost.formal.netlist import Node
from fingerpost.formal.prove import Verdict, prove_each

ALONE, HELPED = 10, 240
"""Seconds of processor time for a claim by itself, and with what has been proven before."""

SECONDS = 60
"""After these, of processor time, PDR gives up on a contract, and its claims are tried apart."""


def prove_one_by_one(
    claims: Iterable[str], make: Callable[[], Contract], progress: Callable[[str], None]
) -> dict[str, Verdict]:
    """Return the verdict of each claim of a contract, by name.

    A claim that is proven is assumed from then on, so each proof rests on earlier ones only. It
    ends when nothing is left, or nothing more is proven.

    Parameters
    ----------
    claims : iterable of str
        Their names.
    make : callable
        Makes the contract, anew for every graph.
    progress : callable
        Called with the claim that is looked at.

    Raises
    ------
    ProofError
        If a tool is missing or breaks down.
    """
    found: dict[str, Verdict] = {}
    proven: list[str] = []
    seconds, left = ALONE, list(claims)
    while left:
        contract, tried = make(), left
        verdicts = prove_each(
            [_one(contract, name, proven) for name in tried], seconds=seconds, cache=True
        )
        for name in tried:
            progress(name)
            found[name] = next(verdicts)
        news = [name for name in tried if found[name].proven]
        left = [name for name in tried if found[name].proven is None]
        if not news and seconds == HELPED:
            return found
        proven, seconds = proven + news, HELPED
    return found


def _one(contract: Contract, name: str, proven: list[str]) -> Contract:
    """Return a contract of one claim, with others as assumptions."""
    alone = contract.beside()
    alone.possible, alone.claims = contract.possible, {name: contract.claims[name]}
    for lemma in proven:
        alone.assume(contract.claims[lemma])
    return alone


def under_load(
    made: Decisions, component: str, progress: Callable[[str], None]
) -> Iterator[Finding]:
    """Yield what is proven of the Verilog of a node type in every state.

    Verdicts are cached: an interrupted run resumes.

    Raises
    ------
    ProofError
        If a tool is missing or breaks down.
    """
    network, node = made.network, made.node
    if not network.link.at_nodes:
        reason = "no flits on the links"
        yield Finding.not_tried(component, "flits take their channel", reason)
        return
    found = made.depends()
    broken = [f"{port}: {', '.join(names[:4])}" for port, names in found.items() if names]
    claim = "routes depend on headers alone"
    yield Finding(component, claim, "structure", len(found), tuple(broken[:4]))
    yield memories(node, component)
    for claim, make, apart in (
        ("flits keep the route of their head", arrivals, False),
        ("flits take their channel, wait only for it", departures, True),
    ):

        def told(what: str, claim: str = claim) -> None:
            progress(f"{claim}: {what}")

        contracts = partial(make, network, node.node_type, node.netlist.verilog)
        yield proven(component, claim, contracts, told, apart=apart)


def memories(node: Node, component: str) -> Finding:
    """Return whether each memory of a router has one writer and one reader.

    `arrivals` claims of them what they write and read, and when.
    """
    module, data = flat(node.netlist.name, node.netlist.verilog), dict[str, bool]()
    for port in node.outputs:
        data[f"{node.around}input{port}.data"] = node.network.pipeline.allocation > 0
        for v in range(node.channels(port)):
            data[f"{node.around}input{port}.vc_buffer{v}.routes"] = False
    broken = [name for name, clocked in data.items() if not module.serves(name, clocked=clocked)]
    claim = "memories are written by their buffers alone"
    return Finding(component, claim, "structure", len(data), tuple(broken[:4]))


def proven(
    component: str,
    claim: str,
    make: Callable[[], dict[str, Contract]],
    progress: Callable[[str], None],
    *,
    apart: bool = False,
) -> Finding:
    """Return what is proven of contracts by name: of each as a whole, or else claim by claim.

    Verdicts are cached.

    Parameters
    ----------
    make : callable
        Makes contracts about one module, anew for every graph.
    apart : bool
        None of them claims what another assumes. So an undecided one may rest on what those before
        it assume and claim, if that is proven.
    """
    contracts, broken, late, before = make(), list[str](), list[str](), list[str]()
    verdicts = prove_each([*contracts.values()], seconds=SECONDS, cache=True)
    for number, name in enumerate(contracts):
        where = f"{number + 1} of {len(contracts)}, {name}"
        progress(where)
        helped = partial(_helped, make, name, tuple(before) if apart else ())
        found = _one_by_one(next(verdicts), contracts[name].claims, helped, where, progress)
        before += [name] if all(verdict.proven for verdict in found.values()) else []
        for one, verdict in found.items():
            late += [f"{name} {one}"] if verdict.proven is None else []
            broken += [f"{name}: {', '.join(verdict.broken)}"] if verdict.proven is False else []
    reason = f"undecided after {HELPED} s: {', '.join(late[:4])}" if late else ""
    cases = sum(len(contract.claims) for contract in contracts.values())
    engine = "pdr" if next(iter(contracts.values())).induction is None else "induction"
    return Finding(component, claim, engine, cases, tuple(broken[:4]), reason)


def _helped(make: Callable[[], dict[str, Contract]], name: str, before: Iterable[str]) -> Contract:
    """Return a contract that assumes what others, which are proven, assume and claim."""
    contracts = make()
    for other in map(contracts.__getitem__, before):
        contracts[name].assume(Cat(other.possible, *other.claims.values()).all())
    return contracts[name]


def _one_by_one(
    verdict: Verdict,
    claims: Iterable[str],
    make: Callable[[], Contract],
    where: str,
    progress: Callable[[str], None],
) -> dict[str, Verdict]:
    """Return the verdict of a contract, or if it is undecided those of its claims."""
    if verdict.proven is not None:
        return {"": verdict}
    return prove_one_by_one(claims, make, lambda claim: progress(f"{where}: {claim}"))


READ = """read_verilog -sv table.v
hierarchy -top {name} {parameters}
proc; flatten; opt_clean; memory -nomap; memory_map -rom-only
rename -top table
"""

LARGEST_TABLE = 1 << 12
"""Entries; Yosys takes a minute for more."""


def table(
    name: str,
    verilog: str,
    *,
    words: int,
    width: int,
    address_width: int,
    slots: int = 1,
    clears: bool = False,
    parameters: Mapping[str, int] | None = None,
) -> Contract:
    """Return the contract of a generated table, for any addresses at its slots.

    Two cycles after an address, there is its word of the parameter, or 0 if the slot was clear in
    between.

    Parameters
    ----------
    name, verilog : str
        The module, and a file that has it.
    words : int
        Its contents, the entry at address 0 lowest.
    width, address_width, slots : int
        Bits of an entry and of an address; how many read it.
    clears : bool
        Whether it has an input `clear`.
    parameters : mapping, optional
        Others than the contents.
    """
    contract = Contract()
    m = contract.m
    values = {**(parameters or {}), "ENTRIES": f"{width << address_width}'h{words:x}"}
    given = " ".join(f"-chparam {key} {value}" for key, value in values.items())
    contract.sources |= {"table.v": verilog, FIRST: READ.format(name=name, parameters=given)}
    address, entry = contract.anything("address", slots * address_width), Signal(slots * width)
    clear = contract.anything("clear", slots) if clears else Const(0, slots)
    m.submodules.table = Instance(
        "table",
        i_clk=ClockSignal(),
        i_address=address,
        o_entry=entry,
        **({"i_clear": clear} if clears else {}),
    )
    contract.induction = 3
    asked, warm = Signal.like(address), Signal()
    m.d.sync += [asked.eq(address), warm.eq(1)]
    entries = Const(words, width << address_width)
    for slot in range(slots):
        answer = Signal(width, name=f"answer{slot}")
        right = entries.word_select(asked.word_select(slot, address_width), width)
        m.d.sync += answer.eq(Mux(clear[slot], 0, right))
        known = Signal(name=f"known{slot}")
        m.d.sync += known.eq(warm)
        contract.claim(f"answers{slot}", ~known | (entry.word_select(slot, width) == answer))
    contract.see("entry", entry)
    return contract


def answers(
    component: str, address_width: int, make: Callable[[], Contract], tell: Callable[[str], None]
) -> Finding:
    """Return whether a table keeps to its contract, if it is not too large."""
    claim, entries = "the table answers with its contents", 1 << address_width
    if entries > LARGEST_TABLE:
        reason = f"{entries} entries, at most {LARGEST_TABLE} are tried"
        return Finding.not_tried(component, claim, reason)
    return proven(component, claim, lambda: {"table": make()}, tell)
