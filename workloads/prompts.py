"""Describes prompts to a language model by arrival, tokens and blocks, and makes those of synthetic conversations."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, takewhile
from math import ceil
from random import Random
from typing import NamedTuple

from spindle.sim.streams import Distribution, Exponential, stream


class Prompt(NamedTuple):
    """One prompt: its *time* in seconds after the first, the *tokens* of it and of its *answer*, the numbers of its
    *blocks*."""

    time: float
    tokens: int
    answer: int
    blocks: tuple[int, ...]


@dataclass(frozen=True)
class PromptTrace:
    """The *prompts* of a file in the order of their arrival; a block has *block_tokens* tokens."""

    name: str
    prompts: tuple[Prompt, ...]
    block_tokens: int
    note: str = ""
    """Lines on the guessed unit of its times, and on their order."""

    @property
    def references(self) -> int:
        """The blocks of all prompts, each as often as it is named."""
        return sum(len(prompt.blocks) for prompt in self.prompts)

    def faster(self, factor: float) -> "PromptTrace":
        """Return the trace with *factor* times as many arrivals a second."""
        return PromptTrace(self.name, tuple(each._replace(time=each.time / factor) for each in self.prompts),
                           self.block_tokens, self.note)  # fmt: skip


@dataclass(frozen=True)
class Conversations:
    """Conversations that begin at random and have another turn with the probability *again*, after a *pause*.

    A prompt has all tokens of the one before it, its *answer*, and those that the user *adds*, cut at *context* tokens;
    that of the first turn has *first*. Blocks have *block_tokens*; the first one is common to all. As in Mooncake's
    traces a block gets another number once it is full.
    """

    again: float
    pause: Distribution
    first: Distribution
    adds: Distribution
    answer: int
    context: int
    block_tokens: int

    def trace(self, rate: float, seconds: float, seed: object) -> PromptTrace:
        """Make up prompts of the first *seconds*: *rate* a second, once as many conversations end as begin."""
        random, numbers = stream(seed, "conversations"), count(1)
        starts, began, made = Exponential(1.0 / (rate * (1.0 - self.again))), 0.0, list[Prompt]()
        while (began := began + starts.draw(random)) < seconds:
            made += takewhile(lambda prompt: prompt.time < seconds, self._turns(random, began, numbers))
        return PromptTrace("conversations", tuple(sorted(made)), self.block_tokens)

    def _turns(self, random: Random, time: float, numbers: Iterator[int]) -> Iterator[Prompt]:
        """Yield the prompts of one conversation that begins at *time*."""
        blocks: list[int] = [0]
        tokens = self._cut(self.first.draw(random))
        while True:
            blocks += (next(numbers) for _ in range(ceil(tokens / self.block_tokens) - len(blocks)))
            yield Prompt(time, tokens, self.answer, tuple(blocks))
            if random.random() >= self.again:
                return
            time += self.pause.draw(random)
            del blocks[max(1, tokens // self.block_tokens):]
            tokens = self._cut(tokens + self.answer + self.adds.draw(random))

    def _cut(self, tokens: float) -> int:
        return int(min(max(1.0, tokens), self.context))
