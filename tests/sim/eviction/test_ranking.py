"""Tests a ranking by hand: the lowest key, keys put aside, and how often it asks whether an entry may go."""

from collections.abc import Hashable

from spindle.sim.eviction.policy import Ranking


class Pinned:
    """Refuses *keys*, and counts how often it is asked."""

    def __init__(self, *keys: Hashable) -> None:
        self.keys = set(keys)
        self.asked = 0

    def __call__(self, key: Hashable) -> bool:
        self.asked += 1
        return key not in self.keys


def ranking(keys: int) -> Ranking:
    made = Ranking()
    for key in range(keys):
        made.put(key, float(key))
    return made


def test_of_equals_the_first_goes() -> None:
    made = Ranking()
    for key in "bca":
        made.put(key, 1.0)
    assert made.lowest(None) == "b"
    made.put("b", 1.0)
    assert made.lowest(None) == "c"


def test_what_was_put_aside_comes_back_in_its_place() -> None:
    made = ranking(4)
    assert made.lowest(Pinned(0, 1)) == 2
    assert made.lowest(Pinned(0)) == 1
    made.remove(1)
    assert made.lowest(Pinned(0, 2)) == 3
    assert made.lowest(None) == 0


def test_what_was_put_aside_and_ranked_anew_is_here_once() -> None:
    made, pinned = ranking(3), Pinned(0)
    assert made.lowest(pinned) == 1
    made.put(0, 9.0)
    assert [made.lowest(Pinned(1)), made.lowest(Pinned(1, 2)), made.lowest(Pinned(0, 1, 2))] == [2, 0, None]


def test_one_who_asks_is_asked_once_about_each_that_must_stay() -> None:
    """A claim of many regions evicts as many, all for the same asker."""
    made, pinned = ranking(1000), Pinned(*range(500))
    for key in range(500, 600):
        assert made.lowest(pinned) == key
        made.remove(key)
    assert pinned.asked == 500 + 100
