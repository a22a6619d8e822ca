"""A CRC over words: so many bits of a message in each cycle, by few exclusive-ors."""

from collections import Counter
from collections.abc import Sequence
from functools import cache, reduce
from itertools import combinations
from operator import xor

from amaranth import Const, Module, Signal, Value


def crc_step(m: Module, crc: Value, word: Value, polynomial: int) -> Signal:
    """Return the CRC of a message with one word more, its lowest bit first.

    A message without words has a CRC of 0, and nothing is added to the end.

    Parameters
    ----------
    m : Module
    crc, word : Value
        The CRC so far, and the word.
    polynomial : int
        Without its highest term; the lowest bit is the constant one.
    """
    width = len(crc)
    terms: list[Value] = [*crc, *word]
    rows, shared = share(_sums(width, len(word), polynomial), len(terms))
    for first, second in shared:
        term = Signal(name=f"crc_term{len(terms)}")
        m.d.comb += term.eq(terms[first] ^ terms[second])
        terms.append(term)
    following = Signal(width, name="following_crc")
    for bit, row in enumerate(rows):
        m.d.comb += following[bit].eq(reduce(xor, [terms[term] for term in row], Const(0, 1)))
    return following


@cache
def _sums(width: int, bits: int, polynomial: int) -> tuple[frozenset[int], ...]:
    """Return the bits of CRC and word, in a row, whose sum is each bit of the next CRC."""
    crc = [frozenset({bit}) for bit in range(width)]
    for bit in range(bits):
        feedback = crc[-1] ^ {width + bit}
        crc = [frozenset(), *crc[:-1]]
        crc = [x ^ feedback if polynomial >> place & 1 else x for place, x in enumerate(crc)]
    return tuple(crc)


@cache
def share(
    sums: tuple[frozenset[int], ...], terms: int
) -> tuple[Sequence[Sequence[int]], Sequence[tuple[int, int]]]:
    """Return sums of bits by few exclusive-ors: what is in several sums is added once.

    The pair that most sums have becomes a term of its own, until no two have one in common
    (C. Paar, Optimized Arithmetic for Reed-Solomon Encoders, ISIT 1997).

    Parameters
    ----------
    sums : tuple of frozenset
        The terms of each sum.
    terms : int
        The terms there are; those that are made have the numbers from here on.

    Returns
    -------
    sums, pairs
        The terms of each sum, in order, and the two terms of each that is made.
    """
    rows, made = [set(row) for row in sums], list[tuple[int, int]]()
    while True:
        pairs = Counter(pair for row in rows for pair in combinations(sorted(row), 2))
        pair, uses = max(pairs.items(), key=lambda item: (item[1], item[0]), default=((0, 0), 0))
        if uses < 2:
            return [sorted(row) for row in rows], made
        for row in rows:
            if row.issuperset(pair):
                row.difference_update(pair)
                row.add(terms + len(made))
        made.append(pair)
