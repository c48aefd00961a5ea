"""A search step by step: conditions, what is probed, where a straight line meets the bound, what is said of it."""

import re
from collections.abc import Mapping, Sequence
from math import exp, log, nan
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from spindle.sim.error import UserError
from spindle.studies.sweep import find as searching
from spindle.studies.sweep.find import (
    Condition,
    FindAnswer,
    NotPartedError,
    Question,
    RootSearch,
    SearchProbe,
    SearchStopped,
    find,
    gain,
)

FAST = Condition("response_mean", 2.0)


@pytest.mark.parametrize(("text", "condition"), [
    ("response_p95 <= 2", Condition("response_p95", 2.0)), (" response_p95<250ms", Condition("response_p95", 0.25)),
    ("hit_ratio >= 70%", Condition("hit_ratio", 0.7, True)), ("hit_ratio < 0.5 %", Condition("hit_ratio", 0.005)),
    ("hit_ratio >= 0.7", Condition("hit_ratio", 0.7, True)), ("throughput > 5", Condition("throughput", 5.0, True)),
])  # fmt: skip
def test_a_condition_is_read_in_the_unit_of_its_measure(text: str, condition: Condition) -> None:
    assert Condition.read(text) == condition


@pytest.mark.parametrize("text", ["response_p95 = 2", "response_p95 <=", "<= 2", "response_p95 <= 2 <= 3", "x <= fast",
                                  "hit_ratio >= most%"])
def test_what_is_no_condition(text: str) -> None:
    with pytest.raises(UserError, match="a condition is a measure, <= or >=, and a number, as 'response_p95 <= 2'"):
        Condition.read(text)


@pytest.mark.parametrize(("text", "bound"), [
    ("disc_busy <= 50", "50"), ("hit_ratio >= 101%", "101%"), ("hit_ratio >= -0.1", "-0.1"),
])  # fmt: skip
def test_a_share_beyond_1_is_refused(text: str, bound: str) -> None:
    name = text.partition(" ")[0]
    with pytest.raises(UserError, match=f"^{name} is a share, from 0 to 1 or from 0% to 100%, not {bound}$"):
        Condition.read(text)


def test_bounds_of_shares_and_of_numbers_that_spindle_does_not_know_are_free() -> None:
    assert [Condition.read(f"disc_busy <= {bound}").bound for bound in ("0", "1", "100%")] == [0.0, 1.0, 1.0]
    assert Condition.read("page_faults <= 50") == Condition("page_faults", 50.0)


def test_a_percentile_that_there_is_not_is_an_unknown_measure() -> None:
    with pytest.raises(UserError, match=r"^unknown measure 'p99.5': did you mean p99.9 or"):
        Condition.read("p99.5 <= 20ms")


def test_a_bound_itself_meets_the_condition() -> None:
    assert [FAST.is_met(value) for value in (1.9, 2.0, 2.1)] == [True, True, False]
    assert [Condition("x", 2.0, True).is_met(value) for value in (1.9, 2.0, 2.1)] == [False, True, True]
    assert (str(FAST), str(Condition("hit_ratio", 0.5, True))) == ("response_mean <= 2 s", "hit_ratio >= 0.5")


def search(ends: tuple[float, float] = (0, 10), condition: Condition = FAST, few: int = 2, width: float = 0.05,
           probed: Any = lambda probe: None) -> RootSearch:  # fmt: skip
    """A search whose run answers with the value itself, and a tenth more with the second seed."""
    def run(n: float, seed: int) -> Mapping[str, float]:
        return {"response_mean": n + 0.1 * (seed - 1)}

    return RootSearch(run, Question("n", condition, ends, {}), few, width, 1, probed=probed)


def known(made: RootSearch, samples: Mapping[float, Sequence[float]]) -> RootSearch:
    made._samples = {x: list(values) for x, values in samples.items()}
    return made


