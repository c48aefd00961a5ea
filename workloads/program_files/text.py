"""Writes programs as TOML that the reader accepts, with the mean demands of each answer as comments."""

import re
from collections.abc import Iterator
from json import dumps
from math import fsum

from spindle.sim.quantity import quantity
from spindle.sim.streams import Constant, Distribution, Exponential, Normal, Uniform
from spindle.workloads import programs

TEXT_DIGITS = 15
"""Digits of a number, few enough that it is read exactly as it was written."""
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
"""A key of TOML that needs no quotes."""


def text_of(program: programs.Program) -> str:
    """Return *program* as TOML; a comment above each answer has its mean demands."""
    return "\n".join(_lines(program))


def _lines(program: programs.Program) -> Iterator[str]:
    name = _key(program.name)
    yield f"[{name}]"
    yield from _memory(program)
    yield f'stack = "{_bytes(program.stack_bytes)}"'
    yield f"# {_asks(program.starting)}"
    yield from _list("starting", program.starting)
    for subsystem in dict.fromkeys(act.subsystem for act in program.acts() if isinstance(act, programs.Enter)):
        yield f"\n[{name}.subsystems.{_toml_string(subsystem.name)}]"
        yield from _memory(subsystem)
        if not subsystem.shared:
            yield "shared = false"
    yield f"\n[{name}.answers]"
    for word, acts in program.answers.items():
        yield f"# {_asks(acts)}"
        yield from _list(_key(word), acts)


def _key(word: str) -> str:
    return word if BARE_KEY.fullmatch(word) else _toml_string(word)


def _toml_string(text: str) -> str:
    """Return *text* as a string of TOML, which knows no pairs of surrogates: every letter is written as it is."""
    return dumps(text, ensure_ascii=False)


def _memory(program: programs.Program | programs.Subsystem) -> Iterator[str]:
    yield f"code_segments = {program.code_segments}"
    yield f'segment = "{_bytes(program.segment_bytes)}"'
    if program.work_segments:
        yield f"work_segments = {program.work_segments}"
        yield f'work = "{_bytes(program.work_bytes)}"'


def _list(key: str, acts: tuple[programs.Act, ...]) -> Iterator[str]:
    yield f"{key} = ["
    for act in acts:
        yield f"  {{ {', '.join(f'{name} = {value}' for name, value in _act(act))} }},"
    yield "]"


def _act(act: programs.Act) -> Iterator[tuple[str, str]]:
    match act:
        case programs.Compute(time):
            yield "compute", f'"{_distribution_text(time, "s")}"'
        case programs.DataBaseCalls(intrinsic, data_set, times):
            word = intrinsic.value.partition(",")[0]
            yield from (("call", f'"{word}"'), ("on", _toml_string(data_set)), *_times(times))
        case programs.ReadFile(file, record, times, sequential) | programs.WriteFile(file, record, times, sequential):
            verb = "read" if isinstance(act, programs.ReadFile) else "write"
            yield from ((verb, _toml_string(file)), ("record", str(record)), *_times(times))
            if not sequential:
                yield "sequential", "false"
        case programs.KeyedFile(file, times):
            yield from (("keyed", _toml_string(file)), *_times(times))
        case programs.Reply(characters, says):
            yield "reply", str(characters)
            if says:
                texts = (f"{_toml_string(text)} = {quantity(percent, '1', TEXT_DIGITS)}" for text, percent in says)
                yield "says", f"{{ {', '.join(texts)} }}"
        case programs.Enter(subsystem):
            yield "enter", _toml_string(subsystem.name)


def _times(times: Distribution) -> Iterator[tuple[str, str]]:
    if times != Constant(1):
        drawn = _distribution_text(times, "1")
        yield "times", drawn if isinstance(times, Constant) else f'"{drawn}"'


def _distribution_text(times: Distribution, unit: str) -> str:
    match times:
        case Uniform(low, high):
            return f"uniform {quantity(low, unit, TEXT_DIGITS)} to {quantity(high, unit, TEXT_DIGITS)}"
        case Normal(centre, deviation):
            return f"normal {quantity(centre, unit, TEXT_DIGITS)} by {quantity(deviation, unit, TEXT_DIGITS)}"
        case Exponential(mean):
            return f"exponential {quantity(mean, unit, TEXT_DIGITS)}"
    return quantity(times.mean, unit, TEXT_DIGITS)


def _bytes(size: int) -> str:
    return quantity(size, "bytes", TEXT_DIGITS)


def _asks(acts: tuple[programs.Act, ...]) -> str:
    """Describe the mean CPU time, calls and records of *acts*, before any scale of a machine."""
    calls = [act for act in acts if isinstance(act, programs.DataBaseCalls)]
    touching = [act for act in calls if act.intrinsic is not programs.Intrinsic.CONTROL]
    counted = {
        "calls of the data base": fsum(act.times.mean for act in calls),
        "of them for blocks": fsum(act.times.mean for act in touching),
        "records by key": fsum(act.times.mean for act in acts if isinstance(act, programs.KeyedFile)),
        "records read": fsum(act.times.mean for act in acts if isinstance(act, programs.ReadFile)),
        "records written": fsum(act.times.mean for act in acts if isinstance(act, programs.WriteFile)),
    }
    seconds = fsum(act.time.mean for act in acts if isinstance(act, programs.Compute))
    return ", ".join([f"CPU {quantity(seconds, 's')}", *(f"{what} {n:g}" for what, n in counted.items() if n)])
