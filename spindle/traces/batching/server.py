"""Simulates a language-model server: a step takes running sequences, then waiting ones, within limits.

The rules are those of the first scheduler of vLLM's version 1: first come, first served; prompts are split into chunks;
a sequence that finds no free block sends the youngest one back to wait; the next step is planned while one runs
(asynchronous scheduling).
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, nan

from spindle.sim.error import UserError
from spindle.sim.parts import LawBroken
from spindle.traces.batching.blocks import KvBlocks, Name
from spindle.traces.batching.step_times import EMPTY_STEP, Prefill, StepBatch, Stepper


@dataclass(frozen=True)
class TimedPrompt:
    """A prompt of *tokens* tokens that arrives *at* so many seconds; the model answers with *output* tokens.

    *names* identify its full blocks.
    """

    at: float
    tokens: int
    output: int
    names: Sequence[Name] = ()


@dataclass(frozen=True)
class ServerLimits:
    """Limits of a server: most *sequences* and *tokens* of a step, and *blocks* of *block* tokens for keys and values.

    With *prefixes* sequences of equal beginnings share blocks.
    """

    sequences: int
    tokens: int
    blocks: int
    block: int = 16
    prefixes: bool = True


@dataclass(frozen=True)
class ServedPrompt:
    """Times of a *prompt* in seconds: when the server *queued* it, and of its *first* and *last* token.

    *found* is the number of its blocks that were shared with earlier prompts.
    """

    prompt: TimedPrompt
    queued: float
    first: float
    last: float
    found: int

    @property
    def first_token(self) -> float:
        """Return the seconds from the queue to the first token."""
        return self.first - self.queued

    @property
    def latency(self) -> float:
        return self.last - self.queued

    @property
    def token(self) -> float:
        """Return the seconds for each token behind the first; not a number where there is none."""
        return (self.last - self.first) / (self.prompt.output - 1) if self.prompt.output > 1 else nan


@dataclass(eq=False)
class UnderWay:
    """A prompt under way: the tokens *computed* so far as planned, the tokens *made*, and the *blocks* that it uses."""

    number: int
    prompt: TimedPrompt
    queued: float
    computed: int = 0
    made: int = 0
    blocks: list[int] = field(default_factory=list)
    first: float = nan
    found: int = 0
    returned: bool = False
    """If it was ever sent back to wait."""

    @property
    def length(self) -> int:
        return self.prompt.tokens + self.made

    def name(self, place: int) -> Name:
        """Return what the block at *place* holds: named in the prompt, and the sequence's own behind that."""
        return self.prompt.names[place] if place < len(self.prompt.names) else (self.number, place)


@dataclass(frozen=True)
class PlannedStep:
    """A planned batch, and the sequences that get a token from it."""

    batch: StepBatch
    tokens_for: Sequence[tuple[UnderWay, int]]