def test_values_are_clipped_and_rounded_where_the_argument_counts() -> None:
    assert [search((10, 0)).clip(x) for x in (-1.0, 2.4, 2.6, 99.0)] == [0, 2, 3, 10]
    assert [search((0.0, 10.0)).clip(x) for x in (-1.0, 2.6, 99.0)] == [0.0, 2.6, 10.0]
    assert [search(ends).clip(2.6) for ends in ((0, 9.5), (0.5, 9))] == [2.6, 2.6]
    assert search((10, 0)).ends == (0, 10)


def test_ends_part_where_the_condition_holds_at_one() -> None:
    made = search()
    assert made.parts()
    assert made.largest
    assert made.runs == 4
    falling = search(condition=Condition("response_mean", 2.0, True))
    assert falling.parts()
    assert not falling.largest
    assert not search((3, 10)).parts()
    both = search((0, 1))
    assert not both.parts()
    assert both.largest


def test_between_the_ends_three_values_are_probed() -> None:
    """By equal shares of the distance, or by equal factors where the lower end is positive."""
    assert search((0, 8)).between() == {2: False, 4: False, 6: False}
    assert search((1, 16)).between() == {2: False, 4: False, 8: False}
    assert search((2, 32)).between() == {4: False, 8: False, 16: False}
    assert search((0, 2)).between() == {1: True}
    assert search((0.0, 4.0)).between() == {1.0: True, 2.0: False, 3.0: False}


def test_the_middle_is_run_once_with_the_first_seed() -> None:
    assert search((0, 8)).middle() == {"response_mean": 4.0}
    fixed = RootSearch(lambda n, load, seed: {"y": n * load}, Question("n", FAST, (0, 8), {"load": 3.0}), 2, 0.05, 1)
    assert fixed.middle() == {"y": 12.0}


def test_few_seeds_are_enough_where_the_bound_is_far() -> None:
    """Of two samples a tenth apart all is near, with a confidence of 0.9999; equal ones are far from another bound."""
    near = search()
    near.probe(2, 5)
    assert len(near._samples[2]) == 5

    def flat(n: float, seed: int) -> Mapping[str, float]:
        return {"response_mean": n}

    far = RootSearch(flat, Question("n", FAST, (0, 10), {}), 2, 0.05, 1)
    far.probe(9, 5)
    far.probe(2, 5)
    assert {x: len(samples) for x, samples in far._samples.items()} == {9: 2, 2: 5}


def test_a_curve_crosses_between_the_first_neighbours_that_differ() -> None:
    made = known(search(), {0: [1.0, 1.0], 4: [1.5, 1.5], 6: [3.0, 3.0], 8: [1.0, 1.0]})
    assert made.crosses("mean") == (4, 6)
    assert known(search(), {0: [1.0, 1.0], 4: [1.5, 1.5]}).crosses("mean") is None


def test_distances_are_logarithms_and_positive_where_the_condition_holds() -> None:
    made = known(search(), {0: [1.0, 1.0], 4: [8.0, 8.0], 5: [2.0, 2.0], 6: [-1.0, -1.0]})
    assert [made._distance(x, "mean") for x in (0, 4, 6)] == pytest.approx([log(2), -log(4), 3.0])
    assert made._distance(5, "mean") == 1e-12
    for bound, distance in ((0.0, -2.0), (0.5, -log(4.0))):
        small = known(search(condition=Condition("response_mean", bound)), {0: [2.0, 2.0]})
        assert small._distance(0, "mean") == pytest.approx(distance)
    least = known(search(condition=Condition("response_mean", 2.0, True)), {0: [1.0, 1.0]})
    assert least._distance(0, "mean") == pytest.approx(-log(2))


