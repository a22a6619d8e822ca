from pathlib import Path

import pytest

from fingerpost.netfile import NetfileError, load, read
from golden.link import CellLink
from golden.parameters import ParameterError
from golden.routing import ALGORITHMS
from golden.topology import FAMILIES

GOOD = """\
name: tiny
topology: {family: borel, p: 7, a: 2, A: [0, 1], B: [1, 1]}
routing: {algorithm: two-phase}
"""
KEYS = "the keys here are"
PARTS = "name, topology, routing, router, link, terminal"
NAME = "1 to 64 of the characters a-z 0-9 _ -, a letter first: it names files and modules"
NOT_KEYS = "x.yaml:1: a network file needs keys such as name, topology, routing, as in networks/"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def refusal(text: str) -> str:
    Path("x.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(NetfileError) as caught:
        load("x.yaml")
    return str(caught.value)


FAMILY = f"needs one of {', '.join(FAMILIES)}"
ALGORITHM = f"needs one of {', '.join(ALGORITHMS)}"


def with_change(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new, 1)


def test_minimal_file_gets_the_defaults() -> None:
    Path("x.yaml").write_text(GOOD, encoding="utf-8")
    network = load("x.yaml")
    assert network.name == "tiny"
    assert (network.flit_width, network.buffer_depth, network.virtual_channels) == (32, 8, 2)
    assert network.description == {
        "name": "tiny",
        "topology": {"family": "borel", "p": 7, "a": 2, "A": (0, 1), "B": (1, 1)},
        "routing": {"algorithm": "two-phase", "phase1": "table", "words": "balanced"},
        "router": {
            "flit_width": 32,
            "buffer_depth": 8,
            "virtual_channels": "auto",
            "courtesy": 0,
            "routing_register": False,
        },
        "link": {"kind": "flit"},
    }


def test_os_links_get_the_defaults() -> None:
    Path("x.yaml").write_text(GOOD + "link: {kind: os-link, slot: 12}\n", encoding="utf-8")
    link = load("x.yaml").link
    assert isinstance(link, CellLink)
    assert (link.clocks_per_bit, link.fifo, link.acknowledge) == (5, 2, "overlap")
    assert (link.slot, link.timeout, link.breaks) == (12, 0, False)


def test_os_links_go_both_ways() -> None:
    assert refusal(
        "name: loop\ntopology: {family: super-rotator, nodes: 13}\nrouting: {algorithm: class}\n"
        "link: {kind: os-link}\n"
    ) == ("x.yaml:4: link.kind: OS-Link goes both ways, and the links of super-rotator do not")


def test_every_key_arrives() -> None:
    text = (
        "name: tiny\n"
        "topology: {family: borel, p: 7, a: 2, A: [1, 1], B: [2, 4]}\n"
        "routing: {algorithm: two-phase, phase1: computed, words: first}\n"
        "router: {flit_width: 40, buffer_depth: 64, virtual_channels: 16, channel_order: [2, 0, 1]}"
        "\nlink: {kind: flit}\n"
    )
    Path("x.yaml").write_text(text, encoding="utf-8")
    network = load("x.yaml")
    assert (network.flit_width, network.buffer_depth, network.virtual_channels) == (40, 64, 16)
    assert network.order is not None
    assert network.order[:3].tolist() == [2, 0, 1]
    assert network.description["routing"] == {
        "algorithm": "two-phase", "phase1": "computed", "words": "first",
    }  # fmt: skip


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
            "4: link.clocks_per_bit: needs a whole number in 4..1000, not 3",
        ),
        ("link: {kind: flit, fifo: 2}", f"4: link.fifo: unknown key; {KEYS} kind"),
        ("link: {kind: os-link, fifo: 0}", "4: link.fifo: needs a whole number in 1..64, not 0"),
        (
            "link: {kind: os-link, acknowledge: early}",
            "4: link.acknowledge: needs overlap or late, not 'early'",
        ),
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
            "router:\n  buffer_depth: 65",
            "5: router.buffer_depth: needs a whole number in 1..64, not 65",
        ),
        (
            "router: {buffer_depth: 0}",
            "4: router.buffer_depth: needs a whole number in 1..64, not 0",
        ),
        (
            "router: {virtual_channels: 17}",
            "4: router.virtual_channels: needs auto or a whole number in 1..16, not 17",
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
        ("name: other", "4: name: the key is given twice, first in line 1; remove one"),
    ],
)
def test_wrong_router_or_link(more: str, message: str) -> None:
    assert refusal(GOOD + more) == f"x.yaml:{message}"


