"""What is read off the figures, from logs made by hand."""

from collections.abc import Mapping, Sequence

import pandas as pd
import pytest

from models.windows_nt.experiments.growth_numbers import adds_up, growth_numbers, recovers
from models.windows_nt.experiments.observe import (
    AVAILABLE,
    CACHE,
    CACHE_FAULTS,
    CPU,
    DISC,
    FAST,
    FLUSH_PAGES,
    HITS,
    INPUT,
    LAZY_PAGES,
    MAP_HITS,
    MAPS,
    OUTPUT,
    READS,
    Seen,
)
from models.windows_nt.experiments.update_numbers import backs_off
from sim.measure.recorder import Recorder
from sim.measure.result import Result
from sim.units import MIB

KINDS = ("Copy Reads", "Fast Reads", "MDL Reads", "Pin Reads", "Data Maps")


def logged(lines: Mapping[str, Sequence[float]], extras: Mapping[str, float] | None = None) -> Seen:
    result = Result("windows_nt", {}, 1, 0.0, 1.0, {}, Recorder(0.0), extras=extras or {})
    frame = pd.DataFrame(dict(lines))
    return Seen(result, frame if "seconds" in frame else frame.assign(seconds=range(1, 1 + len(frame))))


def figure_6_3(**changed: Sequence[float]) -> Seen:
    """Forty seconds as the book describes them; lines of other names may be *changed*."""
    growing = [0.1 * second for second in range(40)]
    lines: dict[str, Sequence[float]] = {
        **{f"Cache: {which}{kind}/sec": [0.0] * 40 for kind in KINDS for which in ("", "Sync ", "Async ")},
        CPU: [20 + 2.0 * second for second in range(40)],
        DISC: [90 - 2.0 * second for second in range(40)],
        CACHE: [each * MIB for each in growing],
        AVAILABLE: [(2.75 + (0.3 if second in (8, 9, 14, 15) else 0.0)) * MIB for second in range(40)],
        HITS: [40.0, 5, 5, 5, 5, *[98.0] * 35],
        READS: [20.0, 20, 20, 20, 20, *[400.0] * 35],
        FAST: [400.0] * 40, MAPS: [1.0] * 40, FLUSH_PAGES: [1.0] * 40,
        INPUT: [20.0] * 40, CACHE_FAULTS: [30.0] * 40,
    }  # fmt: skip
    waited = {name.replace(": ", ": Sync "): lines[name] for name in (READS, FAST, MAPS)}
    return logged({**lines, **waited, **changed}, {MAP_HITS: 99.0})


def test_the_book_in_numbers() -> None:
    """Processor 20 + 2t and disc 90 - 2t cross at 17.5 s, where the cache has 1.75 MB."""
    found = growth_numbers(figure_6_3(), figure_6_3())
    assert found["crossing_mb"] == pytest.approx(1.75)
    assert found["final_available_mb"] == pytest.approx(2.75)
    assert found["teeth"] == 2
    shapes = ("begins_at_the_disc", "sawtooth", "hits_at_the_end", "little_output", "few_data_maps", "early_spike",
              "disc_falls", "fast_reads", "sync_and_async")  # fmt: skip
    assert {name: found[name] for name in shapes} == dict.fromkeys(shapes, 1.0)
    assert found["cache_recovers"] == 0, "it was never trimmed"
    assert 0.9 < found["correlation"] < 1
    assert found["rise_together"] == 1


def test_other_shapes_are_told_apart() -> None:
    other = figure_6_3(**{
        DISC: [10.0] * 40, AVAILABLE: [4.0 * MIB] * 40, HITS: [50.0] * 40, FAST: [1.0] * 40, FLUSH_PAGES: [0.0] * 40,
        MAPS: [300.0] * 40,
    })  # fmt: skip
    found = growth_numbers(other, other)
    wrong = ("begins_at_the_disc", "sawtooth", "hits_at_the_end", "little_output", "few_data_maps", "early_spike",
             "disc_falls", "fast_reads", "sync_and_async")  # fmt: skip
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
    seen = logged({CACHE: [each * MIB for each in cache], INPUT: pages, CACHE_FAULTS: faults})
    assert recovers(seen) is does


def test_kinds_add_up_in_every_interval() -> None:
    parts = {"Cache: Sync Pin Reads/sec": [2.0, 1.0], "Cache: Async Pin Reads/sec": [0.0, 2.0]}
    assert adds_up(logged({**parts, "Cache: Pin Reads/sec": [2.0, 3.0]}), "Pin Reads")
    assert not adds_up(logged({**parts, "Cache: Pin Reads/sec": [3.0, 2.0]}), "Pin Reads")


@pytest.mark.parametrize(
    ("lazy", "output", "does"),
    [
        ([0, 48, 48, 48, 30, 48, 48, 48, 48, 48], [0, 0, 0, 48, 0, 0, 0, 0, 0, 0], True),
        ([0, 48, 48, 48, 48, 48, 48, 48, 48, 48], [0, 0, 0, 48, 0, 0, 0, 0, 0, 0], False),
        ([0, 48, 48, 48, 30, 48, 48, 48, 48, 48], [0] * 10, False),
    ],
)
def test_the_lazy_writer_backs_off(lazy: Sequence[float], output: Sequence[float], does: bool) -> None:
    assert backs_off(logged({LAZY_PAGES: lazy, OUTPUT: output})) is does
