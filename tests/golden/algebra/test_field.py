"""Finite fields: the axioms, which leave one field of each size; primitive elements."""

import numpy as np
import pytest

from fingerpost.golden.algebra.field import Field


@pytest.mark.parametrize("q", [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 25, 27, 32])
def test_tables_are_those_of_a_field(q: int) -> None:
    field, every = Field(q), np.arange(q)
    for table, neutral in ((field.sum, 0), (field.product, 1)):
        assert (table == table.T).all()
        assert (table[neutral] == every).all()
        assert (table[table][:, :, every] == table[:, table]).all()  # associative
    assert (field.sum[every, field.negative] == 0).all()
    assert all(sorted(row) == list(range(q)) for row in field.product[1:].tolist())  # inverses
    products = field.product[:, field.sum]
    assert (products == field.sum[field.product[:, :, None], field.product[:, None]]).all()
    power = 1
    for exponent, found in enumerate(field.power.tolist()):
        assert (found, exponent == 0 or found != 1) == (power, True)
        power = int(field.product[power, field.power[1 % (q - 1)]])
    assert (len(field.power), power) == (q - 1, 1)


@pytest.mark.parametrize("q", [0, 1, 6, 12, 100])
def test_other_sizes_have_no_field(q: int) -> None:
    with pytest.raises(ValueError, match=rf"^Field needs a prime power of elements, not {q}$"):
        Field(q)
