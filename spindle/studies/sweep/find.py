"""Searches for the largest or smallest value of one argument for which a run still meets a condition.

Every value is run with the same seeds, so that the mean of a measure and the bounds of its 95 % interval are three
curves over the argument. Each is followed to the value at which it meets the condition's bound. The answer is the value
of the mean's curve; the answer's interval is between those of the other two. It includes the true value as often as the
interval of a mean does, however the curves bend (inversion of Student's t). A pilot, which is the same run made short,
shows where to begin, so that values far from the answer, above all overloaded ones, are never run at full length.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import ceil, floor, isfinite, log, log2
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from spindle.measures import SHARE, find_measure, kind_of
from spindle.measures import measure as find_known
from spindle.sim.error import UserError, check_known, quote
from spindle.sim.quantity import amount, quantity, unit_of
from spindle.studies.confidence import Interval, confidence
from spindle.studies.sweep.executor import Workers
from spindle.studies.sweep.grid import Row, Run, summary
from spindle.studies.sweep.sweep import is_same_run, sweep

if TYPE_CHECKING:
    import pandas as pd

# The search for the value of an argument at which a curve meets a bound, by runs with several seeds.

CLEAR_CONFIDENCE = 0.9999
"""Confidence at which a few seeds show that a value is far from the bound, and no more seeds of it are run."""
MAX_STEPS = 200
MIN_STEP = 1e-3
"""Smallest step, as a share of the range that is searched."""
MIDDLE_VALUES = 3
"""Number of values between the ends that are probed if the condition holds at both ends, or at neither."""
Curve = Literal["mean", "low", "high"]
CURVES: Sequence[Curve] = ("mean", "low", "high")


@dataclass(frozen=True)
class Condition:
    """A condition: a *measure* of a run's summary is at most the *bound*, or, with *least*, at least the bound."""

    measure: str
    bound: float
    least: bool = False

    @classmethod
    def read(cls, text: str) -> "Condition":
        """Read ``response_p95 <= 2`` or ``hit_ratio >= 70%``, in the unit of the summary, or in one that is named."""
        match = re.fullmatch(r"\s*([\w.]+)\s*(<=|>=|<|>)\s*([^<>=]+)", text)
        if match is not None and "." in match[1]:
            find_known(match[1])  # refuses a percentile that there is not, as p99.5
        bound = None if match is None else _bound(match[3].strip(), unit_of(match[1]))
        if match is None or bound is None or not isfinite(bound):
            raise UserError(f"a condition is a measure, <= or >=, and a number, as 'response_p95 <= 2', "
                            f"not {quote(text)}")
        if find_measure(match[1]) is not None and kind_of(match[1]) == SHARE and not 0.0 <= bound <= 1.0:
            raise UserError(f"{match[1]} is a share, from 0 to 1 or from 0% to 100%, not {match[3].strip()}")
        return cls(match[1], bound, match[2][0] == ">")

    def is_met(self, value: float) -> bool:
        return value >= self.bound if self.least else value <= self.bound

    def __str__(self) -> str:
        return f"{self.measure} {'>=' if self.least else '<='} {quantity(self.bound, unit_of(self.measure))}"


def _bound(text: str, unit: str) -> float | None:
    """Return the bound in *text*, in *unit*, or as a percentage if there is no unit; None if it is neither."""
    if unit == "1" and text.endswith("%"):
        share = amount(text[:-1], unit)
        return None if share is None else share / 100
    return amount(text, unit)


@dataclass(frozen=True)
class Question:
    """A question: at which value of *name*, between *ends*, do runs with *fixed* other arguments meet a condition?"""

    name: str
    condition: Condition
    ends: tuple[float, float]
    fixed: Mapping[str, object]


@dataclass(frozen=True)
class SearchProbe:
    """A *value* of the argument *name* that was run, with the *interval* of the *measure*; *short* if of a pilot.

    *bracket* are two values between which the mean meets the bound, if known; *left* is about how many values are still
    to be run, 0 if unknown.
    """

    name: str
    value: float
    measure: str
    interval: Interval
    bracket: tuple[float, float] | None
    left: int
    short: bool


Probed = Callable[[SearchProbe], object]


