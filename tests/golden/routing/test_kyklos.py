"""Headers, decisions on any bits, header generation, and refusals."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerpost.golden.header import bits
from fingerpost.golden.routing.kyklos import KyklosRouting
from fingerpost.golden.routing.kyklos_h2 import H2
from fingerpost.golden.routing.kyklos_p2 import P2, ModifiedP2
from fingerpost.golden.topology.kyklos import Kyklos
from tests.golden.kyklos_1988 import Reference, networks
from tests.golden.routing.kyklos_strategies import generated_headers, levels_of, strategies


def test_levels_are_taken_out_as_trees_are_climbed() -> None:
    # 20 to 14 in <2, 2, 6>: tree 1 first, then tree 0.
    routing = H2(Reference(2, 2, 6).topology())
    header = routing.encode(np.array(20), np.array(14))
    assert header == 14
    generated = generated_headers(routing, np.array([20]), np.array([14]))
    assert generated.tolist() == [0 << 10 | 2 << 8 | 2 << 6 | 14]
    left = []
    for node, arrival in ((20, 2 + 1), (12, 1), (14, 0)):  # port 3 is LOCAL
        decision = routing.decide(np.array(node), np.array(arrival), header)
        assert not decision.error
        left.append((int(decision.port), levels_of(routing, decision.header)))
        header = decision.header
    assert left == [(1, [2, 2]), (0, [2, 0]), (3, [0, 0])]


def expected_decision(
    net: Reference, routing: KyklosRouting, node: int, arrival: int, header: int
) -> tuple[int, int] | None:
    """Decide by the rule of the paper, a field at a time; None where it is an error."""
    if arrival == routing.topology.local:
        here, given = np.array([node]), np.array([header])
        generated_headers, error = routing.generate_header(here, given)
        if error[0]:
            return None
        header = int(generated_headers[0])
    fields = {
        name: header >> field.offset & (1 << field.width) - 1
        for name, field in routing.header.items()
    }
    width = bits(net.m)
    digits = [fields["dst"] >> width * p & (1 << width) - 1 for p in range(net.n)]
    levels = [fields[f"L{t}"] for t in range(net.r)]
    highest = net.h if routing.algorithm == "h2" else net.n
    name = routing.topology.name(node)
    if name.startswith("L"):
        if fields["last"] >= net.r:
            return None
        if arrival < net.r:
            levels[arrival] = 0
        port = routing.topology.local
        for k in range(1, net.r + 1):
            if levels[(fields["last"] - k) % net.r]:
                port = (fields["last"] - k) % net.r
                break
    else:
        t, v, _ = map(int, name.split("."))
        up = arrival < net.m and v < min(levels[t], highest)
        port = net.m if up else digits[net.z[t][v - 1]]
        if not up and port >= net.m:
            return None
    fields |= {f"L{t}": level for t, level in enumerate(levels)}
    return port, sum(value << routing.header[name].offset for name, value in fields.items())


@pytest.mark.regress
@settings(deadline=None)
@given(networks(most=70), st.integers(0, 2**32 - 1))
def test_decisions_on_any_bits(net: Reference, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for strategy in strategies(net):
        routing = strategy(net.topology())
        node = rng.integers(routing.topology.nodes, size=200)
        arrival = rng.integers(routing.topology.degree + 1, size=200)
        header = rng.integers(2**63 - 1, size=200)
        # Half of them are good headers, somewhere on the way; some with noise above the header.
        good = rng.integers(net.leaves, size=(2, 100))
        header[:100] = generated_headers(routing, *good)
        if routing.header.width < 60:
            header[:50] |= rng.integers(8, size=50) << routing.header.width
        decision = routing.decide(node, arrival, header)
        for row in range(200):
            expected = expected_decision(
                net, routing, int(node[row]), int(arrival[row]), int(header[row])
            )
            assert decision.error[row] == (expected is None)
            if expected is not None:
                assert (decision.port[row], decision.header[row]) == expected


@settings(deadline=None)
@given(networks(most=70))
def test_p2_is_one_table_for_all_start_trees(net: Reference) -> None:
    # What the hardware looks up at the number Y_s, counted from s on.
    i, j = np.divmod(np.arange(net.leaves**2), net.leaves)
    for strategy in (P2, ModifiedP2):
        routing = strategy(net.topology())
        width, r = routing.header["L0"].width, net.r
        assert routing.table_bits() == {"levels": len(routing.table) * (r * width + bits(r))}
        header = generated_headers(routing, i, j)
        s = routing.straps.value("start")[i]
        x = routing.topology.digits(i) != routing.topology.digits(j)
        y = np.take_along_axis(x, routing.topology.z[s], axis=1)
        entry = routing.table[(y << np.arange(net.n)).sum(axis=1)]
        for k in range(r):
            levels = np.array(levels_of(routing, header))
            here = np.take_along_axis(levels, ((s + k) % r)[:, None], axis=1)[:, 0]
            assert (entry >> k * width & (1 << width) - 1 == here).all()
        assert ((s + (entry >> r * width)) % r == routing.header.cut("last", header)).all()


def test_refuses_headers_that_do_not_fit() -> None:
    # 12 digits, 12 times 4 bits for 0..12, and 4 bits for a tree.
    topology = Kyklos(m=2, r=12, n=12)
    message = (
        "Routing by p2 needs a kyklos network whose header has at most 63 bits, "
        "not 64 for m = 2, r = 12, n = 12"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        P2(topology)
    assert H2(topology).header.width == 12 + 12 + 4
