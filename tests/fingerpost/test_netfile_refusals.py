"""Every wrong value is told with its line, its key and what it needs."""

from pathlib import Path

import pytest

from fingerpost.golden.routing import ALGORITHMS
from fingerpost.golden.topology import FAMILIES
from fingerpost.netfile.source import NetfileError, read
from tests.fingerpost.netfiles import GOOD, KEYS, NAME, PARTS, refusal, with_change

pytestmark = pytest.mark.usefixtures("here")


FAMILY = f"needs one of {', '.join(FAMILIES)}"
ALGORITHM = f"needs one of {', '.join(ALGORITHMS)}"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("p: 7", "p: 15", "2: topology.p: Borel needs a prime p, not 15"),
        (
            "p: 7",
            "p: 2000003",
            "2: topology.p: Borel needs a prime p, at most 2000000, not 2000003",
        ),
        ("p: 7", "p: 7.0", "2: topology.p: needs a prime, at most 2000000, not 7.0"),
        ("p: 7", "p: true", "2: topology.p: needs a prime, at most 2000000, not true"),
        ("p: 7", "p: '7'", "2: topology.p: needs a prime, at most 2000000, not '7'"),
        ("p: 7", "p:", "2: topology.p: needs a prime, at most 2000000, not nothing"),
        (
            "p: 7",
            "p: 1999993",
            (
                "2: topology.p: Borel needs at most 4000000 nodes, not p*k = 1999993*249999 = "
                "499996250007"
            ),
        ),
        (" p: 7,", "", "2: topology.p: the key is missing; it needs a prime, at most 2000000"),
        ("p: 7", "q: 7", f"2: topology.q: unknown key; {KEYS} family, p, a, A, B"),
        ("a: 2", "a: 1", "2: topology.a: Borel needs an a in 2..p-1 = 2..6, not 1"),
        (
            "[1, 1]",
            "[3, 1]",
            (
                "2: topology.B: Borel needs B = (t, y) with t in 0..2 (a = 2 has order 3 modulo 7) "
                "and y in 0..6, not (3, 1)"
            ),
        ),
        (
            "A: [0, 1]",
            "A: [0, 7]",
            (
                "2: topology.A: Borel needs A = (t, y) with t in 0..2 (a = 2 has order 3 modulo 7) "
                "and y in 0..6, not (0, 7)"
            ),
        ),
        (
            "[1, 1]",
            "[0, 2]",
            "2: topology: Borel needs gcd(t1, t2, k) = 1 to be connected, not gcd(0, 0, 3) = 3",
        ),
        ("[0, 1]", "[0]", "2: topology.A: needs two whole numbers, [t, y], not [0]"),
        (
            "[0, 1]",
            "[0, true, 3]",
            "2: topology.A: needs two whole numbers, [t, y], not [0, true, 3]",
        ),
        ("[0, 1]", "[0, x]", "2: topology.A[1]: needs a whole number, not 'x'"),
        ("[0, 1]", "5", "2: topology.A: needs two whole numbers, [t, y], not 5"),
        ("borel", "bored", f"2: topology.family: {FAMILY}, not 'bored'; did you mean borel?"),
        ("borel", "cube", f"2: topology.family: {FAMILY}, not 'cube'"),
        ("borel", "[borel]", f"2: topology.family: {FAMILY}, not ['borel']"),
        ("family", "famly", "2: topology.famly: unknown key; did you mean family?"),
        ("family: borel, ", "", f"2: topology.family: the key is missing; it {FAMILY}"),
        (
            "two-phase",
            "twophase",
            f"3: routing.algorithm: {ALGORITHM}, not 'twophase'; did you mean two-phase?",
        ),
        (
            "two-phase",
            "two-phase, phase1: rom",
            "3: routing.phase1: needs table or computed, not 'rom'",
        ),
        (
            "two-phase",
            "two-phase, words: last",
            "3: routing.words: needs balanced or first, not 'last'",
        ),
        (
            "two-phase",
            "two-phase, phase1: computed",
            "3: routing.phase1: Phase I can be computed only for t1, t2 != 0, not (0, 1)",
        ),
        ("name: tiny", "", f"2: name: the key is missing; it needs {NAME}"),
        ("name: tiny", "Name: tiny", "1: Name: unknown key; did you mean name?"),
        ("tiny", "Tiny", f"1: name: needs {NAME}, not 'Tiny'"),
        ("tiny", "../etc/passwd", f"1: name: needs {NAME}, not '../etc/passwd'"),
        ("tiny", "'tiny\n\n'", f"1: name: needs {NAME}, not 'tiny\\n'"),
        ("tiny", "5", f"1: name: needs {NAME}, not 5"),
    ],
)
def test_wrong_topology_routing_or_name(old: str, new: str, message: str) -> None:
    assert refusal(with_change(old, new)) == f"x.yaml:{message}"


