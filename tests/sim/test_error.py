"""A user's mistake is one line; an unknown name gets the nearest known ones."""

from sim.error import UserError, unknown


def test_a_mistake_is_a_value_error() -> None:
    assert isinstance(unknown("drive", "x", []), UserError)
    assert issubclass(UserError, ValueError)


def test_the_nearest_names() -> None:
    known = ["lru", "lfu", "clock", "FIFO"]
    assert str(unknown("policy", "lrv", known)) == "unknown policy 'lrv': did you mean lru?"
    assert str(unknown("policy", "fifo2", known)) == "unknown policy 'fifo2': did you mean FIFO?"
    assert str(unknown("policy", "lxu", known)) == "unknown policy 'lxu': did you mean lru or lfu?"


def test_where_nothing_is_near_all_are_shown() -> None:
    assert str(unknown("policy", "zzzz", ["b", "a"])) == "unknown policy 'zzzz': there are a, b"
    assert str(unknown("policy", "zzzz", [])) == "unknown policy 'zzzz': there are none"


def test_a_long_name_is_cut() -> None:
    assert str(unknown("policy", "z" * 99, ["a"])) == f"unknown policy '{'z' * 57}...': there are a"
