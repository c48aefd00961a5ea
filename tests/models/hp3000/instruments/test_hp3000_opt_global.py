"""Tests the global page of OPT's log: two intervals added by hand, the page as written, and totals of whole runs."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from spindle.models.hp3000.instruments.opt import OptInterval, OptLog, global_page, total
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.run import run
from spindle.sim.parameter import change
from spindle.sim.parts import LawBroken
from tests.models.hp3000.instruments.test_hp3000_opt import (
    CACHED,
    COSTS,
    COUNTERS,
    LOAD,
    MINUTE_SIX,
    MOMENT,
    parameters,
)

IDLE = dict.fromkeys(COUNTERS, 0.0) | {"cpu.bursts": 1.0, "dispatcher.idle": 30.0}
HALF_A_MINUTE = OptInterval(360.0, 390.0, IDLE, MOMENT, COSTS)
"""An interval in which nothing was done, with nothing in memory."""
BOTH = [MINUTE_SIX, HALF_A_MINUTE]


# By hand ------------------------------------------------------------------------------------------


def test_intervals_count_by_their_lengths() -> None:
    together = total(BOTH)
    assert (together.since, together.until) == (300.0, 390.0)
    later = replace(MOMENT, working_sets={"CLERKS 3": 1})
    assert total([MINUTE_SIX, replace(HALF_A_MINUTE, moment=later)]).moment == later
    assert together.cpu() == pytest.approx({
        "processes": 2 / 3 * 0.25, "dispatching": 2 / 3 * 0.10, "memory_manager": 2 / 3 * 0.025, "cache_manager": 0.0,
        "paused_disc": 0.3, "paused_swap": 0.0, "idle": 2 / 3 * 0.175 + 1 / 3,
    })  # fmt: skip
    assert together.discs()["reads"] == pytest.approx(600 / 90)
    assert together.discs()["service_ms"] == pytest.approx(50.0)  # a mean of requests, not of intervals


def test_of_one_interval_it_is_that_interval() -> None:
    assert total([MINUTE_SIX]) == MINUTE_SIX


def test_a_total_that_contradicts_itself_is_refused() -> None:
    wrong = replace(HALF_A_MINUTE, counters={**IDLE, "dispatcher.idle": 31.0})
    with pytest.raises(LawBroken, match="states of the CPU"):
        global_page([MINUTE_SIX, wrong])


def test_the_page() -> None:
    assert global_page(BOTH) == """\
OPT LOG, global total                                        minute 5.00 to 6.50
================================================================================

CPU  processes   dispatch    mem mgr  cache mgr disc pause swap pause       idle
%     P   16.7   D    6.7   M    1.7   C    0.0   =   30.0   ~    0.0       45.0
|PPPPPPPPPPPPPDDDDDMM=======================                                   |

MEMORY MGMT   faults/s 0.7, swap writes/s 0.3, pressure 1.7%, swap pause 0.0%
MEMORY            MPE       code     stacks extra data    domains       free
K-bytes          1024        341        683        683          0       1365

DISC I/O/s    users 13.3, fetches 0.0, posts 0.0, manager 1.0, all 14.3
LDEV     reads/s  writes/s K-bytes/s    busy %     queue   service  response
 all        6.67      0.00       6.7      16.7      0.67      50.0     100.0