class SearchStopped(KeyboardInterrupt):
    """A search was interrupted after *runs* runs; its text has the *bracket* known by then."""

    def __init__(self, name: str, condition: Condition, bracket: tuple[float, float] | None, runs: int) -> None:
        self._name, self._condition, self._bracket, self._runs = name, condition, bracket, runs
        super().__init__(self.text())

    def text(self, unit: str = "1") -> str:
        """Return a line on the values between which the condition ends, in *unit*, that of the argument."""
        if self._bracket is None:
            return f"interrupted after {self._runs} runs, before {self._name} was bracketed"
        low, high = (quantity(end, unit, 5, binary=True) for end in self._bracket)
        return f"interrupted after {self._runs} runs: {self._condition} ends between {self._name} {low} and {high}"


class RootSearch:
    """A search for the answer to the question *asked*; each value is run with *few* seeds first.

    A curve is followed until the two values between which it meets the bound differ by the share *width* at most.
    """

    def __init__(
        self, run: Run, asked: Question, few: int, width: float, workers: Workers, store: Path | None = None,
        probed: Probed = lambda probe: None, short: bool = False,
    ) -> None:  # fmt: skip
        self._run, self._name, self._condition, self._fixed = run, asked.name, asked.condition, asked.fixed
        self.ends = min(asked.ends), max(asked.ends)
        self._whole = all(isinstance(end, int) for end in asked.ends)
        self._few, self._width = few, width
        self._workers, self._store, self._probed, self._short = workers, store, probed, short
        self._samples: dict[float, list[float]] = {}
        self._alike: list[bool] = []
        self.largest = True

    @property
    def runs(self) -> int:
        return sum(map(len, self._samples.values()))

    def clip(self, x: float) -> float:
        """Return *x*, clipped to the ends, and rounded for a whole argument."""
        low, high = self.ends
        return min(max(round(x) if self._whole else x, low), high)

    def parts(self) -> bool:
        """Probe both ends; tell if the condition holds at one of them only, and remember which."""
        for end in self.ends:
            self.probe(end, self._few)
        low, high = (self._condition.is_met(confidence(self._samples[end]).mean) for end in self.ends)
        self.largest = low
        return low != high

    def between(self) -> dict[float, bool]:
        """Probe values between the ends with few seeds; return for each if the condition holds."""
        low, high = self.ends
        shares = [place / (MIDDLE_VALUES + 1) for place in range(1, MIDDLE_VALUES + 1)]
        wanted = [low * (high / low) ** share if low > 0 else low + (high - low) * share for share in shares]
        values = [x for x in dict.fromkeys(map(self.clip, wanted)) if low < x < high]
        for x in values:
            self.probe(x, self._few)
        return {x: self._condition.is_met(confidence(self._samples[x]).mean) for x in values}

    def middle(self) -> Mapping[str, Any]:
        """Return the summary of one run in the middle between the ends."""
        low, high = self.ends
        return summary(self._run(**{**self._fixed, self._name: self.clip((low + high) / 2), "seed": 1}))

    def probe(self, x: float, seeds: int) -> None:
        """Run *x* with *seeds* seeds, or with few if these show that *x* is far from the bound."""
        self._sample(x, min(self._few, seeds))
        far = self._interval(x, CLEAR_CONFIDENCE)
        if far.low <= self._condition.bound <= far.high:
            self._sample(x, seeds)

    def crosses(self, curve: Curve) -> tuple[float, float] | None:
        """Return the first two neighbours among the probed values between which *curve* meets the bound."""
        return next((pair for pair in pairwise(sorted(self._samples)) if self._meets(pair, curve)), None)

    def root(self, curve: Curve, seeds: int) -> float:
        """Find where *curve* meets the bound, between two values probed with *seeds* seeds, as a straight line there.

        For a whole argument it is the last value that meets the condition; beyond the ends of the search it is the end.
        Of one seed, whose curve may have steps, it is the last value that was run and meets it.
        """
        for _ in range(MAX_STEPS):
            pair = self.crosses(curve)
            if pair is None:
                edge, x = self._step_beyond(curve)
                if x == edge:
                    return edge
                self.probe(x, seeds)
            elif pair[1] - pair[0] > self._step(max(map(abs, pair))):
                self.probe(self._inside(pair, curve), seeds)
            elif min(len(self._samples[x]) for x in pair) < seeds:
                for x in pair:
                    self._sample(x, seeds)
            else:
                break
        assert pair is not None, "the last step was not beyond what was probed"
        if self._few == 1:
            return pair[0] if self.largest else pair[1]
        x = self._crossing(pair, curve)
        return x if not self._whole else floor(x) if self.largest else ceil(x)

    def step_at(self, x: float) -> tuple[float, float] | None:
        """Return the neighbours of *x* between which the measure steps over the bound; None where it is near it at *x*.

        A step is told where there is no chance: where several seeds gave the same runs, in all that they measure.
        """
        if self._few == 1 or self._whole or not self._alike or not all(self._alike):
            return None
        self._sample(x, self._few)
        return self.crosses("mean") if abs(self._distance(x, "mean")) > STRAIGHT_WIDTH else None

    def _meets(self, pair: tuple[float, float], curve: Curve) -> bool:
        low, high = (self._distance(x, curve) > 0.0 for x in pair)
        return low != high

    def _step(self, x: float) -> float:
        low, high = self.ends
        return max(self._width * abs(x), 1.0 if self._whole else MIN_STEP * (high - low))

    def _step_beyond(self, curve: Curve) -> tuple[float, float]:
        """Return the last value probed on the way to where the curve meets the bound, and the next; steps double."""
        low, high = min(self._samples), max(self._samples)
        step = max(high - low, self._step(max(abs(low), abs(high))))
        up = (self._distance(low, curve) > 0.0) == self.largest
        return (high, self.clip(high + step)) if up else (low, self.clip(low - step))

    def _inside(self, pair: tuple[float, float], curve: Curve) -> float:
        """Return the place where a straight line meets the bound, kept in the middle half of *pair*."""
        a, b = pair
        edge = 0.25 * (b - a)
        x = min(max(self._crossing(pair, curve), a + edge), b - edge)
        return min(max(round(x), a + 1), b - 1) if self._whole else x

    def _crossing(self, pair: tuple[float, float], curve: Curve) -> float:
        (a, fa), (b, fb) = ((x, self._distance(x, curve)) for x in pair)
        return b - fb * (b - a) / (fb - fa)

    def _distance(self, x: float, curve: Curve) -> float:
        """Return the distance of the condition at *x* from its bound, in logarithms if possible; positive if met."""
        value, bound = getattr(self._interval(x), curve), self._condition.bound
        away = log(value / bound) if value > 0.0 and bound > 0.0 else value - bound
        return float(away if self._condition.least else -away) or 1e-12

    def _sample(self, x: float, seeds: int) -> None:
        samples = self._samples.get(x, [])
        if len(samples) >= seeds:
            return
        frame = sweep(self._run, workers=self._workers, progress=False, store=self._store,
                      **{**self._fixed, self._name: [x], "seed": range(len(samples) + 1, seeds + 1)})
        measure = self._condition.measure
        if measure not in frame and find_measure(measure) is not None:
            raise UserError(f"{self._name} {x:g}: a run has no {measure}")
        check_known("measure", [*frame.columns], measure)
        same = is_same_run(frame)
        self._alike += [] if same is None else [same]
        samples = samples + [float(value) for value in frame[measure]]
        if not all(map(isfinite, samples)):
            raise UserError(f"{self._name} {x:g}: a run has no {measure}; observe longer")
        self._samples[x] = samples
        self._probed(self._tell(x))

    def _tell(self, x: float) -> SearchProbe:
        pair = self.crosses("mean")
        left = 0 if pair is None else sum(map(self._steps_left, CURVES)) + 1
        return SearchProbe(self._name, x, self._condition.measure, self._interval(x), pair, left, self._short)

    def _interval(self, x: float, level: float = 0.95) -> Interval:
        """Return the interval of the mean at *x*; a single value if only one seed is run."""
        samples = self._samples[x]
        return Interval(samples[0], samples[0], samples[0], 1) if self._few == 1 else confidence(samples, level)

    def _steps_left(self, curve: Curve) -> int:
        """Return about how many values are still to be run until *curve* is followed to the bound, if halved."""
        pair = self.crosses(curve)
        wide = self.ends if pair is None else pair
        return ceil(log2(max(1.0, (wide[1] - wide[0]) / self._step(max(map(abs, wide))))))

    def curve(self) -> "pd.DataFrame":
        """Return a row for each value: the mean of the measure, its 95 % interval, and the number of seeds."""
        import pandas as pd

        rows = [(x, each.mean, each.low, each.high, each.count)
                for x, each in ((x, self._interval(x)) for x in sorted(self._samples))]
        measure = self._condition.measure
        return pd.DataFrame(rows, columns=[self._name, measure, f"{measure}_low", f"{measure}_high", "seeds"])