def test_a_straight_line_meets_the_bound() -> None:
    """In logarithms: half of the bound at 0, twice at 8, so at 4; and kept in the middle half of the two."""
    made = known(search((0.0, 10.0)), {0.0: [1.0, 1.0], 8.0: [4.0, 4.0], 9.0: [2.000001, 2.000001]})
    assert made._crossing((0.0, 8.0), "mean") == pytest.approx(4.0)
    assert made._inside((0.0, 8.0), "mean") == pytest.approx(4.0)
    assert made._inside((0.0, 9.0), "mean") == pytest.approx(6.75)
    whole = known(search(), {0: [1.0, 1.0], 2: [2.1, 2.1]})
    assert whole._inside((0, 2), "mean") == 1
    for end in (2, 3):  # the bound is met just above the lower end, which is known already
        near = known(search(), {0: [1.99, 1.99], end: [200.0, 200.0]})
        assert near._inside((0, end), "mean") == 1


def test_steps_are_a_share_of_the_value_or_of_the_range_or_one() -> None:
    assert search((0.0, 10.0))._step(4.0) == pytest.approx(0.2)
    assert search((0.0, 10.0))._step(0.0) == pytest.approx(0.01)
    assert search()._step(4) == 1.0
    assert search()._step(100) == 5.0


def test_a_curve_that_does_not_cross_is_followed_in_steps_that_double() -> None:
    """Below the bound a largest value lies above what was probed, a smallest one below."""
    made = known(search((0.0, 100.0)), {10.0: [1.0, 1.0], 20.0: [1.5, 1.5]})
    assert made._step_beyond("mean") == (20.0, 30.0)
    made.largest = False
    assert made._step_beyond("mean") == (10.0, 0.0)
    above = known(search((0.0, 100.0)), {60.0: [3.0, 3.0], 90.0: [4.0, 4.0]})
    assert above._step_beyond("mean") == (60.0, 30.0)


def test_a_whole_answer_is_the_last_value_that_meets_the_condition() -> None:
    made = search()
    made.parts()
    assert made.root("mean", 2) == 1  # 2 and 2.1 are beyond 2 on average
    smallest = search(condition=Condition("response_mean", 2.0, True))
    smallest.parts()
    assert smallest.root("mean", 2) == 2


def test_a_curve_that_meets_the_bound_beyond_the_ends_has_an_end_as_its_answer() -> None:
    made = known(search((0, 3)), {0: [1.0, 1.0], 3: [1.5, 1.5]})
    assert made.root("mean", 2) == 3
    made.largest = False
    assert made.root("mean", 2) == 0


def test_both_neighbours_of_the_answer_have_all_seeds() -> None:
    made = known(search(), {1: [1.0, 1.1], 2: [2.5] * 6})
    assert made.root("mean", 6) == 1
    assert [len(made._samples[x]) for x in (1, 2)] == [6, 6]


@pytest.mark.parametrize(("away", "bracket"), [(0.04, None), (0.06, (0.0, 4.0))])
def test_a_step_is_where_the_measure_is_off_the_bound_by_more_than_a_twentieth(away: float, bracket: object) -> None:
    made = known(search((0.0, 10.0)), {0.0: [1.0, 1.0], 4.0: [2.0 * exp(away)] * 2})
    for alike, found in (([True, True], bracket), ([True, False], None), ([], None)):
        made._alike = alike
        assert made.step_at(4.0) == found


def test_a_probe_says_its_interval_its_bracket_and_what_is_left() -> None:
    told: list[SearchProbe] = []
    made = search(probed=told.append)
    made.parts()
    first, second = told
    assert (first.name, first.value, first.measure, first.interval.count, first.short) == (
        "n", 0, "response_mean", 2, False)  # fmt: skip
    assert (first.bracket, first.left, second.bracket) == (None, 0, (0, 10))
    # Ten wide and one left of each: four halvings of three curves, and the last.
    assert second.left == 13


