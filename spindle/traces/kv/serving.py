"""Simulates instances of a language model that serve prompts: load or compute keys and values, make the first token."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import simpy

from spindle.sim.clock import Gate, Population, Wait, happen, pause
from spindle.sim.parts import LawBroken, agree
from spindle.traces.curve.tier_contents import NO_TIER, Move, TierBlocks, TierStack, prefix_length
from spindle.traces.kv.plan import KvPlan, room_of
from spindle.traces.kv.stores import KvStore, store_of
from spindle.workloads.prompts import Prompt, PromptTrace


@dataclass
class PromptTimes:
    """Seconds of each prompt, in the order of service: in *queue*, to *load* blocks, and to *compute* the rest."""

    queue: list[float] = field(default_factory=list)
    load: list[float] = field(default_factory=list)
    compute: list[float] = field(default_factory=list)

    def begin(self, queue: float) -> int:
        """Add a prompt that waited for *queue* seconds; return its number."""
        self.queue.append(queue)
        self.load.append(0.0)
        self.compute.append(0.0)
        return len(self.queue) - 1

    def finish(self, number: int, load: float, compute: float) -> None:
        self.load[number], self.compute[number] = load, compute

    def first_token(self) -> list[float]:
        """Seconds from the arrival of each to its first token."""
        return [queue + load + compute
                for queue, load, compute in zip(self.queue, self.load, self.compute, strict=True)]


@dataclass
class Counts:
    """Blocks and tokens of all prompts.

    *hits* count, for each tier, the blocks of loaded prefixes; *found* counts all blocks that some tier has.
    """

    hits: list[int]
    blocks: int = 0
    found: int = 0
    tokens: int = 0
    answer_tokens: int = 0
    computed: int = 0
    recomputed: int = 0
    """Tokens that were computed again, of blocks computed before."""


@dataclass(frozen=True)
class KvResult:
    """A run of *trace* on *plan*: *times*, *counts*, the counters of each tier's store, and *seconds* to the end.

    The end is the last first token; blocks that are written after it count as bytes, but not as busy time.
    """

    plan: KvPlan
    trace: PromptTrace
    counts: Counts
    times: PromptTimes
    stores: Sequence[dict[str, float]]
    seconds: float
    busy: float
    """Busy seconds of all instances."""
    nodes: int = 1
    """Nodes that have tiers of their own; the plan is of all of them together."""


Served = Callable[[Prompt, float, float, float], None]
"""A callback for a served prompt: the seconds that it was queued, loaded and computed."""


def tell_nobody(prompt: Prompt, queue: float, load: float, compute: float) -> None:
    """Do nothing: the callback of runs whose times are read at the end."""


class Serving:
    """Instances that take one prompt after another, in the order of arrival, and prefill it.

    Tiers are looked up when a prompt's turn comes, so that hits depend on the order of prompts and not on any speed.
    Evicted blocks are written to lower tiers at once, and no prompt waits for that; a prompt that needs a block that an
    instance computes, or that moves between tiers, waits for it. *served* is called at each first token.
    """

    def __init__(
        self, env: simpy.Environment, plan: KvPlan, trace: PromptTrace, served: Served = tell_nobody
    ) -> None:
        self._env, self._plan, self._served = env, plan, served
        self._size = trace.block_tokens
        block = plan.model.token_bytes * trace.block_tokens
        self._stack = TierStack([TierBlocks(room_of(tier, block), tier.policy) for tier in plan.tiers], plan.inclusion)
        self.stores: list[KvStore] = [store_of(env, tier, plan, block) for tier in plan.tiers]
        self.counts = Counts([0] * len(plan.tiers))
        self.times = PromptTimes()
        self._working = Population(env)
        """Prompts that instances are at work on."""
        self._served_prompts = 0
        self._coming: dict[int, simpy.Event] = {}
        self._seen: set[int] = set()
        self._prompts = iter(trace.prompts)

    def instance(self, number: int) -> Wait:
        """Take prompts until none is left."""
        for prompt in self._prompts:
            if prompt.time > self._env.now:
                yield pause(self._env, prompt.time - self._env.now)
            self._working.enter()
            yield from self._serve(number, prompt)
            self._working.leave()

    @property
    def busy(self) -> float:
        """Seconds until now in which instances were at work, all together."""
        return self._working.seconds()

    def check(self) -> None:
        """LawBroken unless the prompts that were begun are those served and those under way, and tokens add up."""
        begun, served, under_way = len(self.times.queue), self._served_prompts, self._working.now
        if begun != served + under_way:
            raise LawBroken(f"{begun} prompts were begun, {served} are served and {under_way} under way")
        counts = self.counts
        loaded = sum(counts.hits)
        if not loaded <= counts.found <= counts.blocks:
            raise LawBroken(f"{loaded} blocks were loaded, {counts.found} found, of {counts.blocks}")
        if not counts.tokens - loaded * self._size <= counts.computed <= counts.tokens:
            raise LawBroken(f"{counts.computed} tokens were computed of {counts.tokens}, and {loaded} blocks loaded")

    def _serve(self, number: int, prompt: Prompt) -> Wait:
        began = self._env.now
        turn = self.times.begin(began - prompt.time)
        places = [self._stack.place(block) for block in prompt.blocks]
        loaded = self._plan.loading.blocks(prefix_length(places), self._cost(number, prompt, places))
        loads = self._loads(number, prompt.blocks[:loaded], places)
        done = Gate(self._env, "what an instance computes")
        self._expect(prompt.blocks[loaded:], done)
        uses = self._stack.use(prompt.blocks)
        for move in uses.moves:
            self._move(number, move)
        self._count(prompt, places, loaded, uses.found)
        yield from _wait_all(loads)
        load = self._env.now - began
        compute = self._plan.seconds(*self._tokens_of(prompt, loaded))
        if self._plan.layered:
            share = 1.0 / self._plan.model.layers
            compute = max(compute * share, compute - load * (1.0 - share))
        yield pause(self._env, compute)
        done.succeed()
        self.times.finish(turn, load, compute)
        agree("first token: its parts against the clock", self.times.queue[turn] + load + compute,
              self._env.now - prompt.time, 4, self._env.now)
        self._served_prompts += 1
        self._served(prompt, self.times.queue[turn], load, compute)

    def _tokens_of(self, prompt: Prompt, loaded: int) -> tuple[int, int]:
        """Return the number of tokens to compute, at least the last one, and of those before them."""
        before = min(loaded * self._size, prompt.tokens - 1)
        return prompt.tokens - before, before

    def _cost(self, number: int, prompt: Prompt, places: Sequence[int]) -> Callable[[int], float]:
        """Return a function that estimates the seconds to the first token from the number of loaded blocks."""

        def cost(loaded: int) -> float:
            found = places[:loaded]
            load = max((store.estimate(found.count(tier), number) for tier, store in enumerate(self.stores)
                        if tier in found), default=0.0)  # fmt: skip
            compute = self._plan.seconds(*self._tokens_of(prompt, loaded))
            return max(load, compute) if self._plan.layered else load + compute

        return cost

    def _loads(self, number: int, blocks: Sequence[int], places: Sequence[int]) -> list[simpy.Event]:
        """Begin to load *blocks*; return the events that the prompt waits for."""
        loads = []
        for block, place in zip(blocks, places, strict=False):
            coming = self._coming.get(block)
            if coming is None and (read := all_of(self._env, self.stores[place].read(block, number))) is not None:
                coming = read
                self._expect((block,), coming)
            if coming is not None:
                loads.append(coming)
        return loads

    def _expect(self, blocks: Sequence[int], event: simpy.Event) -> None:
        """Note that *blocks* arrive when *event* happens."""
        self._coming.update(dict.fromkeys(blocks, event))
        assert event.callbacks is not None
        event.callbacks.append(lambda _: self._finish_arrival(blocks, event))

    def _finish_arrival(self, blocks: Sequence[int], event: simpy.Event) -> None:
        for block in blocks:
            if self._coming.get(block) is event:
                del self._coming[block]

    def _move(self, number: int, move: Move) -> None:
        """Begin *move*: a pushed block is written from tier to tier, one that was used from the instance."""
        block, source, target, pushed, stays = move
        fetched = None
        if pushed and target != NO_TIER and source > 0 and block not in self._coming:
            fetched = all_of(self._env, self.stores[source].fetch(block))
        if source > 0 and not stays:
            self.stores[source].forget(block)
        if target > 0:
            self._write(number, block, target, self._coming.get(block, fetched), pushed)

    def _write(self, number: int, block: int, target: int, first: simpy.Event | None, pushed: bool) -> None:
        """Write *block* to tier *target* after the event *first*; users of a pushed block wait until it is written."""
        store, place, there = self.stores[target], self.stores[target].keep(block), Gate(self._env, "what is written")
        if pushed:
            self._expect((block,), there)
        call_after(first, lambda: call_after(all_of(self._env, store.write(place, number)), lambda: happen(there)))

    def reading(self) -> dict[str, float]:
        """Return blocks, tokens, hits by tier, and the seconds that instances were busy until now."""
        counts = self.counts
        hits = {f"hits_{tier.name}": float(each) for tier, each in zip(self._plan.tiers, counts.hits, strict=True)}
        return {**hits, "blocks": float(counts.blocks), "tokens": float(counts.tokens), "busy": self.busy,
                "computed": float(counts.computed), "recomputed": float(counts.recomputed)}  # fmt: skip

    def _count(self, prompt: Prompt, places: Sequence[int], loaded: int, found: int) -> None:
        counts = self.counts
        for place in places[:loaded]:
            counts.hits[place] += 1
        tokens, _ = self._tokens_of(prompt, loaded)
        again = sum(block in self._seen for block in prompt.blocks[loaded:])
        counts.blocks += len(prompt.blocks)
        counts.found += found
        counts.tokens += prompt.tokens
        counts.answer_tokens += prompt.answer
        counts.computed += tokens
        counts.recomputed += min(tokens, again * self._size)
        self._seen.update(prompt.blocks)


def call_after(event: simpy.Event | None, act: Callable[[], None]) -> None:
    """Call *act* when *event* has happened; now, if it has."""
    if event is None or event.callbacks is None:
        act()
    else:
        event.callbacks.append(lambda _: act())


def all_of(env: simpy.Environment, events: Sequence[simpy.Event]) -> simpy.Event | None:
    """Return an event for all of *events*, none of which has happened; None if there are none."""
    if len(events) < 2:
        return events[0] if events else None
    whole, left = Gate(env, "what is moved"), len(events)

    def one(_: simpy.Event) -> None:
        nonlocal left
        left -= 1
        if not left:
            happen(whole)

    for event in events:
        assert event.callbacks is not None
        event.callbacks.append(one)
    return whole


def _wait_all(events: Sequence[simpy.Event]) -> Wait:
    for event in events:
        if event.callbacks is not None:
            yield event


def serve(plan: KvPlan, trace: PromptTrace) -> KvResult:
    env, busy, left = simpy.Environment(), list[dict[str, float]](), len(trace.prompts)

    def note(prompt: Prompt, queue: float, load: float, compute: float) -> None:
        nonlocal left
        left -= 1
        if not left:
            busy.extend({name: seconds for name, seconds in store.reading().items() if name == "busy"}
                        for store in serving.stores)

    serving = Serving(env, plan, trace, note)
    for number in range(min(plan.instances, len(trace.prompts))):
        env.process(serving.instance(number))
    env.run()
    serving.check()
    times = serving.times
    end = max(prompt.time + wait for prompt, wait in zip(trace.prompts, times.first_token(), strict=True))
    stores = [{**store.reading(), **then} for store, then in zip(serving.stores, busy, strict=True)]
    return KvResult(plan, trace, serving.counts, times, stores, end, serving.busy)
