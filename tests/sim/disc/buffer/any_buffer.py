"""Draws discs, buffers and requests of every kind, for tests at random."""

from dataclasses import replace

from hypothesis import strategies as st

from spindle.sim.disc.buffer_sheet import (
    After,
    BlocksAhead,
    Buffer,
    CylinderEnd,
    HostLink,
    ImmediateReporting,
    Nothing,
    Overheads,
    SecondDisconnect,
    TrackByTrack,
    TrackEnd,
)
from spindle.sim.disc.layout import Layout, Stretch, Zone, uniform
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.request import Op
from spindle.sim.units import MS

SIZE = 100
EVEN = DiscType("even", uniform(6, 2, 10, SIZE, 2, 4), 6000, LinearSeek(1 * MS, 6 * MS, 6), 1.5 * MS, 0.5 * MS)
SPARED = replace(EVEN, overhead=0.25 * MS, layout=Layout(6, 2, SIZE, (
    Zone(0, 10, 2, 3, 1, tuple(Stretch(track * 10 + 3, 6, 1) for track in range(6))),
    Zone(3, 7, 1, 2, 0, (Stretch(0, 5), Stretch(9, 30), Stretch(6, 2)))
)))

ZERO = st.just(0.0)
ms = st.one_of(ZERO, st.floats(0.0, 12 * MS))
afters = st.builds(After, ms, ms)
twices = st.one_of(st.none(), st.builds(SecondDisconnect, ms, ms, ms, ms))
overheads = st.builds(Overheads, afters, afters, afters, afters, afters, ms, ms, ms, ms, ms, ms, twices)
links = st.builds(HostLink, *[st.one_of(ZERO, st.floats(0.0, 4 * MS))] * 2)
rules = st.one_of(st.sampled_from([Nothing(), TrackEnd(), CylinderEnd(), TrackByTrack()]),
                  st.builds(BlocksAhead, st.integers(1, 30)))
flag = st.booleans()
buffers = st.builds(
    Buffer, segments=st.integers(2, 4), blocks=st.integers(1, 30), overheads=overheads, link=links, read_ahead=rules,
    reports=st.one_of(st.none(), st.builds(ImmediateReporting, flag)), write_segments=st.integers(1, 3),
    own_write_segment=flag, keeps_requested=flag, keeps_passing=flag, starts_anywhere=flag, reads_written=flag,
    goes_on=flag, least_ahead=st.integers(0, 20), high_water=st.floats(0.0, 1.0), holds=st.integers(1, 30),
)
discs = st.sampled_from([EVEN, SPARED])
Asked = tuple[float, Op, int, int]
"""Seconds after the answer before, what, and the first block and how many of the disc's, by turns of it."""
gaps = st.one_of(st.sampled_from([0.0, 0.0, 1 * MS, 10 * MS]), st.floats(0.0, 60 * MS))
lengths = st.one_of(st.integers(1, 4), st.integers(1, 30))
requests = st.tuples(gaps, st.sampled_from(Op), st.integers(0, 60), lengths)
many = st.lists(requests, min_size=1, max_size=25)
