"""The data sheets: published figures come out of them, and every number says where it comes from."""

import pytest

from sim.disc.mechanism import DiscType, MovingArm
from sim.disc.sheets import HP7906, HP7920, HP7925, HP7933, IBM_2314, MODCOMP_4134, MODCOMP_4138, SHEETS

NUMBERS = {"cylinders", "heads", "sectors_per_track", "sector_bytes", "track_skew", "cylinder_skew", "rpm", "seek",
           "head_switch", "write_settle", "overhead"}


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_every_number_has_a_source(sheet: DiscType) -> None:
    assert set(sheet.sources) == NUMBERS
    for number, source in sheet.sources.items():
        assert source.kind in ("cited", "assumed", "fitted"), number
        assert len(source.note) >= 8, number


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_what_is_remembered_is_not_called_cited(sheet: DiscType) -> None:
    assert all(s.kind == "assumed" for s in sheet.sources.values() if "remembered" in s.note)


def test_capacities_are_the_published_ones() -> None:
    assert HP7906.layout.capacity == 20_201_472
    assert HP7920.layout.capacity == 50_565_120
    assert HP7925.layout.capacity == 121_356_288
    assert HP7933.layout.capacity == 404_458_496
    assert MODCOMP_4138.layout.capacity == pytest.approx(80e6, rel=0.01)
    assert MODCOMP_4134.layout.capacity == pytest.approx(40e6, rel=0.01)
    assert IBM_2314.layout.capacity == pytest.approx(29.18e6, rel=0.02)


@pytest.mark.parametrize(
    ("sheet", "average_ms", "wait_ms"),
    [(HP7906, 25, 8.33), (HP7920, 25, 8.33), (HP7925, 25, 11.1), (HP7933, 24, 11.1), (MODCOMP_4138, 28, 8.33),
     (MODCOMP_4134, 32, 16), (IBM_2314, 60, 12.5)],
    ids=lambda value: getattr(value, "name", None),
)
def test_average_seek_and_rotational_wait(sheet: DiscType, average_ms: float, wait_ms: float) -> None:
    n = sheet.layout.cylinders  # with few of them, the formulas for a continuous stroke are out by less than a percent
    average = sum(2 * (n - d) * sheet.seek(d) for d in range(1, n)) / (n * (n - 1))
    assert average * 1000 == pytest.approx(average_ms, rel=0.01)
    assert sheet.revolution * 500 == pytest.approx(wait_ms, rel=0.003)


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_every_sheet_can_be_built(sheet: DiscType) -> None:
    assert MovingArm(sheet).capacity == sheet.layout.capacity
