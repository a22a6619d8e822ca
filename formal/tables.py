"""What is proven of generated tables: they answer with what their parameter has."""

from collections.abc import Callable, Mapping

from amaranth import ClockSignal, Const, Instance, Mux, Signal

from fingerpost.formal.contract import FIRST, Contract
from fingerpost.formal.gates import Finding
from fingerpost.formal.loaded import proven

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