CYCLE = ", ".join(f"B^-1 from node {node} on channel 0" for node in ("0,0", "2,3", "1,1"))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("router: {flitwidth: 8}", "4: router.flitwidth: unknown key; did you mean flit_width?"),
        ("flit_width: 8", "4: flit_width: unknown key; did you mean router.flit_width?"),
        ("phase1: table", "4: phase1: unknown key; did you mean routing.phase1?"),
        ("p: 7", "4: p: unknown key; did you mean topology.p?"),
        (
            "colour: red",
            f"4: colour: unknown key; {KEYS} {PARTS}",
        ),
        ("7: red", f"4: 7: unknown key; {KEYS} {PARTS}"),
        (
            "router:",
            "4: router: needs keys, as in router: {flit_width: 32, buffer_depth: 8}, not nothing",
        ),
        ("link: flit", "4: link: needs keys, as in link: {kind: flit}, not 'flit'"),
        (
            "link: {kind: os_link}",
            "4: link.kind: needs flit or os-link, not 'os_link'; did you mean os-link?",
        ),
        (
            "link: {kind: os-link, clocks_per_bit: 3}",
            "4: link.clocks_per_bit: OS-Link needs clocks_per_bit in 4..1000, not 3",
        ),
        ("link: {kind: flit, fifo: 2}", f"4: link.fifo: unknown key; {KEYS} kind"),
        ("link: {kind: os-link, fifo: 0}", "4: link.fifo: OS-Link needs fifo in 1..64, not 0"),
        (
            "link: {kind: os-link, acknowledge: early}",
            "4: link.acknowledge: needs overlap or late, not 'early'",
        ),
        (
            "terminal: {kind: os-link, clocks_per_bit: 3}",
            "4: terminal.clocks_per_bit: OS-Link needs clocks_per_bit in 4..1000, not 3",
        ),
        (
            "terminal: {kind: os-link, stop: 2}",
            "4: terminal.stop: needs checked or ignored, not 2",
        ),
        (
            "terminal: {kind: os-link, longest: 65536}",
            "4: terminal.longest: OS-Link terminal needs longest in 0..65535, not 65536",
        ),
        (
            "terminal:\n  kind: os-link\n  slot: 30\n  timeout: 100",
            (
                "7: terminal.timeout: OS-Link terminal needs a timeout of 0 or at least 120 bit "
                "times with slot: 30, not 100"
            ),
        ),
        (
            "router: {flit_width: 64}\nterminal: {kind: os-link}",
            "4: router.flit_width: OS-Link terminal needs a flit_width in 16..56, not 64",
        ),
        (
            "router: {flit_width: 20}\nterminal: {kind: os-link}",
            "4: router.flit_width: OS-Link terminal needs a flit_width of whole bytes, not 20 bits",
        ),
        (
            "terminal: {kind: os-link, breaks: true}",
            (
                f"4: terminal.breaks: unknown key; {KEYS} kind, clocks_per_bit, fifo, acknowledge, "
                "slot, timeout, stop, longest"
            ),
        ),
        ("terminal: {kind: credit, fifo: 2}", f"4: terminal.fifo: unknown key; {KEYS} kind"),
        ("clocks_per_bit: 4", "4: clocks_per_bit: unknown key; did you mean link.clocks_per_bit?"),
        (
            "router: {flit_width: 24}\nlink: {kind: os-link}",
            (
                "4: router.flit_width: OS-Link needs a flit_width that is a multiple of 8 from 32, "
                "room for a two-phase header and a CRC, to 56, not 24"
            ),
        ),
        (
            "router: {flit_width: 33}\nlink: {kind: os-link}",
            (
                "4: router.flit_width: OS-Link needs a flit_width that is a multiple of 8 from 32, "
                "room for a two-phase header and a CRC, to 56, not 33"
            ),
        ),
        (
            "router: {virtual_channels: 8}\nlink: {kind: os-link}",
            "5: link.kind: OS-Link carries up to 7 virtual_channels, and there are 8",
        ),
        (
            "router: {buffer_depth: 6.5}",
            "4: router.buffer_depth: needs a whole number in 1..64, not 6.5",
        ),
        (
            "router:\n  buffer_depth: 65",
            "5: router.buffer_depth: Router needs buffer_depth in 1..64, not 65",
        ),
        (
            "router: {buffer_depth: 0}",
            "4: router.buffer_depth: Router needs buffer_depth in 1..64, not 0",
        ),
        (
            "router: {virtual_channels: 17}",
            (
                "4: router.virtual_channels: Router needs virtual_channels auto or a whole number "
                "in 1..16, not 17"
            ),
        ),
        (
            "router: {virtual_channels: many}",
            "4: router.virtual_channels: needs auto or a whole number in 1..16, not 'many'",
        ),
        (
            "router:\n  buffer_depth: 4\n  virtual_channels: 1",
            (
                "6: router.virtual_channels: two-phase can deadlock with virtual_channels: 1; "
                f"2 are enough; a shortest cycle of links: {CYCLE}"
            ),
        ),
        (
            "router:\n\n  flit_width: 9",
            (
                "6: router.flit_width: Router needs a flit_width of at least 10, the bits of a "
                "two-phase header here, not 9"
            ),
        ),
        (
            "router: {channel_order: 3}",
            (
                "4: router.channel_order: needs a list of whole numbers, as `fingerpost order` "
                "prints it, not 3"
            ),
        ),
        (
            "router:\n  channel_order:\n    - 1\n    - two",
            "7: router.channel_order[1]: needs a whole number, not 'two'",
        ),
        (
            "router: {channel_order: [1, 2]}",
            (
                "4: router.channel_order: Channel order needs each of 0..20 once, the ranks of the "
                "21 nodes"
            ),
        ),
        (
            "router: {flit_width: 32,\n flit_width: 64}",
            "5: router.flit_width: the key is given twice, first in line 4; remove one",
        ),
        ("counters: {kind: apb}", "4: counters.kind: needs axi-lite, not 'apb'"),
        (
            "counters: {kind: axi-lite, of: links}",
            "4: counters.of: needs ports or terminals, not 'links'",
        ),
        (
            "counters:\n  kind: axi-lite\nlink: {kind: os-link}\nrouter: {flit_width: 56}",
            (
                "5: counters.kind: Counters need one clock for all nodes, as with link: "
                "{kind: flit}, not a clock of each node, as with os-link"
            ),
        ),
        ("name: other", "4: name: the key is given twice, first in line 1; remove one"),
    ],
)
def test_wrong_router_or_link(more: str, message: str) -> None:
    assert refusal(GOOD + more) == f"x.yaml:{message}"


