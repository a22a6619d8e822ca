"""The notebook of the docs: its cells, as the tests run them and as the site shows them."""

import json
from pathlib import Path

NOTEBOOK = Path(__file__).resolve().parent.parent / "docs/howto/own-graph.ipynb"


def cells() -> list[tuple[str, str]]:
    """Return kind, ``markdown`` or ``code``, and text of every cell."""
    found = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    return [(cell["cell_type"], "".join(cell["source"])) for cell in found]


def program() -> str:
    """Return the code alone."""
    return "\n\n".join(text for kind, text in cells() if kind == "code")


def page() -> str:
    """Return the notebook as Markdown."""
    parts = [text if kind == "markdown" else f"```python\n{text}\n```" for kind, text in cells()]
    title, *rest = parts
    link = f"As a notebook: [{NOTEBOOK.name}]({NOTEBOOK.name})."
    return "\n\n".join((title, link, *rest)) + "\n"
