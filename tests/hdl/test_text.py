"""Names of any characters in Verilog, XML, HTML and pictures: read back, or their replacement."""

import re
import unicodedata
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerpost.drawing import picture
from fingerpost.drawing.sheet import Sheet
from fingerpost.formats import graphs
from fingerpost.golden.topology import Topology
from fingerpost.hdl.lib.ports import instance
from fingerpost.hdl.lib.text import comment, printable, printable_lines
from fingerpost.report.page import environment
from fingerpost.sweeps.chart import draw
from tests.fingerpost.drawing.test_charts import FACTS
from tests.hdl.simulators import icarus

NASTY = [
    "", "a\nb", "a\r\nb", "\r", "*/", "/* x", "// x", "\\", "a \\", "`include \"x\"", "`define",
    "verilator lint_off", "synthesis translate_off", "endmodule", "); endmodule", "a$b$",
    "$\\frac$", "$", "_x", "<&>\"'", "]]>", "--", "&#0;", "\0", "\x1b[31m", "\x85", "\u2028",
    "\u202e", "\ud800", "\ufffe", "\U0001f310", "\u6f22", "\u00e9", "e\u0301",
]  # fmt: skip
TEXTS = st.one_of(st.sampled_from(NASTY), st.text(st.characters(exclude_categories=())))


def replaced(text: str) -> str:
    """Each character as it is, or a blank for white space, or U+FFFD, by its Unicode category."""
    kinds = {"Zl": " ", "Zp": " ", "Zs": " ", "Cc": "\ufffd", "Cf": "\ufffd", "Cn": "\ufffd",
             "Co": "\ufffd", "Cs": "\ufffd"}  # fmt: skip
    blank = "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85"
    return "".join(" " if c in blank else kinds.get(unicodedata.category(c), c) for c in text)


@given(TEXTS)
def test_what_cannot_be_printed_is_replaced(text: str) -> None:
    assert printable(text) == replaced(text)
    assert printable_lines(text) == "\n".join(map(replaced, text.split("\n")))
    assert not re.match(r"//\s*\w+\s+\w", comment(text))  # as instructions of tools are


@settings(max_examples=5)
@given(st.lists(TEXTS, min_size=20, max_size=60))
def test_icarus_reads_any_remark(
    tmp_path_factory: pytest.TempPathFactory, remarks: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("remarks")
    remarks = [*NASTY, *remarks]
    said = [f'    initial $display("{place}");' for place in range(len(remarks))]
    text = "".join(
        f"module m{place};\n{line}\nendmodule\n" for place, line in enumerate(said)
    ) + "\n".join(
        ["module t;", *(instance(f"m{i}", f"n{i}", remark=r) for i, r in enumerate(remarks)),
         "endmodule\n"]
    )  # fmt: skip
    (folder / "t.v").write_bytes(text.encode())
    assert sorted(map(int, icarus(folder, "t", [folder / "t.v"]))) == list(range(len(remarks)))
    found = re.findall(r"^  m\d+ n\d+\((?: // (.*))?$", text, flags=re.M)
    assert [name.strip('"') if " " in name else name for name in found] == [
        replaced(remark).strip('"') if " " in replaced(remark) else replaced(remark)
        for remark in remarks
    ]


class Named(Topology):
    """A ring whose nodes have some names."""

    family = "named"

    def __init__(self, names: list[str]) -> None:
        n = len(names)
        step = np.arange(n)
        neighbour = np.stack([(step + 1) % n, (step - 1) % n], axis=1)
        super().__init__(neighbour, np.tile([1, 0], (n, 1)), ("+", "-"))
        self.names = names

    def name(self, node: int) -> str:
        return self.names[node]


@settings(max_examples=30)
@given(st.lists(TEXTS, min_size=3, max_size=9))
def test_xml_reads_any_name(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    path = tmp_path_factory.mktemp("names") / "a.graphml"
    graphs.write(Named(names), path, name="x")
    graph = nx.read_graphml(path, node_type=int)
    assert [graph.nodes[i].get("label") or "" for i in graph] == list(map(replaced, names))


class Page(HTMLParser):
    """What a browser reads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, attrs))

    def handle_data(self, data: str) -> None:
        self.text += data


@given(TEXTS, TEXTS)
def test_html_reads_any_name(name: str, title: str) -> None:
    template = '<p title="{{ title | line }}">{{ title }}<b>{{ name }}</b>{{ name }}</p>'
    page = Page(environment().from_string(template).render(title=title, name=name))
    assert page.text == "".join(map(printable_lines, (title, name, name)))
    assert page.tags == [("p", [("title", replaced(title))]), ("b", [])]


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_pictures_take_any_text(tmp_path: Path, suffix: str) -> None:
    path, text = tmp_path / f"a.{suffix}", " ".join(NASTY)
    with picture.style():
        sheet = Sheet()
        for place, name in enumerate(NASTY):
            sheet.text(0, 20.0 * place, name, 9)
        made = sheet.finish(text, NASTY, [])
    picture.save(made, path, title=text)
    draw(FACTS | {"traffic": f"matrix:run$1_$2/{text}"}, tmp_path / f"b.{suffix}", title="")
    draw(FACTS, tmp_path / f"c.{suffix}", title=text)
    if suffix == "svg":
        for each in "abc":
            root = ElementTree.fromstring((tmp_path / f"{each}.svg").read_text(encoding="utf-8"))
            title = next(part.text for part in root.iter() if part.tag.endswith("}title"))
            assert str(title).startswith(printable(text)) or each == "b"
