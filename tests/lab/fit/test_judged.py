"""A whole fit of a known drive: its numbers are found again, and what was held out is met."""

from dataclasses import replace

import pytest

from spindle.lab.fit import page as judged
from spindle.lab.fit.determined import DeterminedSheet
from spindle.lab.fit.first_sheet import StartingSheets
from spindle.lab.fit.fit import STARTS, FitLoss, FitStage
from spindle.lab.fit.geometry import DriveGeometry
from spindle.lab.fit.page import AS_FITTED, FittedDrive, fit_drive, page
from spindle.lab.fit.sheet_number import ASSUMED, FITTED
from spindle.sim.disc.layout import Layout, Zone
from spindle.sim.error import UserError
from spindle.sim.units import MS
from spindle.studies.demerit import Distance
from tests.lab.fit.known import (
    BARE,
    CYLINDER_SKEW,
    CYLINDERS,
    HEADS,
    HIT,
    KNOWN,
    LINK,
    NOMINAL,
    PER_TRACK,
    RPM,
    SIZE,
    TRACK_SKEW,
    asked,
)


@pytest.fixture(scope="module")
def fitted() -> FittedDrive:
    return fit_drive(BARE, asked(KNOWN, 450), 0.5, {"itself": KNOWN})


def test_what_was_held_out_is_met(fitted: FittedDrive) -> None:
    shares = fitted.judged
    assert (fitted.fitted_to, fitted.held) == (225, 225)
    first, last = shares["seeks and overheads"]["all"], shares[AS_FITTED]["all"]
    assert shares["itself"]["all"].share < last.share < first.share
    assert last.apart < 0.15e-3 < 0.5e-3 < first.apart


def test_the_numbers_are_found_again(fitted: FittedDrive) -> None:
    disc = fitted.disc
    assert disc.rpm == pytest.approx(RPM, rel=1e-4)
    assert (disc.layout.zones[0].track_skew, disc.layout.zones[0].cylinder_skew) == pytest.approx(
        (TRACK_SKEW, CYLINDER_SKEW))
    assert disc.buffer is not None
    assert disc.buffer.overheads.read_hit.read == pytest.approx(HIT, rel=0.2)
    assert disc.buffer.link.reading == pytest.approx(LINK, rel=0.05)
    sources = {number.name: number.source for number in fitted.numbers}
    assert [sources[name] for name in ("rpm", "track_skew_sectors, zone 0", "read_ms_per_sector")] == [FITTED] * 3


def test_the_page_has_a_line_for_each_sheet_and_number(fitted: FittedDrive) -> None:
    lines = list(page(fitted))
    assert lines[0] == "Known: fitted to the first 225 requests, 225 held out"
    assert [name for name in fitted.judged if not any(line.startswith(name) for line in lines)] == []
    assert sum(line.split()[:1] == ["rpm"] for line in lines) == 1


def test_a_sheet_that_does_not_hold_says_so(fitted: FittedDrive) -> None:
    assert fitted.failure == ""
    far = Distance(4 * MS, 0.36, 1 * MS)
    strayed = replace(fitted, judged={AS_FITTED: {**fitted.judged[AS_FITTED], "writes": far}})
    assert strayed.failure.startswith("the sheet does not hold: writes held out 36.0% off, those fitted to ")
    assert strayed.failure in list(page(strayed))
    assert len(strayed.failure) <= 80


def test_no_fit_is_farther_from_what_it_was_fitted_to_than_its_first_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers that are put back to what they were before lose more in sum than each of them does."""
    def worse(last: FitStage, start: StartingSheets, loss: FitLoss) -> DeterminedSheet:
        return DeterminedSheet(last.disc if last.name in STARTS else replace(last.disc, write_settle=9 * MS), ())

    monkeypatch.setattr(judged, "keep_determined", worse)
    monkeypatch.setattr(judged, "fit_stages", lambda start, loss: [
        FitStage(STARTS[1], start.locked, True), FitStage("buffer again", start.locked, True)])
    drive = fit_drive(BARE, asked(KNOWN, 400), 0.5, {})
    assert drive.disc.write_settle == 0.0


def test_where_no_zone_agrees_the_angles_are_not_used() -> None:
    """Of 50 zones none has reads enough to tell its skews; the speed stays the nominal one, and assumed."""
    zones = tuple(Zone(6 * number, PER_TRACK, TRACK_SKEW, CYLINDER_SKEW) for number in range(50))
    disc = replace(KNOWN, layout=Layout(CYLINDERS, HEADS, SIZE, zones))
    plain = Layout(CYLINDERS, HEADS, SIZE, tuple(Zone(6 * number, PER_TRACK) for number in range(50)))
    drive = fit_drive(DriveGeometry(replace(BARE.disc, layout=plain), {}), asked(disc, 300), 0.5, {})
    sources = {number.name: (number.value, number.source) for number in drive.numbers}
    assert sources["rpm"] == (f"{NOMINAL:g}", ASSUMED)
    assert drive.disc.rpm == NOMINAL
    assert list(drive.judged) == ["seeks and overheads", AS_FITTED]


@pytest.mark.parametrize(("count", "reads", "says"), [
    (100, 0.7, "it takes at least 150"),
    (400, 0.0, "no reads"),
    (400, 0.05, "a fit needs 60"),
])  # fmt: skip
def test_mistakes(count: int, reads: float, says: str) -> None:
    with pytest.raises(UserError, match=says):
        fit_drive(BARE, asked(KNOWN, count, reads), 0.5, {})
