"""Tests the text of a fit and its drive file line by line, and where the speed and the skews have intervals."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import yaml

from spindle.lab.fit import page as fit_page
from spindle.lab.fit import rotation_numbers as numbers_of_rotation
from spindle.lab.fit.buffer_choices import without_cache
from spindle.lab.fit.fit import STARTS, FitStage
from spindle.lab.fit.page import AS_FITTED, FIT_LEGEND, FittedDrive
from spindle.lab.fit.rotation_numbers import rotation_numbers, rpm_of_halves
from spindle.lab.fit.sheet_number import ASSUMED, FITTED, SheetNumber
from spindle.sim.disc.buffer_sheet import After, BlocksAhead, Buffer, HostLink, ImmediateReporting, Overheads
from spindle.sim.units import MS
from spindle.studies.demerit import Distance
from tests.lab.fit.known import BUFFER, HEADS, KNOWN

# Rotation.

ZONES = [SimpleNamespace(sectors_per_track=100), SimpleNamespace(sectors_per_track=80)]
GEOMETRY: Any = SimpleNamespace(disc=SimpleNamespace(layout=SimpleNamespace(zones=ZONES)))


def stage(locked: bool) -> Any:
    return SimpleNamespace(disc=SimpleNamespace(rpm=7200.5), locked=locked)


def test_a_rotation_that_is_found_has_the_speeds_of_halves_as_its_interval() -> None:
    rotation: Any = SimpleNamespace(
        peaks={0: SimpleNamespace(is_significant=True, slack=2.0), 1: SimpleNamespace(is_significant=False, slack=2.0)},
        turns=[SimpleNamespace(track=1.25, cylinder=0.5), SimpleNamespace(track=0.125, cylinder=0.25)])
    assert list(rotation_numbers(GEOMETRY, stage(locked=True), rotation, [7199.0, 7201.0])) == [
        SheetNumber("rpm", "7200.5", FITTED, 7199.0, 7201.0),
        SheetNumber("track_skew_sectors, zone 0", "25", FITTED, 23.0, 27.0),
        SheetNumber("cyl_skew_sectors, zone 0", "50", FITTED, 48.0, 52.0),
        SheetNumber("track_skew_sectors, zone 1", "10.0", ASSUMED),
        SheetNumber("cyl_skew_sectors, zone 1", "20.0", ASSUMED)]
    rotation.peaks.clear()
    found = list(rotation_numbers(GEOMETRY, stage(locked=True), rotation, []))
    assert (found[0].low, found[0].high) == (7200.5, 7200.5)
    assert [number.source for number in found[1:]] == [ASSUMED] * 4


def test_a_rotation_that_is_not_found_is_assumed() -> None:
    assert list(rotation_numbers(GEOMETRY, stage(locked=False), None, [])) == [  # type: ignore[arg-type]
        SheetNumber("rpm", "7200.5", ASSUMED), SheetNumber("skews", "just enough for a switch", ASSUMED)]


class Asked(list[int]):
    def part(self, rows: slice) -> list[int]:
        return self[rows]


def test_halves_are_looked_at_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def read_rotation(geometry: object, part: list[int], link: float) -> object:
        seen.append((geometry, part, link))
        return SimpleNamespace(is_significant=len(part) != 3, period=0.01)

    monkeypatch.setattr(numbers_of_rotation, "read_rotation", read_rotation)
    asked: Any = Asked(range(5))
    assert rpm_of_halves(GEOMETRY, asked, 0.5) == [6000.0]
    assert seen == [(GEOMETRY, [0, 1], 0.5), (GEOMETRY, [2, 3, 4], 0.5)]


def test_the_rotation_is_read_from_the_medium_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of reads that no buffer answers, and that lie on one track."""
    many = np.array([1, 1, 1, 0], bool), np.array([1, 1, 0, 1], bool), np.array([1, 0, 1, 1], bool)
    seen = SimpleNamespace(reads=many[0], unbuffered=many[1], on_one_track=many[2])
    monkeypatch.setattr(numbers_of_rotation, "observe", lambda *given: seen if given == (layout, asked) else None)
    monkeypatch.setattr(numbers_of_rotation, "ReadPhases", lambda *given: given)
    monkeypatch.setattr(numbers_of_rotation, "rotation_of", lambda *given: given)
    layout, asked = SimpleNamespace(zones=ZONES), Asked()
    geometry: Any = SimpleNamespace(disc=SimpleNamespace(layout=layout, revolution=0.01))
    made: Any = numbers_of_rotation.read_rotation(geometry, asked, 0.5)  # type: ignore[arg-type]
    (found, chosen, link), revolution, zones = made
    assert (found, chosen.tolist(), link) == (seen, [True, False, False, False], 0.5)
    assert (revolution, zones) == (0.01, 2)


