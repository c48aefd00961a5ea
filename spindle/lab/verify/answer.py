"""Answers ``spindle verify``: predicts every case of each layer, and lists errors by group and quantity.

A layer is a part of a machine, with a folder of measurements that its model predicts.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from spindle.lab.verify.form import IN_TURN, ROW_GROUPS, SHARED, EvidenceLayer, Goal
from spindle.lab.verify.kinds import LAYER_KINDS, LayerKind
from spindle.lab.verify.point import EvidencePoint, PointErrors, errors_of
from spindle.output.origin import commit
from spindle.sim.error import check_known, known_choice

if TYPE_CHECKING:
    from pandas import DataFrame

HEADING = f"{'quantity':<32} {'points':>6} {'median':>7} {'mean':>7} {'worst':>7} {'<=10%':>6} {'<=20%':>6}"
ROW = "{:<32} {:>6} {:>7.1f} {:>7.1f} {:>7.1f} {:>6.0%} {:>6.0%}"


@dataclass(frozen=True)
class Verified:
    """A *layer* and its predicted *points* by group; none if its data are missing."""

    layer: EvidenceLayer
    points: dict[str, list[EvidencePoint]]

    def rows(self) -> Iterator[tuple[str, Goal, list[EvidencePoint]]]:
        """Yield each group, each goal that has points in it, and these points."""
        for group, points in self.points.items():
            for goal in self.layer.goals:
                if chosen := [point for point in points if point.quantity == goal.quantity]:
                    yield group, goal, chosen


def verify(layer: EvidenceLayer) -> Verified:
    """Predict every case of *layer*; no case if its data are missing."""
    kind = known_choice("kind of layer", LAYER_KINDS, layer.kind)
    for goal in layer.goals:
        check_known(f"quantity of {layer.kind}", kind.quantities, goal.quantity)
    points: dict[str, list[EvidencePoint]] = {}
    for group, case in layer.cases() if layer.data.is_dir() else ():
        points.setdefault(group, []).extend(kind.predict(layer.data, case, layer.settings))
    if points and layer.choose:
        points[IN_TURN] = [point for case in _in_turn(layer, kind) for point in case]
    return Verified(layer, points)


def _in_turn(layer: EvidenceLayer, kind: LayerKind) -> Iterator[list[EvidencePoint]]:
    """Yield the points of each fitted case, predicted with the value of the setting that is best for all others."""
    ((name, values),) = layer.choose.items()
    told = [{case: list(kind.predict(layer.data, case, {**layer.settings, name: value})) for case in layer.fit}
            for value in values]  # fmt: skip
    judged = {goal.quantity for goal in layer.goals}
    for case in layer.fit:
        def off(answers: dict[str, list[EvidencePoint]], left_out: str = case) -> float:
            errors = errors_of([point for other, points in answers.items() if other != left_out
                                for point in points if point.quantity in judged])  # fmt: skip
            return errors.mean if errors is not None else 0.0

        yield min(told, key=off)[case]


def page(answers: Iterable[Verified]) -> list[str]:
    """Return the text of *answers*: all errors, in percent."""
    lines = [f"errors in percent of what was measured; commit {commit()}"]
    for answer in answers:
        lines += ["", *_layer_lines(answer)]
    return lines


def _layer_lines(answer: Verified) -> Iterator[str]:
    layer = answer.layer
    yield layer.name
    if not answer.points:
        yield f"  no data at {layer.data}: {layer.source}; {SHARED} names another folder"
        return
    yield f"  fitted: {layer.rules or 'nothing'}"
    for group in (*ROW_GROUPS.values(), IN_TURN):
        rows = [(goal, points) for name, goal, points in answer.rows() if name == group]
        if rows:
            yield f"  {group}"
            yield f"    {HEADING}"
        for goal, points in rows:
            yield f"    {_line(goal, points)}"


def _line(goal: Goal, points: Sequence[EvidencePoint]) -> str:
    errors = errors_of(points)
    if errors is None:
        return f"{goal.quantity:<32} {len(points):>6} predicted; what was measured is not here"
    row = ROW.format(goal.quantity, errors.number, errors.median, errors.mean, errors.worst, errors.within_10,
                     errors.within_20)  # fmt: skip
    return "  ".join(filter(None, (row, *_verdict(goal, errors))))


def _verdict(goal: Goal, errors: PointErrors) -> Iterator[str]:
    """Yield the texts that tell if the goal is met, and the anchor: the published error of another simulator."""
    reached = errors.worst if goal.worst else errors.mean
    if goal.must is not None:
        yield f"{'holds' if reached <= goal.must else 'fails'}  must be {goal.must:g}"
    if goal.anchor is not None:
        yield f"{goal.by}: {goal.anchor:g}"


def errors_table(answers: Iterable[Verified]) -> list[dict[str, object]]:
    """Return a row for each group and quantity, for JSON and for the picture."""
    return [{"layer": answer.layer.name, "group": group, "quantity": goal.quantity, "predicted": len(points),
             "must": goal.must, "anchor": goal.anchor, "by": goal.by,
             **(asdict(errors) if (errors := errors_of(points)) is not None else {})}
            for answer in answers for group, goal, points in answer.rows()]  # fmt: skip


def points_frame(answers: Iterable[Verified]) -> "DataFrame":
    import pandas as pd  # takes a second

    rows = [(answer.layer.name, group, point.case, point.quantity, point.predicted, point.measured, point.error)
            for answer in answers for group, points in answer.points.items() for point in points]  # fmt: skip
    return pd.DataFrame(rows, columns=["layer", "group", "case", "quantity", "predicted", "measured", "error_percent"])