def test_what_a_run_has_not_is_refused() -> None:
    for condition, says in ((FAST, "^n 0: a run has no response_mean$"), (Condition("y", 1.0), "^unknown measure 'y'")):
        lacking = RootSearch(lambda n, seed: {"throughput": 1.0}, Question("n", condition, (0, 1), {}), 2, 0.05, 1)
        with pytest.raises(UserError, match=says):
            lacking.probe(0, 2)
    for without in (1, 2):
        none = RootSearch(lambda n, seed, without=without: {"response_mean": nan if seed >= without else 1.0},
                          Question("n", FAST, (0, 1), {}), 2, 0.05, 1)  # fmt: skip
        with pytest.raises(UserError, match="n 0: a run has no response_mean; observe longer"):
            none.probe(0, 2)


def test_the_curve_has_a_row_for_each_value() -> None:
    made = known(search(), {4: [1.0, 3.0], 2: [1.0, 1.0]})
    frame = made.curve()
    assert list(frame.iloc[:, 0]) == [2, 4]
    assert list(frame.iloc[1])[1] == 2.0
    assert made.runs == 4


# What is said.

def test_an_answer_in_words() -> None:
    curve = pd.DataFrame({"n": [1, 2, 3]})
    answer = FindAnswer("memory", FAST, 2048.0, 1024.0, 4096.0, True, 12, curve)
    assert answer.text("bytes") == ("largest memory with response_mean <= 2 s: 2 KiB (95 % interval 1 KiB to 4 KiB; "
                                    "12 runs of 3 values)")  # fmt: skip
    assert str(FindAnswer("n", FAST, 2, 1, 4, False, 12, curve)).startswith("smallest n with response_mean <= 2 s: 2 (")


def test_bytes_are_in_units_of_1024() -> None:
    curve = pd.DataFrame({"memory": [1_000_000, 1_500_000, 2_000_000, 3_000_000]})
    answer = FindAnswer("memory", FAST, 1_500_000, 1_234_567, 2_000_000, True, 12, curve)
    assert "1.4305 MiB (95 % interval 1.1774 MiB to 1.9073 MiB; 12 runs" in answer.text("bytes")
    for largest, beyond in ((True, "1.9073 MiB"), (False, "976.56 KiB")):
        single = FindAnswer("memory", FAST, 1_500_000, 0, 0, largest, 4, curve)
        assert f": 1.4305 MiB ({beyond} does not meet it; 4 runs of 4 values)" in single.text("bytes")
    at_the_end = FindAnswer("memory", FAST, 3_000_000, 0, 0, True, 4, curve)
    assert at_the_end.text("bytes").endswith(": 2.861 MiB (4 runs of 4 values)")
    assert SearchStopped("memory", FAST, (1_500_000, 2_000_000), 3).text("bytes").endswith("1.4305 MiB and 1.9073 MiB")
    said = NotPartedError("memory", (1_500_000, 2_000_000), FAST, False, {1_750_000: False}).text("bytes")
    assert said.startswith("memory from 1.43051 MiB to 1.90735 MiB: ")
    assert ", nor at 1.669 MiB between them" in said


@pytest.mark.parametrize(("both", "between", "tail"), [
    (True, {}, "both ends; search where it holds at one"), (False, {}, "neither end; search where it holds at one"),
    (True, {2: True, 4: True}, "both ends, and at 2, 4 between them; search where it holds at one"),
    (False, {2: False}, "neither end, nor at 2 between them; search where it holds at one"),
    (True, {2: True, 4: False}, "both ends, not at 4 between them; search from one end to there"),
    (False, {2: True, 4: False}, "neither end, but at 2 between them; search from one end to there"),
])  # fmt: skip
def test_ends_that_do_not_part_in_words(both: bool, between: Mapping[float, bool], tail: str) -> None:
    assert str(NotPartedError("n", (0, 10), FAST, both, between)) == (
        f"n from 0 to 10: response_mean <= 2 s holds at {tail}")


