import pytest

import fingerpost.hdl.os_link_port.registered_port
from fingerpost.formal.port_registers import port_registers
from tests.formal.planted import breaks, plant

FAULTS = (
    ("room", 'self.tx.valid if register.name == "send" else 0', "0"),
    ("sent_once", "m.d.sync += tx.valid.eq(0)", "m.d.sync += tx.valid.eq(~tx.payload.any())"),
    ("sent", 'tx.payload.eq(asked["send.data"])', "tx.payload.eq(port.value[1:])"),
    ("sent_once", "port.strobe[0]", "port.strobe.any()"),
    ("refused", "m.d.comb += port.refuse.eq(1)", "m.d.comb += port.refuse.eq(port.strobe[0])"),
    ("received", "since[1] & (port.address", "self.bus.rvalid & (port.address"),
    ("received", "since[1] & (port.address == receive.address // WORD)", "since[1]"),
    ("as_it_came", "Mux(rx.valid, rx.payload, 0)", "rx.payload"),
    ("status", '"status.idle": self.idle & room', '"status.idle": self.idle'),
    ("errors", "(errors & ~forget) | self.wrong", "(errors | self.wrong) & ~forget"),
    ("errors", "(errors & ~forget)", "Mux(forget.any(), 0, errors)"),
    ("enabled", 'with m.If(asked["enable"]):', 'with m.If(asked["send"]):'),
    ("interrupt", "kept & there", "there"),
    ("interrupt", "errors.any())):", "errors[:5].any())):"),
    ("break", 'self.tx_break.eq(asked.get("control.break", 0))', "self.tx_break.eq(0)"),
    ("constant", "part.values[0] if part.values", "part.values[0] ^ 1 if part.values"),
    ("zero", 'f"{register.name}.{part.name}", 0)', 'f"{register.name}.{part.name}", 1)'),
    ("read_refused", "port.bad.eq(1)", "port.bad.eq(port.address[0])"),
)
SHORT = {"room", "status"}
"""Claims of which `make test` breaks one; `make regress` breaks all."""


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    [
        pytest.param(*fault, marks=[] if fault[0] in SHORT else [pytest.mark.regress])
        for fault in FAULTS
    ],
)
def test_finds_faults(claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, fingerpost.hdl.os_link_port.registered_port, "PortRegisters", old, new)
    breaks(port_registers(breaks=True), claim)