def test_a_default_that_does_not_fit_is_told_where_the_router_would_stand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def too_wide(description: object) -> None:
        message = "Router needs a flit_width of at least 40, not 32"
        raise ParameterError("flit_width", message, section="router")

    monkeypatch.setattr("fingerpost.netfile.build", too_wide)
    message = "router.flit_width: Router needs a flit_width of at least 40, not 32"
    assert refusal(GOOD) == f"x.yaml:3: {message}"
    assert refusal(f"{GOOD}router: {{buffer_depth: 4}}\n") == f"x.yaml:4: {message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"{NOT_KEYS}borel-21.yaml, not an empty file"),
        ("# nothing\n", f"{NOT_KEYS}borel-21.yaml, not an empty file"),
        ("- name\n", f"{NOT_KEYS}borel-21.yaml, not ['name']"),
        ("tiny", f"{NOT_KEYS}borel-21.yaml, not 'tiny'"),
        ("a: 1\nb: c: d", "x.yaml:2: not YAML: mapping values are not allowed here"),
        (
            "a: [1,\n",
            ("x.yaml:2: not YAML: while parsing a flow node, expected the node content, but found "
            "'<stream end>'"),
        ),
        ("a: 1\nb: \0", "x.yaml:2: not YAML: a character that text files do not have"),
        (
            "a: 1\n---\nb: 2\n",
            ("x.yaml:2: not YAML: expected a single document in the stream, but found another "
            "document"),
        ),
        (
            "a: !!python/object/apply:os.system [ls]",
            ("x.yaml:1: not YAML: could not determine a constructor for the tag "
            "'tag:yaml.org,2002:python/object/apply:os.system'"),
        ),
        ("? [a, b]\n: c", "x.yaml:1: a key needs to be a word, not a list or a mapping"),
        ("a: !!bool maybe", "x.yaml: not YAML: a value that cannot be read ('maybe')"),
        (
            "a: 2020-13-45",
            "x.yaml: not YAML: a value that cannot be read (month must be in 1..12)",
        ),
        ("[" * 5000, "x.yaml: not YAML for a network: nested too deeply"),
        (
            "mm: &x {b: *x}",
            f"x.yaml:1: mm: unknown key; {KEYS} {PARTS}",
        ),
        (f"name: 0x{'f' * 5000}", (f"x.yaml:1: name: needs {NAME}, not a number of thousands of "
         "digits")),
    ],
)  # fmt: skip
def test_not_a_network_file(text: str, message: str) -> None:
    assert refusal(text) == message


def test_text_that_is_not_utf_8() -> None:
    Path("x.yaml").write_bytes(b"name: \xff\n")
    with pytest.raises(NetfileError, match=r"^x\.yaml: not text in UTF-8, so not a network file$"):
        load("x.yaml")


def test_byte_order_mark_is_no_matter() -> None:
    Path("x.yaml").write_text(GOOD, encoding="utf-8-sig")
    assert load("x.yaml").name == "tiny"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("no.yaml", "no.yaml: there is no such file"),
        (".", ".: a directory, not a network file"),
        ("/dev/null", "/dev/null: a device, not a network file"),
        ("a\0b", r"'a\x00b': cannot be read: embedded null byte"),
    ],
)
def test_not_a_file(path: str, message: str) -> None:
    with pytest.raises(NetfileError) as caught:
        load(path)
    assert str(caught.value) == message


def test_name_in_a_path_of_another_directory_is_kept() -> None:
    Path("sub").mkdir()
    Path("sub/x.yaml").write_text(with_change("p: 7", "p: 15"), encoding="utf-8")
    with pytest.raises(NetfileError, match=r"^sub/x\.yaml:2: topology\.p: "):
        load("sub/x.yaml")


def test_routing_alone_needs_no_channels() -> None:
    text = f"{GOOD}router: {{virtual_channels: 1}}\n"
    Path("x.yaml").write_text(text, encoding="utf-8")
    assert read("x.yaml").routed().topology.nodes == 21


def test_routing_alone_is_checked_as_well() -> None:
    Path("x.yaml").write_text(with_change("p: 7", "p: 9"), encoding="utf-8")
    with pytest.raises(NetfileError, match=r"^x\.yaml:2: topology\.p: .* prime p, not 9$"):
        read("x.yaml").routed()


OTHERS = """\
star, n: 2 | greedy | topology.n: Star needs an n in 3..9, not 2
scc, n: 10 | greedy | topology.n: Scc needs an n in 3..9, not 10
scc, n: 8 | minimal | routing.algorithm: Minimal routing needs n of at most 7 for its table, not 8
scc, n: 4 | greedy, memory: all | routing.memory: needs anchor or none, not 'all'
scc, n: 4 | two-phase | routing.algorithm: Two-phase routing needs a borel network, not scc
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


def test_routing_is_by_table_unless_the_file_says_otherwise() -> None:
    Path("x.yaml").write_text("name: x\ntopology: {family: star, n: 3}\n", encoding="utf-8")
    assert load("x.yaml").routing.algorithm == "table"


def test_links_that_are_no_network_are_told_by_the_key_of_their_file() -> None:
    Path("links.txt").write_text("a b\nc d\n", encoding="utf-8")
    assert refusal("name: x\ntopology:\n  family: edge-list\n  file: links.txt\n") == (
        "x.yaml:4: topology.file: Edge-list needs a way from every node to every other, "
        "not none from a to c"
    )


def test_what_is_wrong_without_a_key_is_told_with_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(description: object) -> None:
        raise ValueError("m needs more than n = 3 hops from 0 to 2")

    monkeypatch.setattr("fingerpost.netfile.build", lost)
    assert refusal(GOOD) == "x.yaml: m needs more than n = 3 hops from 0 to 2"


def test_edge_list_is_read_from_the_file_beside_the_network_file() -> None:
    Path("sub").mkdir()
    Path("sub/links.txt").write_text("a b\nb c\nc a\n", encoding="utf-8")
    Path("sub/x.yaml").write_text(
        "name: x\ntopology: {family: edge-list, file: links.txt}\n", encoding="utf-8"
    )
    network = load("sub/x.yaml")
    assert [network.topology.name(node) for node in range(3)] == ["a", "b", "c"]
    assert network.description["topology"]["links"] == [(0, 1), (1, 2), (2, 0)]
    Path("sub/links.txt").write_text("a b\nb b\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"^sub/links\.txt:2: a link needs two nodes, not one "):
        load("sub/x.yaml")
