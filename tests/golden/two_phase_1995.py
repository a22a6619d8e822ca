"""The printed results of two-phase-1995 (Tang and Arden), typed in from Tables III and IV."""

from typing import NamedTuple

from fingerpost.golden.topology import Borel


class Set(NamedTuple):
    """One column of Table III or IV."""

    p: int
    a: int
    t1: int
    t2: int
    diameter: int
    average: str
    d1: int
    d2: int
    longest: int  # two-phase routing
    mean: str

    def topology(self) -> Borel:
        return Borel(p=self.p, a=self.a, A=(self.t1, 1), B=(self.t2, 1))


SETS = {
    "III.1": Set(47, 2, 1, 7, 7, "5.54", 4, 7, 11, "7.67"),
    "III.2": Set(47, 2, 7, 8, 8, "5.74", 6, 7, 13, "8.12"),
    "III.3": Set(47, 2, 1, 2, 8, "5.76", 6, 7, 13, "8.50"),
    "III.4": Set(47, 2, 3, 6, 9, "5.72", 6, 7, 13, "8.03"),
    "IV.1": Set(307, 4, 2, 16, 10, "8.10", 6, 10, 16, "11.49"),
    "IV.2": Set(307, 4, 1, 4, 11, "8.16", 7, 9, 16, "11.38"),
    "IV.3": Set(307, 4, 4, 13, 12, "8.56", 8, 10, 18, "12.37"),
    "IV.4": Set(307, 4, 1, 2, 15, "9.65", 13, 10, 23, "13.99"),
}
