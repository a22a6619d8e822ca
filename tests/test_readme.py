"""The pictures of README.md: the first follows from its data, commands print the second."""

from html import unescape
from pathlib import Path
from typing import Any

import pytest

from scripts import readme

SESSION = (readme.ROOT / "docs/session.svg").read_text(encoding="utf-8")


def curve(network: str, family: str, accepted: float) -> dict[str, Any]:
    points = [{"load": 0.1, "accepted": 0.1}, {"load": 1.0, "accepted": accepted}]
    return {"network": network, "family": family, "nodes": 1024, "points": points}


def test_the_title_follows_from_the_data() -> None:
    curves = [curve("borel-1081-shortest", "borel", 0.44), curve("torus-32x32", "grid", 0.2),
              curve("mesh-32x32", "grid", 0.1), curve("another", "star", 0.9)]  # fmt: skip
    made = readme.carried({"curves": curves})
    made.draw_without_rendering()
    (axes,) = made.axes
    assert axes.title.get_text() == ""
    said = axes.get_title(loc="left")
    assert ("2.2 times the load\nof a torus" in said, "4.4 times that of a mesh" in said) == (1, 1)
    labels = [text.get_text() for text in axes.texts]
    assert labels == ["dense graph, 1,024 nodes: 0.44", "torus, 1,024 nodes: 0.20",
                      "mesh, 1,024 nodes: 0.10"]  # fmt: skip
    for text in axes.texts:
        assert text.get_window_extent().x1 <= made.bbox.width


INFO, GENERATE, _ = readme.SESSION


@pytest.mark.parametrize("command", [INFO, pytest.param(GENERATE, marks=pytest.mark.regress)])
def test_the_session_is_what_the_commands_print(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = readme.ROOT / "networks/borel-21.yaml"
    (tmp_path / network.name).write_bytes(network.read_bytes())
    monkeypatch.chdir(tmp_path)
    shown = unescape(SESSION)
    assert f">$ fingerpost {' '.join(command)}<" in shown
    printed = readme.kept(readme.said(command), readme.SESSION[command])
    assert len(printed) > 3
    assert all(f">{line}<" in shown for line in printed)
