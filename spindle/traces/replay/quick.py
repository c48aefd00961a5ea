"""Replays a trace fast, by compiled loops over arrays, on drives with an arm, a buffer and a queue, and no cache above.

The answer equals that of ``replay.py``, except that some sums are added up in another order.
"""

from collections.abc import Callable, Sequence
from math import inf

import numpy as np
import simpy

from spindle.sim.disc.buffered_arm import BufferedArm
from spindle.sim.disc.drive import Drive, Fcfs, Scheduler
from spindle.sim.disc.kernel.arrays import Floats, Integers
from spindle.sim.disc.kernel.drives import OPEN, Incoming, LoopedDrives, looped_drives, no_requests
from spindle.sim.disc.kernel.queue import C_LOOK, LOOK, SPTF, SSTF, UNLIMITED_DEPTH, QueueRule
from spindle.sim.disc.scheduling import CLook, Look, Sptf, Sstf, TaggedQueue
from spindle.sim.error import UserError
from spindle.sim.measure.result import BUCKET_BITS, MAX_BUCKET_SECONDS, TICKS_A_SECOND, Quantiles
from spindle.traces.blocks import first_of
from spindle.traces.replay.replay import MAX_EXACT, Times, TraceReplayed, TraceTally, check_replayed
from spindle.traces.replay.storage import DevicePlace, ReplayStorage, Storage
from spindle.workloads.traces.batch import Batch, NotSimpleError, Owners, require
from spindle.workloads.traces.reader import Trace

SWEEPS: dict[type, int] = {Sstf: SSTF, Look: LOOK, CLook: C_LOOK}
"""The compiled loops' number of each scheduler."""


def quick_replay(
    trace: Trace, plan: ReplayStorage, under_way: int, most: int | None, passed: Callable[[int], object],
    speed: float = 1.0,
) -> TraceReplayed | None:  # fmt: skip
    """Replay the first *most* requests of *trace*, with *under_way* under way, or OPEN: each at its time over *speed*.

    Return None if the loops do not support this storage, or if anything is wrong; the caller then uses ``replay``,
    which reads record by record and names the fault.
    """
    if plan.raid is not None or plan.queue is not None:
        return None
    try:
        return _replay(trace, _Replay(plan, under_way, speed, trace.limits.devices), most, passed)
    except (NotSimpleError, UserError):
        return None


def _replay(trace: Trace, replay: "_Replay", most: int | None, passed: Callable[[int], object]) -> TraceReplayed:
    owners = Owners()
    for batch in first_of(trace.batches(passed), most):
        replay.take(batch, owners.number_all(batch.owners), list(owners))
    return replay.result()


