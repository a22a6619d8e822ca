from collections import defaultdict

from hypothesis import given, settings
from hypothesis import strategies as st

from fingerpost.golden.engine import engine
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.network.network import Network
from fingerpost.golden.router.state import of_run
from fingerpost.golden.traffic import NO_HEAD, Traffic
from tests.golden.model.networks import arriving, borel21

traffics = st.builds(
    Traffic,
    st.sampled_from([1, 2, 3, 4, 7]).map(borel21),
    st.floats(0.02, 0.9),
    st.integers(1, 120),
    seed=st.integers(0, 1000),
    lengths=st.sampled_from([(1, 1), (1, 5), (4, 4), (3, 9)]),
)
stalls = st.sampled_from([0, 0.3, 0.9])


class Sent:
    """A traffic in the model, with what is where between two cycles."""

    def __init__(self, traffic: Traffic, stall: float = 0.0) -> None:
        assert isinstance(traffic.network, Network)
        self.network, self.traffic = traffic.network, traffic
        model = engine(traffic.network, [traffic], stall=stall)
        assert isinstance(model, Wormhole)
        self.model = model
        self.run, self.config = self.model.runs[0], self.model.config
        self.state = of_run(self.model.arrays, 0)

    def drain(self, most: int = 20_000) -> None:
        """Run until no flit and no credit is anywhere."""
        while not (self.run.empty and self.is_empty()):
            assert self.run.now < most
            self.model.run(20)

    def is_empty(self) -> bool:
        lines = self.state.in_flight
        masks = [lines.arriving, lines.credits, lines.terminal_credits, lines.injection["valid"]]
        return not (self.run.flits or any(mask.any() for mask in masks))

    def assert_at_rest(self) -> None:
        """All credits are back, no channel is in use, no terminal sent without a credit."""
        assert (self.state.routers.credits == self.network.buffer_depth).all()
        assert not self.state.routers.router["busy"].any()
        assert not self.run.overruns.any()

    @property
    def in_packet(self) -> bool:
        """Return whether a packet has come in without its tail."""
        return bool(self.state.routers.vc_buffer["in_packet"].any())


@settings(max_examples=25)
@given(traffics, stalls)
def test_every_packet_is_delivered_and_every_credit_comes_back(
    traffic: Traffic, stall: float
) -> None:
    sent = Sent(traffic, stall)
    seen: dict[int, list[tuple[int, bool, bool]]] = defaultdict(list)
    while not (sent.run.empty and sent.is_empty()):
        for place, flit in zip(*arriving(sent.model), strict=True):
            node, port = divmod(int(place), sent.config.ports)
            if port == sent.config.local:
                seen[int(flit["tag"])].append((node, bool(flit["head"]), bool(flit["tail"])))
        sent.model.run(1)
        assert sent.run.now < 20_000
    assert sorted(seen) == list(range(len(traffic.source)))
    for tag, flits in seen.items():
        length = int(traffic.length[tag])
        node = int(traffic.destination[tag])
        assert flits == [(node, i == 0, i == length - 1) for i in range(length)]
    assert sent.run.faults == []
    assert (sent.run.delivered > traffic.time).all()
    assert sent.run.received.sum() == traffic.length.sum()
    sent.assert_at_rest()
    assert not sent.in_packet
    assert not sent.run.errors.any()


# Malformed packets.


def test_error_counter_stops_at_255() -> None:
    traffic = Traffic(borel21(), 0.9, 1000, lengths=(2, 2), malformed=1)
    traffic.kind[:] = NO_HEAD
    sent = Sent(traffic)
    sent.drain()
    assert sent.run.errors.tolist() == [255] * 21
    assert sent.run.received.sum() == 0