MIN_SEEDS = 4
"""Seeds with which a value is run first: enough if it is far from the bound, as an overloaded one is."""
PILOT_SEEDS = 2
"""Seeds of a pilot at each value."""
ROUGH_PRECISION = 0.1
"""Share of the answer to which a pilot is followed."""
STRAIGHT_WIDTH = 0.05
"""Distance of two values, as a share of them, up to which a curve between them is taken as straight."""
STEP_WIDTH = 0.005
"""The same for one seed: its curve may have a step there, and the answer is one of the two."""
Guess = Callable[[Mapping[str, Any]], float]


@dataclass(frozen=True)
class FindAnswer:
    """The answer of a search: the *value* of the argument *name*, and its 95 % interval from *low* to *high*.

    An end of the interval that equals an end of the searched range may be beyond it. *curve* has a row for each probed
    value: the mean of the measure, its 95 % interval, and the number of seeds. Where *step* is true the seeds
    gave the same runs, and *low* and *high* are the values probed to either side of a step.
    """

    name: str
    condition: Condition
    value: float
    low: float
    high: float
    largest: bool
    runs: int
    curve: "pd.DataFrame"
    step: bool = False

    def text(self, unit: str = "1") -> str:
        """Return the answer as a line, in *unit*, that of the argument."""
        which = "largest" if self.largest else "smallest"
        value, low, high = (quantity(each, unit, 5, binary=True) for each in (self.value, self.low, self.high))
        known = self._beyond(unit) if self.runs == len(self.curve) else f"95 % interval {low} to {high}; "
        if self.step:
            known = f"a step lies between {low} and {high}: all seeds give the same runs; "
        return (f"{which} {self.name} with {self.condition}: {value} "
                f"({known}{self.runs} runs of {len(self.curve)} values)")

    def _beyond(self, unit: str) -> str:
        """Return text on the nearest value beyond the answer that was run; '' if the answer is an end of the range."""
        beyond = [x for x in self.curve[self.name] if (x > self.value if self.largest else x < self.value)]
        if not beyond:
            return ""
        return f"{quantity(min(beyond) if self.largest else max(beyond), unit, 5, binary=True)} does not meet it; "

    def __str__(self) -> str:
        return self.text()


