"""Offers the commands as functions of Python: simulate, replay, curve, sweep, find and more; values may be text."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from inspect import Parameter, getdoc, signature
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TypeVar

from spindle.cli import run_options
from spindle.cli.curve import page, watch
from spindle.cli.drive_question import DriveQuestion, answer_drive
from spindle.cli.measure import MeasureQuestion, measured_data
from spindle.measures import check_measures, full_name
from spindle.questions import field
from spindle.questions.field import description_of, flat
from spindle.questions.settings import AnySetting, PartSetting, Setting, made_of, plain_value, settings_of_run
from spindle.sim.error import UserError, quote, unknown
from spindle.sim.measure.result import Result
from spindle.sim.quantity import unit_of
from spindle.studies.idle import idle_notes
from spindle.studies.plots.terminal import SEED
from spindle.studies.settings import settings_of
from spindle.studies.sweep import find as searching
from spindle.studies.sweep.executor import Workers
from spindle.studies.sweep.grid import Run
from spindle.studies.sweep.sweep import sweep as sweeping
from spindle.system import System
from spindle.traces.character_question import CharacterQuestion, answer_character
from spindle.traces.curve.answer import answer_curve
from spindle.traces.curve.question import CurveQuestion
from spindle.traces.replay.question import ReplayQuestion
from spindle.traces.system import ReplayNumbers

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from spindle.frames import CurveFrame, SweepFrame

Asked = str | Path | System | Callable[..., Any]
"""The name of a system as on the command line (``"hp3000"``, ``"machine.py:SHOP"``), the file of a trace, a System, or
a run."""
USUAL_SEEDS = 5
"""Seeds of each point of a sweep where none are given."""
HELP_WIDTH = 100
"""Characters of a line of help."""
TRACE_SUFFIXES = (".csv", ".jsonl", ".gz", ".zst", ".xz", ".bz2", ".parquet", ".txt", ".log", ".bin", ".tar", ".zip")
"""Endings of file names of traces; a name that ends so is not taken as that of a system."""
T = TypeVar("T")


class Found(searching.FindAnswer):
    """The answer of a search; plot() draws the values that were probed."""

    def plot(self) -> "Axes":
        from spindle.studies.plots.swept import found_picture

        return found_picture(self, str)


def simulate(system: Asked, **given: Any) -> Result:
    """One run of *system*: ``simulate("hp3000", terminals=63, memory="6MiB", policy="s3-fifo")``.

    Values may be text, as on the command line. Where no users are named they are those of the paper's case. None is the
    default of an argument.

    >>> round(simulate("unix_stdio", program="w03", seconds=1).extras["us_per_call"])
    2
    """
    if isinstance(system, str | Path) and run_options.is_trace(str(system)):
        raise UserError(f"{system} is a trace: replay() replays it, and curve() has its hit ratios")
    if isinstance(system, str) and system in run_options.SINGLE_RUN_COMMANDS:
        raise UserError(f"{system} is for sweep() and find(): sweep({system!r}, ..., seeds=1) makes one run")
    run, settings = _run_and_settings(system, given)
    values = _values(settings, given)
    result = run(**values)
    if not isinstance(result, Result):
        raise UserError(f"the run must return a Result, not a {type(result).__name__}")
    parts = {name: getattr(each, "__name__", each) for name, each in given.items()
             if each is not None and isinstance(settings.get(name), PartSetting)}  # fmt: skip
    axes = {name: [value] for name, value in values.items()}
    notes = [] if callable(system) and not isinstance(system, System) else idle_notes(_system(system), axes)
    return check_measures(replace(result, parameters={**result.parameters, **parts}, notes=notes))


def _add_fields(fields_of: Callable[..., Any]) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Return a decorator that adds the fields of the question *fields_of* to a function's signature and docstring.

    The docstring gets the help that the command has for each.
    """
    asked = signature(flat(fields_of)).parameters.values()

    def sign(face: Callable[..., T]) -> Callable[..., T]:
        *named, _ = (whole := signature(face)).parameters.values()
        described = {each: description_of(each) for each in asked if each.name not in whole.parameters}
        fields = [each.replace(kind=Parameter.KEYWORD_ONLY, annotation=kind) for each, (kind, _) in described.items()]
        face.__signature__ = whole.replace(parameters=[*named, *fields])  # type: ignore[attr-defined]
        said = [line for each, (_, note) in described.items() if note.says for line in _said(each.name, note)]
        face.__doc__ = "\n".join([getdoc(face) or "", "", "Options::", "", *said])
        return face

    return sign


