from pathlib import Path

import pytest

from tests.fingerpost.common import NETWORKS, Run


def test_json(run: Run, borel21: Path) -> None:
    ended = run("loads", borel21, "--json")
    assert (ended.status, ended.err) == (0, "")
    facts = ended.json
    # 4 links a node; two-phase routes have 2.5 hops on average (two-phase-1995, Table I's graph).
    assert (facts["links"], facts["terminals"]) == (84, 21)
    assert facts["bound"] == pytest.approx(4 / 2.1)
    assert facts["mean_hops"] == pytest.approx(2.5)
    assert facts["link_load"]["mean"] == pytest.approx(2.5 / 4)
    assert facts["link_saturation"] == pytest.approx(1 / facts["link_load"]["max"])
    assert sum(facts["histogram"]["links"]) == 84
    assert sum(facts["link_load_by_port"].values()) == pytest.approx(2.5)


def test_balanced_table_comes_within_a_percent_of_the_bound(run: Run) -> None:
    facts = run("loads", NETWORKS / "borel-1081-shortest.yaml", "--json").json
    assert facts["bound"] == pytest.approx(4 / 5.54, rel=1e-3)  # Table III prints 5.54
    assert facts["saturation"] >= 0.99 * facts["bound"]


def test_human_answer_has_a_histogram(run: Run) -> None:
    ended = run("loads", NETWORKS / "petersen.yaml")
    assert (ended.status, ended.err) == (0, "")
    assert "petersen, table, uniform: 30 links, 10 terminals" in ended.out
    assert "reached     100.0% of the bound" in ended.out
    assert ended.out.count("#") == 40  # all links carry the same


def test_picture(run: Run, borel21: Path, tmp_path: Path) -> None:
    picture = tmp_path / "loads.svg"
    ended = run("loads", borel21, "-o", picture)
    assert (ended.status, ended.err) == (0, f"fingerpost: wrote {picture}\n")
    text = picture.read_text(encoding="utf-8")
    assert "<svg" in text
    run("loads", borel21, "-o", picture)
    assert picture.read_text(encoding="utf-8") == text
