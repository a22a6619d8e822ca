"""What the allocators of the model promise, seen from what waits and what goes."""

from collections import defaultdict
from collections.abc import Callable

import pytest

from fingerpost.golden.engine import engine
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.router import router
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.output_port import traverse_switch
from fingerpost.golden.router.state import Config, State
from fingerpost.golden.router.vc_buffer import out_channel
from fingerpost.golden.traffic import Traffic
from tests.golden.model.networks import borel21


def lanes(bypass_limit: int) -> Network:
    router = {
        **borel21().description["router"],
        "virtual_channels": 6,
        "bypass_limit": bypass_limit,
    }
    return build({**borel21().description, "router": router})


NETWORKS: dict[str, Callable[[], Network]] = {
    "as needed": borel21,
    "one place": lambda: borel21(1),
    "lanes": lambda: lanes(0),
    "lanes and bypass limit": lambda: lanes(2),
}


class Watch:
    """Stands before switch traversal, and looks at each decision of the allocators.

    Attributes
    ----------
    inside : dict
        Of each channel of an output the queue whose packet is on its way there.
    passed : dict
        Of each head that waits the packets of every other queue that began on its channel.
    most : int
        The most of these.
    """

    def __init__(self, config: Config) -> None:
        self.channels, self.ports, self.local = config.channels, config.ports, config.local
        self.inside: dict[int, int] = {}
        self.passed: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        self.most = self.sent = 0
        self.where: dict[int, int] = {}

    def traverse(self, node: int, granted: int, slots: Slots, config: Config, state: State) -> None:
        here, base = state.routers.router[node], node * config.queues
        rows = []
        for queue in range(config.used_queues):
            if here.valid >> queue & 1:
                buffer = state.routers.vc_buffer[base + queue]
                out = out_channel(node, queue, buffer, config, state.routers.lane)
                rows.append(
                    (base + queue, base + out, here.head >> queue & 1, here.tail >> queue & 1)
                )
        sent = [row for row in rows if granted >> (row[0] - base) & 1]
        assert len(sent) == granted.bit_count()
        self.sent += len(sent)
        # One flit of an input, one to an output, each with a credit.
        assert len({queue // self.channels for queue, *_ in sent}) == len(sent)
        assert len({out // self.channels for _, out, *_ in sent}) == len(sent)
        assert all(state.routers.credits[out] > 0 for _, out, *_ in sent)
        # A channel is busy from a packet's head to its tail.
        inside = {out - base for out in self.inside if base <= out < base + config.queues}
        assert here.busy == sum(1 << out for out in inside)
        begun = {}
        for queue, channel, head, tail in sent:
            assert self.inside.get(channel) == (None if head else queue)
            self.inside[channel] = queue
            if tail:
                del self.inside[channel]
            if head:
                begun[channel] = queue
                self.passed.pop(queue, None)
        for queue, channel, head, _ in rows:
            other = begun.get(channel)
            if not head or other in (None, queue) or self.is_terminal(queue):
                continue
            if self.where.get(queue) != channel:  # another packet
                self.passed.pop(queue, None)
                self.where[queue] = channel
            self.passed[queue][other] += 1
            count = self.passed[queue][other]
            self.most = max(self.most, count)
        traverse_switch(node, granted, slots, config, state)

    def is_terminal(self, queue: int) -> bool:
        return queue // self.channels % self.ports == self.local


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("lengths", [(1, 1), (1, 5)])
def test_a_head_lets_few_packets_of_another_queue_pass(
    name: str, lengths: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    # One in this batch, and one in the next. The terminal is left out: with a bypass limit its head
    # comes after others.
    network = NETWORKS[name]()
    traffic = Traffic(network, 1.0, 400, seed=2, lengths=lengths)
    model = engine(network, [traffic], stall=0.3, compiled=False)
    assert isinstance(model, Wormhole)
    watch = Watch(model.config)
    monkeypatch.setattr(router, "traverse_switch", watch.traverse)
    model.run(400)
    assert watch.sent > 5000 / (1 + (name == "one place"))
    assert 1 <= watch.most <= 2
