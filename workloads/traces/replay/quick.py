"""A replay without a clock: by loops over arrays, where drives are bare and serve first come, first served.

Its answer is that of the drives themselves; only sums over several drives are added in another order.
"""

from collections.abc import Callable, Sequence
from contextlib import closing

import numpy as np
import simpy

from sim.disc.compiled.arm import ArmTables, Floats, Integers, tables_of
from sim.disc.compiled.fcfs import Asked, FcfsDrives
from sim.disc.drive import Drive
from sim.disc.mechanism import MovingArm
from sim.disc.scheduling import Fcfs
from sim.error import UserError
from sim.measure.quantiles import BITS, MOST, TICKS, Quantiles
from workloads.traces.quick.batch import NotSimpleError, QuickBatch, held
from workloads.traces.quick.requests import QuickRequests
from workloads.traces.reader import Trace
from workloads.traces.replay.replay import TraceReplayed, check_breakdown
from workloads.traces.replay.storage import DevicePlace, ReplayStorage, Storage
from workloads.traces.replay.tally import Times, TraceTally


def quick_replay(
    trace: Trace, plan: ReplayStorage, closed: bool, most: int | None, passed: Callable[[int], object]
) -> TraceReplayed | None:
    """The replay of the first *most* requests of *trace*, each at its time, or in a closed loop one after another.

    None where the drives themselves must be asked, and where anything is wrong, which is for careful reading to tell.
    """
    try:
        return _replayed(trace, plan, closed, most, passed)
    except (NotSimpleError, UserError):
        return None


def _replayed(
    trace: Trace, plan: ReplayStorage, closed: bool, most: int | None, passed: Callable[[int], object]
) -> TraceReplayed:
    requests = QuickRequests(trace, passed)
    replay, left = _Replay(plan, closed, trace.limits.devices), most
    with closing(iter(requests)) as batches:
        for batch, whose in batches:
            replay.take(_first(batch, left), whose[:left], list(requests.owners))
            left = None if left is None else max(0, left - len(whose))
            if left == 0:
                break
    return replay.result()


def _first(batch: QuickBatch, most: int | None) -> QuickBatch:
    return batch._replace(writes=batch.writes[:most], lengths=batch.lengths[:most], times=batch.times[:most],
                          firsts=None if batch.firsts is None else batch.firsts[:most],
                          gaps=None if batch.gaps is None else batch.gaps[:most])  # fmt: skip


class _Replay:
    """The storage of *plan*, whose drives are served in arrays, and what is kept of the requests so far."""

    def __init__(self, plan: ReplayStorage, closed: bool, most: int) -> None:
        self._storage = Storage(simpy.Environment(), plan)
        self._closed = closed
        self._count = plan.count or most
        self._places: list[DevicePlace] = []
        self._tally = TraceTally()
        self._served: FcfsDrives | None = None

    def take(self, batch: QuickBatch, whose: Integers, names: Sequence[str]) -> None:
        """Serve *batch*, of the devices *whose* numbers are those of *names*."""
        if not len(whose):
            return
        for name in names[len(self._places) : int(whose.max()) + 1]:
            self._places.append(self._storage.places[name])
        drives = self._served = self._served or FcfsDrives(_arm_of(self._storage), self._count)
        asked = Asked(whose % self._count, batch.writes, self._begins(batch, whose), batch.lengths, self._when(batch))
        served = drives.serve(asked, self._closed)
        if served is None:
            raise NotSimpleError
        for times, those in ((self._tally.reads, ~batch.writes), (self._tally.writes, batch.writes)):
            _add(times, (served.ended - served.came)[those])

    def _begins(self, batch: QuickBatch, whose: Integers) -> Integers:
        """Where on its drive each begins, as DevicePlace has it."""
        if batch.firsts is None:
            raise NotSimpleError
        begins: Integers = batch.firsts + np.array([place._offset for place in self._places])[whose]
        for each in np.flatnonzero(begins + batch.lengths > self._places[0]._capacity):
            begins[each] = self._places[whose[each]]._wrapped(int(batch.firsts[each]), int(batch.lengths[each]))
        return begins

    def _when(self, batch: QuickBatch) -> Floats:
        if not self._closed:
            held(not np.isnan(batch.times).any())
            return batch.times
        return np.zeros(len(batch.writes)) if batch.gaps is None else batch.gaps

    def result(self) -> TraceReplayed:
        """Of all that was taken; NotSimpleError where there was nothing."""
        if self._served is None:
            raise NotSimpleError
        for number, drive in enumerate(self._storage.each()):
            drive.counts = self._served.counts(number)
        replayed = TraceReplayed(self._tally, self._storage, self._served.end)
        check_breakdown(replayed)
        return replayed


def _arm_of(storage: Storage) -> ArmTables:
    """That of its drives, which are alike; NotSimpleError where they do more than go to one request after another."""
    drive = storage.each()[0]
    held(type(drive) is Drive and type(drive.scheduler) is Fcfs and type(drive.mechanism) is MovingArm)
    held(not storage.caches)
    assert isinstance(drive.mechanism, MovingArm)
    return tables_of(drive.mechanism)


def _add(times: Times, responses: Floats) -> None:
    """Add *responses* to *times*, in their order."""
    if len(responses):
        times.sum = float(np.cumsum(np.concatenate([[times.sum], responses]))[-1])
        times.longest = max(times.longest, float(responses.max()))
        times.quantiles.merge(counted(responses))


def counted(seconds: Floats) -> Quantiles:
    """The quantiles of *seconds*, counted all at once."""
    ticks = np.floor(seconds * TICKS)
    held(bool((ticks >= 0.0).all() and ticks.max(initial=0.0) < TICKS * MOST))
    part, length = np.frexp(ticks)  # of a whole number, the number of its binary digits
    octave = length - 1 - BITS
    buckets = np.where(octave > 0, octave * 2.0**BITS + np.floor(part * 2.0 ** (BITS + 1)), ticks)
    numbers, counts = np.unique(buckets.astype(np.int64), return_counts=True)
    quantiles = Quantiles()
    quantiles._buckets.update(zip(numbers.tolist(), counts.tolist(), strict=True))
    return quantiles
