import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fingerpost.common import NETWORKS, Run

TORUS = NETWORKS / "torus-8x8.yaml"


def test_order_can_be_pasted(run: Run, borel21: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    text = borel21.read_text(encoding="utf-8")
    kept = [line for line in text.splitlines() if "channel_order" not in line]
    at = kept.index("  virtual_channels: auto") + 1
    path.write_text("\n".join(kept), encoding="utf-8")
    found = run("order", path, "--channels", 2, "--seed", 1)
    assert found.status == 0
    comment, line = found.out.splitlines()
    assert comment == (
        "# borel-21: 2 virtual channels are enough with this order, as many as before"
    )
    path.write_text("\n".join([*kept[:at], f"  {line}", *kept[at:]]), encoding="utf-8")
    assert run("info", path, "--json").json["virtual_channels"]["needed"] == 2
    order = yaml.safe_load(path.read_text(encoding="utf-8"))["router"]["channel_order"]
    assert sorted(order) == list(range(21))


def test_order_begins_with_that_of_the_file(run: Run, borel21: Path, tmp_path: Path) -> None:
    kept = yaml.safe_load(borel21.read_text(encoding="utf-8"))["router"]["channel_order"]
    facts = run("order", borel21, "--steps", 0, "--json").json
    assert (facts["channel_order"], facts["virtual_channels"]["needed"]) == (kept, 2)
    larger = tmp_path / "x.yaml"  # 20 nodes of 4 classes: the order of the file is another's
    text = borel21.read_text(encoding="utf-8")
    text = text.replace("p: 7, a: 2, A: [0, 1], B: [1, 1]", "p: 5, a: 2, A: [1, 1], B: [3, 0]")
    larger.write_text(text, encoding="utf-8")
    facts = run("order", larger, "--steps", 0, "--json").json
    assert sorted(facts["channel_order"]) == list(range(4))


def changed(path: Path, folder: Path, order: list[int] | None) -> Path:
    """The network file with another order, or with none."""
    data: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    if beside := data["topology"].get("file"):
        (folder / beside).write_text((NETWORKS / beside).read_text(encoding="utf-8"))
    router = data.setdefault("router", {})
    router.pop("channel_order", None)
    if order is not None:
        router["channel_order"] = order
    file = folder / f"{path.stem}.yaml"
    file.write_text(yaml.safe_dump(data), encoding="utf-8")
    return file


def needed(run: Run, path: Path) -> int:
    return int(run("info", path, "--json").json["virtual_channels"]["needed"])


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        *(("torus-8x8", 0), ("torus-8x8", 300), ("kyklos-2-2-4", 0), ("mesh-4x4-axi", 100)),
        *(("petersen-up-down", 0), ("petersen", 0), ("borel-21", 0), ("borel-21", 100)),
    ],
)
def test_order_is_never_worse_than_none(run: Run, name: str, steps: int, tmp_path: Path) -> None:
    bare = changed(NETWORKS / f"{name}.yaml", tmp_path, None)
    before = needed(run, bare)
    answer = run("order", bare, "--steps", steps, "--json").json
    after = needed(run, changed(bare, tmp_path, answer["channel_order"]))
    assert answer["virtual_channels"] == {"needed": after, "as_it_is": before}
    assert after <= before


def test_a_routing_with_increments_of_its_own_is_left_without_an_order(run: Run) -> None:
    found = run("order", TORUS, "--steps", 50).out
    assert re.fullmatch(
        r"# torus-8x8: leave out channel_order: dimension-order needs 2 virtual channels without "
        r"one, and none was found that needs fewer\n",
        found,
    )


def test_an_order_of_the_file_that_is_worse_than_none_is_to_go(run: Run, tmp_path: Path) -> None:
    worse = changed(TORUS, tmp_path, [2, 0, 1, 3])
    answer = run("order", worse, "--steps", 0, "--json").json
    assert answer["virtual_channels"] == {"needed": 2, "as_it_is": 5}
    assert answer["channel_order"] is None


def test_an_order_that_is_better_than_the_increments_of_the_routing_is_given(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if the routing's own needed more: one channel is what no order of a torus can do.
    monkeypatch.setattr("fingerpost.commands.order._without_order", lambda _: 9)
    answer = run("order", TORUS, "--steps", 0, "--json").json
    assert sorted(answer["channel_order"]) == [0, 1, 2, 3]
    assert answer["virtual_channels"]["needed"] < answer["virtual_channels"]["as_it_is"] == 9
