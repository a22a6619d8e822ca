"""The table of a deflection router: what it answers is what its parameter says."""

from amaranth import ClockSignal, Const, Instance, Mux, Signal

from fingerpost.formal.contract import FIRST, Contract
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.hdl.deflection.table import contents, table_name

__all__ = ["deflection_table"]

READ = """read_verilog -sv table.v
hierarchy -top {name} -chparam SLOTS {slots} -chparam WIDTH {width} -chparam ENTRIES {entries}
proc; flatten; opt_clean; memory -nomap; memory_map -rom-only
rename -top table
"""


def deflection_table(network: DeflectionNetwork, node: int, verilog: str) -> Contract:
    """Return the contract of the generated table at a node, for any destinations at its slots.

    Two cycles after a destination, there is its word of the parameter, or 0 if the slot was clear
    in between.
    """
    contract = Contract()
    m = contract.m
    slots = max(1, len(network.topology.node_type[node].outputs))
    width, header = network.entry(slots).width, network.destination_width
    words = contents(network, node)
    contract.sources |= {
        "table.v": verilog,
        FIRST: READ.format(
            name=table_name(network),
            slots=slots,
            width=width,
            entries=f"{width << header}'h{words:x}",
        ),
    }
    address = contract.anything("address", slots * header)
    clear, entry = contract.anything("clear", slots), Signal(slots * width)
    m.submodules.table = Instance(
        "table", i_clk=ClockSignal(), i_address=address, i_clear=clear, o_entry=entry
    )
    contract.induction = 3
    asked, warm = Signal.like(address), Signal()
    m.d.sync += [asked.eq(address), warm.eq(1)]
    entries = Const(words, width << header)
    for slot in range(slots):
        answer = Signal(width, name=f"answer{slot}")
        given = entries.word_select(asked.word_select(slot, header), width)
        m.d.sync += answer.eq(Mux(clear[slot], 0, given))
        known = Signal(name=f"known{slot}")
        m.d.sync += known.eq(warm)
        contract.claim(f"answers{slot}", ~known | (entry.word_select(slot, width) == answer))
    contract.see("entry", entry)
    return contract
