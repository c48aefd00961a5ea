"""Whether a server keeps up, by numbers worked out by hand, and the live line of an idle one."""

from collections.abc import Iterable
from dataclasses import replace
from io import StringIO

import pytest
import simpy

from spindle.serve.lateness import Lateness, Tap
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.flash.drive import DriveType
from spindle.sim.disc.flash.sheets import INTEL_S3700
from spindle.sim.disc.registry import DRIVES
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.eviction.lru import Lru
from spindle.sim.request import READ
from spindle.sim.units import KIB, MIB
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.storage import CachePlan, FlashPlan, Storage, write_back

HP7933, HITACHI = (StoragePlan(DriveSheet(DRIVES[name], None), Fcfs) for name in ("hp7933", "hitachi7k1000.c"))
CACHE = CachePlan(MIB, 64 * KIB, Lru, write_back)


def test_it_complains_of_the_time_since_it_was_last_asked() -> None:
    late = Lateness()
    assert (late.complaint(0.0), late.page(0.0), late.mean(), late.numbers(0.0)) == ("", [], 0.0, {"replies": 0})
    for seconds in (0.001, 0.003):
        late.add(seconds)
    assert late.complaint(0.2) == "", "2 ms of 100 ms are 2 %"
    for seconds in (0.003, 0.005):
        late.add(seconds)
    assert "replies come 4 ms late on average, where the drives took 75 ms" in late.complaint(0.35)
    late.add(0.0009)
    assert "replies come 0.9 ms late on average, where the drives took 1 ms" in late.complaint(0.351), "of a fast run"
    assert late.complaint(0.351) == ""
    first = Lateness()
    first.add(0.5)
    assert "replies come 500 ms late on average, where the drives took 1e+03 ms" in first.complaint(1.0)


def test_early_replies_count_as_late_by_as_much() -> None:
    late = Lateness()
    for seconds in (0.002, -0.002):
        late.add(seconds)
    assert late.numbers(0.1) == pytest.approx(
        {"replies": 2, "mean_ms": 2.0, "p99_ms": 2.0, "max_ms": 2.0, "share": 0.04}, rel=1e-3)
    assert late.page(0.1)[-1] == "that is more than 2%: this server could not keep up with its drives"
    assert len(late.page(0.2)) == 1, "2 % it may be"
    assert late.numbers(0.0)["share"] == 0.0


def test_the_longest_of_two_hundred_replies_is_not_among_the_99_percent() -> None:
    late = Lateness()
    for number in range(200):
        late.add(0.1 if number == 7 else 0.001)
    (line,) = late.page(100.0)
    assert line.endswith(", at most 100.000 ms: 0.30% of their time")
    assert line.startswith("replies were late or early by 1.495 ms on average, p99 1.0")


def tapped(plan: StoragePlan, times: Iterable[float], stream: StringIO | None = None) -> tuple[Storage, Lateness, Tap]:
    storage, late, clock = Storage(simpy.Environment(), plan), Lateness(), iter(times)
    return storage, late, Tap(storage, late, lambda: next(clock), stream)


@pytest.mark.parametrize(("sheet", "arm"), [(DRIVES["hp7933"], " arm      0"), (INTEL_S3700, "")])
def test_the_live_line_shows_queue_arm_rate_and_lateness(sheet: DriveType, arm: str) -> None:
    stream = StringIO()
    storage, late, tap = tapped(StoragePlan(DriveSheet(sheet, None), Fcfs), (10.0, 12.0, 12.0, 14.0), stream)
    counts = storage.drives["disc0"].counts
    counts.issued = 10
    late.add(0.0125)
    for completed in (2, 2, 2, 2, 3, 3, 3, 3, 9):  # where lines stay, the first of four is shown
        counts.completed = completed
        tap.show()
    tap.close()
    assert stream.getvalue() == "".join(
        f"disc0 queue   {queue}{arm} |      {rate} accesses/s | late 12.500 ms\n"
        for queue, rate in ((8, 1.0), (7, 0.0), (1, 3.0)))  # fmt: skip


class Terminal(StringIO):
    """Shows what was flushed."""

    shown = ""

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        self.shown = self.getvalue()


def test_on_a_terminal_each_line_takes_the_place_of_the_one_before() -> None:
    stream = Terminal()
    _, _, tap = tapped(HP7933, (0.0, 1.0, 2.0), stream)
    tap.close()
    assert stream.getvalue() == "", "nothing was shown"
    line = "     0.0 accesses/s | late 0.000 ms"
    for _ in range(2):
        tap.show()
        assert stream.shown.endswith(f"\r{line}\x1b[K")
    tap.close()
    assert stream.getvalue() == f"\r{line}\x1b[K\r{line}\x1b[K\n"


@pytest.mark.parametrize("above", [{}, {"cache": CACHE}, {"flash": FlashPlan(INTEL_S3700, CACHE)}])
def test_the_live_line_shows_the_hits_of_the_cache_or_of_the_buffers(
    above: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    """Of four reads of the same 4 KiB the first has to go to the medium; five drives are too many for a line."""
    storage, _, tap = tapped(replace(HITACHI, **above), range(9))  # type: ignore[arg-type]
    for _ in range(4):
        storage.env.run(storage.places["disc0"].ask(READ, 0, 4096))
    for number in range(1, 5):
        assert storage.device(f"disc{number}").capacity > 0
    tap.show()
    line = capsys.readouterr().err
    assert [f"disc{number} queue   0" in line for number in range(5)] == [True] * 4 + [False]
    assert " accesses/s | hits  75.0% | late 0.000 ms\n" in line
