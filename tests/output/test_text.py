"""Values as text: labels, points, counts and cells of CSV, and few of many values, by hand."""

import functools

import pytest

from spindle.output.text import csv_cell, label, labels, plural, point_text, thin_out


class Policy:
    def __init__(self, name: object) -> None:
        self.name = name


@pytest.mark.parametrize(("value", "text"), [
    (3, 3), (0.5, 0.5), (True, True), ("a", "a"), (len, "len"), (Policy, "Policy"), (Policy("lru"), "lru"),
    ([1, "a", len, Policy("arc")], "[1, 'a', len, arc]"), ([], "[]"), ((1, 2), "(1, 2)"), (None, "None"),
])  # fmt: skip
def test_a_value_by_its_name(value: object, text: object) -> None:
    assert label(value) == text
    assert labels({"x": value}) == {"x": text}


def test_a_value_without_a_name_is_told_without_its_address() -> None:
    assert label(Policy(7)) == f"<{__name__}.Policy object>"
    assert label(functools.partial(len)) == "functools.partial(<built-in function len>)"


def test_a_point_is_told_shortly() -> None:
    assert point_text({"terminals": 63, "caching": True}) == "terminals=63, caching=True"
    assert point_text({"a": "x" * 60, "b": "y" * 61}) == f"a={'x' * 60}, b={'y' * 57}..."
    assert point_text({}) == "without arguments"


@pytest.mark.parametrize(("count", "text"), [(1, "1 block"), (0, "0 blocks"), (2000, "2,000 blocks"),
                                             (0.5, "0.5 blocks"), (1.0, "1 block"), (1e7, "1e+07 blocks")])  # fmt: skip
def test_a_count_with_its_noun(count: float, text: str) -> None:
    assert plural(count, "block") == text


@pytest.mark.parametrize(("text", "cell"), [("a b", "a b"), ("=1", "'=1"), ('say "x"', '"say ""x"""'), ("a,b", '"a,b"'),
                                            ("a\x1bb", "a\\x1bb")])  # fmt: skip
def test_text_as_a_cell(text: str, cell: str) -> None:
    assert csv_cell(text) == cell


def test_of_many_values_some_are_taken_evenly_with_both_ends() -> None:
    assert thin_out(range(10), 4) == [0, 3, 6, 9]
    assert thin_out("abcdefg", 3) == ["a", "d", "g"]
    assert [thin_out("abc", most) for most in (2, 3, 9)] == [["a", "c"], ["a", "b", "c"], ["a", "b", "c"]]
    assert thin_out("a", 1) == ["a"]
