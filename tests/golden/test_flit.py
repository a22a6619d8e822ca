from fingerpost.golden.counters import ERRORS, OVERRUNS
from fingerpost.golden.flit import flit_layout, link_layout


def test_a_flit_is_head_tail_and_data_from_the_lowest_bit() -> None:
    layout = flit_layout(32)
    assert [(name, f.offset, f.width) for name, f in layout.items()] == [
        ("head", 0, 1),
        ("tail", 1, 1),
        ("data", 2, 32),
    ]
    assert layout.width == 34
    assert layout.pack(head=1, data=5) == 0b101_0_1


def test_a_link_is_valid_flit_and_credit_from_the_lowest_bit() -> None:
    layout = link_layout(4, 3)
    assert layout.width == 12
    assert layout.pack(valid=0b100, tail=1, data=0b1001, credit=0b011) == 0b011_1001_1_0_100


def test_counters_stop_when_all_their_bits_are_set() -> None:
    assert (ERRORS.width, ERRORS.most) == (OVERRUNS.width, OVERRUNS.most) == (8, 255)
