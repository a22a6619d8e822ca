import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.testbench.packing import empty, fill, pack, unpack

FIELDS = ("valid", 2), ("head", 1), ("data", 70), ("credit", 3)
"""The data are wider than numpy's integers, and begin and end inside a word."""


@given(st.lists(st.integers(0, (1 << 76) - 1), min_size=1, max_size=4))
def test_a_number_of_rows_comes_apart_bit_by_bit(rows: list[int]) -> None:
    number = sum(row << 76 * i for i, row in enumerate(rows))
    columns = unpack(FIELDS, len(rows), number)
    words = np.array([[row & (1 << 64) - 1, row >> 64] for row in rows], np.uint64)
    for found in (columns, empty(FIELDS, words)):
        assert found["valid"].tolist() == [row & 3 for row in rows]
        assert found["head"].tolist() == [row >> 2 & 1 for row in rows]
        assert found["data"].tolist() == [row >> 3 & (1 << 70) - 1 for row in rows]
        assert found["credit"].tolist() == [row >> 73 for row in rows]


@given(st.lists(st.integers(0, (1 << 62) - 1), min_size=1, max_size=4))
def test_what_is_packed_comes_apart_again(data: list[int]) -> None:
    small = {"valid": 2, "head": 1, "credit": 5}
    columns = {name: np.full(len(data), value) for name, value in small.items()}
    columns["data"] = np.array(data)
    words = np.zeros((len(data), 2), np.uint64)
    fill(FIELDS, columns, words)
    for found in (unpack(FIELDS, len(data), pack(FIELDS, columns)), empty(FIELDS, words)):
        assert {name: found[name].tolist() for name in columns} == {
            name: column.tolist() for name, column in columns.items()
        }