class NotPartedError(UserError):
    """Both *ends* meet the *condition* on *name*, or neither does; *between* has if values between them meet it."""

    def __init__(
        self, name: str, ends: tuple[float, float], condition: Condition, both_meet: bool, between: Mapping[float, bool]
    ) -> None:
        self._name, self._ends, self._condition = name, ends, condition
        self._both, self._between = both_meet, between
        super().__init__(self.text())

    def text(self, unit: str = "1") -> str:
        """Return the mistake as a line, in *unit*, that of the argument."""
        low, high = (quantity(end, unit, 6, binary=True) for end in self._ends)
        where = "both ends" if self._both else "neither end"
        return f"{self._name} from {low} to {high}: {self._condition} holds at {where}{self._tail(unit)}"

    def _tail(self, unit: str) -> str:
        """Return text on the values between the ends, and where to search instead."""
        other = [x for x, met in self._between.items() if met is not self._both]
        shown = ", ".join(quantity(x, unit, binary=True) for x in other or self._between)
        if other:
            return f"{', not' if self._both else ', but'} at {shown} between them; search from one end to there"
        tried = f", {'and' if self._both else 'nor'} at {shown} between them" if shown else ""
        return f"{tried}; search where it holds at one"


def gain(run: Run, against: Mapping[str, object], measure: str = "response_mean") -> Run:
    """Return a run whose summary is its ``gain``: 1 - *measure* / that of the run with *against*, on the same seed."""
    return partial(_gain, run, dict(against), measure)