def _said(name: str, note: field.Asked) -> list[str]:
    """Return lines of a docstring on the option *name*."""
    words = f", one of {', '.join(word for word in note.words if word)}" if len(note.words) else ""
    return wrap(f"{name}: {note.says}{words}", HELP_WIDTH, initial_indent="  ", subsequent_indent="      ",
                break_long_words=False, break_on_hyphens=False)  # fmt: skip


@_add_fields(ReplayQuestion)
def replay(trace: str | Path, **given: Any) -> ReplayNumbers:
    """The numbers of one replay of *trace*: ``replay("t.csv", drive="hp7933", cache="1MiB", policy="lru")``.

    ``frame()`` of what is returned is a table of the responses of each device, reads and writes apart, and
    ``picture()`` draws their distributions.

    >>> round(replay("examples/trace.csv", drive="hp7933", cache="1MiB")["hit_ratio"], 3)
    0.083
    """
    _check_trace(trace)
    run, settings = _run_and_settings(str(trace), given)
    numbers: ReplayNumbers = run(**_values(settings, given))
    return numbers


@_add_fields(CurveQuestion)
def curve(trace: str | Path, **given: Any) -> "CurveFrame":
    """Hit ratios of *trace* against the size of a cache: ``curve("t.csv", policy=["lru", "arc"], sizes="1%,10%")``.

    >>> curve("examples/trace.csv", policy="lru", sizes=[16, 256])["hit_ratio"].round(3).tolist()
    [0.162, 0.181]

    Its `attrs` have what the page tells besides, as `--json` does: `lru`, `over_time`, `by_device`, `tiers` and so on.
    """
    from spindle.frames import CurveFrame  # pandas is one of an extra

    _check_trace(trace)
    answer = answer_curve(made_of(CurveQuestion, given), trace, watch())
    frame = CurveFrame(answer.table())
    frame._picture = lambda table, title: answer.picture(table, title or Path(trace).name)
    frame.attrs |= {**answer.more, "page": "\n".join(page(trace, answer)), "notes": answer.trace.faults.sentences,
                    "units": _units(frame)}  # fmt: skip
    return frame


@_add_fields(CharacterQuestion)
def characterise(trace: str | Path, **given: Any) -> dict[str, Any]:
    """Return what the block *trace* is like, as ``spindle characterise --json`` says it: ``characterise("t.csv")``.

    >>> characterise("examples/trace.csv", limit=100)["requests"]
    100
    """
    _check_trace(trace)
    return answer_character(made_of(CharacterQuestion, given), trace).data()


@_add_fields(DriveQuestion)
def drive(sheet: str | Path, requests: str | Path, **given: Any) -> dict[str, Any]:
    """Return how long the drive of *sheet* takes over a list of *requests*, as ``spindle drive --json`` says it.

    *sheet* is a file or a name: ``drive("drive.yaml", "requests.csv", open=True, scheduler="sptf")``.

    >>> drive("examples/drive.yaml", "examples/requests.csv")["times"]["response"]["all"]["requests"]
    200
    """
    return answer_drive(made_of(DriveQuestion, given), str(sheet), Path(requests)).data(str(sheet), str(requests))


@_add_fields(MeasureQuestion)
def measure(folder: str | Path, **given: Any) -> dict[str, Any]:
    """Run programs in *folder*, and return their times and those predicted, as ``spindle measure --json`` says them.

    ``measure("/tmp", quick=True)`` measures this machine. Of a file, *folder* is what was measured before.

    >>> len(measure("examples/measured.csv")["rows"]) > 0
    True
    """
    named = "from_" if Path(folder).is_file() else "folder"
    return measured_data(made_of(MeasureQuestion, {named: str(folder), **given}))