def test_a_search_that_was_stopped_in_words() -> None:
    assert SearchStopped("n", FAST, None, 3).text() == "interrupted after 3 runs, before n was bracketed"
    assert SearchStopped("n", FAST, (1024, 2048), 3).text("bytes") == (
        "interrupted after 3 runs: response_mean <= 2 s ends between n 1 KiB and 2 KiB")


def test_a_bracket_has_five_digits() -> None:
    said = SearchStopped("n", FAST, (1.23456789, 2.0), 3).text()
    assert said == "interrupted after 3 runs: response_mean <= 2 s ends between n 1.2346 and 2"


class Sloped:
    """A run of 2 x, with a swing of *noise* that alternates by seed, which remembers where it was run."""

    def __init__(self, noise: float = 0.0) -> None:
        self.noise = noise
        self.calls: list[tuple[float, int]] = []

    def __call__(self, x: float, seed: int) -> dict[str, float]:
        self.calls.append((x, seed))
        return {"y": 2.0 * x + (self.noise if seed % 2 else -self.noise)}


def test_a_value_that_may_be_near_the_bound_by_chance_gets_all_seeds() -> None:
    """Two seeds of 3.9 and 3.8 have 95 % from 3.2 to 4.5, and 99.99 % from -314 on."""
    run = Sloped(0.05)
    made = RootSearch(run, Question("x", Condition("y", 5.0), (0.0, 10.0), {}), 2, 0.05, 1)
    made.probe(1.925, 6)
    assert [seed for _, seed in run.calls] == [1, 2, 3, 4, 5, 6]


def test_a_search_takes_ten_seeds_near_the_answer_and_four_elsewhere_unless_told() -> None:
    found = searching.find(Sloped(), "x", "y <= 7", (0.0, 100.0), workers=1)
    seeds = dict(zip(found.curve["x"], found.curve["seeds"], strict=True))
    assert (seeds[0.0], seeds[100.0], max(seeds.values()), found.step) == (4, 4, 10, False)
    two = searching.find(Sloped(0.1), "x", "y <= 7", (0.0, 100.0), seeds=2, most=2, workers=1)
    assert two.low < two.value < two.high
    assert set(two.curve["seeds"][1:-1]) == {2}
    with pytest.raises(UserError, match=r"^a search takes a seed at least, not 0$"):
        searching.find(Sloped(), "x", "y <= 7", (0.0, 100.0), seeds=0, workers=1)


def test_a_pilot_shows_where_to_begin_and_the_run_is_made_near_there_alone() -> None:
    """The guess is made of the pilot's summary, and is probed by it."""
    run, pilot, probes = Sloped(), Sloped(), list[SearchProbe]()
    found = searching.find(run, "x", "y <= 7", (0.0, 100.0), workers=1, pilot=pilot, probed=probes.append,
                           guess=lambda row: row["y"] / 100.0 * 4.0)  # fmt: skip
    assert found.value == pytest.approx(3.5, rel=1e-3)
    assert all(3.0 < x < 4.5 for x, _ in run.calls)
    assert found.runs == len(run.calls)
    assert list(dict.fromkeys(x for x, _ in pilot.calls))[:4] == [0.0, 100.0, 50.0, 4.0]
    assert max(seed for _, seed in pilot.calls) == 2
    assert [probe.short for probe in probes] == sorted((probe.short for probe in probes), reverse=True)


def test_a_search_takes_up_to_forty_seeds_for_a_twentieth_of_the_answer_unless_told(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[object, ...]] = []
    monkeypatch.setattr(searching, "_narrow", lambda search, question, *given: asked.append(given))
    searching.find(Sloped(), "x", "y <= 7", (0.0, 100.0), workers=1)
    assert asked == [(10, 40, 0.05)]


def test_a_pilot_does_not_hide_that_a_run_meets_the_condition_everywhere() -> None:
    with pytest.raises(NotPartedError, match="holds at both ends"):
        searching.find(lambda x, seed: {"y": 0.0}, "x", "y <= 7", (0.0, 100.0), workers=1, pilot=Sloped())


