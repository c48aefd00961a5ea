"""Makes hit curves a system, so that ``sweep`` and ``find`` can vary every option; a run is one policy at one size."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any

from spindle.questions.field import Asked, description_of, flat
from spindle.sim.error import UserError
from spindle.system import System
from spindle.traces.curve.answer import answer_curve
from spindle.traces.curve.question import CurveQuestion

CURVE_ANSWERS = ("hit_ratio", "byte_hit_ratio", "response_mean")
"""Main measures of a run."""
TRACE = Asked("the trace, which may be several with commas between: an axis", metavar="TRACE")
SIZES_AXIS = Asked("blocks of the cache, or with --bytes its bytes: one, or several with commas between", least=1)
question = flat(CurveQuestion)


@dataclass(frozen=True)
class CurveParameters:
    """The parameters of a curve, which has none: all settings are arguments of its run."""


def run(trace: Path | None = None, sizes: int | None = None, seed: object = 1, **given: Any) -> dict[str, float]:
    """Return the numbers of the curve of *trace* at the one size *sizes*; no *seed* changes them."""
    if trace is None or sizes is None:
        raise UserError(f"{'trace' if trace is None else 'sizes'} must be given: each run has one trace and one size")
    rows = answer_curve(question(sizes=str(sizes), **given), trace).rows
    if len(rows) != 1:
        raise UserError("policy must name one: each run has one policy")
    return {name: value for name, value in rows[0].items()
            if value is not None and name not in KNOWN and not name.startswith("cache_")}  # fmt: skip


def _one(parameter: Parameter) -> Parameter:
    """Return the *parameter* policy, which takes one at a time here."""
    kind, asked = description_of(parameter)
    return parameter.replace(annotation=Annotated[kind, replace(asked, whole=False, metavar="NAME")])


def _parameters() -> list[Parameter]:
    """Return the trace, the fields of a curve with one policy and one size, and the seed, as arguments."""
    fields = {**signature(question).parameters}
    own = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation=Annotated[kind, asked])
           for name, kind, asked in (("trace", Path, TRACE), ("sizes", int, SIZES_AXIS))]  # fmt: skip
    fields["policy"] = _one(fields["policy"])
    del fields["sizes"]
    return [*own, *fields.values(), signature(run).parameters["seed"]]


KNOWN = {each.name for each in _parameters()}
"""Names of arguments, which are columns of a sweep already."""


def curve_system(name: str) -> System:
    """Build the system of curves."""
    points: Callable[..., Any] = lambda **given: run(**given)  # noqa: E731
    points.__signature__ = signature(run).replace(parameters=_parameters())  # type: ignore[attr-defined]
    return System(name, "Hits of a trace against the size of a cache", points, CurveParameters(), answers=CURVE_ANSWERS)