def sweep(
    system: Asked, *, seeds: int | Sequence[Any] | None = None, workers: Workers = None, progress: bool = True,
    out: str | Path | None = None, store: str | Path | None = None, **grid: Any,
) -> "SweepFrame":  # fmt: skip
    """*system* at every combination of *grid*, for each of *seeds*, 5, or 1 of a trace: one row for each run.

    A list, a range or an array is an axis: ``sweep("hp3000", terminals=[21, 63], memory=["6MiB", "8MiB"])``. *out*
    and *store* mean the same as in ``spindle sweep``. A point that cannot be run has no numbers, and a warning says so.

    >>> sweep(lambda size, seed: {"twice": 2 * size}, size=[1, 2], seeds=1)["twice"].tolist()
    [2, 4]
    """
    _check_no_seed(grid)
    lists = {name: _list(each) for name, each in grid.items()}
    run, settings = _run_and_settings(system, lists)
    read = {name: [_value(settings, name, each) for each in values] for name, values in lists.items()}
    asked = _usual_seeds(system, USUAL_SEEDS) if seeds is None else plain_value(seeds)
    if isinstance(asked, str | float | bool):
        raise UserError(f"seeds is a number of seeds, or a list of them, not {quote(str(asked))}")
    chosen = list(range(1, asked + 1)) if isinstance(asked, int) else list(asked)
    takes_seed = "seed" in signature(run).parameters or any(
        each.kind is each.VAR_KEYWORD for each in signature(run).parameters.values())  # fmt: skip
    _warn(system, read)
    frame = sweeping(run, workers=workers, progress=progress, out=out, store=store, lenient=True, **read,
                     **({SEED: chosen} if takes_seed else {}))  # fmt: skip
    run_options.warn_of_idle_axes(frame, list(read))
    texts = {name: each.text for name, each in settings.items() if name in read}
    return _annotate(frame, list(read), settings, texts)


def find(
    system: Asked, name: str, where: str, between: Sequence[Any], *, seeds: int | None = None, most: int = 40,
    precision: float = 0.05, workers: Workers = None, **fixed: Any,
) -> Found:  # fmt: skip
    """The largest or smallest *name* for which *where* is met: ``find("hp3000", "terminals", "response_p95 <= 2",
    between=(20, 200))``. There are 10 *seeds* near the answer, or 1 of a trace, which has no interval then.

    >>> find(lambda users, seed: {"response_mean": 0.1 * users}, "users", "response_mean <= 2", [1, 50]).value
    20
    """
    _check_no_seed(fixed)
    run, settings = _run_and_settings(system, {name: [], **{each: [value] for each, value in fixed.items()}})
    if isinstance(between, str) or len(between) != 2:
        what = quote(between) if isinstance(between, str) else len(between)
        raise UserError(f"between takes two values, the low end and the high end, not {what}")
    if isinstance(where, list | tuple):
        raise UserError(f"where is one condition, such as 'response_p95 <= 2', not a {type(where).__name__}")
    if name in settings and not settings[name].is_number:
        raise unknown("name of a number", name, [each for each, setting in settings.items() if setting.is_number])
    low, high = (_value(settings, name, each) for each in between)
    if isinstance(setting := settings.get(name), Setting):
        setting.check_range(name, min(low, high))
        if setting.kind is float:
            low, high = float(low), float(high)  # whole ends would mean that the argument counts
    condition = where if callable(system) else searching.Condition.read(full_name(where))
    read = {each: _value(settings, each, value) for each, value in fixed.items()}
    _warn(system, {each: [value] for each, value in read.items()})
    chosen = _usual_seeds(system, 10) if seeds is None else seeds
    answer = searching.find(run, name, condition, (low, high), seeds=chosen, most=most, precision=precision,
                            workers=workers, **read)  # fmt: skip
    return Found(**{each: getattr(answer, each) for each in answer.__dataclass_fields__})


def _warn(system: Asked, axes: Mapping[str, Sequence[Any]]) -> None:
    """Warn of what a table of runs at *axes* does not show: guesses about a trace, and options that change nothing."""
    if isinstance(system, str | Path):
        run_options.warn_of_guesses(str(system), axes)
    if isinstance(system, str | Path | System):
        run_options.warn_of_idle(_system(system), axes)


