"""The steps of a fit by hand: bounds of its knobs, time traded with the arm, the loss, and which change is taken."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from spindle.lab.drives.timed_requests import TimedRequests
from spindle.lab.fit import fit
from spindle.lab.fit.buffer_choices import without_cache
from spindle.lab.fit.fit import BELIEF, HIGH_WATER, MAX_TRIES, FitLoss, SheetKnob, arm_of, electronics, trade_knobs
from spindle.sim.disc.buffer_sheet import After, ImmediateReporting, Overheads
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.request import READ, WRITE, Span
from spindle.sim.units import MS
from tests.lab.fit.known import BUFFER, KNOWN, asked

# Knobs.

TURN = KNOWN.revolution / MS


def test_each_number_is_searched_between_its_bounds() -> None:
    knobs = [knob for group in electronics(KNOWN) for knob in group]
    bounds = {knob.name: (knob.low / knob.unit, knob.high / knob.unit) for knob in knobs}
    a_turn, two_ms = dict.fromkeys((
        "read_hit_after_read", "read_hit_after_write", "read_miss_after_read", "read_miss_after_write",
        "write_miss_after_read", "write_miss_after_write", "head_switch_ms"), (0.0, TURN)), dict.fromkeys((
            "read_completion", "write_completion", "minimum_seek_delay"), (0.0, 2.0))  # fmt: skip
    assert bounds == {
        **a_turn, **two_ms, "read_ms_per_sector": (0.0, 1.0), "write_ms_per_sector": (0.0, 1.0),
        "read_high_water_mark": (0.0, 1.0), "write_settle_extra_ms": (-2.0, 3.0)}  # fmt: skip
    steps = {knob.name: knob.step for knob in knobs if knob.step != 0.04 * MS}
    assert steps == {"read_ms_per_sector": 0.002 * MS, "write_ms_per_sector": 0.002 * MS,
                     "read_high_water_mark": 1 / 32}  # fmt: skip


def test_what_has_segments_caches() -> None:
    buffers = without_cache(BUFFER), replace(BUFFER, segments=1), BUFFER
    assert [fit.caches(replace(KNOWN, buffer=buffer)) for buffer in buffers] == [False, True, True]


MISS, WRITTEN = After(0.75 * MS, 1 * MS), After(0.5 * MS, 1.25 * MS)
WAITS = replace(BUFFER, overheads=Overheads(read_miss=MISS, write=WRITTEN))
TRADED = replace(KNOWN, buffer=WAITS, write_settle=0.25 * MS)
"""Seeks take 2 ms over one cylinder, 4 ms over 30 and 9 ms over 299; a head switch takes 0.6 ms."""


def told(disc: DiscType) -> Any:
    """Milliseconds of read and write commands, of seeks, head switch and settling."""
    assert disc.buffer is not None
    times = disc.buffer.overheads
    numbers = ([*times.read_miss], [*times.write], [disc.seek(1), disc.seek(299)],
               [disc.head_switch, disc.write_settle])  # fmt: skip
    return [[pytest.approx(number / MS) for number in each] for each in numbers]


@pytest.mark.parametrize(("number", "name", "low", "high", "to", "expected"), [
    (0, "command and arm", 0.25, 2.75, 1.0, ([1, 1.25], [0.75, 1.5], [1.75, 8.75], [0.6, 0.25])),
    (1, "command and arm", 0.25, 2.75, 1.0, ([1, 1.25], [0.75, 1.5], [1.75, 8.75], [0.35, 0.25])),
    (1, "command and arm", 0.25, 2.75, 3.75, ([3.75, 4], [3.5, 4.25], [0, 6], [0, 0.25])),
    (0, "command and arm", 0.25, 2.75, 0.125, ([0.125, 0.375], [0, 0.625], [2.625, 9.625], [0.6, 0.25])),
    (2, "write and settling", -2.0, 0.75, 0.125, ([0.75, 1], [0.625, 1.375], [2, 9], [0.6, 0.125])),
])  # fmt: skip
def test_time_is_traded_between_commands_and_the_arm(
    number: int, name: str, low: float, high: float, to: float, expected: tuple[list[float], ...]
) -> None:
    """So far that no command, seek or switch takes less than no time."""
    knob = trade_knobs(TRADED)[number]
    assert knob.name == name
    assert (knob.low, knob.high) == pytest.approx((low * MS, high * MS))
    assert knob.read(TRADED) == (TRADED.write_settle if number == 2 else MISS.read)
    assert told(knob.turned(TRADED, to * MS)) == [*expected]
    assert knob.turned(TRADED, to * MS).layout == TRADED.layout


def test_writes_that_are_reported_early_do_not_wait_for_the_arm() -> None:
    reported = replace(TRADED, buffer=replace(WAITS, reports=ImmediateReporting()))
    knobs = trade_knobs(reported)
    assert len(knobs) == 2
    assert (knobs[0].low, knobs[0].high) == pytest.approx((0.0, 2.75 * MS))
    assert told(knobs[0].turned(reported, 1 * MS)) == [[1, 1.25], [0.5, 1.25], [1.75, 8.75], [0.6, 0.25]]


# The loss.

def loss_of(measured: Sequence[float], ops: str, most: float = 10.0) -> FitLoss:
    kinds = [READ if op == "R" else WRITE for op in ops]
    return FitLoss(TimedRequests(kinds, [Span(0, 512)] * len(ops), np.zeros(len(ops)), np.array(measured, float)), most)


@pytest.mark.parametrize(("times", "most", "total"), [
    ([3, 1, 2, 4], 10, 1.0),  # two times exchanged: no demerit, and 2, 2, 0 and 0 s apart
    ([3, 1, 2, 4], 1.5, 0.75),
    ([2, 4, 3, 5], 10, 4.0),  # 1 s too long: demerits of all, of reads and of writes, and the mean
    ([2, 4, 3, 5], 0.5, 3.5),
])  # fmt: skip
def test_the_loss_is_demerits_and_the_mean_difference(times: list[float], most: float, total: float) -> None:
    loss = loss_of([1, 3, 2, 4], "RRWW", most)
    assert loss.total(np.array(times, float)) == pytest.approx(total)


def test_a_part_has_its_own_loss() -> None:
    loss = loss_of([1, 3, 2, 4], "RRWW")
    assert loss.total(np.array([2.0, 4.0, 2.0, 9.0]), slice(0, 2)) == pytest.approx(3.0), "of all, reads, and the mean"
    parts = loss_of([1.0] * 32, "R" * 32).by_block(np.array([2.0, 1.0, 2.0, 2.0, *[1.0] * 28]))
    assert parts.tolist() == pytest.approx([2 * 0.5**0.5 + 0.5, 3.0, *[0.0] * 14])


def test_each_simulation_is_watched() -> None:
    watched: list[int] = []
    loss = FitLoss(asked(KNOWN, 5), 1.0, lambda: watched.append(1))
    assert loss.times(KNOWN) == pytest.approx(loss.asked.measured)
    assert (loss(KNOWN), len(watched)) == (pytest.approx(0.0), 2)


@pytest.mark.parametrize(("times", "than", "errors", "nearer"), [
    ([5, 5], [2, 2], 2.0, True),  # nearer by requests
    ([2, 2], [8, 8], 2.0, True),  # as near by requests, and nearer by blocks
    ([4, 4], [4, 4], 2.0, False),
    ([5, 5], [4, 2], 1.9, True),  # gains of 1 and 3, with a standard error of 1
    ([5, 5], [4, 2], 2.0, False),
])  # fmt: skip
def test_what_is_surely_nearer(
    monkeypatch: pytest.MonkeyPatch, times: list[float], than: list[float], errors: float, nearer: bool
) -> None:
    """The loss of a block is here the time itself."""
    monkeypatch.setattr(FitLoss, "by_block", lambda self, times: times)
    near, far = np.array(times, float), np.array(than, float)
    assert loss_of([5, 5], "RW").surely_nearer(near, far, errors) is nearer
    assert errors != 2.0 or loss_of([5, 5], "RW").surely_nearer(near, far) is nearer


# Steps.

class Numbers:
    """A loss of discs that are numbers: the less, the nearer, and surely so from a gain of 2 on."""

    def times(self, disc: float) -> float:
        return disc

    def total(self, times: float) -> float:
        return abs(times)

    def surely_nearer(self, times: float, than: float, errors: float) -> bool:
        assert errors == BELIEF
        return than - times >= 2


NUMBERS: Any = Numbers()


@pytest.mark.parametrize(("better", "disc", "is_nearer"), [(3, 5, True), (4, 5, False), (-5, 5, False)])
def test_a_step_is_taken_if_it_is_nearer_and_surely_so(better: Any, disc: Any, is_nearer: bool) -> None:
    assert fit._is_nearer(better, disc, NUMBERS) is is_nearer


def test_of_each_choice_the_nearest_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """From 9 to 7; not to 6, which is not surely nearer; then to 5, and not to -5, which is as far off."""
    chosen_from = []

    def choice(*others: float) -> Any:
        return SimpleNamespace(others=lambda disc: chosen_from.append(disc) or [("", other) for other in others])

    monkeypatch.setattr(fit, "CHOICES", [choice(7, 6), choice(5, -5)])
    nine: Any = 9
    assert fit.with_choices(nine, NUMBERS) == 5
    assert chosen_from == [9, 7]


def knob(low: float, high: float) -> SheetKnob:
    def turned(disc: Any, value: float) -> Any:
        assert disc is not None
        return value

    def read(disc: Any) -> Any:
        return disc

    return SheetKnob("", read, turned, low, high)


@pytest.mark.parametrize(("apart", "ends"), [
    ([9, 5.5, 5, 5.4, 5.6, 9], (10, 14)),  # a request more that loses 10 s of 10 is 1 s in the mean, and half is borne
    ([5, 5, 5, 5, 5, 5], (10, 15)),
    ([9, 9, 5, 9, 9, 9], (11, 13)),
])  # fmt: skip
def test_a_step_ends_where_a_request_more_loses_a_turn(apart: list[float], ends: tuple[float, float]) -> None:
    loss: Any = SimpleNamespace(most=10.0, asked=range(10), times=lambda disc: disc,
                                distances=lambda times: np.array([0.0, 2 * apart[round(times) - 10]]))  # fmt: skip
    assert fit._lowest(KNOWN, knob(0, 99), np.arange(10.0, 16.0), loss) == ends


@pytest.mark.parametrize(("low", "high", "first"), [(-9.0, 9.0, (-1.0, 3.0)), (0.5, 2.0, (0.5, 2.0))])
@pytest.mark.parametrize("gain", [True, False])
def test_time_is_moved_to_the_middle_of_the_lowest_step(
    monkeypatch: pytest.MonkeyPatch, low: float, high: float, first: tuple[float, float], gain: bool
) -> None:
    """From 1 ms, 2 ms to each side where bounds allow it; then once more within the step; if that is a gain."""
    moved, start = knob(low * MS, high * MS), 1 * MS
    monkeypatch.setattr(fit, "trade_knobs", lambda disc: [moved] * (disc == start))
    looked, steps = [], iter([(0.0, 2 * MS), (1 * MS, 2 * MS)])

    def lowest(disc: Any, knob: SheetKnob, values: Any, loss: Any) -> tuple[float, float]:
        assert (disc, knob, loss) == (start, moved, distance)
        looked.append((values[0] / MS, values[-1] / MS, len(values)))
        return next(steps)

    monkeypatch.setattr(fit, "_lowest", lowest)
    best = (1.5 if gain else 1.0) * MS
    distance: Any = SimpleNamespace(times=lambda disc: disc, distances=lambda disc: np.full(3, abs(disc - best)))
    disc: Any = start
    assert fit.with_trades(disc, distance) == pytest.approx(1.5 * MS if gain else 1 * MS)
    assert looked == [pytest.approx((*first, 2 * MAX_TRIES)), pytest.approx((0.0, 2.0, 2 * MAX_TRIES))]


@pytest.mark.parametrize("nearer", [True, False])
@pytest.mark.parametrize(("settle", "start", "bounds"), [
    (1.0, 1.0, (0.0, 2.0)), (3.5, 3.0, (2.5, 3.0)), (-2.5, -2.0, (-2.0, -1.5))])  # fmt: skip
def test_numbers_are_searched_a_millisecond_to_each_side_and_shares_anywhere(
    monkeypatch: pytest.MonkeyPatch, settle: float, start: float, bounds: tuple[float, float], nearer: bool
) -> None:
    """From a mark of 0.25, a head switch of 0.6 ms, and settling that may be more or less than it may be."""
    disc = replace(KNOWN, buffer=replace(BUFFER, high_water=0.25), write_settle=settle * MS)
    turned = replace(KNOWN, buffer=replace(BUFFER, high_water=0.0), head_switch=0.9 * MS, write_settle=bounds[1] * MS)
    searched: list[Any] = []

    def minimize(objective: Callable[[Any], float], start: Any, **options: Any) -> Any:
        searched.append((start.tolist(), options, objective(np.array([0.5, 0.9, start[2]]))))
        return SimpleNamespace(x=np.array([-1.0, 0.9, 99.0]))

    def is_nearer(better: DiscType, than: DiscType, by: object) -> bool:
        assert (better.name, than, by) == (KNOWN.name, disc, loss)
        return nearer

    monkeypatch.setattr(fit, "minimize", minimize)
    monkeypatch.setattr(fit, "_is_nearer", is_nearer)
    loss: Any = lambda disc: disc.head_switch  # noqa: E731
    found = fit.with_numbers(disc, [HIGH_WATER, *arm_of(disc)], loss)
    ((at, options, share),) = searched
    assert at == pytest.approx([0.25, 0.6, start])
    assert [*map(list, options["bounds"])] == [pytest.approx(each) for each in ([0, 1], [0, 1.6], [*bounds])]
    assert options["method"] == "Powell"
    assert options["options"] == {"maxfev": 3 * MAX_TRIES, "xtol": 0.01, "ftol": 0.001}
    assert share == pytest.approx(1.5)
    assert told(found) == told(turned if nearer else disc)
    assert found.buffer == (turned if nearer else disc).buffer


@pytest.mark.parametrize(("loose", "locked", "significant", "caches", "stages"), [
    (1, 2, True, True, ["L", "K", "Lc", "Lcnnnn", "Lcnnnnc"]),
    (2, 1, True, True, ["L", "K", "Kc", "Kcnnnn", "Kcnnnnc"]),
    (1, 1, True, True, ["L", "K", "Kc", "Kcnnnn", "Kcnnnnc"]),
    (2, 1, True, False, ["L", "K", "Kc", "Kctnnnn", "Kctnnnnc"]),
    (1, 2, True, False, ["L", "K", "Lc", "Lcnnnn", "Lcnnnnc"]),
    (2, 1, False, True, ["L", "Lc", "Lcnnnn", "Lcnnnnc"]),
])  # fmt: skip
def test_the_steps_of_a_fit(
    monkeypatch: pytest.MonkeyPatch, loose: float, locked: float, significant: bool, caches: bool, stages: list[str]
) -> None:
    """From the loose sheet, L, or the locked one, K, by choices, c, trades, t, and the numbers of four groups, n.

    Time is traded only where angles are known and no hits show the time of a command.
    """
    def step(letter: str) -> Callable[..., DiscType]:
        def changed(disc: DiscType, *asked: Any) -> DiscType:
            assert asked[-1] is loss
            assert all(isinstance(knob, SheetKnob) for group in asked[:-1] for knob in group)
            assert len(asked) == 1 + (letter == "n")
            return replace(disc, name=disc.name + letter)

        return changed

    for name, letter in (("with_choices", "c"), ("with_trades", "t"), ("with_numbers", "n")):
        monkeypatch.setattr(fit, name, step(letter))
    disc = KNOWN if caches else replace(KNOWN, buffer=without_cache(BUFFER))
    start: Any = SimpleNamespace(loose=replace(disc, name="L"), locked=replace(disc, name="K"),
                                 rotation=SimpleNamespace(is_significant=significant))  # fmt: skip
    loss: Any = lambda disc: {"Lcn": loose, "Kcn": locked}[disc.name]  # noqa: E731
    found = [*fit.fit_stages(start, loss)]
    assert [stage.disc.name for stage in found] == stages
    assert [stage.locked for stage in found] == [name[0] == "K" for name in stages]
    names = ["seeks and overheads", *["rotation and skews"] * significant, "buffer", "electronics", "buffer again"]
    assert [stage.name for stage in found] == names
