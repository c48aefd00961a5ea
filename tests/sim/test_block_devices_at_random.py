"""Tests the rules that every block device must obey, with random operations of five processes (Hypothesis)."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

from spindle.sim.cache.block_cache import clip
from spindle.sim.clock import Account, Wait
from spindle.sim.measure.engine import advance
from spindle.sim.measure.laws import check_drive
from spindle.sim.request import Access, Hint, Op, Span, wait_for
from spindle.sim.units import MS
from tests.samples import sample
from tests.sim.block_devices import DEVICES, END, EXTENTS, Stack, asleep, mpe_behind
from tests.sim.watched_drives import SECTOR


@dataclass(frozen=True)
class Act:
    """One thing that a process does, after a *pause*."""

    verb: str
    pause: float
    access: tuple[int, int, int]
    """Number of the extent, first byte of it, bytes."""
    hint: Hint = Hint.NONE
    durable: bool = False

    @property
    def span(self) -> Span:
        extent, first, length = self.access
        return Span(EXTENTS[extent].first + first, min(length, EXTENTS[extent].length - first))


lengths = st.sampled_from([1, 100, 256, 512, 600, 1024, 1500, 2048])
places = st.tuples(st.integers(0, 2), st.integers(0, 8 * SECTOR), lengths)
acts = st.builds(
    Act, st.sampled_from(["read", "read", "read", "write", "write", "start", "write later", "flush", "discard"]),
    st.sampled_from([0.0, 0.0, 1 * MS, 7 * MS, 40 * MS]), places, st.sampled_from(list(Hint)), st.booleans(),
)
plans = st.lists(st.lists(acts, max_size=6), min_size=5, max_size=5)


class Trial:
    """Processes at work on a stack."""

    def __init__(self, make: Callable[[simpy.Environment], Stack]) -> None:
        self.env = simpy.Environment()
        self.stack = make(self.env)
        self.discarded: list[Span] = []
        self.ended = 0
        self.begun = 0

    def access(self, act: Act, op: Op, account: Account) -> Access:
        extent = EXTENTS[act.access[0]]
        return Access(op, act.span, extent, extent.first, act.hint, act.durable and op is Op.WRITE, account)

    def process(self, plan: list[Act]) -> Wait:
        self.begun += 1
        account = Account("")
        waited = 0.0
        wrote: list[tuple[Span, float]] = []
        for act in plan:
            yield self.env.timeout(act.pause)
            began = self.env.now
            yield from self.perform(act, account)
            if act.verb == "flush":  # it charges nobody
                assert self.on_medium(act.span, wrote)
            else:
                waited += self.env.now - began
            if act.verb == "write":
                wrote.append((act.span, began))
            assert account.total() == pytest.approx(waited, abs=1e-9), f"{act} was not charged what it took"
            self.inspect()
        self.ended += 1

    def on_medium(self, flushed: Span, wrote: list[tuple[Span, float]]) -> bool:
        """Whether what a process had written to *flushed* reached the drive since, or was discarded by somebody."""
        return all(
            self.stack.drive.has(clip(span, flushed), asked) or any(each.overlaps(span) for each in self.discarded)
            for span, asked in wrote
        )

    def perform(self, act: Act, account: Account) -> Wait:
        device, asked = self.stack.device, self.env.now
        if act.verb == "read":
            yield from device.read(self.access(act, Op.READ, account))
        elif act.verb == "write":
            yield from device.write(self.access(act, Op.WRITE, account))
            if act.durable:
                assert self.on_medium(act.span, [(act.span, asked)])
        elif act.verb == "start":
            yield from wait_for(device.start(self.access(act, Op.READ, Account("nobody"))), account)
        elif act.verb == "write later":
            device.start(self.access(act, Op.WRITE, Account("nobody")))
        elif act.verb == "flush":
            yield from device.flush(act.span)
        elif act.verb == "discard":
            self.discarded.append(act.span)
            device.discard(act.span)

    def inspect(self) -> None:
        """What must be so at any instant."""
        stack = self.stack
        for memory in stack.memories:
            sizes = sum(size for _, size in memory._regions.values())
            assert memory.used_bytes == sizes <= memory.capacity
        if stack.mpe is not None:
            domains = stack.mpe.directory._domains
            assert [domain.first for domain in domains] == stack.mpe.directory._starts
            for one, other in pairwise(domains):
                assert one.first < one.end <= other.first, "domains overlap"
            assert all(domain.first % SECTOR == domain.end % SECTOR == 0 for domain in domains)

    def run(self, plans: list[list[Act]]) -> None:
        for plan in plans:
            self.env.process(self.process(plan))
        advance(self.env, END)
        assert self.ended == self.begun == len(plans), "stuck"
        self.finish()

    def finish(self) -> None:
        """What must be so when all is over."""
        stack, reading = self.stack, self.stack.drive.reading()
        assert reading["issued"] == reading["completed"]
        check_drive("drive", reading, self.env.now)
        assert stack.drive.faults() == []
        for memory in stack.memories:
            assert (memory._pins, memory._leaving) == ({}, {})
        for memory, cache in zip(stack.memories, stack.caches, strict=False):
            entries = cache.blocks._entries
            assert len(entries) * cache.blocks.size == memory.used_bytes
            assert all(entry.arrival is None for entry in entries.values())
            assert cache.blocks.dirty.keys() <= entries.keys()
            assert not cache._writing_out
        if stack.mpe is not None:
            domains = stack.mpe.directory._domains
            assert sum(domain.end - domain.first for domain in domains) == stack.memories[0].used_bytes
            assert all(domain.arrival is None and domain.posts == 0 for domain in domains)
            assert not stack.mpe._posted._domains
            assert stack.mpe.residence.bytes.now == stack.memories[0].used_bytes
            assert stack.mpe.at_risk.bytes.now == 0


@pytest.mark.parametrize("make", DEVICES, ids=lambda make: make.__name__)
@settings(max_examples=sample(10, 30), deadline=None, derandomize=True)
@given(plans=plans)
def test_whatever_five_processes_do(
    make: Callable[[simpy.Environment], Stack], plans: list[list[Act]]
) -> None:
    """Everybody is charged what he waited, everybody ends, nothing stays pinned, memory keeps its capacity."""
    Trial(make).run(plans)


places_anywhere = st.tuples(st.sampled_from(Op), st.integers(0, 3000), st.integers(1, 700))


@settings(max_examples=sample(40, 100), deadline=None, derandomize=True)
@given(asked=st.lists(places_anywhere, min_size=1, max_size=15))
def test_mpe_domains_are_whole_sectors_though_extents_are_not(asked: list[tuple[Op, int, int]]) -> None:
    trial = Trial(mpe_behind)

    def process() -> Wait:
        for op, first, length in asked:
            one = Access(op, Span(first, length), Span(first, length), None, Hint.NONE, False, Account(""))
            yield from trial.stack.device.read(one) if op is Op.READ else trial.stack.device.write(one)
            trial.inspect()

    asleep(trial.env, process(), done := [])
    trial.env.run(END)
    assert len(done) == 1
    trial.finish()


@pytest.mark.parametrize("make", DEVICES, ids=lambda make: make.__name__)
def test_the_same_again(make: Callable[[simpy.Environment], Stack]) -> None:
    def once() -> tuple[object, ...]:
        trial = Trial(make)
        verbs = ("read", "write", "start", "flush")
        trial.run([[Act(verb, n * MS, (n % 3, 100 * n, 700)) for verb in verbs] for n in range(5)])
        return trial.stack.drive.reading(), trial.stack.drive.written, trial.stack.drive.transferred

    assert once() == once()
