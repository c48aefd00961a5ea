"""Addresses become places: by hand, on discs of a few tracks."""

import pytest

from sim.disc.layout import Layout, Place, Zone, uniform
from sim.mistake import Mistake

TEN = uniform(cylinders=10, heads=2, sectors_per_track=10, sector_bytes=100)
SKEWED = uniform(cylinders=3, heads=2, sectors_per_track=8, sector_bytes=100, track_skew=1, cylinder_skew=3)
ZONED = Layout(5, 2, 100, (Zone(0, 10), Zone(2, 8, track_skew=2, offset=4), Zone(4, 4)))


@pytest.mark.parametrize(
    ("layout", "address", "place"),
    [
        (TEN, 0, Place(0, 0, 0, 0.0, 10)),
        (TEN, 999, Place(0, 0, 9, 0.9, 10)),
        (TEN, 1000, Place(0, 1, 0, 0.0, 10)),
        (TEN, 19_999, Place(9, 1, 9, 0.9, 10)),
        (SKEWED, 800, Place(0, 1, 0, 0.125, 8)),
        (SKEWED, 1600, Place(1, 0, 0, 0.5, 8)),
        (SKEWED, 2400, Place(1, 1, 0, 0.625, 8)),
        (SKEWED, 3200, Place(2, 0, 0, 0.0, 8)),
        (SKEWED, 1600 + 500, Place(1, 0, 5, 0.125, 8)),
        (ZONED, 3999, Place(1, 1, 9, 0.9, 10)),
        (ZONED, 4000, Place(2, 0, 0, 0.5, 8)),
        (ZONED, 4800, Place(2, 1, 0, 0.75, 8)),
        (ZONED, 7200, Place(4, 0, 0, 0.0, 4)),
    ],
)
def test_byte_lies_where_counting_by_hand_puts_it(layout: Layout, address: int, place: Place) -> None:
    assert layout.place(address) == place


def test_capacity_adds_up_the_zones() -> None:
    assert TEN.capacity == 20_000
    assert ZONED.capacity == (2 * 2 * 10 + 2 * 2 * 8 + 1 * 2 * 4) * 100 == 8000


@pytest.mark.parametrize("address", [-1, 8000])
def test_byte_beyond_the_disc_is_refused(address: int) -> None:
    with pytest.raises(ValueError, match=f"byte {address} is not on a disc of 8000 bytes"):
        ZONED.place(address)


def test_span_is_cut_at_tracks_cylinders_and_zones() -> None:
    runs = list(ZONED.runs(sector=28, sectors=22))
    pieces = [(place.cylinder, place.head, place.sector, length) for place, length in runs]
    assert pieces == [(1, 0, 8, 2), (1, 1, 0, 10), (2, 0, 0, 8), (2, 1, 0, 2)]


def test_places_and_addresses_are_one_to_one() -> None:
    places = [ZONED.locate(sector) for sector in range(ZONED.sectors)]
    assert len({place[:3] for place in places}) == 80
    assert places == sorted(places, key=lambda place: place[:3])


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: uniform(10, 0, 10, 100), "layout: heads 0 must be at least 1"),
        (lambda: uniform(0, 2, 10, 100), "layout: cylinders 0 must be at least 1"),
        (lambda: uniform(10, 2, 10, 0), "layout: sector_bytes 0 must be at least 1"),
        (lambda: uniform(10, 2, 0, 100), "zone at cylinder 0: sectors_per_track 0 must be at least 1"),
        (lambda: uniform(10, 2, 10, 100, track_skew=10), "track_skew 10 must be sectors of one track, from 0 up to 10"),
        (lambda: uniform(10, 2, 10, 100, cylinder_skew=-1), "cylinder_skew -1 must be sectors of one track"),
        (lambda: Zone(-1, 10), "zone: first_cylinder -1 must not be negative"),
        (lambda: Layout(10, 2, 100, ()), "zones must begin at cylinder 0, not at nothing"),
        (lambda: Layout(10, 2, 100, (Zone(1, 10),)), r"zones must begin at cylinder 0, not at \[1\]"),
        (lambda: Layout(10, 2, 100, (Zone(0, 10), Zone(5, 9), Zone(5, 8))),
         "zones overlap: first_cylinder 5 must be beyond 5"),
        (lambda: Layout(10, 2, 100, (Zone(0, 10), Zone(10, 9))), "first_cylinder 10 must be one of the 10 cylinders"),
    ],
)
def test_impossible_layout_is_a_mistake_that_names_the_field(build: object, says: str) -> None:
    with pytest.raises(Mistake, match=says):
        build()
