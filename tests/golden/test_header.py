"""Layouts of headers, flits and straps."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.header import Field, Layout, bits, flit_layout
from fingerpost.golden.routing.base import Straps


@pytest.mark.parametrize(
    ("count", "width"),
    [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4), (1024, 10), (1025, 11)],
)
def test_bits_holds_the_largest(count: int, width: int) -> None:
    assert bits(count) == width


@pytest.fixture
def layout() -> Layout:
    return Layout.sequence(a=(3, "first"), b=(1, "second"), c=(5, "third"))


@given(st.lists(st.integers(1, 12), min_size=1, max_size=5), st.data())
def test_cut_returns_what_was_packed(widths: list[int], data: st.DataObject) -> None:
    layout = Layout.sequence(**{f"f{i}": (width, "") for i, width in enumerate(widths)})
    rows = data.draw(st.integers(1, 4))
    values = {
        f"f{i}": np.array(
            data.draw(st.lists(st.integers(0, 2**w - 1), min_size=rows, max_size=rows))
        )
        for i, w in enumerate(widths)
    }
    word = layout.pack(**values)
    assert (word < 2 ** sum(widths)).all()
    for name, value in values.items():
        assert layout.cut(name, word).tolist() == value.tolist()


def test_fields_may_overlay() -> None:
    layout = Layout({"kind": Field(0, 1, ""), "long": Field(1, 6, ""), "short": Field(1, 2, "")})
    assert layout.width == 7
    word = layout.pack(long=np.array([0b110110]))
    assert layout.cut("short", word).tolist() == [0b10]


def test_63_bits_can_be_packed_and_64_cannot() -> None:
    layout = Layout.sequence(low=(31, ""), high=(32, ""))
    word = layout.pack(high=np.array([2**32 - 1]), low=np.array([2**31 - 1]))
    assert word.tolist() == [2**63 - 1]
    assert layout.cut("high", word).tolist() == [2**32 - 1]
    with pytest.raises(ValueError, match=r"^A packed word needs at most 63 bits, not 64$"):
        Layout.sequence(low=(32, ""), high=(32, "")).pack(low=1)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"a": 8}, "Field a of 3 bits needs values in 0..7, not 8"),
        ({"a": 7, "b": 2}, "Field b of 1 bits needs values in 0..1, not 2"),
        ({"c": -1}, "Field c of 5 bits needs values in 0..31, not -1"),
        ({"c": np.array([[31, 3], [32, -5]])}, "Field c of 5 bits needs values in 0..31, not 32"),
        ({"b": np.array(2), "a": 1}, "Field b of 1 bits needs values in 0..1, not 2"),
    ],
)
def test_refuses_values_that_do_not_fit(
    values: dict[str, int], message: str, layout: Layout
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        layout.pack(**values)


def test_a_flit_is_head_tail_and_data_from_the_lowest_bit() -> None:
    layout = flit_layout(32)
    assert [(name, f.offset, f.width) for name, f in layout.items()] == [
        ("head", 0, 1),
        ("tail", 1, 1),
        ("data", 2, 32),
    ]
    assert layout.width == 34
    assert layout.pack(head=1, data=5) == 0b101_0_1


def test_straps_are_fields_with_a_value_at_every_node() -> None:
    straps = Straps(
        {
            "label": (3, "the number", np.array([0, 5, 7])),
            "wide": (70, "more than an array holds", np.array([1, 0, 1 << 62])),
            "leaf": (1, "whether it is one", np.array([1, 1, 0])),
        }
    )
    assert straps.width == 74
    assert dict(straps) == {
        "label": Field(0, 3, "the number"),
        "wide": Field(3, 70, "more than an array holds"),
        "leaf": Field(73, 1, "whether it is one"),
    }
    assert straps.value("label").tolist() == [0, 5, 7]
    assert [straps.at(node) for node in range(3)] == [
        1 << 73 | 1 << 3, 1 << 73 | 5, 1 << 65 | 7,
    ]  # fmt: skip


@pytest.mark.parametrize("value", [-1, 4])
def test_straps_hold_no_more_than_their_bits(value: int) -> None:
    with pytest.raises(ValueError, match=rf"^Strap c needs values of 2 bits, not {value}$"):
        Straps({"c": (2, "class", np.array([0, value, 3]))})