def _gain(run: Run, against: Mapping[str, object], measure: str, **point: Any) -> Row:
    here, there = (summary(run(**{**point, **changes})) for changes in ({}, against))
    return {"gain": 1.0 - here[measure] / there[measure]}


def find(
    run: Run, name: str, where: str | Condition, between: tuple[float, float], *, seeds: int = 10, most: int = 40,
    precision: float = 0.05, pilot: Run | None = None, guess: Guess | None = None,
    workers: Workers = None, store: Path | None = None,
    probed: Probed = lambda probe: None, **fixed: object,
) -> FindAnswer:  # fmt: skip
    """Find the end of the values of *name* that meet the condition *where*, searched *between* two of them.

    The condition must hold at one end only; whole ends mean that the argument counts. Near the answer *seeds*
    replications of a value are doubled, up to *most*, until the interval reaches at most *precision* times the answer
    to either side. *pilot* is a shorter version of the run: it is followed first, and *run* only near to where it meets
    the condition. *guess* names the value to be probed first, from the summary of a run of the middle. *probed* is
    called with each SearchProbe. With a *store* an interrupted search is resumed; the interrupt is SearchStopped, whose
    text has what was known. UserError if no value meets the condition, or all do. A run without random numbers takes
    one seed, and its answer has no interval.
    """
    if seeds < 1:
        raise UserError(f"a search takes a seed at least, not {seeds}")
    if not 0.0 < precision < 1.0:
        raise UserError(f"precision is a share of the answer, between 0 and 1, not {precision!r}")
    condition = where if isinstance(where, Condition) else Condition.read(where)
    asked = Question(name, condition, between, fixed)
    few = MIN_SEEDS if seeds > 1 else 1
    width = min(STRAIGHT_WIDTH if seeds > 1 else STEP_WIDTH, precision)
    search = RootSearch(run, asked, few, width, workers, store, probed)
    pilots = None if pilot is None else RootSearch(
        pilot, asked, PILOT_SEEDS, ROUGH_PRECISION, workers, None, probed, True)
    try:
        if pilots is None or not _follow(search, pilots, guess, seeds):
            _check_parted(search, name, condition)
            _probe_guess(search, guess, seeds)
        return _narrow(search, asked, seeds, most, precision)
    except KeyboardInterrupt:
        pair = search.crosses("mean") or (None if pilots is None else pilots.crosses("mean"))
        runs = search.runs + (0 if pilots is None else pilots.runs)
        raise SearchStopped(name, condition, pair, runs) from None


def _narrow(search: RootSearch, asked: Question, seeds: int, most: int, precision: float) -> FindAnswer:
    """Follow the three curves of *search*, with more seeds until the answer is precise enough."""
    while True:
        value, low, high = (search.root(curve, seeds) for curve in CURVES)
        low, high = min(low, high), max(low, high)
        step = search.step_at(value)
        if step is not None or seeds >= most or max(high - value, value - low) <= precision * abs(value):
            low, high = step or (low, high)
            return FindAnswer(asked.name, asked.condition, value, low, high, search.largest, search.runs,
                              search.curve(), step is not None)  # fmt: skip
        seeds = min(most, 2 * seeds)


def _follow(search: RootSearch, pilots: RootSearch, guess: Guess | None, seeds: int) -> bool:
    """Follow *pilots*; return True if the mean of *search* meets the bound near the same value."""
    try:
        if not pilots.parts():
            return False
        _probe_guess(pilots, guess, PILOT_SEEDS)
        near = pilots.root("mean", PILOT_SEEDS)
    except UserError:  # a pilot may be too short for a percentile; any other mistake will be found by the search
        return False
    search.largest = pilots.largest
    search.probe(search.clip(near), seeds)
    search.root("mean", seeds)
    return search.crosses("mean") is not None


def _check_parted(search: RootSearch, name: str, condition: Condition) -> None:
    """Raise NotPartedError if the condition holds at both ends of the *search*, or at none."""
    if not search.parts():
        raise NotPartedError(name, search.ends, condition, search.largest, search.between())


def _probe_guess(search: RootSearch, guess: Guess | None, seeds: int) -> None:
    """Probe the *guess*, made from the summary of a run of the middle."""
    if guess is not None:
        search.probe(search.clip(guess(search.middle())), seeds)