def _system(asked: str | Path | System) -> System:
    return asked if isinstance(asked, System) else run_options.system_called(str(asked))


def _check_trace(trace: object) -> None:
    if not isinstance(trace, str | Path):
        raise UserError(f"a trace is the name of a file, not a {type(trace).__name__}; DataFrame.to_csv writes one")


def _check_no_seed(given: Mapping[str, Any]) -> None:
    """UserError for a seed beside the seeds of a sweep or search, which each run gets one by one."""
    if SEED in given:
        raise UserError("seed is given by seeds here: a number of seeds; a sweep takes a list of them, too")


def _usual_seeds(system: Asked, usual: int) -> int:
    """Return 1 for a trace, whose replays draw no random numbers except errors of an array; else *usual*."""
    return 1 if isinstance(system, str | Path) and run_options.is_certain(str(system)) else usual


def _annotate(
    frame: "pd.DataFrame", axes: list[str], settings: Mapping[str, AnySetting],
    texts: Mapping[str, Callable[[Any], str]],
) -> "SweepFrame":
    from spindle.frames import SweepFrame

    annotated = SweepFrame(frame)
    annotated._texts = texts
    units = {name: setting.unit for name, setting in settings.items() if isinstance(setting, Setting)}
    annotated.attrs = {"axes": axes, "units": _units(frame, units)}
    return annotated


def _units(frame: "pd.DataFrame", known: Mapping[str, str] = {}) -> dict[str, str]:
    """Return the unit of each column of numbers, 1 for shares and counts."""
    return {name: known.get(name) or unit_of(name) for name in map(str, frame.select_dtypes("number").columns)}


def _list(value: Any) -> list[Any]:
    """Return the values of an axis as a list; a text, a named tuple or a number is one value."""
    value = plain_value(value)
    return [value] if isinstance(value, str) or hasattr(value, "_fields") or not hasattr(value, "__iter__") \
        else list(value)


def _run_and_settings(system: Asked, axes: Mapping[str, Any]) -> tuple[Run, Mapping[str, AnySetting]]:
    """Return the run of *system*, and the settings that read its text; UserError for an unknown name."""
    system = str(system) if isinstance(system, Path) else system
    if callable(system) and not isinstance(system, System):
        return system, {**settings_of_run(system)}
    if not isinstance(system, str | System):
        raise UserError(f"a system is a name, a System, the file of a trace, or a run, not a {type(system).__name__}")
    if isinstance(system, str) and Path(system).suffix in TRACE_SUFFIXES and not Path(system).exists():
        raise UserError(f"{system}: there is no such file")
    found = run_options.system_called(system) if isinstance(system, str) else system
    settings = settings_of(found)
    for name in axes:
        if name not in settings and name not in signature(found.run).parameters:
            raise unknown("name of an argument", name, settings)
    lists = {name: values if isinstance(values, list) else [values] for name, values in axes.items()}
    run = run_options.run_of(system, found, lists) if isinstance(system, str) else partial(_run_of, found)
    return run, settings


def _run_of(system: System, **point: Any) -> Any:
    """Run a *system* that has no name at *point*, whose parts are given by name."""
    return system.run(**run_options.arguments(system, point, run_options.loads(system, {
        name: [value] for name, value in point.items()})))  # fmt: skip


def _values(settings: Mapping[str, AnySetting], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values *given* by name, read and checked; None is the default."""
    return {name: _value(settings, name, each) for name, each in given.items() if each is not None}


def _value(settings: Mapping[str, AnySetting], name: str, value: Any) -> Any:
    """Read *value* where it is text, and check it otherwise."""
    if name not in settings:
        return value
    setting, value = settings[name], plain_value(value)
    if isinstance(setting, Setting) and setting.is_number and isinstance(value, list | tuple | range):
        raise UserError(f"{name} is one value here, not {quote(str(value))}: sweep takes several")
    if value is None:
        return value
    return setting.read(name, value) if isinstance(value, str) else setting.check(name, value)
