"""The lowest and the highest bit that is set, one-hot."""

from amaranth import Cat, Value


def lowest(word: Value) -> Value:
    """Return one-hot the lowest bit of `word` that is set, or 0."""
    return Cat(bit & ~word[:i].any() for i, bit in enumerate(word))


def highest(word: Value) -> Value:
    """Return one-hot the highest bit of `word` that is set, or 0."""
    return Cat(bit & ~word[i + 1 :].any() for i, bit in enumerate(word))