def test_a_guess_beyond_the_ends_is_an_end() -> None:
    run = Sloped()
    searching.find(run, "x", "y <= 7", (0.0, 100.0), workers=1, guess=lambda row: 999.0)
    assert max(x for x, _ in run.calls) == 100.0


def test_a_pilot_that_is_of_no_use_is_left() -> None:
    """One that meets the condition everywhere, or has no number, or shows elsewhere."""
    for useless in (lambda x, seed: {"y": 0.0}, lambda x, seed: {"y": nan}, lambda x, seed: {"y": x / 10.0}):
        found = searching.find(Sloped(), "x", "y <= 7", (0.0, 100.0), workers=1, pilot=useless)
        assert found.value == pytest.approx(3.5, rel=1e-2)


def test_a_search_that_is_stopped_in_its_pilot_tells_of_its_runs() -> None:
    run, pilot = Sloped(), Sloped()

    def stop(probe: SearchProbe) -> None:
        if len(pilot.calls) == 6:
            raise KeyboardInterrupt

    with pytest.raises(SearchStopped, match=r"^interrupted after 6 runs: y <= 7 ends between x 0 and \d"):
        searching.find(run, "x", "y <= 7", (0.0, 100.0), workers=1, pilot=pilot, probed=stop)
    assert run.calls == []


def test_a_gain_is_what_is_saved_of_the_other_run() -> None:
    def run(n: float, seed: int, fast: bool = False) -> Mapping[str, float]:
        return {"response_mean": n + seed if fast else 4.0 * (n + seed)}

    assert gain(run, {"fast": True})(n=1.0, seed=1) == {"gain": 1.0 - 8.0 / 2.0}
    assert gain(run, {"fast": False})(n=1.0, seed=1, fast=True) == {"gain": 0.75}


@pytest.mark.parametrize(("value", "precision", "doubled"), [
    (10.0, 0.2, [2, 4]), (10.0, 0.16, [2, 4, 8]), (-10.0, 0.2, [2, 4]),
])  # fmt: skip
def test_seeds_double_until_the_answer_is_precise(value: float, precision: float, doubled: list[int]) -> None:
    """The interval is from half as far below to above."""
    asked: list[tuple[str, int]] = []

    class Found:
        largest, runs = True, 7

        def root(self, curve: str, seeds: int) -> float:
            asked.append((curve, seeds))
            return {"mean": value, "low": value + 8.0 / seeds, "high": value - 4.0 / seeds}[curve]

        def curve(self) -> pd.DataFrame:
            return pd.DataFrame()

        def step_at(self, x: float) -> None:
            """There is chance in it."""

    question = Question("n", FAST, (0, 10), {})
    answer = searching._narrow(Found(), question, 2, 40, precision)  # type: ignore[arg-type]
    assert [seeds for curve, seeds in asked if curve == "mean"] == doubled
    last = doubled[-1]
    assert (answer.value, answer.low, answer.high, answer.runs) == (value, value - 4.0 / last, value + 8.0 / last, 7)
    asked.clear()
    answer = searching._narrow(Found(), question, 2, 5, 0.01)  # type: ignore[arg-type]
    assert [seeds for curve, seeds in asked if curve == "mean"] == [2, 4, 5]


def test_seeds_that_give_the_same_runs_bound_a_step_by_its_neighbours() -> None:
    """The 95 % interval of equal numbers is a point, beside the step at 45."""

    def stairs(size: float, seed: int) -> dict[str, float]:
        return {"hit_ratio": 0.0 if size < 45.0 else 0.7, "chance": seed * (size > 100.0) * where_chance_is}

    where_chance_is = 0
    answer = searching.find(stairs, "size", "hit_ratio >= 0.3", (4.0, 640.0), seeds=4, workers=1)
    assert answer.step
    assert 40.0 < answer.low < 45.0 <= answer.high < 50.0
    assert "a step lies between" in answer.text()
    where_chance_is = 1
    assert not searching.find(stairs, "size", "hit_ratio >= 0.3", (4.0, 640.0), seeds=4, workers=1).step


