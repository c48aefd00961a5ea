"""Tests how many results of fio each fitted value rests on, and what is said where these are too few."""

from dataclasses import replace

import pytest

from spindle.lab.fio import fit as fits
from spindle.lab.fio.basis import ONE_HELD_OUT, few_points, resting_on
from spindle.lab.fio.disc import DiscKnobs, disc_numbers_of
from spindle.lab.fio.points import FioPoint, FioPoints
from spindle.lab.fit.sheet_number import ASSUMED, FITTED, Basis, SheetNumber
from spindle.sim.request import READ, WRITE, Op
from spindle.sim.units import MS, US


def point(level: int, op: Op = READ, percentiles: int = 0, iops: float = 10_000.0) -> FioPoint:
    shares = (0.5, 0.95, 0.99)[:percentiles]
    quantiles = {share: (1 + share) * level / iops for share in shares}
    return FioPoint(op, level, 1, 4096, 1000, iops, level / iops, quantiles)


def fitted(count: int, basis: Basis | None) -> list[SheetNumber]:
    return [SheetNumber(str(number), "1", FITTED, basis=basis) for number in range(count)]


def test_fitted_values_rest_on_points_and_on_what_was_measured_at_them() -> None:
    numbers = [SheetNumber("a", "1", FITTED), SheetNumber("b", "2", ASSUMED)]
    a, b = resting_on("reads", [point(1), point(2, percentiles=2), point(4, percentiles=3)], numbers)
    assert (a.basis, b.basis) == (Basis("reads", 3, 1 + 3 + 4), None)
    assert [a, b] == numbers


@pytest.mark.parametrize(("count", "values", "said"), [
    (3, 4, []), (0, 0, []),
    (4, 4, ["4 values are fitted to 2 points of reads, 4 measured values in all: too few to judge the fit, which "
            "takes more measured than fitted ones"]),
    (1, 1, ["1 value is fitted to 2 points of reads, 1 measured value in all: too few to judge the fit, which takes "
            "more measured than fitted ones"]),
])  # fmt: skip
def test_a_fit_is_judged_by_a_degree_of_freedom_at_least(count: int, values: int, said: list[str]) -> None:
    assert [*few_points(fitted(count, Basis("reads", 2, values)), 3)] == said


def test_each_kind_of_points_is_told_by_itself() -> None:
    reads, writes = Basis("reads", 2, 2), Basis("writes", 1, 3)
    numbers = [*fitted(2, reads), *fitted(2, writes), *fitted(9, None)]
    assert [sentence[:28] for sentence in few_points(numbers, 0)] == ["2 values are fitted to 2 poi"]
    both = [*numbers, *fitted(1, writes)]
    assert [sentence.partition(" points")[0][-1:] for sentence in few_points(both, 0)][:1] == ["2"]
    assert len([*few_points(both, 0)]) == 2
    assert [*few_points([], 1)] == [ONE_HELD_OUT]
    assert [*few_points([], 2)] == []


def test_numbers_of_a_disc_rest_on_reads_or_on_writes() -> None:
    knobs = DiscKnobs(7200.0, 1.5 * MS, 14 * MS, 4, 0.006, writes=8, told=True)
    reads, writes = [point(1), point(4)], [point(1, WRITE, 3)]
    bases = {number.name: number.basis for number in disc_numbers_of(knobs, reads, writes)}
    of_reads = ("rpm", "seek.least_ms", "seek.over_span_ms", "queue.planned_ahead", "queue.choice", "host.scheduler",
                "host.latency_ms")  # fmt: skip
    assert bases == {**dict.fromkeys(of_reads, Basis("reads", 2, 2)), "queue.tags": None,
                     "queue.writes_cached": Basis("writes", 1, 4), "overhead_ms": None, "layout": None}  # fmt: skip
    without = {number.name: number for number in disc_numbers_of(knobs, reads, [])}
    assert (without["queue.writes_cached"].source, without["queue.writes_cached"].basis) == (ASSUMED, None)


def test_a_fit_behind_nvme_rests_on_the_points_that_it_compares() -> None:
    """Of a kind these are the first, the second and the last that are not held out: 1, 4 and 64 of 1, 4, 16 and 64."""
    levels = (1, 2, 4, 8, 16, 32, 64)
    points = [point(level, iops=min(12_000.0 * level, 200_000.0)) for level in levels]
    fit = fits._nvme_fit(FioPoints("ssd", points, nvme=True), 1 << 30)
    bases = {number.name: number.basis for number in fit.numbers}
    assert set(bases.values()) == {Basis("randread 4 KiB", 3, 3)}
    lines = [*fits.page(fit)]
    told = "5 values are fitted to 3 points of randread 4 KiB, 3 measured values in all: too few to judge the fit"
    assert sum(line.startswith(told) for line in lines) == 1
    assert [line.split()[3] for line in lines if line.startswith("randread_4k.")] == ["3"] * 5
    data = fits.numbers(fit)
    assert [each["points"] for each in data["numbers"].values()] == [3] * 5
    assert data["remarks"][-1].startswith(told)
    more = [replace(each, quantiles={0.5: each.mean, 0.95: each.mean}) for each in points]
    again = fits._nvme_fit(FioPoints("ssd", more, nvme=True), 1 << 30)
    assert not any("too few" in line for line in fits.page(again))


def test_a_fit_of_flash_tells_reads_from_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fits, "judge", lambda *call: ())
    monkeypatch.setattr(fits, "_with_measured", lambda simulated, drives: ())
    levels = (1, 2, 4, 8, 16)
    points = [point(level, op, iops=1.0 / (80 * US / level + 10 * US)) for op in (READ, WRITE) for level in levels]
    fit = fits._flash_fit(FioPoints("ssd", points), 1 << 30, None)
    told = {number.basis.kind: number.basis for number in fit.numbers if number.basis is not None}
    assert told["writes"] == Basis("writes", 3, 3)
    assert told["reads and writes"] == Basis("reads and writes", 6, 6)
    assert told["reads"] == Basis("reads", 3, 3)
