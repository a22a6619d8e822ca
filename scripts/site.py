"""What the site has beside the pages of docs/: mkdocs calls these functions (`make docs`).

The pages are read on GitHub too, so links out of docs/ name files of the checkout. README.md is the
front page here; other files that pages name are copied, as text that a browser shows.
"""

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import fingerpost
from scripts import answers, pages

ROOT = Path(__file__).resolve().parent.parent

PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md"}
"""Pages of the checkout that are pages of the site."""

GENERATED = {
    "reference/network-file.md": pages.keys,
    "reference/commands.md": pages.commands,
    "reference/json.md": answers.page,
    "reference/registers.md": pages.registers,
    "howto/own-graph.md": pages.notebook,
}
"""Pages that are made of the code."""

UP = re.compile(r"\]\((\.\./[^)#\s]+)")
"""A link to a file of another folder: of docs/, or of the checkout."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from outside docs/, and the files that pages name."""
    named = {
        name
        for page in files.documentation_pages()
        for link in UP.findall(page.content_string)
        if (name := outside(link, page.src_uri))
    }
    for name, page in PAGES.items():
        text = (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")
        text = re.sub(r"\]\(([\w./-]+)\)", lambda link: moved(link, named), text)
        files.append(File.generated(config, page, content=text))
    for page, made in GENERATED.items():
        files.append(File.generated(config, page, content=made()))
    for name in named - set(PAGES):
        files.append(File.generated(config, copied(name), abs_src_path=str(ROOT / name)))
    return files


def moved(link: re.Match[str], named: set[str]) -> str:
    """Return a link of a page at the root as one of docs/, and note which file it names."""
    if (ROOT / "docs" / link[1]).exists():
        return link[0]
    named.add(link[1])
    return f"](../{link[1]})"


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links lead to the copies, and add to the page on Python what its docstrings say."""
    if page.file.src_uri == "reference/python.md":
        for each in (getattr(fingerpost, name) for name in fingerpost.__all__):
            markdown += f"\n::: {each.__module__}.{each.__name__}\n"
    return UP.sub(lambda link: f"]({shown(link[1], page.file.src_uri)}", markdown)


def outside(link: str, page: str) -> str | None:
    """Return the file of the checkout that a page of docs/ names, or None if it is in docs/."""
    path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), link))
    return None if path.startswith("docs/") else path


def shown(link: str, page: str) -> str:
    """Return a link of a page of docs/ as one of the site."""
    name = outside(link, page)
    target = name and (PAGES.get(name) or copied(name))
    return posixpath.relpath(target, posixpath.dirname(page) or ".") if target else link


def copied(name: str) -> str:
    """Return where the copy of a file of the checkout is."""
    return f"checkout/{name}.txt"
