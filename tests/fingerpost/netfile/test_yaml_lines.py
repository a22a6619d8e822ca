import pytest

from fingerpost.netfile.validation_errors import KeyPath, parse

TEXT = """\
# a comment
a: 1

b:
  c: [10,
      20]
  d: {e: 5,
      f: 6}
'7': x
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 2),
        (("a",), 2),
        (("b",), 4),
        (("b", "c"), 5),
        (("b", "c", 1), 6),
        (("b", "c", 2), None),
        (("b", "c", "x"), None),
        (("b", "d", "f"), 8),
        (("b", "x"), None),
        (("a", "x"), None),
        (("7",), 9),
    ],
)
def test_line_of_a_key_path(path: KeyPath, line: int | None) -> None:
    assert parse(TEXT)[1].find(path) == line


@pytest.mark.parametrize(
    ("path", "line"), [(("b", "x"), 4), (("b", "d", "x", "y"), 7), (("x",), 2), (("a",), 2)]
)
def test_nearest_line_is_that_of_the_part_around(path: KeyPath, line: int) -> None:
    assert parse(TEXT)[1].nearest(path) == line
