"""Tests Windows NT's studies: their captions of tables made by hand, and the measures of short runs."""

from math import isnan

import pandas as pd
import pytest

from spindle.models.windows_nt.log import NtLine, working_set
from spindle.models.windows_nt.parameters import CPU_TIMES, NtParameters
from spindle.models.windows_nt.studies import table_6_2, trimming
from spindle.models.windows_nt.studies.bench_disc import BENCH, READ_CPU, by_tracks, read_alone
from spindle.models.windows_nt.studies.chapter_4 import best, linear, run_disc_alone, same_record, steps
from spindle.models.windows_nt.studies.desktop import Desktop, as_desktop, dirty_bytes
from spindle.models.windows_nt.studies.side_by_side import shares
from spindle.models.windows_nt.studies.table_6_2 import settings
from spindle.models.windows_nt.studies.trials import CLAIMS, MODES, TABLE_RUNS, run_logged, workload
from spindle.models.windows_nt.system import SYSTEM
from spindle.sim.error import UserError
from spindle.sim.units import KIB, MIB, MS
from spindle.studies.claims.claims import published_by_measure
from spindle.studies.study import SeedRows

FIGURES = {study.name: study.figure for study in SYSTEM.studies if study.figure is not None}
SIDES = pd.DataFrame([
    {"spread_mb": spread, "buffered_ms": 3.0 + spread, "mapped_ms": 2.0 * spread, "cache_mb": 2.0,
     "mapped_mb": 1.0 * spread, "available_mb": 4.0, "pages_per_second": 1.0} for spread in (1, 2, 4)
]).assign(**{f"{name}_ms_{end}": 5.0 for name in ("buffered", "mapped") for end in ("low", "high")})  # fmt: skip
BOOK = published_by_measure(CLAIMS, "table_6_2")
MADE = {
    "table_6_2": pd.DataFrame([
        {"row": row, "mode": mode, "ms": ratio * book, "book_ms": book, "ratio": ratio}
        for row in TABLE_RUNS for mode in MODES for book in [BOOK[f"{row}_{mode}"]]
        for ratio in [1.2 if (row, mode) == ("random_read", "mapped") else 1.0]
    ]),
    "side_by_side": SIDES,
    "memory_shares": SIDES,
    "fixed_cache": pd.DataFrame([
        {"work": name, "fixed_mb": size, "response_ms": 9.0 - size if size else 4.5, "cache_mb": size or 3.3}
        for name in trimming.WORKS for size in (0, 1, 4)
    ]),
    "trim_amount_and_period": pd.DataFrame([
        {"trim_share": share, "trim_period": period, "final_available_mb": 2.5, "teeth": 3, "crossing_mb": 3.0,
         "response_ms": 2.0} for share in trimming.TRIM_SHARES for period in trimming.TRIM_PERIODS
    ]),
}  # fmt: skip
CAPTIONS = {
    "table_6_2": "Within 20% of the book, farthest random read, mapped",
    "side_by_side": "Mapped to buffered is 0.50 over 1 MB and 1.14 over 4 MB",
    "memory_shares": "The mapped working set is the larger from 4 MB on",
    "fixed_cache": "reads over 4 MB: 4.50 ms with 3.3 MB, the best fixed size 5.00 ms",
    "trim_amount_and_period": "3 to 3 teeth; the lines cross at 3.00 to 3.00 MB",
}


@pytest.mark.parametrize("name", CAPTIONS)
def test_a_table_is_drawn_and_captioned(name: str) -> None:
    assert CAPTIONS[name] in FIGURES[name].caption(MADE[name])
    axes = FIGURES[name].picture(MADE[name])
    assert axes.get_title(loc="left")
    assert axes.figure.axes[-1].get_xlabel()


def test_settings_are_those_of_the_machine() -> None:
    assert settings(seed=1, memory=8 * MIB)["memory_mb"] == 8
    assert settings(seed=1)["wraps"] == 1


@pytest.mark.parametrize("run", [settings, run_logged], ids=["settings", "logged"])
def test_every_run_takes_parameters_of_the_machine_alone(run) -> None:  # type: ignore[no-untyped-def]
    arguments = {} if run is settings else {"work": "large_read", "share": 0.1}
    with pytest.raises(UserError, match="unknown parameter 'disks'"):
        run(seed=1, disks=3, **arguments)


def test_a_gain_is_a_quotient_of_two_cells() -> None:
    ms = {"unbuffered": 30.0, "buffered": 2.0, "mapped": 1.0}
    rows = [{"row": row, "mode": mode, "ms": ms[mode]} for row in TABLE_RUNS for mode in ms]
    found = table_6_2.measures(SeedRows(rows))
    assert found["random_read_gain"] == 15
    assert found["sequential_write_mapped"] == 1


REVOLUTION = BENCH.revolution


@pytest.mark.parametrize(("pages", "revolutions"), [(1, 1), (5, 1), (6, 2), (12, 2), (13, 3)])
def test_a_record_that_is_read_again_waits_for_whole_revolutions(pages: int, revolutions: int) -> None:
    """At the end of one reading the beginning has just gone by, but for what the sectors and the overhead leave."""
    seconds = same_record(pages, seed=1)["read_ms"] * MS
    assert seconds == pytest.approx(revolutions * REVOLUTION, rel=0.02)


