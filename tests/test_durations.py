"""Which tests the quick suite leaves out: those above a fifth of a second, by a table that a whole run writes anew."""

from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from tests import durations
from tests.durations import QUICK_SECONDS, TABLE, is_quick, read_durations, table_of


class Item:
    """A test of a suite, as far as the choice asks."""

    def __init__(self, nodeid: str, marks: tuple[str, ...] = (), fixtures: tuple[str, ...] = ()) -> None:
        self.nodeid = nodeid
        self._marks = marks
        self.fixturenames = fixtures

    def get_closest_marker(self, name: str) -> str | None:
        return name if name in self._marks else None


def finish(wrapper: Iterator[object]) -> None:
    """Let a wrapper of a hook come to its end."""
    next(wrapper)
    next(wrapper, None)


def test_a_table_keeps_what_is_slow_and_what_was_slow_and_nearly_is() -> None:
    before = {"a": 0.3, "b": 0.3, "c": 0.3}
    measured = {"a": 0.25, "b": 0.15, "c": 0.05, "d": 0.15, "e": 0.21}
    assert table_of(before, measured) == "0.2 a\n0.1 b\n0.2 e\n"


def test_a_name_may_have_blanks() -> None:
    assert read_durations("1.5 tests/a.py::test[b c]\n") == {"tests/a.py::test[b c]": 1.5}


@pytest.mark.parametrize(("item", "quick"), [
    (Item("a.py::test"), False), (Item("a.py::test", ("always",)), True), (Item("a.py::other"), True),
    (Item("a.py::other", fixtures=("tmp_path", "site")), False), (Item("b.py::other", fixtures=("site",)), True),
    (Item("a.py::other", ("always",), ("site",)), True), (Item("b.py::other", fixtures=("chromium",)), False),
])  # fmt: skip
def test_slow_tests_and_those_that_share_what_is_slow_are_left_out_unless_they_are_marked(
    item: Item, quick: bool
) -> None:
    assert is_quick(item, {"a.py::test": 1.0, "a.py::site": 3.0}) is quick  # type: ignore[arg-type]


def test_a_shared_fixture_is_measured_apart_from_the_tests_that_use_it() -> None:
    """It is told with the first test after it, as nothing if it is quick; what a test has alone is not told."""
    clock = iter((0.0, 2.5, 3.0, 4.0, 5.0, 7.5, 8.0, 8.5, 8.75))
    measuring = durations.Durations(SimpleNamespace(getoption=bool), named=True, clock=clock.__next__)  # type: ignore[arg-type]
    for name, scope in (("site", "module"), ("page", "module"), ("own", "function")):
        finish(measuring.pytest_fixture_setup(SimpleNamespace(scope=scope, baseid="a.py", argname=name)))  # type: ignore[arg-type]
    told = []
    for name in ("one", "two"):
        item = SimpleNamespace(nodeid=f"a.py::{name}", user_properties=[])
        finish(measuring.pytest_runtest_call(item))  # type: ignore[arg-type]
        told += item.user_properties
    assert told == [(durations.SECONDS, {"a.py::one": 0.5, "a.py::site": 2.5, "a.py::page": 0.0}),
                    (durations.SECONDS, {"a.py::two": 0.25})]  # fmt: skip


def test_the_table_has_slow_tests_of_files_that_are_there() -> None:
    table = read_durations(TABLE.read_text("utf-8"))
    assert all(seconds >= QUICK_SECONDS / 2 for seconds in table.values())
    assert {name.partition("::")[0] for name in table} <= {
        path.relative_to(TABLE.parents[1]).as_posix() for path in TABLE.parent.rglob("test_*.py")}  # fmt: skip
