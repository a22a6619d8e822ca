import numpy as np
import pytest

from fingerpost.golden.header import Field
from fingerpost.golden.routing.straps import Straps


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