class _Replay:
    """A replay on the storage of *plan*, with loops in place of its drives, and the tally of the requests so far."""

    def __init__(self, plan: ReplayStorage, under_way: int, speed: float, most: int) -> None:
        self._storage = Storage(simpy.Environment(), plan)
        self._under_way, self._speed = under_way, speed
        self._count = plan.count or most
        self._places: list[DevicePlace] = []
        self._tally = TraceTally()
        self._drives: LoopedDrives | None = None
        self._read = 0

    def take(self, batch: Batch, owners: Integers, names: Sequence[str]) -> None:
        """Serve *batch*, each of the device whose number is in *owners*; *names* are those of all numbers."""
        if not len(owners):
            return
        for name in names[len(self._places) : int(owners.max()) + 1]:
            self._places.append(self._storage.places[name])
        drives = self._drives = self._drives or self._build_drives()
        self._read += batch.requests
        self._tally.begin = min(self._tally.begin, float(self._times(batch)[0]))
        if self._under_way == OPEN:
            self._tally.last_due = max(self._tally.last_due, float(self._times(batch).max()))
        if batch.responses is not None:
            known = ~np.isnan(batch.responses)
            _add(self._tally.measured_reads, batch.responses[known & ~batch.writes])
            _add(self._tally.measured_writes, batch.responses[known & batch.writes])
        self._tally.reads.bytes += int(batch.lengths[~batch.writes].sum())
        self._tally.writes.bytes += int(batch.lengths[batch.writes].sum())
        self._serve(drives, Incoming(
            owners % self._count, batch.writes, self._begins(batch, owners), batch.lengths, self._times(batch)))

    def _build_drives(self) -> LoopedDrives:
        """Return the drives, all alike, for loops; NotSimpleError if loops do not support them."""
        drive = next(iter(self._storage.drives.values()))
        require(type(drive) is Drive and not self._storage.caches)
        rule = _rule_of(drive.scheduler)._replace(gathers=drive.gathers)
        drives = looped_drives(drive.mechanism, rule, self._under_way, self._count)
        if drives is None:
            raise NotSimpleError
        drives.place_heads(drive.arm.cylinder)
        return drives

    def _serve(self, drives: LoopedDrives, asked: Incoming, last: bool = False) -> None:
        served = drives.serve(asked, last)
        if served is None:
            raise NotSimpleError
        _add(self._tally.reads, served.responses[~served.writes])
        _add(self._tally.writes, served.responses[served.writes])

    def _begins(self, batch: Batch, owners: Integers) -> Integers:
        """Return the byte where each request begins on its drive, as DevicePlace computes it."""
        require(batch.keys is None)
        begins: Integers = batch.firsts + np.array([place._offset for place in self._places])[owners]
        for each in np.flatnonzero(begins + batch.lengths > self._places[0]._capacity):
            begins[each] = self._places[owners[each]]._wrap_around(int(batch.firsts[each]), int(batch.lengths[each]))
        return begins

    def _times(self, batch: Batch) -> Floats:
        if self._under_way == OPEN:
            require(not np.isnan(batch.times).any())
            times: Floats = batch.times / self._speed
            return times
        gaps = np.zeros(batch.requests) if batch.gaps is None else np.nan_to_num(batch.gaps)
        require(self._under_way == 1 or not gaps.any())
        return gaps

    def result(self) -> TraceReplayed:
        """Return the result of all requests taken; NotSimpleError if there were none."""
        if self._drives is None:
            raise NotSimpleError
        self._serve(self._drives, no_requests(), last=True)
        for number, drive in enumerate(self._storage.drives.values()):
            drive.counts = self._drives.counts(number)
            if isinstance(drive.mechanism, BufferedArm):
                state = drive.mechanism.buffer.state
                state.hits, state.late_hits, state.misses = self._drives.answers(number)
        replayed = TraceReplayed(self._tally, self._storage, self._drives.end)
        check_replayed(replayed, self._read)
        return replayed


def _rule_of(scheduler: Scheduler) -> QueueRule:
    """Return the rule for loops of *scheduler*; NotSimpleError if they do not have it."""
    if type(scheduler) is TaggedQueue:
        require(type(scheduler._host) is Fcfs and type(scheduler._drive) is Sptf)
        return _rule_of(scheduler._drive)._replace(depth=scheduler._depth)
    if type(scheduler) is Sptf:
        require(scheduler._ageing < inf)
        return QueueRule(UNLIMITED_DEPTH, SPTF, scheduler._ageing)
    require(type(scheduler) in SWEEPS or type(scheduler) is Fcfs)
    return QueueRule(1) if type(scheduler) is Fcfs else QueueRule(UNLIMITED_DEPTH, SWEEPS[type(scheduler)])


def _add(times: Times, responses: Floats) -> None:
    if len(responses):
        times.sum = float(np.cumsum(np.concatenate([[times.sum], responses]))[-1])
        times.longest = max(times.longest, float(responses.max()))
        times.add_all(responses[:MAX_EXACT].tolist(), count_quantiles(responses))


def count_quantiles(seconds: Floats) -> Quantiles:
    """Count *seconds* all at once, and return their quantiles."""
    ticks = np.floor(seconds * TICKS_A_SECOND)
    require(bool((ticks >= 0.0).all() and ticks.max(initial=0.0) < TICKS_A_SECOND * MAX_BUCKET_SECONDS))
    part, length = np.frexp(ticks)  # of a whole number, the number of its binary digits
    octave = length - 1 - BUCKET_BITS
    buckets = np.where(octave > 0, octave * 2.0**BUCKET_BITS + np.floor(part * 2.0 ** (BUCKET_BITS + 1)), ticks)
    numbers, counts = np.unique(buckets.astype(np.int64), return_counts=True)
    quantiles = Quantiles()
    quantiles._buckets.update(zip(numbers.tolist(), counts.tolist(), strict=True))
    return quantiles