MINUTE    proc%  disp%  memm% cache%  disc%  swap%  idle%  I/O/s faults hit%
6.00       25.0   10.0    2.5    0.0   45.0    0.0   17.5   10.0   1.00    -
6.50        0.0    0.0    0.0    0.0    0.0    0.0  100.0    0.0   0.00    -
all        16.7    6.7    1.7    0.0   30.0    0.0   45.0    6.7   0.67    -"""


def test_caching_has_two_lines_and_hits_in_each_minute() -> None:
    """The second minute has no request of the cache, and nothing cached."""
    idle = dict.fromkeys(CACHED.counters, 0.0) | {"cpu.bursts": 1.0, "dispatcher.idle": 60.0}
    lines = global_page([CACHED, replace(CACHED, since=360.0, until=420.0, counters=idle)]).splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("CACHE"))
    assert lines[place - 1 : place + 6] == [
        "", "CACHE         requests/s 5.0, read hits 71%, reads 70%, I/Os eliminated 50%",
        "              domains 5 of 25.6 K-bytes, 128 K-bytes in all", "",
        "MINUTE    proc%  disp%  memm% cache%  disc%  swap%  idle%  I/O/s faults hit%",
        "6.00       25.0   10.0    2.5   10.0   45.0    0.0    7.5   15.0   1.00   71",
        "7.00        0.0    0.0    0.0    0.0    0.0    0.0  100.0    0.0   0.00    -",
    ]
    empty = global_page([replace(CACHED, counters=idle | {"dispatcher.idle": 60.0})])
    assert "requests/s 0.0, read hits -%, reads -%, I/Os eliminated -%\n" in empty
    assert "\n              domains 0 of - K-bytes, 0 K-bytes in all\n" in empty


def test_pressure_is_the_memory_managers_share() -> None:
    pressed = {"cpu.busy_manager": 18.0, "dispatcher.paused_swap": 12.0, "dispatcher.paused_disc": 0.0,
               "dispatcher.idle": 9.0}  # fmt: skip
    written = global_page([replace(MINUTE_SIX, counters={**COUNTERS, **pressed})])
    assert "faults/s 1.0, swap writes/s 0.5, pressure 30.0%, swap pause 20.0%\n" in written


def test_a_log_of_the_data_base_has_a_line() -> None:
    logged = {"image_log.records": 90.0, "image_log.writes": 45.0, "image_log.wait_seconds": 3.0}
    written = global_page([replace(MINUTE_SIX, counters={**COUNTERS, **logged})])
    assert "\nIMAGE LOG     records/s 1.50, writes/s 0.75, callers that wait 0.050\n" in written


# In runs ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("caching", [False, True])
def test_the_total_is_what_the_run_measured(caching: bool) -> None:
    given = parameters(caching)
    log = OptLog(change(MpeParameters(), **given))
    result = run(caching=caching, interval=log.interval, watch=log, **LOAD, **given)
    together = total(log.intervals)
    assert together.counters == pytest.approx(result.counters, rel=1e-9)
    assert sum(together.cpu().values()) == pytest.approx(1.0, rel=1e-9)
    (row,) = log.global_rows()
    extras = result.extras
    assert row["cpu_memory_manager"] == pytest.approx(extras["memory_pressure"])
    assert row["cpu_paused_disc"] == pytest.approx(extras["paused_disc"])
    assert row["memory_cache_domains"] == pytest.approx(extras["domain_bytes"])
    lines = log.text().splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("OPT LOG, global total")
    assert any(line.startswith("CACHE  ") for line in lines) is caching
    if caching:
        assert row["cache_read_hit"] == pytest.approx(extras["hit_ratio"])


def test_it_stands_before_the_pages_and_beside_the_tables(tmp_path: Path) -> None:
    short = {"terminals": 4, "minutes": 2.0, "warm_up": 0.5}
    for name in ("opt.txt", "opt.csv"):
        run(log=str(tmp_path / name), **short)  # type: ignore[arg-type]
    pages = (tmp_path / "opt.txt").read_text("utf-8").split("OPT LOG, ")[1:]
    assert [page.split("  ")[0] for page in pages] == ["global total", "interval 1", "interval 2"]
    whole, each = (pd.read_csv(tmp_path / name) for name in ("opt_global.csv", "opt.csv"))
    assert (len(whole), whole["since"][0], whole["until"][0]) == (1, 30.0, 150.0)
    assert whole["disc_reads"][0] == pytest.approx(each["disc_reads"].mean())
    assert list(whole.columns) == list(each.columns)


def test_without_an_interval_there_is_no_page() -> None:
    log = OptLog(MpeParameters())
    assert (log.text(), log.global_rows()) == ("", [])
