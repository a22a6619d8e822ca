"""What each program of the machine reports, computed without it."""

from collections.abc import Callable, Mapping

Words = dict[int, list[int]]
"""Words by rank."""

WORD = 1 << 32


def value(rank: int, index: int) -> int:
    """Return any word of a terminal; `runtime/machine.c` has the same."""
    x = (rank * 2654435761 + index * 40503 + 12345) % WORD
    x ^= x >> 15
    x = x * 2246822519 % WORD
    return x ^ x >> 13


def ping_pong(ranks: int, limit: int, defined: Mapping[str, int]) -> Words:
    """Return the words after each terminal has added 1 to one of them in each round."""
    rounds = defined.get("ROUNDS", 10)
    found: Words = {0: [], ranks - 1: []}
    for count in (1, limit, defined.get("WORDS", 256)):
        words = [value(count, i) for i in range(count)]
        for step in range(rounds):
            words[step % count] += 2
        found[0] += words
        words[(rounds - 1) % count] -= 1  # by the first terminal, when it has come back
        found[ranks - 1] += words
    return {rank: [word % WORD for word in words] for rank, words in found.items()}


def all_to_all(ranks: int, limit: int, defined: Mapping[str, int]) -> Words:
    """Return the words of all others."""
    count = min(limit, 12)
    return {
        to: [value(s, to * count + i) for s in range(ranks) if s != to for i in range(count)]
        for to in range(ranks)
    }


def all_reduce(ranks: int, limit: int, defined: Mapping[str, int]) -> Words:
    """Return sums, and the least of a word."""
    count = min(limit, 8)
    sums = [sum(value(rank, i) for rank in range(ranks)) % WORD for i in range(count)]
    least = min(value(rank, count) for rank in range(ranks))
    return {rank: [*sums, least] for rank in range(ranks)}


def odd_even_sort(ranks: int, limit: int, defined: Mapping[str, int]) -> Words:
    """Return all keys in order, a part of them at each rank."""
    count = min(limit, 16)
    keys = sorted(value(rank, i) for rank in range(ranks) for i in range(count))
    return {rank: keys[rank * count :][:count] for rank in range(ranks)}


def matrix_product(ranks: int, limit: int, defined: Mapping[str, int]) -> Words:
    """Return the rows of the product."""
    every = range(ranks)
    right = [[value(k, ranks + j) for j in every] for k in every]
    return {i: [sum(value(i, k) * right[k][j] for k in every) % WORD for j in every] for i in every}


def heat(ranks: int, limit: int, defined: Mapping[str, int]) -> Words:
    """Return the cells of each rank after all steps; the first has all, after its own."""
    count = min(limit, 8)
    cells = [value(rank, i + 1) >> 8 for rank in range(ranks) for i in range(count)]
    size = len(cells)
    for _ in range(defined.get("STEPS", 20)):
        cells = [(cells[i - 1] + 2 * cells[i] + cells[(i + 1) % size]) >> 2 for i in range(size)]
    found = {rank: cells[rank * count :][:count] for rank in range(ranks)}
    found[0] = [*found[0], *cells]
    return found


def request_reply(ranks: int, limit: int, defined: Mapping[str, int]) -> Words:
    """Return the answers of all others."""
    asked = range(defined.get("REQUESTS", 20))
    return {
        rank: [
            value(to, i) ^ value(rank, i + to) for to in range(ranks) if to != rank for i in asked
        ]
        for rank in range(ranks)
    }


def shared_memory(ranks: int, limit: int, defined: Mapping[str, int]) -> Words:
    """Return what others have stored, what was loaded from them, and the copy of a block."""
    every, words = range(ranks), range(defined.get("WORDS", 64))
    letters = [[value(source, to) for source in every] for to in every]
    return {
        rank: [
            *((word + (word & 0xFF)) % WORD for word in letters[rank]),
            *(letters[to][(rank + 1) % ranks] for to in every),
            *(value((rank - 1) % ranks, i) for i in words),
        ]
        for rank in every
    }


EXPECTED: dict[str, Callable[[int, int, Mapping[str, int]], Words]] = {
    each.__name__: each
    for each in (
        ping_pong,
        all_to_all,
        all_reduce,
        odd_even_sort,
        matrix_product,
        heat,
        request_reply,
        shared_memory,
    )
}
"""By the name of the program: words by rank, of so many ranks, packets and definitions."""

DEFAULT = {"mailbox": "all_reduce", "axi4": "shared_memory"}
"""The first program for a kind of terminal."""


def serves(kind: str, program: str) -> bool:
    """Return whether a program is for a kind of terminal; it may be one that is not known."""
    return program not in EXPECTED or (program == DEFAULT["axi4"]) == (kind == "axi4")
