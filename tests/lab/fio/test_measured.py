"""Drives of today as fio measured them: half of the depths fitted, the other half held out and predicted.

Bounds are those that were asked for: throughput 10 % on the mean and 20 % at worst, p95 20 % of what the drive itself
has under way. What does not hold stays, with its reason.
"""

from pathlib import Path

import pytest

from spindle.lab.fio.fit import FioFit, fio_fit
from spindle.lab.fio.judged import groups, summary
from spindle.lab.fio.points import read_points
from spindle.sim.disc.raid.layout import RaidType

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3600)]
WITHIN = "  up to 32 under way"


def fit_of(shared: Path, name: str, raid: RaidType | None = None) -> FioFit:
    found = sorted((shared / "data" / "fio_measured").glob(f"{name}*.csv"))
    if not found:
        pytest.skip(f"{name} is not among the measured drives in {shared}")
    return fio_fit(read_points(found[0]), None, raid)


def off(fit: FioFit, group: str, quantity: str) -> tuple[float, float]:
    told = summary(dict(groups(fit.simulated))[group], quantity)
    assert told is not None
    return told.mean, told.worst


def told_off(fit: FioFit) -> float:
    """Return the mean error of the throughput that measured points beside tell."""
    told = summary(dict(groups(fit.judged))["held out"], "throughput")
    assert told is not None
    return told.mean


@pytest.mark.parametrize("name", [
    "crucial_mx200", "intel_d3_s4610", "kingston_dc500m", "samsung_f1",
    pytest.param("samsung_860", marks=pytest.mark.xfail(strict=True, reason=(
        "its writes at one depth differ by up to 40 % between runs, with what was written before"))),
])  # fmt: skip
def test_throughput_and_p95_of_what_was_held_out(shared: Path, name: str) -> None:
    fit = fit_of(shared, name)
    mean, worst = off(fit, "held out", "throughput")
    assert mean <= 0.10
    assert worst <= 0.20
    assert off(fit, WITHIN, "p95")[0] <= 0.20


@pytest.mark.parametrize("name", ["crucial_mx200", "intel_d3_s4610", "kingston_dc500m", "samsung_f1", "samsung_860"])
def test_throughput_told_by_the_points_beside(shared: Path, name: str) -> None:
    assert told_off(fit_of(shared, name)) <= 0.04


def test_an_array_of_eight_discs(shared: Path) -> None:
    """Chunk, stripe cache and bitmap were not recorded: they are those of mdadm, without a bitmap."""
    assert off(fit_of(shared, "raid5_mdadm_8x2tb", RaidType("5", 8)), "held out", "throughput")[0] <= 0.15


@pytest.mark.xfail(strict=True, reason="one or two writes at a time are slower; a bitmap explains a part of it, untold")
def test_an_array_at_worst(shared: Path) -> None:
    assert off(fit_of(shared, "raid5_mdadm_8x2tb", RaidType("5", 8)), "held out", "throughput")[1] <= 0.20


@pytest.mark.parametrize("name", [
    "crucial_mx200", pytest.param("intel_d3_s4610", marks=pytest.mark.xfail(strict=True, reason=(
        "of many processes with few requests each some wait long: which, microseconds in the host decide"))),
])  # fmt: skip
def test_p95_beyond_the_tags(shared: Path, name: str) -> None:
    assert off(fit_of(shared, name), "  beyond, in the host", "p95")[0] <= 0.20
