"""Computes the seconds of one step of a language model from measured tables of its layers, attention and head."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spindle.sim.parameter import Rule, assumed, check, cited, fitted

Prefill = tuple[int, int]
"""The tokens of a prompt that one step computes, and the tokens before them."""


@dataclass(frozen=True)
class StepBatch:
    """The work of one step: *prefills* of prompts, and one more token for each of *decodes* sequences.

    Those read the keys and values of *context* tokens in all.
    """

    prefills: tuple[Prefill, ...] = ()
    decodes: int = 0
    context: int = 0

    @property
    def tokens(self) -> int:
        return sum(tokens for tokens, _ in self.prefills) + self.decodes

    @property
    def sequences(self) -> int:
        return len(self.prefills) + self.decodes


EMPTY_STEP = StepBatch()
"""A step without work."""


class ValueLine:
    """A function through measured *values*: a straight line between points and beyond the last, level before the first.
    """

    def __init__(self, values: Mapping[float, float]) -> None:
        self._at = sorted(values)
        self._values = [values[at] for at in self._at]

    def __call__(self, at: float) -> float:
        low, share = place(self._at, at)
        if share == 0.0:
            return self._values[low]
        return self._values[low] + share * (self._values[low + 1] - self._values[low])


def place(points: Sequence[float], at: float) -> tuple[int, float]:
    """Return the point below *at*, and how far *at* is to the next, as a share; more than 1 beyond the last."""
    if len(points) == 1 or at <= points[0]:
        return 0, 0.0
    low = min(bisect_right(points, at) - 1, len(points) - 2)
    return low, (at - points[low]) / (points[low + 1] - points[low])


class ValueGrid:
    """Values on a grid of any number of dimensions, linear along each; keys are tuples of numbers."""

    def __init__(self, values: Mapping[Any, float]) -> None:
        self._values = values
        self._axes = [sorted(set(axis)) for axis in zip(*values, strict=True)]

    def __call__(self, *at: float) -> float:
        corners: list[tuple[tuple[float, ...], float]] = [((), 1.0)]
        for axis, value in zip(self._axes, at, strict=True):
            low, share = place(axis, value)
            steps = [(axis[low], 1.0 - share)] + ([(axis[low + 1], share)] if share else [])
            corners = [((*corner, point), weight * part) for corner, weight in corners for point, part in steps]
        return sum(weight * self._values[corner] for corner, weight in corners if weight)


class ValueRows:
    """Values by two numbers, of which the second has points of its own for each value of the first."""

    def __init__(self, values: Mapping[tuple[float, float], float]) -> None:
        self._at = sorted({first for first, _ in values})
        self._rows = [ValueLine({second: value for (first, second), value in values.items() if first == at})
                      for at in self._at]  # fmt: skip

    def __call__(self, first: float, second: float) -> float:
        low, share = place(self._at, first)
        below = self._rows[low](second)
        return below + share * (self._rows[low + 1](second) - below) if share else below


@dataclass(frozen=True)
class StepTables:
    """Measured seconds of all layers: *dense* and *experts* by tokens, *head* by sequences, and of attention.

    *decode* is by sequences and tokens of each, *prefill* by tokens of a prompt and tokens before them, *mixed* by all
    four. *experts* are by tokens and activated experts, and None where there are none.
    """

    dense: ValueLine
    head: ValueLine
    decode: ValueGrid
    prefill: ValueGrid
    mixed: ValueGrid
    experts: ValueRows | None = None

    def attention(self, batch: StepBatch) -> float:
        """Return seconds of attention: each prompt by itself, and sequences as they are beside so many tokens."""
        alone = sum(self.prefill(*each) for each in batch.prefills)
        if not batch.decodes:
            return alone
        mean = batch.context / batch.decodes
        if not batch.prefills:
            return self.decode(batch.decodes, mean)
        tokens = batch.tokens - batch.decodes
        before = sum(chunk * earlier for chunk, earlier in batch.prefills) / tokens
        beside = self.mixed(tokens, before, batch.decodes, mean) - self.prefill(tokens, before)
        return alone + max(beside, 0.0)


@dataclass(frozen=True)
class StepParameters:
    """Times beside the tables of one GPU's layers: seconds, and bytes a second."""

    step: float = assumed(0.0, "the host makes a batch while the one before it runs", "s", Rule(0.0, 1.0))
    link_rate: float = fitted(1.6e10, "serving: bytes a second between two GPUs, Qwen3-32B on two RTX PRO 6000",
                              "bytes/s", Rule(1e6, 1e13))
    link_latency: float = fitted(50e-6, "of one exchange between two GPUs: the same", "s", Rule(0.0, 1.0))
    element: int = cited(2, "bfloat16", "bytes", Rule(1, 8))
    memory_share: float = cited(0.9, "vLLM, gpu_memory_utilization unless given: share of a GPU's memory that is used",
                                "1", Rule(0.01, 1.0))
    beside: int = assumed(1_700_000_000, "bytes of a GPU beside weights, keys and values, as on the RTX 4090, whose "
                          "blocks are said: 22,118 MiB less weights of 15,317 and keys and values of 5,176", "bytes",
                          Rule(0, 1 << 40))

    def __post_init__(self) -> None:
        check(self)


USUAL = StepParameters()
EXCHANGES = 2
"""Times in a layer that GPUs exchange what they computed: behind attention and behind the rest."""


@dataclass(frozen=True)
class ModelShape:
    """A model's *layers*, its *hidden* size, and *experts*, of which a token uses *used*."""

    layers: int
    hidden: int
    experts: int = 0
    used: int = 0


@dataclass(frozen=True)
class Stepper:
    """Seconds of a step that *replicas* make together, each on *gpus*; experts are spread over all replicas."""

    tables: StepTables
    shape: ModelShape
    gpus: int = 1
    replicas: int = 1
    parameters: StepParameters = USUAL

    def seconds(self, batches: Sequence[StepBatch]) -> float:
        """Return the seconds until the slowest replica is done; all wait for each other's experts in each layer."""
        return self.parameters.step + max(map(self._own, batches)) + self._experts(batches) + self._exchange(batches)

    def _own(self, batch: StepBatch) -> float:
        tables = self.tables
        return tables.dense(batch.tokens) + tables.head(batch.sequences) + tables.attention(batch)

    def _experts(self, batches: Sequence[StepBatch]) -> float:
        """Return seconds of the experts of one replica, which get their share of the tokens of all."""
        if self.tables.experts is None:
            return 0.0
        tokens = sum(batch.tokens for batch in batches)
        own = self.shape.experts / self.replicas
        active = own * (1.0 - (1.0 - self.shape.used / self.shape.experts) ** tokens)
        return self.tables.experts(tokens / self.replicas, max(active, self.shape.used))

    def _exchange(self, batches: Sequence[StepBatch]) -> float:
        if self.gpus * self.replicas == 1:
            return 0.0
        moved = max(batch.tokens for batch in batches) * self.shape.hidden * self.parameters.element
        return EXCHANGES * self.shape.layers * (self.parameters.link_latency + moved / self.parameters.link_rate)
