"""Mechanisms that are worth nothing in their table, each on a machine where it changes the answer."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from spindle.output.kept_tables import kept_table
from tests.models.test_mechanisms import MODULES, SYSTEMS

RESULTS = Path(__file__).parents[2] / "results"
INERT = ("nothing", "unclear")
WINDOWS: dict[str, dict[str, Any]] = {
    "hp3000": {"minutes": 4.0, "warm_up": 3.0}, "max_iv": {"minutes": 20.0, "warm_up": 3.0},
    "windows_nt": {"seconds": 40.0}, "sata_ncq": {"requests": 8000}, "unix_stdio": {"seconds": 20.0},
}  # fmt: skip
BRIEF = {"minutes": 2.0, "warm_up": 0.5}
"""Twelve users of a drive of 2016 give as many commands as two of a 4138 in half an hour."""


class Matters(NamedTuple):
    """A machine *on* which the *mechanism* matters: *without* it a response is *least* times as long, or less if that
    is below 1.
    """

    system: str
    mechanism: str
    on: str
    without: str
    least: float
    window: dict[str, Any] | None = None


HYBRID = "--terminals 101"
FAST = "--users 12 --drive samsung960pro"
PIPES = "--users 2 --mix sort=1 --shell-words 0"
LARGE = "--cache 1120K"
"""24 % of the blocks that 8,000 requests use."""
ALIKE = f"{LARGE} --skew 0.05"
"""Blocks of which none is used much more often than others."""
SEQUENTIAL, RANDOM = (f"--probe workloads/probe/{name}_update.scr" for name in ("sequential", "random"))
MATTERS = (
    Matters("hp3000", "sequential fetches of 24 KB", "--terminals 60 --clerks 0", "--fetch-sequential 4KiB", 1.15),
    Matters("hp3000", "writes in any order, not the Serial Write Queue", f"{HYBRID} --load image", "--write serial",
            0.9),
    Matters("hp3000", "flushing of what was read through", f"{HYBRID} --load image", "--flush never", 1.2),
    Matters("hp3000", "competition for 8 MB, not a part of 1.5 MB", f"{HYBRID} --memory 4MiB",
            "--cache-memory 1536KiB", 3.0),
    Matters("hp3000", "a queue in order of arrival", f"{HYBRID} --no-caching --hold cpu-part --discs 2",
            "--scheduler sptf", 0.8),
    Matters("hp3000", "three channels", f"{HYBRID} --hold cpu-part --fetch-random 24KiB --think-scale 0.6",
            "--channels 1", 1.2),
    Matters("hp3000", "a CPU that pre-empts", f"{HYBRID} --mips 0.5", "--cpu fcfs", 1.1),
    Matters("hp3000", "a clock, not LRU", f"{HYBRID} --memory 5MiB", "--policy lru", 0.95),
    Matters("max_iv", "track numbers out of the low bits of the hash", f"{FAST} --hash-entries 256",
            "--order track-low", 0.95, BRIEF),
    Matters("max_iv", "the mapped copy of 320 us", FAST, "--copy 900us", 1.05, BRIEF),
    Matters("max_iv", "writes go through to the disc", PIPES, "--code write-back", 0.95),
    Matters("max_iv", "what is written stays in the cache", PIPES, "--rules reads-alone", 1.04),
    Matters("max_iv", "core images pass by", "--users 2 --mix who=1", "--code images", 0.97),
    Matters("max_iv", "end-of-file marks pass by", PIPES, "--rules marks-cached", 0.97),
    Matters("max_iv", "a task goes on after a hit", f"{FAST} --mix who=1", "--cpu taking-turns", 0.9, BRIEF),
    Matters("max_iv", "the least recently used sector goes", "--users 2 --sectors 256", "--policy fifo", 1.05),
    Matters("max_iv", "no look at the place in the file", f"{PIPES} --sectors 128", "--rules fpi-filter", 0.97),
    Matters("max_iv", "the track buffer, without the cache", "--sectors 0 --users 1 --mix find=1",
            "--drive modcomp4138-unbuffered", 1.1),
    Matters("max_iv", "one buffer, no quick mode", "--users 1 --mix find=1 --drive modcomp4138-unbuffered",
            "--buffers 2", 0.95),
    Matters("max_iv", "the shell's image out and in", "--users 2", "--shell-words 0", 0.85),
    Matters("windows_nt", "trimming of working sets below 4 MB", "--beside server", "--trim-below 0", 1.15),
    Matters("windows_nt", "views let go behind a sequential reader", f"{SEQUENTIAL} --beside server --memory 9MiB",
            "--kept-views 100000", 1.03),
    Matters("windows_nt", "a lazy writer that goes on while writers wait",
            f"{SEQUENTIAL} --throttle 64 --waking while-writers-wait", "--waking each-period", 2.0),
    Matters("windows_nt", "a flush that keeps pages", f"{RANDOM} --memory 9MiB", "--flushing makes-room", 0.95),
    Matters("sata_ncq", "FAC instead of LFU", ALIKE, "--policy lfu", 0.98),
    Matters("sata_ncq", "access time in a block's worth", ALIKE, "--policy fac-count", 0.98),
    Matters("sata_ncq", "N counted at a block's first use", ALIKE, "--policy fac-hits", 0.98),
    Matters("sata_ncq", "frequency in a block's worth", ALIKE, "--policy fac-time", 0.98),
    Matters("sata_ncq", "a maximum that follows the access times", LARGE, "--policy fac-static", 0.98),
    Matters("sata_ncq", "a maximum that is begun anew", LARGE, "--policy fac-all", 0.99),
    Matters("sata_ncq", "a maximum averaged with the one before", LARGE, "--policy fac-last", 1.03),
    Matters("sata_ncq", "an average after ten accesses, not each", LARGE, "--policy fac-each", 1.03),
    Matters("sata_ncq", "ten partitions, not two", LARGE, "--policy fac-halves", 0.98),
    Matters("sata_ncq", "an access time without the wait", LARGE, "--cost wait", 1.03),
    Matters("unix_stdio", "past the page cache, synchronous",
            "--program w02 --block 64K --drive intels3700 --flags O_SYNC,O_DIRECT", "--flags O_SYNC", 1.3),
)  # fmt: skip
COUNTED = {("windows_nt", "dirty pages that leave with their view")}
"""What flushes tell, and no time: tests/models/windows_nt/test_nt_where_it_matters.py."""


@cache
def answers(system: str, options: str, is_brief: bool) -> Mapping[str, Any]:
    """Run *system* once for all cases on the same machine."""
    return MODULES[system].run_with_options(options, 1, **(BRIEF if is_brief else WINDOWS[system]))


@pytest.mark.parametrize("case", MATTERS, ids=lambda case: f"{case.system}: {case.mechanism}")
def test_what_is_inert_in_the_table_changes_the_answer_here(case: Matters) -> None:
    (measure,) = {each.measure for each in MODULES[case.system].MECHANISMS} - {"lost_characters"}
    on, without = (answers(case.system, options, case.window is BRIEF)[measure]
                   for options in (case.on, f"{case.on} {case.without}"))  # fmt: skip
    assert without > case.least * on if case.least > 1.0 else without < case.least * on


@pytest.mark.parametrize("system", SYSTEMS)
def test_no_mechanism_of_a_table_is_inert_everywhere(system: str) -> None:
    table = kept_table(RESULTS / system / "mechanisms.csv").frame
    inert = table.loc[table["verdict"].isin(INERT), "mechanism"]
    told = {(each.system, each.mechanism) for each in MATTERS} | COUNTED
    assert {(system, mechanism) for mechanism in inert} <= told