# The whole fit.

class Requests(list[int]):
    """Numbers that stand for requests; a part's distances are the first of them and the times that are compared."""

    reads = np.array([True])

    def part(self, rows: slice) -> Any:
        return Requests(self[rows])

    def distances(self, times: object) -> Any:
        return self[0], times


@pytest.mark.parametrize(("losses", "taken"), [((5, 3, 1), "buffer again"), ((5, 3, 3), "buffer again"),
                                               ((5, 3, 4), STARTS[1]), ((3, 5, 4), STARTS[0])])  # fmt: skip
def test_a_fit_is_its_last_step_unless_its_first_were_nearer(
    monkeypatch: pytest.MonkeyPatch, losses: tuple[float, ...], taken: str
) -> None:
    """The discs are told by their losses; of 200 requests 150 are fitted to, and 50 are held out."""
    link = SimpleNamespace(link=SimpleNamespace(reading=0.5))
    discs = [SimpleNamespace(loss=loss, buffer=link, name=at) for at, loss in enumerate((*losses[:2], 9, 8, losses[2]))]
    names = (*STARTS, "buffer", "electronics", "buffer again")
    stages = [FitStage(name, disc, name != STARTS[0])  # type: ignore[arg-type]
              for name, disc in zip(names, discs, strict=True)]  # fmt: skip

    class Loss:
        def __init__(self, fitted: list[int], most: float, watch: object) -> None:
            assert (len(fitted), most, watch) == (150, 5.0, watched)

        def __call__(self, disc: Any) -> Any:
            return disc.loss

        def times(self, disc: Any) -> Any:
            return disc.name

    watched = object()
    for name, instead in {
        "FitLoss": Loss, "observe": lambda layout, fitted: (layout, fitted[-1]),
        "starting_sheets": lambda of, seen: SimpleNamespace(rotation=seen, of=of),
        "fit_stages": lambda start, loss: iter(stages * (start.of is geometry and isinstance(loss, Loss))),
        "keep_determined": lambda stage, start, loss: SimpleNamespace(
            disc=stage.disc, numbers=(stage.name, start.of is geometry, isinstance(loss, Loss))),
        "rotation_numbers": lambda of, last, rotation, halves: [
            (of is geometry, last.name, last.disc.loss, rotation, halves)],
        "rpm_of_halves": lambda of, fitted, link: [of is geometry, len(fitted), link],
        "mechanism_of": lambda disc: disc.name, "answer_times": lambda mechanism, rest: (mechanism, len(rest)),
    }.items():  # fmt: skip
        monkeypatch.setattr(fit_page, name, instead)
    geometry: Any = SimpleNamespace(disc=SimpleNamespace(revolution=10.0, layout="layout"))
    asked: Any = Requests(range(200))
    watch: Any = watched
    drive = fit_page.fit_drive(geometry, asked, 0.25, {"other": discs[3]}, watch)  # type: ignore[dict-item]
    disc = discs[names.index(taken)]
    halves = [True, 150, 0.5] if taken != STARTS[0] else []
    assert (drive.disc, drive.fitted_to, drive.held) == (disc, 150, 50)
    assert [*drive.numbers] == [(True, taken, disc.loss, ("layout", 149), halves), taken, True, True]
    assert drive.judged == {STARTS[0]: (150, (0, 50)), STARTS[1]: (150, (1, 50)), AS_FITTED: (150, (disc.name, 50)),
                            "other": (150, (3, 50))}  # fmt: skip
    assert (drive.on_fitted, drive.against) == ((0, disc.name), {"other": discs[3]})


# Text.

def near(share: float, apart: float = 0.0) -> Distance:
    return Distance(0.0, share, apart)


DISC: Any = SimpleNamespace(name="X")


def test_the_page_of_a_fit() -> None:
    numbers = (SheetNumber("rpm", "7200", FITTED, 7199.0, 7201.0), SheetNumber("n" * 40, "v" * 20, ASSUMED))
    drive = FittedDrive(DISC, numbers, {AS_FITTED: {"all": near(0.5, 0.002), "writes": near(0.25)}}, 1000, 200,
                        on_fitted={"writes": near(0.05)})  # fmt: skip
    assert list(fit_page.page(drive)) == [
        "X: fitted to the first 1,000 requests, 200 held out", "",
        f"{'demerit of what was held out, %':<34}{'all':>8}{'reads':>8}{'writes':>8}{'apart, ms':>12}",
        f"{'as fitted':<34}{50.0:>8.2f}{'-':>8}{25.0:>8.2f}{2.0:>12.3f}", "",
        "the sheet does not hold: writes held out 25.0% off, those fitted to 5.0%", "",
        f"{'number':<36}{'value':>12}  {'source':<9}the data also allow",
        f"{'rpm':<36}{'7200':>12}  {FITTED:<9}7199 to 7201", f"{'n' * 35:<36}{'v' * 12:>12}  {ASSUMED}"]
    long = SheetNumber("n", "v", ASSUMED, others=("o" * 60,))
    wide = [*fit_page.page(replace(drive, judged={"a" * 40: {"all": near(0.5)}}, numbers=(long,)))]
    assert wide[3].startswith("a" * 33 + " ")
    assert len(wide[-1]) == 110
    calm = replace(drive, judged={}, numbers=())
    assert list(fit_page.page(calm))[1:] == ["", f"{'number':<36}{'value':>12}  {'source':<9}the data also allow"]


