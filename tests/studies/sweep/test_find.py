"""Inverse questions on curves that are known: where a condition ends, how surely, and how few runs that takes."""

from math import inf, nan, sqrt
from pathlib import Path
from random import Random

import pytest

from spindle.sim.error import UserError
from spindle.studies.sweep.find import Condition, SearchProbe, SearchStopped, find, gain

CALLS: list[tuple[float, int]] = []


def line(x: float, seed: int, noise: float = 0.0) -> dict[str, float]:
    CALLS.append((x, seed))
    return {"y": 2.0 * x + noise * Random(seed).gauss(0.0, 1.0)}


def queue(rate: float, seed: int, customers: int = 4000) -> dict[str, float]:
    """M/M/1 with a mean service of 1, by Lindley's recursion from the stationary wait."""
    random = Random(f"{seed}")
    wait = random.expovariate(1.0 - rate) if random.random() < rate else 0.0
    total = 0.0
    for _ in range(customers):
        service = random.expovariate(1.0)
        total += wait + service
        wait = max(0.0, wait + service - random.expovariate(1.0) / rate)
    return {"response_mean": total / customers}


def machine(size: float, seed: int, cached: bool = True) -> dict[str, float]:
    return {"response_mean": 1.0 / (1.0 + size) if cached else 1.0}


@pytest.fixture(autouse=True)
def no_calls() -> None:
    CALLS.clear()


def test_the_largest_value_of_a_rising_curve_and_the_smallest_of_a_falling_one() -> None:
    rising = find(line, "x", "y <= 7", (0.0, 100.0), workers=1)
    assert (rising.value, rising.low, rising.high) == pytest.approx((3.5, 3.5, 3.5), rel=1e-3)
    assert rising.largest
    falling = find(gain(machine, {"cached": False}), "size", "gain >= 0.5", (0.0, 20.0), workers=1)
    assert falling.value == pytest.approx(1.0, rel=2e-3)
    assert not falling.largest


def test_an_argument_that_counts_is_whole_and_the_last_that_meets_the_condition() -> None:
    assert find(line, "x", "y <= 7", (1, 100), workers=1).value == 3
    assert find(line, "x", "y >= 7", (1, 100), workers=1).value == 4
    assert all(isinstance(x, int) for x, _ in CALLS)


def test_the_interval_is_that_of_the_mean_turned_round() -> None:
    """With noise of 1 and ten seeds the mean's interval has half a width of t9 s / sqrt(10), x's half of that."""
    found = find(line, "x", "y <= 7", (0.0, 20.0), seeds=10, most=10, noise=1.0, workers=1)
    draws = [Random(seed).gauss(0.0, 1.0) for seed in range(1, 11)]
    mean = sum(draws) / 10
    half = 2.262157 * sqrt(sum((draw - mean) ** 2 for draw in draws) / 9 / 10)
    assert (found.value, found.low, found.high) == pytest.approx(
        ((7 - mean) / 2, (7 - mean - half) / 2, (7 - mean + half) / 2), abs=0.02)


def test_what_is_far_from_the_condition_is_run_with_few_seeds() -> None:
    found = find(line, "x", "y <= 7", (0.0, 1000.0), seeds=20, most=20, noise=0.1, workers=1)
    seeds = dict(zip(found.curve["x"], found.curve["seeds"], strict=True))
    assert seeds[0.0] == seeds[1000.0] == 4
    assert max(seeds.values()) == 20
    assert found.runs == sum(seeds.values()) == len(CALLS) < 20 * len(seeds)


def test_a_first_guess_is_probed_first() -> None:
    find(line, "x", "y <= 7", (0.0, 100.0), workers=1, guess=lambda row: row["y"] / 100.0 * 3.5)
    assert [x for x, seed in CALLS if seed == 1][:4] == [0.0, 100.0, 50.0, 3.5]


def test_a_queue_is_filled_as_far_as_theory_says() -> None:
    """A mean response of 4 services is reached at a utilisation of 3/4."""
    found = find(queue, "rate", "response_mean <= 4", (0.1, 0.95), workers=1, seeds=20)
    assert found.low < 0.75 < found.high
    assert found.high - found.low < 0.1


