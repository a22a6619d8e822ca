import pytest

import fingerpost.hdl.bus.axi_lite
import fingerpost.hdl.counting.counters
from fingerpost.formal.axi_lite import axi_lite
from fingerpost.formal.counters import counters
from tests.formal.planted import breaks, faults, plant

SHORT = {"read_stays", "one_read", "write_as_it_came"}
"""Claims of which `make test` breaks one; `make regress` breaks all."""


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    faults(
        SHORT,
        ("one_read", 'm.next = "LOOK"', 'm.next = "IDLE"'),
        ("read_taken", "bus.arready.eq(1)", "bus.arready.eq(~bus.bvalid)"),
        ("read_stays", "with m.If(bus.rready):", "with m.If(1):"),
        ("read_in_time", 'm.next = "LOOK"', 'm.next = "TAKE"'),
        ("read_in_time", 'm.next = "TAKE"', 'm.next = "LOOK"'),
        ("read_named", "self.address.eq(bus.araddr[2:])", "self.address.eq(bus.awaddr[2:])"),
        ("read_answer", "bus.rresp.eq(self.bad << 1)", "bus.rresp.eq(self.bad)"),
        ("one_write", "bus.awready.eq(~has_address)", "bus.awready.eq(1)"),
        ("write_taken", "bus.wready.eq(~has_data)", "bus.wready.eq(has_address & ~has_data)"),
        ("write_stays", "with m.If(bus.bvalid & bus.bready):", "with m.If(bus.bvalid):"),
        ("write_once", "has_address & has_data & ~bus.bvalid", "has_address & has_data"),
        ("write_in_time", "bus.bvalid.eq(1)", "bus.bvalid.eq(self.strobe.any())"),
        ("write_as_it_came", "with m.If(bus.awvalid & bus.awready):", "with m.If(bus.awvalid):"),
        ("write_as_it_came", "Cat(bus.wdata, bus.wstrb)", "Cat(bus.wdata, bus.wstrb[:3])"),
        ("write_answer", "bus.bresp.eq(self.refuse << 1)", "bus.bresp.eq(0)"),
    ),
)
def test_finds_faults_of_the_port(
    claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, fingerpost.hdl.bus.axi_lite, "AxiLitePort", old, new)
    breaks(axi_lite(address_width=4), claim)


@pytest.mark.regress
@pytest.mark.parametrize(
    ("claim", "old", "new"),
    [
        ("refused", "port.written != control.address // WORD", "port.written[3:].any()"),
        (
            "constant",
            'self.map.named("control").address: 0',
            'self.map.named("control").address: 1',
        ),
        ("status", "snapshot | clear | snapping", "(snapshot | clear | snapping) << 1"),
        ("status", "Mux(self.tick, 0, clear)", "Mux(self.tick & snapshot, 0, clear)"),
        ("nothing", "m.d.comb += port.data.eq(0)", "m.d.comb += port.data.eq(shown)"),
        ("read_refused", "first + self.map.counters", "first + self.map.counters + 1"),
        ("no_effect", "& ~port.refuse & port.strobe[0]", "& ~port.refuse & port.strobe[1]"),
        ("no_effect", "writes.eq(port.write & ~port.refuse", "writes.eq(port.write"),
        ("no_effect", "port.value[part.offset] & writes", "port.value[part.offset + 1] & writes"),
    ],
)
def test_finds_faults_of_the_registers(
    claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, fingerpost.hdl.counting.counters, "Counters", old, new)
    breaks(counters(sums=1), claim)
