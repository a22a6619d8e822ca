"""The site of the docs: built without a warning, whole, and without a word to the network."""

import json
import os
import re
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml
from markdown_it import MarkdownIt

from fingerpost.cli.app import TASKS
from fingerpost.hdl.emit.manifest import manifest
from fingerpost.netfile.source import load_any
from scripts import pages
from tests.browser import drive
from tests.fingerpost.common import python

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def test_every_page_has_its_place() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").replace("!!python", "#")
    shown = set(re.findall(r": ([\w/-]+\.md)$", text[text.index("\nnav:") :], flags=re.M))
    generated = ("network-file", "commands", "json", "registers")
    made = {"index.md", "contributing.md", *(f"reference/{name}.md" for name in generated)}
    made |= {str(page.relative_to(DOCS).with_suffix(".md")) for page in DOCS.rglob("*.ipynb")}
    assert shown == {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")} | made
    assert yaml.safe_load(text[text.index("\nnav:") :])


@pytest.mark.parametrize(
    ("name", "without"),
    [
        *(
            (name, "with mailboxes|with AXI4")
            for name in ("borel-21-axi", "borel-21-os-link", "scc-4")
        ),
        ("mesh-2x2-mailbox", "with AXI4"),
        ("mesh-4x4-axi4", "with mailboxes"),
        ("borel-21-deflection", "with mailboxes|with AXI4|wormhole routers"),
    ],
)
def test_the_page_on_the_manifest_has_its_keys(name: str, without: str) -> None:
    text = (DOCS / "reference/manifest.md").read_text(encoding="utf-8")
    others = f"shared terminals|networks with boards|{without}"
    first = re.findall(rf"^\| (.*?) \| (?!{others})", text, flags=re.M)
    network = load_any(ROOT / f"networks/{name}.yaml")
    assert set(re.findall(r"`(\w+)`", " ".join(first))) == set(manifest(network, {}))


def test_generated_pages_have_keys_commands_and_registers() -> None:
    page = pages.keys()
    listed = set(re.findall(r"^\| `(\w+)` \|", page, flags=re.M))
    chosen = []
    for section in page.split("\n## "):  # links and terminals may have kinds of one name
        choices = re.findall(r"^### `(\w+: [\w-]+)`", section, flags=re.M)
        assert len(choices) == len({*choices})
        chosen += choices
    for file in sorted((ROOT / "networks").glob("*.yaml")):
        network = yaml.safe_load(file.read_text(encoding="utf-8"))
        items = {key: part if isinstance(part, list) else [part] for key, part in network.items()}
        sections = [part for parts in items.values() for part in parts if isinstance(part, dict)]
        plain = {key for key, (first, *_) in items.items() if not isinstance(first, dict)}
        chooses = {"family", "algorithm", "kind"}
        assert plain | {key for part in sections for key in part} - chooses <= listed, file.name
        assert {f"{key}: {part[key]}" for part in sections for key in chooses & {*part}} <= {
            *chosen
        }, file.name
    assert set(re.findall(r"^## (\S+)$", pages.commands(), flags=re.M)) == {
        *(name for names in TASKS.values() for name in names)
    }
    assert "| <code>--waves</code> | Keep a waveform. |" in pages.commands()
    assert "\n- 0x18 `stalled` (r, a row of 5): " in pages.registers()
    assert "| `clocks_per_bit` | whole number, 4 to 1000 | `5` |" in page
    assert "| `virtual_channels` | `auto` or whole number, 1 to 16 | `auto` |" in page
    assert "| `A` | list of 2 whole numbers | needed |" in page


class Page(HTMLParser):
    """What a page of the site has: its places, what it asks for, and the letters of its article."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.letters = ""
        self._within = self._mark = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._within |= tag == "article"
        self._mark = "headerlink" in (given.get("class") or "")
        self.places |= {given.get("id") or "", given.get("name") or ""}
        link = given.get("href") or given.get("src")
        if link:
            (self.links if tag == "a" else self.loaded).add(link)

    def handle_endtag(self, tag: str) -> None:
        self._within &= tag != "article"

    def handle_data(self, data: str) -> None:
        if self._within and not self._mark:
            self.letters += "".join(data.split())


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Page]:
    """Every page of the site, built anew."""
    if find_spec("mkdocs") is None:
        pytest.fail("mkdocs is missing: run `scripts/setup docs`")
    folder = tmp_path_factory.mktemp("site")
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = python("-m", "mkdocs", "build", "--strict", "--site-dir", folder, env=env)
    assert built.returncode == 0, built.stderr
    assert "WARNING" not in built.stderr
    pages = (path for path in folder.rglob("*.html") if path.name != "404.html")
    return {path: Page(path.read_text(encoding="utf-8")) for path in pages}


@pytest.mark.regress
def test_links_of_the_site_lead_somewhere(site: dict[Path, Page]) -> None:
    assert len(site) > 25
    for path, page in site.items():
        for link in page.links | page.loaded:
            if link.startswith(("http://", "https://")):
                continue
            name, _, place = unquote(link).partition("#")
            target = (path.parent / name).resolve() if name else path
            assert target.exists(), f"{path.name}: {link}"
            if place and target.suffix == ".html":
                assert place in site[target].places, f"{path.name}: {link}"


@pytest.mark.regress
def test_the_site_says_what_github_says(site: dict[Path, Page]) -> None:
    markdown = MarkdownIt("commonmark").enable("table")
    front = next(path for path in site if path.name == "index.html").parent
    source = {"index": ROOT / "README.md", "contributing": ROOT / "CONTRIBUTING.md"}
    for path, page in site.items():
        name = str(path.relative_to(front).with_suffix(""))
        file = source.get(name, DOCS / f"{name}.md")
        if file.exists():
            there = Page(f"<article>{markdown.render(file.read_text(encoding='utf-8'))}</article>")
            pairs = enumerate(zip(there.letters, page.letters, strict=False))
            other = next((at for at, (one, two) in pairs if one != two), None)
            assert other is None, there.letters[other - 40 : other + 40]
            assert len(there.letters) <= len(page.letters), path.name


@pytest.mark.regress
def test_pages_ask_for_nothing_from_the_network(site: dict[Path, Page]) -> None:
    for path, page in site.items():
        assert not [link for link in page.loaded if re.match(r"(https?:)?//", link)], path.name
        for sheet in page.loaded:
            if sheet.endswith(".css"):
                text = (path.parent / sheet).read_text(encoding="utf-8")
                assert not re.search(r"(url\(|@import )[\"']?(https?:)?//", text), sheet


@pytest.mark.regress
def test_the_site_has_what_is_not_in_docs(site: dict[Path, Page]) -> None:
    folder = next(path for path in site if path.name == "index.html").parent
    for name in (
        "fingerpost.golden.network.network.Network",
        "fingerpost.commands.cosim.cosim",
        "fingerpost.hdl.export.generate.generate",
    ):
        assert name in site[folder / "reference/python.html"].places
    keys = (folder / "reference/network-file.html").read_text(encoding="utf-8")
    for key in ("clocks_per_bit", "lookahead", "wrap", "bypass_limit", "family: borel"):
        assert f"<code>{key}</code>" in keys
    copies = sorted(folder.glob("checkout/**/*.txt"))
    assert folder / "checkout/golden/topology/star.py.txt" in copies
    index = json.loads((folder / "search/search_index.json").read_text(encoding="utf-8"))
    assert any("deadlock" in entry["text"] for entry in index["docs"])
    assert (folder / "search/search_index.js").exists()


@pytest.mark.regress
def test_the_site_in_a_browser(site: dict[Path, Page], tmp_path: Path) -> None:
    tasks = [{"page": path.as_uri(), "width": width} for path in site for width in (390, 1400)]
    index = next(path for path in site if path.name == "index.html")
    tasks.append({"page": index.as_uri(), "width": 1400, "search": "valley"})
    *pages, searched = drive(Path(__file__).parent / "site.html", tasks, tmp_path)
    for task, seen in zip(tasks, pages, strict=False):
        assert seen["overflow"] <= 0, task
        assert seen["broken"] == [], task
        assert seen["covered"] == 0, task
        if str(task["page"]).endswith("/reference/networks.html"):
            assert max(seen["wide"]) <= 0, task
    assert sum(seen["images"] for seen in pages) > 60
    assert any("explanation/deadlock.html" in link for link in searched["results"]), searched
