from types import ModuleType

import pytest

import hdl.input_port
import hdl.output_port
from formal.joined import joined
from tests.formal.planted import breaks, plant

SENDER, RECEIVER = (hdl.output_port, "OutputPort"), (hdl.input_port, "InputPort")


@pytest.mark.parametrize(
    ("claim", "where", "old", "new"),
    [
        ("room", SENDER, "Mux(sent, more, some)", "some"),
        ("room", RECEIVER, "credit[v].eq(queue.goes)", "credit[v].eq(queue.goes | arrives[v])"),
        ("none_made", SENDER, "Mux(departs, many, several)", "several"),
        ("none_lost", SENDER, "Mux(sent, more, some) | back", "Mux(sent, more, some | back)"),
        ("none_lost", RECEIVER, "credit[v].eq(queue.goes)", "credit[v].eq(self.granted)"),
        ("none_lost", RECEIVER, "credit[v].eq(queue.goes)", "credit[0].eq(queue.goes)"),
    ],
)
def test_finds_faults(
    claim: str,
    where: tuple[ModuleType, str],
    old: str,
    new: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plant(monkeypatch, *where, old, new)
    breaks(joined(channels=2, depth=2), claim)
