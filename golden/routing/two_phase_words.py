"""The tables of two-phase routing on Borel graphs: which of equally short paths packets take.

The class difference alone decides a path through the classes, the relative label a word. So both
are the same at all nodes, and under uniform traffic all links A carry the same load, all links B,
all A^-1 and all B^-1. The network saturates with the busiest of these four. Each path to a class
difference serves p destinations, each of the p words k classes. (two-phase-1995, Section IV)
"""

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.routing.balance import UNBOUNDED, nearer
from fingerpost.golden.topology.base import distances
from fingerpost.golden.topology.metacyclic import Metacyclic

Word = list[int]
"""The ports of a way, first hop first."""

COLUMNS = 4
"""Links of a Borel graph: A, B, A^-1, B^-1."""

FIRST_LINKS = 1, 2, 3, 0
WORDS = 0, 3, 1, 2
"""The orders of the links in which one of equally good first links, and words, is taken. They
change no load, but the channels that are needed: with these, few are on the graphs of the paper."""

LONGEST = 31
"""Letters of the longest word that a header can hold, two bits each. Longer ones are not balanced:
there are too many, and they serve no network."""

MOVES = 500
"""Ways that the search compares with each other in pairs; of more it takes a part."""


def first_words(borel: Metacyclic) -> list[Word]:
    """Return for every m in 0..p-1 the lexicographically first shortest word from 0 to m*q.

    A word is a list of ports, its letters in the order A < B < A^-1 < B^-1. (Fig. 2)
    """
    # Breadth first, parents in the order of their words, letters in order: the first word that
    # reaches a node is the least of the shortest ones.
    parent = np.full(borel.nodes, -1)
    letter = np.zeros(borel.nodes, dtype=np.int64)
    parent[0] = 0
    frontier = np.array([0])
    while len(frontier):
        reached = borel.neighbour[frontier].ravel()
        new, first = np.unique(reached, return_index=True)
        fresh = parent[new] < 0
        first = np.sort(first[fresh])
        frontier, source = reached[first], frontier[first // COLUMNS]
        parent[frontier] = source
        letter[frontier] = first % COLUMNS
    words = []
    for m in range(borel.p):
        word, node = [], m * borel.k
        while node:
            word.append(int(letter[node]))
            node = int(parent[node])
        words.append(word[::-1])
    return words


def tables_load(borel: Metacyclic, first_link: IntArray, words: list[Word]) -> IntArray:
    """Return how many hops of the routes from a node to all others take each link; shape (4,).

    This is the load of every link of that name when each node sends a packet to each other.
    """
    letters: IntArray = np.sum([_letters(word) for word in words], axis=0)
    return _phase1_load(borel, first_link) + borel.k * letters


def balanced_tables(borel: Metacyclic, links: BoolArray) -> tuple[IntArray, list[Word]]:
    """Return a first link for every class difference and a word for every m, in balance.

    Changes one of them, or two at once, as long as this makes the load of the busiest link lower,
    or no higher and all loads more alike. The words are as short as the first.

    Parameters
    ----------
    borel : Metacyclic
    links : (k, 4)
        The links that may be taken first at every class difference; at least one, but for 0.

    Returns
    -------
    first_link : (k,)
    words : list of p words
    """
    first_link = np.array(FIRST_LINKS)[links[:, FIRST_LINKS].argmax(axis=1)]
    first_link[0] = 0
    kinds = _kinds(borel)
    letters = [np.array([_letters(word) for word in words]) for words in kinds]
    choice = np.zeros(borel.p, np.int64)
    while True:
        words = [words[i] for words, i in zip(kinds, choice, strict=True)]
        load = tables_load(borel, first_link, words)
        r, link, by_link = _link_moves(borel, links, first_link)
        m, kind, by_word = _word_moves(letters, choice)
        # A row is a move of a link or a word, a column one of a word; the first column is none.
        # Two links at once are not tried: the way by one may lead on by the other.
        change = np.concatenate((by_link, borel.k * by_word))[:, None] + borel.k * by_word
        twice = np.concatenate((-np.ones_like(r), m))[:, None] == m
        twice[:, 0] = False
        row, column = _best(load, change, ~twice)
        if row < 0:
            return first_link, words
        if row < len(r):
            first_link[r[row]] = link[row]
        else:
            choice[m[row - len(r)]] = kind[row - len(r)]
        choice[m[column]] = kind[column]


def _best(load: IntArray, change: IntArray, allowed: BoolArray) -> tuple[int, int]:
    """Return the row and column of the best change of `load`, (-1, -1) if none makes it better."""
    total = load + change
    highest = np.where(allowed, total.max(axis=-1), UNBOUNDED)
    lowest = int(highest.min())
    squares = np.where(highest == lowest, (total**2).sum(axis=-1), UNBOUNDED)
    if (lowest, int(squares.min())) >= (int(load.max()), int((load**2).sum())):
        return -1, -1
    row, column = divmod(int(squares.argmin()), squares.shape[1])
    return row, column


def _letters(word: Word) -> IntArray:
    """Return how often each link comes in a word; shape (4,)."""
    return np.bincount(np.array(word, np.int64), minlength=COLUMNS)


def _phase1_load(borel: Metacyclic, first_link: IntArray) -> IntArray:
    """Return how many hops of phase I take each link, on the ways from a node to all others."""
    load = np.zeros(COLUMNS, np.int64)
    r = np.arange(1, borel.k)
    while len(r):
        load += np.bincount(first_link[r], minlength=COLUMNS)
        r = (r - borel.shift[first_link[r]]) % borel.k
        r = r[r > 0]
    return borel.p * load


def _link_moves(
    borel: Metacyclic, links: BoolArray, first_link: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Return class differences, other first links for them, and how each changes the load."""
    now = _phase1_load(borel, first_link)
    others = [
        (r, link)
        for r in range(1, borel.k)
        for link in FIRST_LINKS
        if links[r, link] and link != first_link[r]
    ]
    moves = _some(np.array(others, np.int64).reshape(-1, 2))
    change = np.zeros((len(moves), COLUMNS), np.int64)
    for row, (r, link) in zip(change, moves.tolist(), strict=True):
        trial = first_link.copy()
        trial[r] = link
        row[:] = _phase1_load(borel, trial) - now
    return moves[:, 0], moves[:, 1], change


def _word_moves(letters: list[IntArray], choice: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return every m, other kinds for its word, and how each changes the letters; first no move."""
    others = [
        (m, kind)
        for m, (rows, now) in enumerate(zip(letters, choice.tolist(), strict=True))
        for kind in range(len(rows))
        if kind != now
    ]
    moves = _some(np.array([(0, 0), *others]))  # the only word for m = 0 is empty
    change = np.array([letters[m][kind] - letters[m][choice[m]] for m, kind in moves.tolist()])
    return moves[:, 0], moves[:, 1], change


def _some(moves: IntArray) -> IntArray:
    """Return the first move, and of all at most `MOVES`, evenly taken."""
    return moves[np.linspace(0, len(moves) - 1, min(len(moves), MOVES), dtype=np.int64)]


def _kinds(borel: Metacyclic) -> list[list[Word]]:
    """Return for every m the shortest words from 0 to m*q that differ in how often letters come.

    Of the words with the same letters it is the first in the order of `WORDS`.
    """
    p, k = borel.p, borel.k
    distance = distances(borel.neighbour, 0)
    goals = np.arange(p) * k
    if distance[goals].max() > LONGEST:
        return [[word] for word in first_words(borel)]
    y, t = np.divmod(np.arange(borel.nodes), k)
    rest = np.stack(  # g^-1 v
        [
            (b + borel.power[s] * y) % p * k + (s + t) % k
            for s, b in np.roll(borel.generators, 2, 0)
        ],
        axis=1,
    )
    mask = nearer(rest, distance)
    known: dict[int, dict[tuple[int, ...], Word]] = {0: {(0,) * COLUMNS: []}}

    def words(node: int) -> dict[tuple[int, ...], Word]:
        if node not in known:
            found: dict[tuple[int, ...], Word] = {}
            for link in WORDS:
                if mask[node, link]:
                    for letters, word in words(int(rest[node, link])).items():
                        more = *letters[:link], letters[link] + 1, *letters[link + 1 :]
                        found.setdefault(more, [link, *word])
            known[node] = found
        return known[node]

    return [list(words(goal).values()) for goal in goals.tolist()]
