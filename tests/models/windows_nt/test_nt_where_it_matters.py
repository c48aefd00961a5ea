"""Mechanisms that are worth nothing in the table, each on a machine where it matters, as the system's page says."""

from typing import Any

import pytest

from spindle.models.windows_nt.studies.mechanisms import MACHINE, TIME, run_with_options
from spindle.models.windows_nt.studies.trials import workload

SEQUENTIAL, RANDOM = ("--probe workloads/probe/sequential_update.scr", "--probe workloads/probe/random_update.scr")
FLUSHES = ("cache.data_flushes", "cache.lazy_write_flushes")


@pytest.mark.parametrize(("machine", "without", "least"), [
    ("--beside server", "--trim-below 0", 1.15),
    (f"{SEQUENTIAL} --throttle 64 --waking while-writers-wait", "--waking each-period", 2.0),
])  # fmt: skip
def test_what_saves_nothing_in_the_table_saves_something_here(machine: str, without: str, least: float) -> None:
    seconds = [run_with_options(options, 1, 40.0)[TIME] for options in (machine, f"{machine} {without}")]
    assert seconds[1] > least * seconds[0]


def test_a_flush_that_keeps_pages_costs_where_memory_is_short() -> None:
    rules = ("keeps", "makes-room")
    keeps, makes_room = (
        run_with_options(f"{RANDOM} --memory 9MiB --page-writers two --flushing {rule}", 1, 40.0)[TIME]
        for rule in rules
    )
    assert keeps > 1.05 * makes_room


def flushed(**options: Any) -> tuple[float, ...]:
    words = " ".join(f"--{name.replace('_', '-')} {word}" for name, word in options.items())
    given = MACHINE.arguments(f"--memory 9MiB {words}")
    counters = MACHINE.system.run(probe=workload("sequential_update"), seed=1, seconds=40.0, **given).counters
    return tuple(counters[name] for name in FLUSHES)


def test_the_mapped_page_writer_makes_a_few_more_data_flushes_than_the_lazy_writer_where_memory_is_short() -> None:
    """It finds pages of unmapped views on the modified list; where they stay in the cache it finds fewer."""
    (data, lazy), (staying, _), (one, same) = (
        flushed(page_writers="two", unmapping="dirty-leave"), flushed(page_writers="two"), flushed())  # fmt: skip
    assert data > staying > lazy
    assert one == same
