"""Tests that a moving arm in arrays takes the same seconds as MovingArm, to the last bit."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spindle.sim.disc.kernel.arm import LATEST_INSTANT, ArmService, LateClockError, serve
from spindle.sim.disc.kernel.arrays import ArmTables, tables_of
from spindle.sim.disc.layout import HeadOrder, Layout, Stretch, Zone
from spindle.sim.disc.mechanism import ArmPosition, DiscType, MovingArm
from spindle.sim.disc.registry import STORES
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.jit import AVAILABLE, compile_loop
from spindle.sim.request import READ, WRITE, Span
from spindle.sim.units import MS
from tests.samples import sample

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="numba is not installed; pip install -r requirements-fast.txt")

Asked = tuple[bool, float, float, float]
"""Whether it writes, where it begins and how long it is, as shares; seconds from the end of the one before."""
ASKED = st.tuples(st.booleans(), st.floats(0, 1, exclude_max=True), st.floats(0, 1), st.floats(0, 3))

@compile_loop
def served(
    arm: ArmTables, cylinder: int, head: int, now: float, write: int, first: int, length: int
) -> ArmService:
    """As loops would have it."""
    return serve(arm, cylinder, head, now, write, first, length)


MOST = 1 << 20
"""Bytes of a request."""


def compare(disc: DiscType, asked: list[Asked]) -> None:
    arm = MovingArm(disc)
    tables, place, now = tables_of(arm), ArmPosition(0, 0), 0.0
    for write, begin, size, gap in asked:
        first = int(begin * arm.capacity)
        span = Span(first, max(1, int(size**4 * min(MOST, arm.capacity - first))))
        now += gap
        service, at = arm.serve(place, now, WRITE if write else READ, span)
        *phases, cylinder, head = served(tables, *place, now, int(write), *span)
        assert (0.0, *phases) == tuple(service)
        assert (cylinder, head) == at
        place, now = at, now + service.total


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    """A few cylinders, with bad and spare sectors, blocks that were moved, and any order of heads."""
    heads, zones, end = draw(st.integers(1, 3)), [], 0
    for _ in range(draw(st.integers(1, 3))):
        first, per_track = end, draw(st.integers(3, 9))
        end += draw(st.integers(1, 3))
        room = (end - first) * heads * per_track
        cuts = sorted(draw(st.sets(st.integers(0, room), min_size=2, max_size=8)))
        pieces = [Stretch(a, b - a, draw(st.integers(0, 2))) for a, b in pairwise(cuts)]
        kept = draw(st.permutations([each for each in pieces if draw(st.booleans())] or pieces[:1]))
        skews = [draw(st.floats(0, per_track, exclude_max=True)) for _ in range(3)]
        zones.append(Zone(first, per_track, *skews, stretches=tuple(kept)))
    sector, order = draw(st.sampled_from([1, 64])), draw(st.sampled_from([*HeadOrder]))
    return Layout(end, heads, sector, tuple(zones), order)


@settings(max_examples=sample(40, 150), deadline=None)
@given(layout=layouts(), rpm=st.floats(1000, 9000), numbers=st.tuples(*[st.floats(0, 0.02)] * 3),
       settle=st.floats(-0.003, 0.003), asked=st.lists(ASKED, min_size=1, max_size=12))  # fmt: skip
def test_any_disc(
    layout: Layout, rpm: float, numbers: tuple[float, float, float], settle: float, asked: list[Asked]
) -> None:
    curve = LinearSeek(numbers[0] / 2, numbers[0], layout.cylinders + 1)
    compare(DiscType("any", layout, rpm, curve, numbers[1], settle, numbers[2]), asked)


@pytest.mark.parametrize("name", [name for name, sheet in STORES.items() if isinstance(sheet, DiscType)])
def test_the_drives_there_are(name: str) -> None:
    random = np.random.default_rng(11)
    asked = [(bool(each[0] < 0.4), *map(float, each[1:])) for each in random.random((200, 4))]
    disc = STORES[name]
    assert isinstance(disc, DiscType)
    compare(replace(disc, buffer=None), asked)  # type: ignore[arg-type]


def test_an_instant_that_is_too_late_is_refused() -> None:
    disc = DiscType("ten", Layout(10, 2, 100, (Zone(0, 10),)), 6000, LinearSeek(1 * MS, 10 * MS, 10))
    tables = tables_of(MovingArm(disc))
    with pytest.raises(LateClockError):
        served(tables, 3, 1, 2 * LATEST_INSTANT, 0, 0, 100)
    assert served(tables, 3, 1, LATEST_INSTANT, 0, 0, 100)[5:] == (0, 0)
