"""Super rotator graphs link by link from the paper's text: slow, plain, independent of golden."""

from itertools import pairwise, permutations
from math import factorial

Word = tuple[int, ...]
Link = tuple[int, int]


def vertex_number(word: Word) -> int:
    """Return the sum of d_i i!, d_i the number of smaller letters before letter i."""
    return sum(
        factorial(i) * sum(before < letter for before in word[:i]) for i, letter in enumerate(word)
    )


def rotated(word: Word, letters: int) -> Word:
    return word[1:letters] + word[:1] + word[letters:]


def digits(nodes: int) -> dict[int, int]:
    """Return c_i by i, from the highest class down (Definition 4), for those that are not 0."""
    found = {}
    i = max(i for i in range(1, 12) if factorial(i) <= nodes)
    while i:
        c, nodes = divmod(nodes, factorial(i))
        if c:
            found[i] = c
        i -= 1
    return found


class Plain:
    """Steps 1 to 4: labels by the letters that Step 2 gives out, then links of types R, A and B."""

    def __init__(self, nodes: int) -> None:
        self.classes = digits(nodes)
        self.n = n = max(self.classes)
        self.letters: dict[int, list[Word]] = {}  # of every class, in the order of the numbers
        free: list[int] = list(range(1, n + 2))
        tail: Word = ()
        for i in range(n, 0, -1):
            c = self.classes.get(i, 0)
            if c:
                self.letters[i] = []
                for last in free[:c]:
                    rest = [letter for letter in free if letter != last]
                    labels = [(*word, last, *tail) for word in permutations(rest)]
                    self.letters[i] += sorted(labels, key=vertex_number)
            tail = (free.pop(c), *tail)  # symbol(i)
        self.words = [word for i in self.classes for word in self.letters[i]]
        number = {word: x for x, word in enumerate(self.words)}
        self.node_class = [i for i in self.classes for _ in self.letters[i]]

        self.rotations: set[Link] = set()
        self.type_a: set[Link] = set()
        for i, labels in self.letters.items():
            members = {number[word] for word in labels}
            for word in labels:
                for letters in range(2, i + 1):
                    self.rotations.add((number[word], number[rotated(word, letters)]))
                across = rotated(word, i + 1)
                if number.get(across) in members and across[i] != word[i]:
                    self.type_a.add((number[word], number[across]))
        self.type_b: set[Link] = set()
        for j, i in pairwise(sorted(self.classes)):  # SR_j and C_i
            leader = number[self.letters[i][0]]
            last = leader + factorial(i) - 1
            lower = [number[word] for k in self.classes if k <= j for word in self.letters[k]]
            for count, x in enumerate(sorted(lower)):
                for s in range(count * (i - j), (count + 1) * (i - j)):
                    self.type_b |= {(x, leader + s), (last - s, x)}

    @property
    def links(self) -> set[Link]:
        return self.rotations | self.type_a | self.type_b