@pytest.mark.parametrize(("held", "fitted", "fails"), [(0.2, 0.05, False), (0.21, 0.05, True), (0.1, 0.0, False)])
def test_a_sheet_fails_where_what_was_held_out_is_much_farther_off(held: float, fitted: float, fails: bool) -> None:
    drive = FittedDrive(DISC, (), {AS_FITTED: {"all": near(held)}}, 1, 1, on_fitted={"all": near(fitted)})
    assert bool(drive.failure) == fails


def test_other_sheets_stand_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit_page, "numbers_of", lambda other, fitted: other if fitted is DISC else {})
    against: Any = {"another sheet of it": {"rpm": "5400", "skew": "3"}, "b": {"seek": "1.2345678901234"}}
    numbers = (SheetNumber("rpm", "7200", FITTED, 7199.0, 7201.0), SheetNumber("skew", "3", ASSUMED),
               SheetNumber("seek", "1", ASSUMED))  # fmt: skip
    lines = list(fit_page.page(FittedDrive(DISC, numbers, {}, 1, 0, against)))
    assert lines[2] == f"{'number':<36}{'value':>12}{'sheet of it':>14}{'b':>14}  {'source':<9}the data also allow"
    assert [line[48:76].split() for line in lines[3:6]] == [["5400*", "-"], ["3", "-"], ["-", "1.2345678901"]]
    assert lines[6:] == ["", FIT_LEGEND]


# The drive file.

def test_a_sheet_is_written_a_line_for_each_key() -> None:
    sheet = {"name": "X", "layout": {"heads": 2, "zones": [{"first": 0}, {"first": 9}]}, "bus": {"read": 1.0},
             "seek": {"points_cyl_ms": [[1, 0.5], [9, 2.0]]}, "sources": {"rpm": {"source": "fitted"}}}  # fmt: skip
    text = fit_page.yaml_text(sheet, ["one", "", "two"])
    assert text.splitlines() == [
        "# one", "#", "# two", "name: X", "layout:", "  heads: 2", "  zones:", "  - {first: 0}", "  - {first: 9}",
        "bus: {read: 1.0}", "seek:", "  points_cyl_ms:", "  - [1, 0.5]", "  - [9, 2.0]", "sources:",
        "  rpm: {source: fitted}"]
    assert yaml.safe_load(text) == sheet


def test_skews_stand_in_zones_where_the_file_has_them_and_are_below_a_track() -> None:
    zone = SimpleNamespace(track_skew=0.123456789, cylinder_skew=1.123456789, offset=0.0, sectors_per_track=100)
    plain: Any = SimpleNamespace(zones=[zone])
    assert fit_page._skews(plain, {}) == {"track_skew_sectors": 0.123457, "cyl_skew_sectors": 1.123457}
    zone = SimpleNamespace(track_skew=0.123456789, cylinder_skew=99.99999999, offset=100.25, sectors_per_track=100)
    layout: Any = SimpleNamespace(zones=[zone])
    assert fit_page._skews(layout, {}) == {"track_skew_sectors": 0.123457, "cyl_skew_sectors": 100.0}
    assert fit_page._skews(layout, {"layout": {"heads": 2, "zones": [{"first": 0}]}}) == {"layout": {
        "heads": 2, "zones": [{"first": 0, "track_skew_sectors": 0.123457, "cyl_skew_sectors": 0.0,
                               "offset_of_first_block_sectors": 0.25}]}}  # fmt: skip


def test_a_number_has_its_source_and_what_the_data_allow() -> None:
    assert fit_page.source_of(SheetNumber("a", "1", FITTED, 0.123456789, float("inf"), ("b",))) == {
        "source": FITTED, "low": 0.1234568, "as_good": ["b"]}
    assert fit_page.source_of(SheetNumber("a", "1", ASSUMED)) == {"source": ASSUMED}
    assert fit_page.source_of(SheetNumber("a", "1", FITTED, 2.0, 2.0)) == {"source": FITTED, "low": 2.0, "high": 2.0}
    assert fit_page.source_of(SheetNumber("a", "1", FITTED, 3.0, 2.0)) == {"source": FITTED}


