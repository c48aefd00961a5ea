"""Tests the measures of the studies of Blake's figures on logs made by hand."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from spindle.models.windows_nt.log import Log, NtLine
from spindle.models.windows_nt.log import log_lines as lines_of
from spindle.models.windows_nt.run import run
from spindle.models.windows_nt.studies.growth import measures, recovers
from spindle.models.windows_nt.studies.updates import backs_off
from spindle.sim.units import MIB
from spindle.studies.study import SeedRows


def row(lines: Mapping[str, Sequence[float]], **numbers: float) -> dict[str, Any]:
    """As a run gives it, sampled every second from the beginning of the trial on."""
    samples = len(next(iter(lines.values())))
    return {"seconds": list(range(1, 1 + samples)), "map_hits": 99.0, "adds_up": 1.0, **numbers, **lines}


def figure_6_3(**changed: Sequence[float]) -> dict[str, Any]:
    """Forty seconds as the book describes them; lines of other names may be *changed*."""
    growing = [0.1 * second for second in range(40)]
    lines: dict[str, Sequence[float]] = {
        NtLine.CPU: [20 + 2.0 * second for second in range(40)],
        NtLine.DISC: [90 - 2.0 * second for second in range(40)],
        NtLine.CACHE: [each * MIB for each in growing],
        NtLine.AVAILABLE: [(2.75 + (0.3 if second in (8, 9, 14, 15) else 0.0)) * MIB for second in range(40)],
        NtLine.HITS: [40.0, 5, 5, 5, 5, *[98.0] * 35],
        NtLine.READS: [20.0, 20, 20, 20, 20, *[400.0] * 35],
        NtLine.FAST: [400.0] * 40, NtLine.MAPS: [1.0] * 40, NtLine.FLUSH_PAGES: [1.0] * 40,
        NtLine.INPUT: [20.0] * 40, NtLine.CACHE_FAULTS: [30.0] * 40,
    }  # fmt: skip
    return row({**lines, **changed})


def test_the_book_in_numbers() -> None:
    """Processor 20 + 2t and disc 90 - 2t cross at 17.5 s, where the cache has 1.75 MB."""
    found = measures(SeedRows([figure_6_3(), figure_6_3()]))
    assert found["crossing_mb"] == pytest.approx(1.75)
    assert found["final_available_mb"] == pytest.approx(2.75)
    shapes = ("begins_at_the_disc", "sawtooth", "hits_at_the_end", "little_output", "few_data_maps", "early_spike",
              "disc_falls", "fast_reads")  # fmt: skip
    assert {name: found[name] for name in shapes} == dict.fromkeys(shapes, 1.0)
    assert found["cache_recovers"] == 0, "it was never trimmed"
    assert found["rise_together"] == 1


def test_other_shapes_are_told_apart() -> None:
    other = figure_6_3(**{
        NtLine.DISC: [10.0] * 40, NtLine.AVAILABLE: [4.0 * MIB] * 40, NtLine.HITS: [50.0] * 40,
        NtLine.FAST: [1.0] * 40, NtLine.FLUSH_PAGES: [0.0] * 40, NtLine.MAPS: [300.0] * 40,
    })  # fmt: skip
    found = measures(SeedRows([other, other]))
    wrong = ("begins_at_the_disc", "sawtooth", "hits_at_the_end", "little_output", "few_data_maps", "early_spike",
             "disc_falls", "fast_reads")  # fmt: skip
    assert {name: found[name] for name in wrong} == dict.fromkeys(wrong, 0.0)


DIP = [*[1.0] * 11, 3, 2.5, *[3.2] * 12]
"""Twelve samples before the dip, and as many behind it."""


@pytest.mark.parametrize(
    ("cache", "pages", "faults", "does"),
    [
        (DIP, [9] * 25, [30] * 25, True),
        (DIP, [*[9] * 13, *[12] * 12], [60] * 25, False),  # read from the disc
        (DIP, [9] * 25, [9] * 25, False),  # no soft faults
        ([*DIP[:13], *[2.6] * 21, 3.1], [9] * 35, [30] * 35, False),  # too late
    ],
)
def test_a_cache_that_recovers(
    cache: Sequence[float], pages: Sequence[float], faults: Sequence[float], does: bool
) -> None:
    log = Log(row({NtLine.CACHE: [each * MIB for each in cache], NtLine.INPUT: pages, NtLine.CACHE_FAULTS: faults}))
    assert recovers(log) is does


def test_what_was_logged_is_read_again() -> None:
    """Two seconds of a trial of two, after a lead of five."""
    result = run(seconds=2.0, interval=1.0)
    lines = lines_of(result)
    assert lines["seconds"] == [-4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0]
    assert lines["adds_up"] == 1.0
    trial, lead = Log(lines), Log(lines, lead=True)
    assert len(trial.line(NtLine.CPU)) == 2
    assert [*lead.line(NtLine.CPU), *trial.line(NtLine.CPU)] == lines[NtLine.CPU]
    assert trial.mb(NtLine.CACHE) == [each / MIB for each in lines[NtLine.CACHE][-2:]]
    assert trial.mean(NtLine.READS, half=True) == lines[NtLine.READS][-1]


@pytest.mark.parametrize(
    ("lazy", "output", "does"),
    [
        ([0, 48, 48, 48, 30, 48, 48, 48, 48, 48], [0, 0, 0, 48, 0, 0, 0, 0, 0, 0], True),
        ([0, 48, 48, 48, 48, 48, 48, 48, 48, 48], [0, 0, 0, 48, 0, 0, 0, 0, 0, 0], False),
        ([0, 48, 48, 48, 30, 48, 48, 48, 48, 48], [0] * 10, False),
    ],
)
def test_the_lazy_writer_backs_off(lazy: Sequence[float], output: Sequence[float], does: bool) -> None:
    assert backs_off(Log(row({NtLine.LAZY_PAGES: lazy, NtLine.OUTPUT: output}))) is does
