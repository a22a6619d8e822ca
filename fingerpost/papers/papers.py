"""The items of `fingerpost reproduce`, by paper."""

from fingerpost.papers import (
    hwang_wright,
    kyklos_1988,
    star_connected_cycles_1995,
    super_rotator_1996,
    two_phase_1995,
    vertex_transitivity_1992,
)
from fingerpost.papers.items import Item

ITEMS: tuple[Item, ...] = (
    *vertex_transitivity_1992.ITEMS,
    *two_phase_1995.ITEMS,
    *star_connected_cycles_1995.ITEMS,
    *kyklos_1988.ITEMS,
    *super_rotator_1996.ITEMS,
    *hwang_wright.ITEMS,
)
