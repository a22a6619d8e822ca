"""Counters that stop at their largest number, and the registers that show them."""

from dataclasses import replace

from amaranth import Cat, Mux, Signal, Value

from fingerpost.formal.buses import SLAVE_ERROR, manage, when
from fingerpost.formal.contract import Contract, about, past
from fingerpost.golden.network.network import build
from fingerpost.hdl.counting.counters import Counters, Tap
from fingerpost.hdl.counting.registers import RegisterMap, register_map
from fingerpost.hdl.lib.logic import count as counts
from fingerpost.hdl.lib.registers import WORD

PAIR = {
    "name": "pair",
    "topology": {"family": "grid", "sizes": [2]},
    "routing": {"algorithm": "dimension-order"},
    "counters": {"kind": "axi-lite", "of": "terminals"},
}
"""The network whose registers they are, but for some of the counters."""


def count(*, width: int, most: int) -> Contract:
    """Return the contract of a counter of `width` bits, with up to `most` events in a cycle.

    It is the sum of all events until that is larger than a register of its width can hold; then it
    is the largest number of one.
    """
    contract = Contract()
    m = contract.m
    counter, largest = Signal(width), (1 << width) - 1
    events = contract.anything("events", range(most + 1))
    contract.assume(events <= most)
    counts(m, counter, events)
    contract.see("counter", counter)

    total, over = Signal(range(largest + most + 1)), Signal()
    with m.If(~over):
        m.d.sync += [total.eq(total + events), over.eq(total + events > largest)]
    contract.claim("sum", counter == Mux(over, largest, total))
    return contract


def tap(*, events: int, width: int) -> Contract:
    """Return what a tap with one counter that it follows promises, of any events and ticks.

    Two cycles after a tick it shows how often the first event occurred from the tick before to the
    cycle before this one, then the next ones, then by how much the counter grew; behind these, what
    comes from the next node. A tick comes before a count is full.
    """
    contract, m, dut = about(Tap(events=events, totals=(width,), width=width))
    tick, event, total, after = contract.free(dut, "tick", "events", "totals", "after")
    places = events + 1
    since = Signal(width)
    m.d.sync += since.eq(Mux(tick, 1, since + 1))
    contract.assume(tick | ~since.all())
    age, last = Signal(range(places + 4)), places + 3  # cycles since a tick; it stops at the last
    m.d.sync += age.eq(Mux(tick, 1, Mux(age == last, last, age + 1)))
    begun = Signal()
    m.d.sync += begun.eq(begun | tick)
    contract.see("chain", dut.chain)
    for place in range(events):
        counted, handed = Signal(width, name=f"counted{place}"), Signal(width, name=f"sum{place}")
        m.d.sync += counted.eq(Mux(tick, 0, counted) + event[place])
        with m.If(tick):
            m.d.sync += handed.eq(counted)
        now = begun & (age == 2 + place)
        contract.claim(f"event{place}", ~now | (dut.chain == handed))
    before, grown = Signal(width), Signal(width)
    with m.If(tick):
        m.d.sync += [before.eq(total), grown.eq(total - before)]
    contract.claim("total", ~(begun & (age == 1 + places)) | (dut.chain == grown))
    behind = begun & (age == last)
    contract.claim("chain", ~behind | (dut.chain == past(m, after, places)))
    return contract


def counters(*, sums: int) -> Contract:
    """Return what the registers with some sums promise, whatever is counted, read and written.

    A constant is always what the map says, of status only busy is ever set, and all else but the
    sums reads as 0. Reads and writes are refused where there is nothing, and so are writes of all
    but control. From a write that the map gives an effect to the next tick busy is set; two rounds
    after it nothing is busy. All other writes have none: all reads equal those of a second set of
    counters without writes.
    """
    contract, full = Contract(), register_map(build(PAIR))
    map = replace(full, node=full.node[: sums - 1], nodes=1)
    m = contract.m
    dut = m.submodules.dut = Counters(map)
    manage(contract, dut.bus)
    contract.free(dut, "chain")
    effect = contract.see("effect", _effect(contract, map, dut))
    last = 2 * map.round + 3
    quiet = Signal(range(last + 1))
    m.d.sync += quiet.eq(Mux(effect, 0, Mux(quiet == last, last, quiet + 1)))
    settled = contract.see("settled", when(m, ~dut.bus.rvalid, (quiet == last) & ~effect))
    asked = Signal()
    m.d.sync += asked.eq((effect | asked) & ~dut.tick)
    due = contract.see("due", when(m, ~dut.bus.rvalid, effect | asked))
    _reads(contract, map, dut, settled, due)
    _alone(contract, map, dut, effect, settled)
    return contract


def _effect(contract: Contract, map: RegisterMap, dut: Counters) -> Value:
    """Return whether a write has had an effect in the cycle before."""
    m, bus, control = contract.m, dut.bus, map.named("control")
    place = when(m, bus.awvalid & bus.awready, bus.awaddr[2:])
    data = when(m, bus.wvalid & bus.wready, bus.wdata)
    strobes = when(m, bus.wvalid & bus.wready, bus.wstrb)
    here = contract.see("here", place == control.address // WORD)
    contract.claim("refused", ~bus.bvalid | (bus.bresp == Mux(here, 0, SLAVE_ERROR)))
    begins = bus.bvalid & ~when(m, Value.cast(1), bus.bvalid)
    asked = Cat(data[field.offset] & strobes[field.offset // 8] for field in control.fields)
    return begins & here & asked.any()


def _reads(contract: Contract, map: RegisterMap, dut: Counters, settled: Value, due: Value) -> None:
    """Claim what is read of each register but the sums."""
    m, bus = contract.m, dut.bus
    named = when(m, bus.arvalid & bus.arready, bus.araddr[2:])
    contract.see("named", named)
    first = map.base // WORD
    is_sum = (named >= first) & (named < first + map.counters)
    known, value = Signal(), Signal(32)
    status = map.named("status").address
    for address, constant in (dict(map.constants()) | {map.named("control").address: 0}).items():
        with m.If(named == address // WORD):
            m.d.comb += [known.eq(1), value.eq(constant)]
    busy = named == status // WORD
    contract.claim("constant", ~bus.rvalid | ~known | (bus.rdata == value))
    contract.claim("status", ~(bus.rvalid & busy) | (bus.rdata <= ~settled))
    contract.claim("busy", ~(bus.rvalid & busy & due) | bus.rdata[0])
    there = known | busy | is_sum
    contract.claim("nothing", ~bus.rvalid | there | (bus.rdata == 0))
    contract.claim("read_refused", ~bus.rvalid | (bus.rresp == Mux(there, 0, SLAVE_ERROR)))


def _alone(
    contract: Contract, map: RegisterMap, dut: Counters, effect: Value, settled: Value
) -> None:
    """Claim that a second set without writes reads the same until a write has an effect."""
    m = contract.m
    other = m.submodules.other = Counters(map)
    ours, theirs = dut.bus, other.bus
    m.d.comb += [
        other.chain.eq(dut.chain),
        theirs.araddr.eq(ours.araddr),
        theirs.arvalid.eq(ours.arvalid),
        theirs.rready.eq(ours.rready),
    ]
    ever = Signal()
    m.d.sync += ever.eq(ever | effect)
    same = (ours.rvalid == theirs.rvalid) & (~ours.rvalid | (ours.rdata == theirs.rdata))
    contract.claim("no_effect", ever | effect | ~settled | same)