def test_steps_and_the_best_size() -> None:
    frame = pd.DataFrame([{"pages": pages, **same_record(pages, seed=1)} for pages in range(1, 17)])
    assert steps(frame) == [6, 13]
    most, pages = best(frame)
    assert pages == 12
    assert most == pytest.approx(12 * 4 * KIB / (2 * REVOLUTION) / MIB, rel=0.02)


@pytest.mark.parametrize(("rates", "measured"), [
    ([0.1 * pages for pages in range(1, 16)] + [1.4], {"linear": 1.0, "falls_at_16": 1.0}),
    ([0.1 * pages for pages in range(1, 15)] + [1.3, 1.4], {"linear": 0.0, "falls_at_16": 0.0}),
    ([pages**8 for pages in range(1, 17)], {"linear": 0.0, "falls_at_16": 0.0}),
])  # fmt: skip
def test_what_grows_linearly_grows_everywhere_along_a_line(rates: list[float], measured: dict[str, float]) -> None:
    assert linear(SeedRows([{"mb_per_second": rate} for rate in rates])) == measured


@pytest.mark.parametrize(("mib", "share"), [(12, 1 / 8), (19, 1 / 8), (20, 1 / 4), (32, 1 / 4), (33, 3 / 8)])
def test_what_may_be_dirty_is_a_share_of_a_small_medium_or_large_memory(mib: int, share: float) -> None:
    assert dirty_bytes(mib * MIB) == mib * MIB * share


def test_the_desktop_is_the_laptop_with_another_processor_and_memory() -> None:
    laptop = NtParameters(copy=72e-9)
    machine = as_desktop(laptop, Desktop())
    assert machine["copy"] == pytest.approx(10e-9)
    assert (machine["memory"], machine["throttle"]) == (16 * MIB, 512)
    assert set(machine) == {*CPU_TIMES, "memory", "throttle", "moving", "log_interval"}
    assert {"soft_fault", "trim_period"} & set(CPU_TIMES) == {"soft_fault"}


def test_five_readers_queue() -> None:
    """Little's law; each computes a little between his reads, so that fewer than five wait."""
    one, five = (read_alone(workload(name), 1, 10) for name in ("disc_512", "disc_512_by_5"))
    assert five["queue"] == pytest.approx(five["rate"] * five["disc_response"], rel=0.01)
    assert 5 - 5 * READ_CPU * five["rate"] < five["queue"] < 5
    assert five["busy"] > one["busy"]


def test_a_drive_that_reads_whole_tracks_takes_a_revolution_for_each() -> None:
    """The next access waits until it has been round, unless it comes later: 1.2 ms and an overhead after the sector."""
    one, five = (read_alone(workload(name), 1, 10, by_tracks) for name in ("disc_512", "disc_512_by_5"))
    assert REVOLUTION < one["response"] < 1.02 * REVOLUTION
    assert five["response"] == pytest.approx(5 * REVOLUTION, rel=0.01)
    assert five["queue"] == pytest.approx(five["rate"] * five["disc_response"], rel=0.01)
    assert one["busy"] == pytest.approx(1.0 - READ_CPU / one["response"], rel=0.01)


def test_a_disc_alone_does_not_depend_on_parameters() -> None:
    assert run_disc_alone("disc_512", 1, 2) == run_disc_alone("disc_512", 1, 2, whatever=1)


def test_of_a_log_its_second_half_is_kept_or_its_last_quarter() -> None:
    """A second of the lead, and eight of the trial."""
    row = {
        "seconds": [0.0, *map(float, range(1, 9))], "response_ms": 1.5, "response_ms_1": 3.0, "response_ms_2": 2.0,
        NtLine.CACHE: [99 * MIB, *([MIB] * 6), 3 * MIB, 5 * MIB], NtLine.AVAILABLE: [0, *([4 * MIB, 2 * MIB] * 4)],
        working_set("MAPPED.EXE"): [0, *([7 * MIB] * 4), *([6 * MIB] * 4)],
        NtLine.INPUT: [50.0, *([1.0] * 4), *([2.0] * 4)], NtLine.OUTPUT: [50.0, *([0.0] * 4), 4.0, 0.0, 0.0, 0.0],
        NtLine.DISC: [0.0, *([9.0] * 8)], NtLine.CPU: [0.0, *([1.0] * 8)],
    }  # fmt: skip
    assert shares(row) == {"buffered_ms": 3.0, "mapped_ms": 2.0, "cache_mb": (1 + 1 + 3 + 5) / 4, "mapped_mb": 6.0,
                           "available_mb": 3.0, "pages_per_second": 2.0 + 1.0}  # fmt: skip
    ended = trimming.ends(row)
    assert isnan(ended.pop("crossing_mb"))
    assert ended == {"response_ms": 1.5, "cache_mb": 4.0, "available_mb": 3.0, "teeth": 3}
    crossed = trimming.ends({**row, NtLine.CPU: [0.0, *([1.0] * 4), *([99.0] * 4)]})
    assert crossed["crossing_mb"] == 1.0
