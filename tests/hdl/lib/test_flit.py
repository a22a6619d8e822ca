from typing import Any

import pytest
from amaranth.lib import data

from fingerpost.golden import flit
from fingerpost.hdl.lib.flit import LinkSignature, flit_layout


@pytest.mark.parametrize("flit_width", [1, 32, 61])
def test_hardware_reads_what_golden_packs(flit_width: int) -> None:
    values = {"head": 1, "tail": 0, "data": 1 << flit_width - 1}
    layout: Any = flit_layout(flit_width)
    assert layout.size == flit_width + 2
    view = data.Const(layout, int(flit.flit_layout(flit_width).pack(**values)))
    assert {name: getattr(view, name) for name in values} == values


def test_a_link_has_a_flit_and_a_bit_for_each_channel_both_ways() -> None:
    link = LinkSignature(channels=3, flit_width=8).create()
    assert (len(link.valid), len(link.flit.as_value()), len(link.credit)) == (3, 10, 3)
