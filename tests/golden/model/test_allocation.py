"""What the allocators of the model promise, seen from what waits and what goes."""

from collections import defaultdict
from collections.abc import Callable

import numpy as np
import pytest

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.model import CreditTerminalModel, Model, Traffic, cycle
from fingerpost.golden.model.allocation import Requests
from fingerpost.golden.network.network import Network, build
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
    """Stands between a model and its allocators, and looks at each decision.

    Attributes
    ----------
    inside : dict
        Of each channel of an output the queue whose packet is on its way there.
    passed : dict
        Of each head that waits the packets of every other queue that began on its channel.
    most : int
        The most of these.
    """

    def __init__(self, model: Model) -> None:
        self.allocation, self.step = model.allocation, model.allocation.step
        self.channels, self.ports, self.local = model.channels, model.ports, model.local
        self.inside: dict[int, int] = {}
        self.passed: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        self.most = self.sent = 0
        self.where: dict[int, int] = {}
        model.allocation.step = self.look  # type: ignore[method-assign]

    def look(self, requests: Requests, push: IntArray) -> IntArray:
        credits = self.allocation.credits.copy()
        sent = self.step(requests, push)
        self.sent += len(sent)
        wanted = requests.output * self.channels + requests.channel
        # One flit of an input, one to an output, each with a credit.
        assert len(set(requests.input[sent].tolist())) == len(sent)
        assert len(set(requests.output[sent].tolist())) == len(sent)
        assert (credits[wanted[sent]] > 0).all()
        spent = np.bincount(wanted[sent], minlength=len(credits))
        assert (self.allocation.credits == credits - spent).all()

        columns = [requests.queue, wanted, requests.head, requests.tail]
        rows = list(zip(*(column.tolist() for column in columns), strict=True))
        begun = {}
        for queue, channel, head, tail in (rows[i] for i in sent.tolist()):
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
        # A channel is busy from a packet's head to its tail.
        assert set(np.flatnonzero(self.allocation.busy).tolist()) == set(self.inside)
        return sent

    def is_terminal(self, queue: int) -> bool:
        return queue // self.channels % self.ports == self.local


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("lengths", [(1, 1), (1, 5)])
def test_a_head_lets_few_packets_of_another_queue_pass(name: str, lengths: tuple[int, int]) -> None:
    # One in this batch, and one in the next. The terminal is left out: with a bypass limit its head
    # comes after others.
    network = NETWORKS[name]()
    traffic = Traffic(network, 1.0, 400, seed=2, lengths=lengths)
    model, terminals = Model(network), CreditTerminalModel(traffic, stall=0.3)
    watch = Watch(model)
    for now in range(400):
        cycle(model, terminals, now)
    assert watch.sent > 5000 / (1 + (name == "one place"))
    assert 1 <= watch.most <= 2