FULL = Buffer(
    7, 64, Overheads(read_hit=After(1 * MS, 2 * MS), read_miss=After(3 * MS, 4 * MS), report=After(5 * MS, 6 * MS),
                     write=After(7 * MS, 8 * MS), read_done=9 * MS, write_done=10 * MS, to_medium=11 * MS),
    HostLink(0.1234567 * MS, 0.25 * MS), BlocksAhead(32), ImmediateReporting(), write_segments=3, keeps_passing=True,
    high_water=0.1234567, holds=6)  # fmt: skip


def test_the_electronics_of_a_drive_file_by_their_names() -> None:
    found = fit_page._electronics(FULL)
    assert found["bus"] == {"read_ms_per_sector": 0.123457, "write_ms_per_sector": 0.25}
    assert found["overheads_ms"] == {
        "read_hit_after_read": 1.0, "read_hit_after_write": 2.0, "read_miss_after_read": 3.0,
        "read_miss_after_write": 4.0, "write_hit_after_read": 5.0, "write_hit_after_write": 6.0,
        "write_miss_after_read": 7.0, "write_miss_after_write": 8.0, "read_completion": 9.0, "write_completion": 10.0,
        "minimum_seek_delay": 11.0}  # fmt: skip
    assert found["cache"] == {
        "enabled": True, "segments": 7, "segment_sectors": 64, "prefetch_code": 3, "max_read_ahead_sectors": 32,
        "fast_write_code": 1 + ImmediateReporting().intermixed, "max_write_segments": 3,
        "separate_write_segment": False, "prefetch_may_replace_requested_data": True,
        "keep_sectors_passing_before_request": True, "read_ahead_on_full_hit": False, "zero_latency_read": False,
        "read_hits_on_written_data": False, "write_low_water_mark": 0.0, "read_high_water_mark": 0.123457}  # fmt: skip
    assert found.keys() == {"bus", "overheads_ms", "cache"}


def test_a_drive_file_has_the_geometry_that_was_given_and_what_was_fitted() -> None:
    """The name, the speed and the skews are those of the disc, whatever the geometry has."""
    disc = replace(KNOWN, buffer=FULL, rpm=6012.00004, write_settle=0.5 * MS)
    geometry: Any = SimpleNamespace(values={"name": "other", "rpm": 1, "sector_bytes": 512})
    text = fit_page.sheet_text(disc, geometry, [SheetNumber("rpm", "6012", FITTED, 6011.0, 6011.0)], ["a head"])
    assert text.startswith("# a head\nname: Known\nsector_bytes: 512\nrpm: 6012.0\n")
    assert yaml.safe_load(text) == {
        "name": "Known", "sector_bytes": 512, "rpm": 6012.0, "head_switch_ms": 0.6, "write_settle_extra_ms": 0.5,
        "seek": {"points_cyl_ms": [[1, 2.0], [30, 4.0], [299, 9.0]]}, "track_skew_sectors": 5.0,
        "cyl_skew_sectors": 12.0, **fit_page._electronics(FULL),
        "sources": {"rpm": {"source": FITTED, "low": 6011.0, "high": 6011.0}}}  # fmt: skip
    geometry.values["layout"] = {"heads": HEADS, "zones": [{"first": 0}]}
    text = fit_page.sheet_text(disc, geometry, [], [])
    assert text.index("\nlayout:") > text.index("\nseek:")
    zoned = yaml.safe_load(text)
    assert zoned["layout"]["zones"] == [{"first": 0, "track_skew_sectors": 5.0, "cyl_skew_sectors": 12.0,
                                         "offset_of_first_block_sectors": 0.0}]  # fmt: skip


def test_names_stand_as_they_are_in_one_line() -> None:
    assert fit_page._flow({"b": "é" * 99, "a": [{"x": 1}]}) == "{b: " + "é" * 99 + ", a: [{x: 1}]}\n"


def test_a_drive_without_segments_has_no_cache() -> None:
    assert fit_page._electronics(without_cache(BUFFER))["cache"] == {"enabled": False}
    assert fit_page._cache(replace(BUFFER, reports=None))["fast_write_code"] == 0
    both = replace(BUFFER, reports=ImmediateReporting(True))
    assert fit_page._cache(both)["fast_write_code"] == 2
    assert fit_page._cache(replace(BUFFER, holds=BUFFER.blocks))["write_low_water_mark"] == 1.0
    assert fit_page._cache(replace(BUFFER, holds=BUFFER.blocks - 1))["write_low_water_mark"] == 0.0