class Replica:
    """One engine with its own memory, queue and plan of steps."""

    def __init__(self, limits: ServerLimits) -> None:
        self.limits = limits
        self.blocks = KvBlocks(limits.blocks, limits.prefixes)
        self.waiting: deque[UnderWay] = deque()
        self.running: list[UnderWay] = []

    @property
    def load(self) -> int:
        return len(self.waiting) + len(self.running)

    def plan(self) -> PlannedStep:
        """Plan the next step, as if the one that runs were done."""
        budget, chosen = self.limits.tokens, dict[UnderWay, int]()
        waiting, at = len(self.waiting), 0
        while at < len(self.running) and budget:
            each = self.running[at]
            tokens = min(each.length - each.computed, budget)
            if self._grow(each, tokens):
                chosen[each] = tokens
            at += 1
            budget -= tokens
        if len(self.waiting) == waiting:  # nobody was sent back
            self._admit(budget, chosen)
        return self._step(chosen)

    def _grow(self, grown: UnderWay, tokens: int) -> bool:
        """Take blocks for *tokens* more, sending the youngest back till there are some; False if it was itself sent.

        Who is sent back has no tokens in this step yet: the youngest come last.
        """
        wanted = ceil((grown.computed + tokens) / self.limits.block) - len(grown.blocks)
        while wanted > self.blocks.free:
            youngest = self.running.pop()
            self._send_back(youngest)
            if youngest is grown:
                return False
        grown.blocks += self.blocks.take(max(wanted, 0))
        return True

    def _send_back(self, youngest: UnderWay) -> None:
        self.blocks.release(youngest.blocks)
        youngest.blocks, youngest.computed = [], 0
        youngest.returned = True
        self.waiting.appendleft(youngest)

    def _admit(self, budget: int, chosen: dict[UnderWay, int]) -> None:
        while self.waiting and budget and len(self.running) < self.limits.sequences:
            first, block = self.waiting[0], self.limits.block
            shared = self.blocks.prefix([first.name(place) for place in range((first.length - 1) // block)])
            tokens = min(first.length - len(shared) * block, budget)
            fresh = ceil((len(shared) * block + tokens) / block) - len(shared)
            if not self.blocks.can_take(shared, fresh):
                return
            self.waiting.popleft()
            self.blocks.share(shared)
            first.blocks = [*shared, *self.blocks.take(fresh)]
            first.computed = len(shared) * block
            first.found = first.found if first.returned else len(shared)
            self.running.append(first)
            chosen[first] = tokens
            budget -= tokens

    def _step(self, chosen: dict[UnderWay, int]) -> PlannedStep:
        """Make the step of *chosen*, and count its tokens as computed and made: lengths are known beforehand."""
        prefills: list[Prefill] = []
        decodes = context = 0
        given = []
        for each, tokens in chosen.items():
            if tokens == 1 and each.made:
                decodes, context = decodes + 1, context + each.computed
            else:
                prefills.append((tokens, each.computed))
            self._name(each, tokens)
            each.computed += tokens
            if each.computed == each.length:
                each.made += 1
                given.append((each, each.made))
                if each.made == each.prompt.output:
                    self.running.remove(each)
        return PlannedStep(StepBatch(tuple(prefills), decodes, context), given)

    def _name(self, each: UnderWay, tokens: int) -> None:
        block = self.limits.block
        for place in range(each.computed // block, (each.computed + tokens) // block):
            self.blocks.name(each.blocks[place], each.name(place))

    def finish(self, step: PlannedStep) -> list[UnderWay]:
        """Free the blocks of sequences that are done with *step*, and return them."""
        done = [each for each, made in step.tokens_for if made == each.prompt.output]
        for each in done:
            self.blocks.release(each.blocks)
        return done


class ModelServer:
    """Replicas that step together, and the prompts that come; each goes to the replica with the fewest."""

    def __init__(self, limits: ServerLimits, stepper: Stepper) -> None:
        self._stepper = stepper
        self._replicas = [Replica(limits) for _ in range(stepper.replicas)]

    def serve(self, prompts: Sequence[TimedPrompt]) -> list[ServedPrompt]:
        """Serve *prompts*, in the order of arrival, until the last token of the last."""
        limits = self._replicas[0].limits
        for prompt in prompts:
            if prompt.tokens + prompt.output > limits.block * limits.blocks:
                raise UserError(f"a prompt of {prompt.tokens} tokens and an answer of {prompt.output} need more than "
                                f"{limits.blocks} blocks of {limits.block}")  # fmt: skip
        served: dict[int, ServedPrompt] = {}
        coming = deque(enumerate(prompts))
        now, running = 0.0, [PlannedStep(EMPTY_STEP, ())] * len(self._replicas)
        while coming or len(served) < len(prompts):
            idle = not any(step.batch.tokens for step in running)
            if idle and coming and not any(replica.load for replica in self._replicas):
                now = max(now, coming[0][1].at)
            self._take_in(coming, now)
            following = [replica.plan() for replica in self._replicas]
            now += self._stepper.seconds([step.batch for step in running]) if not idle else 0.0
            for replica, step in zip(self._replicas, running, strict=True):
                self._give(replica, step, now, served)
            running = following
        for replica in self._replicas:
            if replica.blocks.free != limits.blocks:
                raise LawBroken(f"all is served, and {replica.blocks.free} of {limits.blocks} blocks are free")
        return [served[number] for number in range(len(prompts))]

    def _take_in(self, coming: "deque[tuple[int, TimedPrompt]]", now: float) -> None:
        while coming and coming[0][1].at <= now:
            number, prompt = coming.popleft()
            replica = min(self._replicas, key=lambda each: each.load)
            replica.waiting.append(UnderWay(number, prompt, now))

    def _give(self, replica: Replica, step: PlannedStep, now: float, served: dict[int, ServedPrompt]) -> None:
        for each, made in step.tokens_for:
            if made == 1:
                each.first = now
        for each in replica.finish(step):
            served[each.number] = ServedPrompt(each.prompt, each.queued, each.first, now, each.found)
