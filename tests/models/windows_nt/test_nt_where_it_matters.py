"""Tests which thread writes a dirty page, by counted flushes where memory is short; no time of Probe shows it."""

from typing import Any

from spindle.models.windows_nt.studies.mechanisms import MACHINE
from spindle.models.windows_nt.studies.trials import workload

FLUSHES = ("cache.data_flushes", "cache.lazy_write_flushes")


def flushed(**options: Any) -> tuple[float, ...]:
    words = " ".join(f"--{name.replace('_', '-')} {word}" for name, word in options.items())
    given = MACHINE.arguments(f"--memory 9MiB {words}")
    counters = MACHINE.system.run(probe=workload("sequential_update"), seed=1, seconds=40.0, **given).counters
    return tuple(counters[name] for name in FLUSHES)


def test_the_mapped_page_writer_makes_a_few_more_data_flushes_than_the_lazy_writer_where_memory_is_short() -> None:
    """It finds pages of unmapped views on the modified list; where they stay in the cache it finds fewer."""
    (data, lazy), (staying, _), (one, same) = (
        flushed(), flushed(unmapping="dirty-stay"), flushed(page_writers="one"))  # fmt: skip
    assert data > staying > lazy
    assert one == same