@pytest.mark.parametrize(("responses", "is_step"), [(0, False), (1, True)])
def test_runs_without_a_response_do_not_tell_that_there_is_no_chance(responses: int, is_step: bool) -> None:
    def stairs(size: float, seed: int) -> dict[str, float]:
        return {"cpu_busy": 0.0 if size < 45.0 else 0.7, "responses": responses}

    answer = searching.find(stairs, "size", "cpu_busy >= 0.3", (4.0, 640.0), seeds=4, workers=1)
    assert answer.step is is_step
    assert ("the same runs" in answer.text()) is is_step


@pytest.mark.parametrize(("ends", "most_of_it"), [((4, 640), 45), ((4.0, 640.0), 45.636)])
def test_the_answer_of_one_seed_meets_the_condition_where_the_curve_has_a_step(
    ends: tuple[float, float], most_of_it: float
) -> None:
    def stairs(size: float, seed: int) -> dict[str, float]:
        return {"hit_ratio": 0.0 if size < 45 else 0.7, "miss_ratio": 0.7 if size <= 45 else 0.0}

    least = searching.find(stairs, "size", "hit_ratio >= 0.5", ends, seeds=1, workers=1)
    assert 45 <= least.value <= most_of_it
    assert least.low == least.high == least.value
    seeds = searching.find(stairs, "size", "hit_ratio >= 0.5", ends, seeds=4, workers=1)
    assert seeds.step is isinstance(ends[0], float)
    largest = searching.find(stairs, "size", "miss_ratio >= 0.5", ends, seeds=1, workers=1)
    assert 45 - 0.636 <= largest.value <= 45
    assert re.search(r"smallest size with hit_ratio >= 0.5: 45\S* \(4[45]\S* does not meet it; ", least.text())
    assert re.search(r"largest size with miss_ratio >= 0.5: 4[45]\S* \(4[56]\S* does not meet it; ", largest.text())


def plain(a: float, seed: int) -> dict[str, float]:
    return {"m": a}


def shorter(a: float, seed: int) -> dict[str, float]:
    return {"m": a + 0.01}


def jump(a: float, seed: int) -> dict[str, float]:
    return {"m": float(a > 50.03)}


def test_a_step_is_a_share_of_a_value_of_any_sign_and_is_halved_until_it_is_reached() -> None:
    below = RootSearch(plain, Question("a", Condition("m", 1.0), (-100.0, -50.0), {}), 4, 0.1, 1)
    assert below._step(-80.0) == pytest.approx(8.0)
    search = RootSearch(plain, Question("a", Condition("m", 20.0), (0.0, 100.0), {}), 4, 0.1, 1)
    assert search._steps_left("mean") == 4  # from 100 to 10, that of the far end
    search._samples = {10.0: [10.0, 10.0], 30.0: [30.0, 30.0]}
    assert search._steps_left("mean") == 3  # from 20 to 3


def test_a_bracket_is_as_narrow_as_the_answer_is_to_be_precise() -> None:
    found = find(jump, "a", "m <= 0.5", (49.0, 51.0), seeds=1, precision=0.001, workers=1)
    above = min(x for x in found.curve["a"] if x > found.value)
    assert found.value <= 50.03 < above <= found.value + 0.0501


def test_a_pilot_of_what_must_be_large_keeps_nothing_and_tells_the_side(tmp_path: Path) -> None:
    short: list[bool] = []
    found = find(plain, "a", "m >= 50", (1.0, 100.0), pilot=shorter, store=tmp_path / "store", workers=1,
                 probed=lambda probe: short.append(probe.short))  # fmt: skip
    assert (found.largest, found.value) == (False, pytest.approx(50.0, rel=1e-4))
    assert (short[:2], short[-1]) == ([True, True], False)
