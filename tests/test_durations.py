"""Which tests the quick suite leaves out: those above a fifth of a second, by a table that a whole run writes anew."""

import pytest

from tests.durations import QUICK_SECONDS, TABLE, is_quick, read_durations, table_of


class Item:
    """A test of a suite, as far as the choice asks."""

    def __init__(self, nodeid: str, marks: tuple[str, ...] = ()) -> None:
        self.nodeid = nodeid
        self._marks = marks

    def get_closest_marker(self, name: str) -> str | None:
        return name if name in self._marks else None


def test_a_table_keeps_what_is_slow_and_what_was_slow_and_nearly_is() -> None:
    before = {"a": 0.3, "b": 0.3, "c": 0.3}
    measured = {"a": 0.25, "b": 0.15, "c": 0.05, "d": 0.15, "e": 0.21}
    assert table_of(before, measured) == "0.2 a\n0.1 b\n0.2 e\n"


def test_a_name_may_have_blanks() -> None:
    assert read_durations("1.5 tests/a.py::test[b c]\n") == {"tests/a.py::test[b c]": 1.5}


@pytest.mark.parametrize(("item", "quick"), [(Item("a"), False), (Item("a", ("always",)), True), (Item("b"), True)])
def test_slow_tests_are_left_out_unless_they_are_marked(item: Item, quick: bool) -> None:
    assert is_quick(item, {"a": 1.0}) is quick  # type: ignore[arg-type]


def test_the_table_has_slow_tests_of_files_that_are_there() -> None:
    table = read_durations(TABLE.read_text("utf-8"))
    assert all(seconds >= QUICK_SECONDS / 2 for seconds in table.values())
    assert {name.partition("::")[0] for name in table} <= {
        path.relative_to(TABLE.parents[1]).as_posix() for path in TABLE.parent.rglob("test_*.py")}  # fmt: skip
