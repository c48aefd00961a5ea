"""Shows the references of a short trace one by one, in a cache of one size: hit or miss, block evicted, and frames."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from math import inf
from typing import Any, NamedTuple

from spindle.output.text import plural
from spindle.sim.error import UserError
from spindle.sim.eviction.policy import EvictionPolicy, MayGo, make
from spindle.traces.curve.question import BOUNDS
from spindle.workloads.traces.record import Record

MAX_STEPS = 1000
"""Most references that are shown one by one."""
MAX_FRAMES = 16
"""Most frames whose contents are shown."""


class CacheStep(NamedTuple):
    """One *reference*: whether it *hit*, the block *evicted* for it, and the *frames* after it; '' means no block."""

    reference: str
    hit: bool
    evicted: str
    frames: tuple[str, ...]


class KnowsFuture:
    """Belady's policy for the references *coming*: evicts the block whose next use is farthest.

    Of several blocks that are not used again it evicts the one that came last. With *bypass* it evicts nothing for a
    block whose own next use is the farthest.
    """

    def __init__(self, coming: Sequence[Hashable], bypass: bool) -> None:
        self._after: dict[Hashable, list[int]] = {}
        for place in range(len(coming) - 1, -1, -1):
            self._after.setdefault(coming[place], []).append(place)
        self._resident: dict[Hashable, None] = {}
        self._bypass = bypass

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        self._after[key].pop()
        self._resident[key] = None

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        self._after[key].pop()

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        last = max(reversed(self._resident), key=self._next_use)
        if not self._bypass or incoming is None or self._use_after_next(incoming) < self._next_use(last):
            return last
        self._after[incoming].pop()
        return None

    def remove(self, key: Hashable, evicted: bool) -> None:
        del self._resident[key]

    def __len__(self) -> int:
        return len(self._resident)

    def _next_use(self, key: Hashable) -> float:
        """Return the place of the next use of *key*, infinity where there is none."""
        after = self._after[key]
        return after[-1] if after else inf

    def _use_after_next(self, key: Hashable) -> float:
        after = self._after[key]
        return after[-2] if len(after) > 1 else inf


def cache_steps(references: Sequence[Hashable], size: int, policy: EvictionPolicy) -> Iterator[CacheStep]:
    """Yield what each of *references* does in a cache of *size* frames, empty at first."""
    frames: list[Hashable | None] = [None] * size
    places: dict[Hashable, int] = {}
    for key in references:
        victim = None
        if hit := key in places:
            policy.touch(key)
        elif len(places) < size or (victim := policy.choose(key)) is not None:
            place = len(places)
            if victim is not None:
                policy.remove(victim, True)
                place = places.pop(victim)
            policy.insert(key)
            frames[place] = key
            places[key] = place
        yield CacheStep(str(key), hit, "" if victim is None else str(victim),
                        tuple("" if each is None else str(each) for each in frames))  # fmt: skip


def policy_for(name: str, kind: Callable[..., EvictionPolicy], references: Sequence[Hashable], size: int) -> Any:
    """Return the policy *name*, made by *kind* unless it is a bound, for *references* to a cache of *size* blocks."""
    return KnowsFuture(references, BOUNDS[name]) if name in BOUNDS else make(kind, size)


def named_references(records: Iterable[Record], block: int) -> list[str]:
    """Return the names of the objects or the numbers of the blocks that *records* ask for; UserError if too many."""
    names: list[str] = []
    for record in records:
        if record.delete:
            raise UserError("steps: a trace with deletes is not shown reference by reference")
        before = f"{record.device}:" if record.device else ""
        blocks = range(record.first // block, (record.first + record.length - 1) // block + 1)
        names += record.keys or [f"{before}{number}" for number in blocks[: MAX_STEPS + 1]]
        if len(names) > MAX_STEPS:
            raise UserError(f"steps: at most {MAX_STEPS:,} references are shown one by one; --limit takes the first "
                            "requests")
    return names


def step_lines(what: str, steps: Sequence[CacheStep]) -> list[str]:
    """Return a line for each of *steps*, whose title is *what*."""
    width = min(24, max([len("reference"), *(len(step.reference) for step in steps)])) + 2
    room = max([1, *(len(each) for step in steps for each in step.frames)]) + 1
    shows = bool(steps) and len(steps[0].frames) <= MAX_FRAMES and room * len(steps[0].frames) <= 40
    hits = sum(step.hit for step in steps)
    lines = ["", f"{what}: {plural(hits, 'hit')}, {plural(len(steps) - hits, 'miss')}, of {len(steps):,}",
             f"{'':>5}{'reference':>{width}}  {'':<4}  {'evicted':>{width}}" + ("  frames" if shows else "")]
    for number, step in enumerate(steps, 1):
        frames = "  " + "".join(f"{each:>{room}}" for each in step.frames) if shows else ""
        lines.append(f"{number:>5}{step.reference:>{width}.{width - 2}}  {'hit' if step.hit else 'miss':<4}  "
                     f"{step.evicted:>{width}.{width - 2}}{frames}".rstrip())
    return lines
