"""Answers ``spindle curve``: hit ratios of a trace by cache size, as lines of text, a table and a picture."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from spindle.output.text import plural
from spindle.questions.field import spell
from spindle.questions.words import counts, number, size
from spindle.sim import user_parts
from spindle.sim.error import UserError
from spindle.sim.quantity import amount, quantity
from spindle.traces.blocks import TraceReferences, collect_references, count_different, references_and_deletes
from spindle.traces.curve.question import AUTO, BELADY_SIZE, BOUNDS, DEFAULT_BLOCK, LRU, TTL, CurveQuestion
from spindle.traces.curves import (
    Curves,
    che,
    curve_page,
    curve_rows,
    hit_curves,
    policy_of,
    rows_within_bounds,
    usual_sizes,
)
from spindle.traces.opening import MANY_DEVICES, on_devices
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from spindle.traces.curve_answers import CurveAnswer
    from spindle.traces.objects import ObjectRules

MAX_SIZES = 1000
"""Most cache sizes of one question."""


class Shown(NamedTuple):
    """A progress bar: *update* advances it by a number of bytes or references."""

    update: Callable[[int], object]


NO_BAR = Shown(lambda count: None)


@dataclass(frozen=True)
class CurveWatch:
    """Progress bars of a command, which change no number.

    *reading* makes one for the bytes of a trace, *replaying* one for a number of references; *records* reads the
    records of a trace, up to a limit, with one.
    """

    reading: Callable[[Trace, str], AbstractContextManager[Any]] = lambda trace, what: nullcontext(NO_BAR)
    replaying: Callable[[int], AbstractContextManager[Any]] = lambda total: nullcontext(NO_BAR)
    records: Callable[[Trace, int, str], Iterable[Record]] = lambda trace, limit, what: islice(trace, limit or None)


NO_WATCH = CurveWatch()


class CurvesAnswer(NamedTuple):
    """Curves of a *trace*: *lines* of text, *rows* of the table, and a function that draws the picture.

    *more* is what the lines tell beside the curves, as plain data by name: of LRU, over time, by device, of tiers.
    """

    trace: Trace
    lines: list[str]
    rows: list[dict[str, Any]]
    picture: "Callable[[DataFrame, str], Figure]"
    more: Mapping[str, Any] = MappingProxyType({})

    def table(self) -> "DataFrame":
        from pandas import DataFrame  # which takes a while to import

        return DataFrame(self.rows)


class _Plan(NamedTuple):
    """The fields of a question, parsed. Without *sizes* and *shares* of the working set the usual sizes are taken.

    *warm_up* is a share of the references; None finds it.
    """

    policies: Sequence[str]
    sizes: Sequence[int]
    shares: Sequence[float]
    warm_up: float | None
    rules: "ObjectRules | None"

    def sizes_of(self, whole: int) -> list[int]:
        """Return the sizes that are asked for, of which shares are of the *whole* working set."""
        return sorted({max(1, round(share * whole)) for share in self.shares}) or list(self.sizes)


def answer_curve(question: CurveQuestion, path: str | Path, watch: CurveWatch | None = None) -> CurvesAnswer:
    """Compute the curves of the trace at *path*."""
    question.check()
    seen, rules = NO_WATCH if watch is None else watch, _rules(question)
    plan = _Plan(_policies(question, rules), _sizes(question), _shares(question), _warm_up(question), rules)
    return _Curves(question, plan, seen).answer(path)


class _Curves:
    """The curves of one question, computed in one way of three: of all blocks, of objects, or of a sample."""

    def __init__(self, question: CurveQuestion, plan: _Plan, watch: CurveWatch) -> None:
        self._question, self._plan, self._watch = question, plan, watch
        self._stack = None
        if question.layers.tiers:
            from spindle.traces.curve.tier_answer import stack_of

            self._stack = stack_of(question)
        self._below = None
        if question.response:
            from spindle.traces.curve_responses import storage_below

            self._below = storage_below(question)

    def answer(self, path: str | Path) -> CurvesAnswer:
        source = self._question.source
        trace = source.open(path, MANY_DEVICES) if self._below is None else on_devices(source.open(path))
        if self._plan.rules is not None:
            return self._objects(trace, self._plan.rules)
        return self._sample_curves(trace) if self._question.sample else self._whole(trace)

    def _whole(self, trace: Trace) -> CurvesAnswer:
        """Curves of the whole trace, and the responses above the storage below."""
        question, plan, string = self._question, self._plan, self._read(trace)
        unique = count_different(string.blocks)
        given, (early, settled) = plan.sizes_of(unique), self._find_warm_up(string)
        sizes = given or usual_sizes(plan.policies, unique)
        lines, more, lru = list[str](), dict[str, Any](), None
        with self._watch.replaying(len(string.blocks) * len(plan.policies)) as bar:
            if LRU in plan.policies or question.over_time or question.by_device or self._stack is not None:
                from spindle.traces.curve_answers import curve_answer

                of_lru = curve_answer(string, given, early)
                (lines, more), lru = self._more(string, of_lru), of_lru.curve
                del of_lru
            found = hit_curves(string.blocks, plan.policies, sizes, bar.update, early, string.drops, lru)
            rows = rows_within_bounds(found)
        curves = Curves(rows, sizes, che(string.blocks, sizes, early) if LRU in plan.policies else {})
        responses = self._responses(trace, curves.sizes)
        block = None if string.keyed else int(question.block)
        said = [*settled, *_delete_lines(len(string.drops.places)), *curve_page(curves, block, responses), *lines]
        return _make_answer(trace, curves, block, said, responses)._replace(more={"warm_up_references": early, **more})

    def _responses(self, trace: Trace, sizes: Sequence[int]) -> dict[tuple[str, int], float]:
        if self._below is None:
            return {}
        from spindle.traces.curve_responses import mean_responses

        found = mean_responses(lambda: self._watch.records(trace, self._question.source.limit, "simulating"),
                               *self._below, self._plan.policies, sizes)  # fmt: skip
        return {(policy, blocks): seconds for policy, blocks, seconds in found}

    def _objects(self, trace: Trace, rules: "ObjectRules") -> CurvesAnswer:
        """Hit ratios of requests and bytes, by replaying each policy at each size."""
        from spindle.traces.object_page import object_page, object_rows
        from spindle.traces.objects import object_curves, object_references, usual_capacities, working_set_of

        plan, string = self._plan, self._read(trace)
        early, settled = self._find_warm_up(string)
        found = object_references(string, int(self._question.block), rules)
        sizes = plan.sizes_of(working_set_of(found, rules)) or usual_capacities(found, rules)
        with self._watch.replaying(len(found.keys) * len(plan.policies)) as bar:
            rows = rows_within_bounds(object_curves(found, plan.policies, sizes, early, rules, bar.update))

        def picture(table: "DataFrame", title: str) -> "Figure":
            from spindle.traces.pictures import object_picture

            return object_picture(table, title)

        lines = [*settled, *_delete_lines(len(string.drops.places)), *object_page(rows, found, rules)]
        return CurvesAnswer(trace, lines, object_rows(rows, rules), picture)

    def _sample_curves(self, trace: Trace) -> CurvesAnswer:
        from spindle.traces.curve.samples import sampled_curves, sampled_sizes, take_samples

        question, plan = self._question, self._plan
        block = None if next(iter(trace)).keys else int(question.block)
        with self._watch.reading(trace, "reading") as bar:
            limit = question.source.limit
            whole = iter(self._watch.records(trace, limit, "reading")) if limit else trace
            samples = take_samples(references_and_deletes(whole, int(question.block), bar.update), question.sample)
        sizes = plan.sizes_of(samples.unique) or sampled_sizes(
            samples, len(usual_sizes(plan.policies, samples.unique)))  # fmt: skip
        with self._watch.replaying(sum(map(len, samples.references)) * len(plan.policies)) as bar:
            rows = sampled_curves(samples, plan.policies, sizes, bar.update)
            curves = Curves(rows_within_bounds(rows), sizes, {})
        lines = [*_delete_lines(samples.deletes), *curve_page(curves, block, {})]
        return _make_answer(trace, curves, block, lines, {})

    def _read(self, trace: Trace) -> TraceReferences:
        block = int(self._question.block)
        with self._watch.reading(trace, "reading") as bar:
            string = collect_references(trace, block, self._question.source.limit or None, bar.update, self._columns())
        if string.keyed and block != DEFAULT_BLOCK and self._stack is None:
            trace.faults.note(f"{spell('block')} is for requests to devices, and this trace asks for objects by key")
        return string

    def _columns(self) -> Set[str]:
        """Return the columns of requests that the answer looks at."""
        columns = {"times", "counts"} if self._question.over_time else set[str]()
        columns |= {"whose", "writes", "counts"} if self._question.by_device else set()
        return columns if self._plan.rules is None else columns | {"sizes", "counts", "times", "ttls", "writes"}

    def _find_warm_up(self, string: TraceReferences) -> tuple[int, list[str]]:
        """Return the number of references that do not count, and a line if it was found in the trace."""
        if self._plan.warm_up is not None:
            return round(self._plan.warm_up * len(string.blocks)), []
        from spindle.traces.curve_answers import settling_end

        early = settling_end(string.blocks)
        return early, [f"the first {early:,} references warm up: then the hits of LRU have settled (MSER-5)"]

    def _more(self, string: TraceReferences, answers: "CurveAnswer") -> tuple[list[str], dict[str, Any]]:
        """Return what is told beside the curves, as lines and as data."""
        from spindle.traces.curve_answers import by_device, over_time, part_lines, sentences

        question = self._question
        lines = sentences(answers, None if string.keyed else int(question.block))
        more: dict[str, Any] = {LRU: answers.data()}
        for name, find in (("over_time", over_time), ("by_device", by_device)):
            if getattr(question, name):
                parts = find(answers, string)
                lines += part_lines(f"{LRU} {name.replace('_', ' ')}", parts)
                more[name] = [row for part in parts for row in part.rows()]
        if self._stack is not None:
            found, best = self._stack.answers(string, answers, self._plan.policies), self._stack.frontier(answers)
            return lines + self._stack.lines(found, best), more | self._stack.data(found, best)
        return lines, more


def _make_answer(
    trace: Trace, curves: Curves, block: int | None, lines: list[str], responses: Mapping[tuple[str, int], float]
) -> CurvesAnswer:
    def picture(table: "DataFrame", title: str) -> "Figure":
        from spindle.traces.pictures import curve_picture

        return curve_picture(table, {}, title)

    rows = curve_rows(curves, responses, "cache_objects" if block is None else "cache_blocks")
    return CurvesAnswer(trace, lines, rows, picture)


def _delete_lines(deletes: int) -> list[str]:
    said = f"{plural(deletes, 'delete')}: each takes its object out of the caches, and is no reference"
    return [said] if deletes else []


# The plan, read from the words of the question.

def _rules(question: CurveQuestion) -> "ObjectRules | None":
    if not question.has_objects():
        return None
    from spindle.traces.curve.object_hits import ADMISSIONS
    from spindle.traces.objects import ObjectRules

    admission = user_parts.part("admission", question.admit, ADMISSIONS)
    admission()  # refuses arguments that cannot be
    return ObjectRules(question.bytes, TTL[question.ttl], admission)


def _policies(question: CurveQuestion, rules: "ObjectRules | None") -> list[str]:
    names = user_parts.split(question.policy)
    for name in names:
        if question.layers.tiers and name in BOUNDS:
            raise UserError(f"{spell('tiers')}: {name} is a bound of one cache, and no policy of tiers")
        if name != BELADY_SIZE or not question.bytes:
            policy_of(name)
            if rules is not None and rules.in_bytes:
                from spindle.traces.objects import check_fits_bytes

                check_fits_bytes(name)
        if names.count(name) > 1:
            raise UserError(f"{spell('policy')} names {name} twice")
    return names


def _shares(question: CurveQuestion) -> list[float]:
    """Sizes as shares of all that is asked for, such as 1%; none where they are no shares."""
    text, name = question.sizes, spell("sizes")
    if "%" not in text:
        return []
    shares = [number(name, each.strip().removesuffix("%")) / 100 for each in text.split(",")]
    if not all(each.strip().endswith("%") for each in text.split(",")) or not all(0 < share <= 1 for share in shares):
        raise UserError(f"{name} takes sizes, or shares of the working set above 0% and up to 100%, not {text}")
    return sorted(set(shares))


def _sizes(question: CurveQuestion) -> list[int]:
    """Read the sizes; empty where none or shares are given, which are computed when the blocks are known."""
    if question.sizes == "" or "%" in question.sizes:
        return []
    name, text = spell("sizes"), question.sizes
    if not question.bytes:
        _refuse_bytes(question)
    sizes = sorted({size(name, each) for each in text.split(",")} if question.bytes else {*counts(name, text)})
    if len(sizes) > MAX_SIZES:
        raise UserError(f"{name} names {len(sizes)} sizes, and {MAX_SIZES} are the most")
    return sizes


def _refuse_bytes(question: CurveQuestion) -> None:
    """Raise UserError for sizes such as 64M, which say how many blocks that would be."""
    for text in question.sizes.split(","):
        if text.strip()[-1:].isalpha() and (read := amount(text, "bytes")) is not None:
            block = quantity(int(question.block), "bytes")
            raise UserError(f"{spell('sizes')} counts blocks or objects, and {text.strip()} are bytes: "
                            f"{max(1, int(read) // int(question.block))} blocks of {block}; "
                            f"{spell('bytes')} takes bytes, of objects with sizes")  # fmt: skip


def _warm_up(question: CurveQuestion) -> float | None:
    if question.warm_up == AUTO:
        return None
    name = spell("warm_up")
    share = number(name, question.warm_up)
    if not 0.0 <= share < 1.0:
        raise UserError(f"{name} must be a share of the references from 0 up to 1, not {share!r}")
    return share