def test_an_interrupted_search_goes_on(tmp_path: Path) -> None:
    def stop(probe: SearchProbe) -> None:
        if len(CALLS) > 15:
            raise KeyboardInterrupt

    with pytest.raises(SearchStopped, match=r"^interrupted after \d+ runs: y <= 7 ends between x 0 and [\d.]+$"):
        find(line, "x", "y <= 7", (0.0, 9.0), workers=1, store=tmp_path, noise=0.5, probed=stop)
    before = len(CALLS)
    whole = find(line, "x", "y <= 7", (0.0, 9.0), workers=1, store=tmp_path, noise=0.5)
    assert whole.runs - (len(CALLS) - before) >= 15
    assert whole.value == find(line, "x", "y <= 7", (0.0, 9.0), workers=1, noise=0.5).value


@pytest.mark.parametrize(("where", "between", "says"), [
    ("y <= 7", (10.0, 20.0), "x from 10 to 20: y <= 7 holds at neither end"),
    ("y <= 7", (1.0, 2.0), "x from 1 to 2: y <= 7 holds at both ends"),
    ("z <= 7", (1.0, 2.0), "unknown measure 'z'"),
    ("y = 7", (1.0, 2.0), "a condition is a measure, <= or >=, and a number"),
    ("y <= 1e999", (1.0, 2.0), "a condition is a measure, <= or >=, and a number"),
])  # fmt: skip
def test_questions_without_an_answer_are_refused(where: str, between: tuple[float, float], says: str) -> None:
    with pytest.raises(UserError, match=says.replace("(", r"\(")):
        find(line, "x", where, between, workers=1)


def hump(x: float, seed: int) -> dict[str, float]:
    """0 at 0 and at 8, 16 at 4."""
    return {"y": x * (8.0 - x)}


@pytest.mark.parametrize(("where", "between", "says"), [
    ("y <= 13", (0.0, 8.0), "holds at both ends, not at 4 between them; search from one end to there"),
    ("y >= 14", (0.0, 8.0), "holds at neither end, but at 4 between them; search from one end to there"),
    ("y <= 20", (0.0, 8.0), "holds at both ends, and at 2, 4, 6 between them; search where it holds at one"),
    ("y >= 20", (1, 7), "holds at neither end, nor at 2, 3, 4 between them; search where it holds at one"),
])  # fmt: skip
def test_ends_that_do_not_part_name_what_is_between_them(where: str, between: tuple[float, float], says: str) -> None:
    with pytest.raises(UserError) as refused:
        find(hump, "x", where, between, workers=1)
    assert str(refused.value).endswith(says)


def test_a_condition_reads_both_ways() -> None:
    assert Condition.read(" hit_ratio>=0.7 ") == Condition("hit_ratio", 0.7, least=True)
    assert str(Condition.read("y < 2")) == "y <= 2"


def test_each_probe_says_what_is_known_by_then() -> None:
    probes: list[SearchProbe] = []
    found = find(line, "x", "y <= 7", (0, 64), workers=1, probed=probes.append)
    first, second, *others = probes
    assert (first.value, first.bracket, first.left) == (0, None, 0)
    assert (second.value, second.bracket, second.left) == (64, (0, 64), 16)  # each of three curves halved to 5 % of 64
    assert all(low <= found.value <= high for low, high in (probe.bracket for probe in others if probe.bracket))
    assert not any(probe.short for probe in probes)
    find(line, "x", "y <= 7", (0, 64), workers=1, probed=probes.append, pilot=line)
    assert any(probe.short for probe in probes)


def test_a_search_that_is_stopped_at_once_knows_nothing() -> None:
    def stop(probe: SearchProbe) -> None:
        raise KeyboardInterrupt

    with pytest.raises(SearchStopped, match=r"^interrupted after 4 runs, before x was bracketed$"):
        find(line, "x", "y <= 7", (0.0, 9.0), workers=1, probed=stop)


@pytest.mark.parametrize("precision", [0.0, -0.1, 1.0, nan, inf])
def test_a_precision_is_a_share(precision: float) -> None:
    with pytest.raises(UserError, match=f"^precision is a share of the answer, between 0 and 1, not {precision!r}$"):
        find(line, "x", "y <= 7", (0.0, 20.0), precision=precision, workers=1)
    assert not CALLS


def test_a_measure_that_a_run_has_not_is_no_unknown_one() -> None:
    with pytest.raises(UserError, match=r"^x 0: a run has no hit_ratio$"):
        find(line, "x", "hit_ratio <= 0.5", (0.0, 20.0), workers=1)
    with pytest.raises(UserError, match="unknown measure 'z'"):
        find(line, "x", "z <= 0.5", (0.0, 20.0), workers=1)