OTHERS = """\
star, n: 2 | greedy | topology.n: Star needs an n in 3..9, not 2
scc, n: 10 | greedy | topology.n: Scc needs an n in 3..9, not 10
scc, n: 8 | minimal | routing.algorithm: Minimal routing needs n of at most 7 for its table, not 8
scc, n: 4 | greedy, memory: all | routing.memory: needs anchor or none, not 'all'
scc, n: 4 | chordal-ring | routing.algorithm: Chordal-ring routing needs a borel network, not scc
kyklos, m: 1, r: 2, n: 4 | m | topology.m: Kyklos needs m >= 2 children of a node, not 1
kyklos, m: 2, r: 0, n: 4 | m | topology.r: Kyklos needs r >= 1 trees, not 0
kyklos, m: 2, r: 3, n: 4 | m | topology.r: Kyklos needs an r that divides n = 4, not 3
kyklos, m: 2, r: 2, n: 4, variant: II | m | \
topology.variant: needs proposed, original or I, not 'II'
kyklos, m: 2, r: 2, n: 40 | m | \
topology.n: Kyklos needs at most 4000000 nodes, not m^n = 2^40 leaves and r = 2 trees
kyklos, m: 2, r: 2, n: 14 | table | routing.algorithm: \
Table routing needs at most 25000000 entries, one at each node for each terminal, \
not 49150*16384 = 805273600
borel, p: 13, a: 4, A: [4, 1], B: [4, 1] | table | topology: \
Borel needs four different links A, B, A^-1, B^-1, none the identity, \
not ((4, 1), (4, 1), (2, 10), (2, 10))
double-loop, nodes: 6, a: 2, b: 2 | table | \
topology.b: Double-loop needs two different steps a and b, not 2 and 2
kyklos, m: 3, r: 2, n: 4 | y2 | \
routing.algorithm: Routing by y2 needs a kyklos network with m = 2, not m = 3
rotator, n: 10 | rotator | topology.n: Rotator needs an n in 2..9, not 10
super-rotator, nodes: 1 | class | topology.nodes: Super-rotator needs nodes in 2..1000000, not 1
super-rotator, nodes: 9 | class, link: last | routing.link: needs min or first, not 'last'
double-loop, nodes: 6, a: 2, b: 9 | table | \
topology.b: Double-loop needs a step b in 1..nodes-1 = 1..5, not 9
double-loop, nodes: 6, a: 2, b: 4 | table | \
topology: Double-loop needs gcd(nodes, a, b) = 1 to be connected, not gcd(6, 2, 4) = 2
directed-chordal-ring, nodes: 7, w: 3 | table | \
topology.nodes: Directed-chordal-ring needs an even number of nodes in 4..4000000, not 7
directed-chordal-ring, nodes: 8, w: 4 | table | \
topology.w: Directed-chordal-ring needs an odd chord w in 3..nodes-1 = 3..7, not 4
grid, sizes: [4, 1] | table | \
topology.sizes: Grid needs one or more sizes of at least 2, not [4, 1]
grid, sizes: [4, x] | table | topology.sizes[1]: needs a whole number, not 'x'
grid, sizes: [4, 4], wrap: [true] | table | \
topology.wrap: Grid needs a wrap for each of 2 sizes, not 1
grid, sizes: [4, 4], wrap: 1 | table | \
topology.wrap: needs true, false, or a list of these, one for each of the sizes, not 1
star, n: 3 | dimension-order | \
routing.algorithm: Dimension-order routing needs a grid network, not star
rotator, n: 3 | up-down | routing.algorithm: \
Up-down routing needs links that go both ways, which those of rotator do not
edge-list, file: ../x | table | topology.file: \
Edge-list needs a file in the directory of the network file or below, not '../x'
borel, p: 13, a: 4, A: [4, 1], B: [5, 1] | chordal-ring, lookahead: 5 | \
routing.lookahead: Chordal-ring routing needs lookahead in 1..4, not 5
borel, p: 13, a: 4, A: [4, 1], B: [5, 1] | chordal-ring, lookahead: two | \
routing.lookahead: needs a whole number in 1..4, not 'two'
borel, p: 13, a: 4, A: [4, 1], B: [5, 1] | chordal-ring, lookahead: 3, rule: paper | \
routing.rule: Chordal-ring routing needs rule safe here, not paper: \
with lookahead 3 that rule sends 1638 of 6006 packets in circles
borel, p: 13, a: 2, A: [2, 1], B: [3, 1] | chordal-ring | \
routing.algorithm: Chordal ring needs a generator with gcd(t, k) = 1, not t = 2 and 3 for k = 12
borel, p: 13, a: 4, A: [4, 1], B: [5, 1] | class | \
routing.algorithm: Class routing needs a super-rotator network, not borel
borel, p: 13, a: 4, A: [4, 1], B: [5, 1] | table, choice: x | \
routing.choice: needs balanced or first, not 'x'
"""


@pytest.mark.parametrize("line", OTHERS.splitlines())
def test_wrong_parameters_of_every_family(line: str) -> None:
    family, algorithm, message = line.split(" | ")
    Path("x.yaml").write_text(
        f"name: x\ntopology: {{family: {family}}}\nrouting: {{algorithm: {algorithm}}}\n",
        encoding="utf-8",
    )
    with pytest.raises(NetfileError) as caught:
        read("x.yaml").routed()
    assert str(caught.value).partition(": ")[2] == message
