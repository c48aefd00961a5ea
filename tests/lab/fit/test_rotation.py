"""Speed and skews of a known drive, found again in the times of its reads; and none where the angles are random."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from spindle.lab.drives.timed_requests import TimedRequests, answer_times, fio_log
from spindle.lab.fit.fit import FitStage
from spindle.lab.fit.geometry import ObservedRequests, TrackTurn, observe, with_skews
from spindle.lab.fit.rotation import ReadPhases, Rotation, rotation_of
from spindle.lab.fit.rotation_numbers import rotation_numbers
from spindle.lab.fit.sheet_number import ASSUMED, FITTED
from spindle.sim.disc.buffered_arm import mechanism_of
from spindle.sim.disc.layout import Layout, Zone
from spindle.sim.request import WRITE
from spindle.sim.units import MS
from tests.lab.fit.known import BARE, CYLINDER_SKEW, KNOWN, LINK, NOMINAL, PER_TRACK, RPM, TRACK_SKEW, asked


def found(seen: ObservedRequests, link: float = LINK, zones: int = 1) -> Rotation:
    return rotation_of(ReadPhases(seen, seen.reads & seen.unbuffered & seen.on_one_track, link), 60 / NOMINAL, zones)


def seen_of(requests: TimedRequests, layout: Layout = BARE.disc.layout) -> ObservedRequests:
    return observe(layout, requests)


def test_speed_and_skews_are_found() -> None:
    rotation = found(seen_of(asked(KNOWN, 400)))
    assert 60 / rotation.period == pytest.approx(RPM, rel=1e-4)
    turn = rotation.turns[0]
    assert (turn.track * PER_TRACK, turn.cylinder * PER_TRACK) == pytest.approx((TRACK_SKEW, CYLINDER_SKEW))
    assert rotation.is_significant
    assert rotation.peaks[0].height > 0.95
    assert rotation.late == pytest.approx(0.0, abs=0.01e-3)


def test_a_high_water_mark_is_found() -> None:
    assert KNOWN.buffer is not None
    late = replace(KNOWN, buffer=replace(KNOWN.buffer, high_water=0.75))
    assert found(seen_of(asked(late, 400))).high_water == pytest.approx(0.75)


def test_the_zones_skews_and_where_the_second_begins_are_found() -> None:
    zones = (Zone(0, 40), Zone(150, 32))
    plain = Layout(300, 4, 512, zones)
    layout = with_skews(plain, [TrackTurn(0.125, 0.3), TrackTurn(0.125, 0.3125, 0.6)])
    rotation = found(seen_of(asked(replace(KNOWN, layout=layout), 800), plain), zones=2)
    skews = [(turn.track * zone.sectors_per_track, turn.cylinder * zone.sectors_per_track)
             for turn, zone in zip(rotation.turns, zones, strict=True)]
    assert skews == [pytest.approx((5, 12)), pytest.approx((4, 10))]
    assert rotation.turns[1].offset == pytest.approx(0.6, abs=0.02)


def test_where_angles_are_random_nothing_is_believed() -> None:
    requests = asked(KNOWN, 400)
    noise = np.random.default_rng(1).random(400) * 60 / RPM
    assert not found(seen_of(replace(requests, measured=requests.measured + noise))).is_significant


def test_reads_too_few_to_agree_say_nothing_of_the_speed() -> None:
    rotation = found(seen_of(asked(KNOWN, 5)))
    assert rotation.period == 60 / NOMINAL
    assert not rotation.is_significant


def test_reads_with_long_pauses_between_tell_the_speed() -> None:
    requests = asked(KNOWN, 400)
    slow = replace(requests, gaps=requests.gaps + 0.2)
    rotation = found(seen_of(replace(slow, measured=answer_times(mechanism_of(KNOWN), slow))))
    assert 60 / rotation.period == pytest.approx(RPM, rel=1e-4)
    assert rotation.is_significant


def test_where_no_half_has_reads_enough_the_speed_is_known_as_it_was_fitted() -> None:
    rotation = found(seen_of(asked(KNOWN, 400)))
    rpm = next(rotation_numbers(BARE, FitStage("fitted", KNOWN, locked=True), rotation, halves=[]))
    assert (rpm.source, rpm.low, rpm.high) == (FITTED, RPM, RPM)


def test_skews_are_sectors_of_one_revolution() -> None:
    rotation = Rotation(60 / RPM, 0.0, 0.0, (TrackTurn(-0.875, 1.3),), {})
    _, track, cylinder = rotation_numbers(BARE, FitStage("fitted", KNOWN, locked=True), rotation, halves=[])
    assert [(each.name, each.value, each.source) for each in (track, cylinder)] == [
        ("track_skew_sectors, zone 0", "5.0", ASSUMED), ("cyl_skew_sectors, zone 0", "12.0", ASSUMED)]


def test_rotation_and_skews_are_told_by_milliseconds(tmp_path: Path) -> None:
    requests = asked(KNOWN, 500)
    done = np.cumsum(requests.gaps + requests.measured)
    rows = zip(done, requests.measured, requests.ops, requests.spans, strict=True)
    lines = [f"{int(at / MS)}, {took * 1e9:.0f}, {op is WRITE:d}, {span.length}, {span.first}\n"
             for at, took, op, span in rows]
    (tmp_path / "known.log").write_text("".join(lines))
    rotation = found(seen_of(fio_log(tmp_path / "known.log", 512, BARE.disc.layout.capacity)))
    assert 60 / rotation.period == pytest.approx(RPM, rel=3e-4)
    turn = rotation.turns[0]
    assert (turn.track * PER_TRACK, turn.cylinder * PER_TRACK) == pytest.approx((TRACK_SKEW, CYLINDER_SKEW))
