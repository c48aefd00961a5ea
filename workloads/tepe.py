"""TEPE scripts: what users at terminals do, written as an operator would write it (see tepe/README.md).

A script of HP's Terminal Emulator and Performance Evaluator had "the think times, typing speeds, baud rates, programs
to run, answers to give" (McBride & Boles 1983, section TEPE). The paper shows no script, so the language is our own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from spindle.sim.error import UserError
from spindle.sim.script import Call, Choose, Loop, Script, Step, Think
from spindle.workloads.programs import Program
from spindle.workloads.tepe_language.check import MAX_TERMINALS, read_sections
from spindle.workloads.tepe_language.source import Source, load, take
from spindle.workloads.tepe_language.syntax import parse_tree

SHIPPED = Path(__file__).with_name("tepe")
"""The folder of the scripts that come with Spindle."""


def read(path: Path, programs: Mapping[str, Program]) -> tuple[Script, ...]:
    """The scripts in the file *path*; RUN may name any of *programs*, whose keys are in capitals."""
    return _scripts(load(path), programs)


def parse(text: str, name: str, programs: Mapping[str, Program]) -> tuple[Script, ...]:
    """The scripts in *text*; *name* stands for a file's name where there is a mistake in it."""
    return _scripts(take(text, name), programs)


def _scripts(source: Source, programs: Mapping[str, Program]) -> tuple[Script, ...]:
    return read_sections(source, parse_tree(source), programs)


def with_terminals(scripts: tuple[Script, ...], total: int) -> tuple[Script, ...]:
    """*scripts* with *total* terminals in the first of them; the others keep theirs."""
    if not 1 <= total <= MAX_TERMINALS:
        raise UserError(f"the number of terminals must lie between 1 and {MAX_TERMINALS:,}, not be {total!r}")
    return (replace(scripts[0], terminals=total), *scripts[1:])


@dataclass(frozen=True)
class _Expected:
    """The average behaviour of a user: program calls, pauses to think, and the seconds of these."""

    calls: float = 0.0
    thinks: float = 0.0
    thinking: float = 0.0

    def plus(self, other: "_Expected", times: float = 1.0) -> "_Expected":
        return _Expected(
            self.calls + times * other.calls,
            self.thinks + times * other.thinks,
            self.thinking + times * other.thinking,
        )


def _expect(steps: tuple[Step, ...]) -> _Expected:
    """*steps* once through; of an endless loop, one round."""
    expected = _Expected()
    for step in steps:
        if isinstance(step, Call):
            expected = expected.plus(_Expected(calls=1.0))
        elif isinstance(step, Think):
            expected = expected.plus(_Expected(thinks=1.0, thinking=step.time.mean))
        elif isinstance(step, Loop):
            expected = expected.plus(_expect(step.steps), 1.0 if step.times is None else step.times)
        elif isinstance(step, Choose):
            for weight, branch in zip(step.weights, step.branches, strict=True):
                expected = expected.plus(_expect(branch), weight / sum(step.weights))
    return expected


def describe(scripts: tuple[Script, ...]) -> str:
    """One line for each script and, where there are several, one for all."""
    lines = [_describe(script) for script in scripts]
    if len(scripts) > 1:
        lines.append(f"together: {_count(sum(script.terminals for script in scripts), 'terminal')}")
    return "\n".join(lines)


def _describe(script: Script) -> str:
    endless = [step for step in script.steps if isinstance(step, Loop) and step.times is None]
    expected = _expect(endless[0].steps if endless else script.steps)
    think = f"mean think time {expected.thinking / expected.thinks:g} s" if expected.thinks else "no thinking"
    calls = f"{_count(expected.calls, 'program call')} {'a loop' if endless else 'in all'}"
    line = f"{script.baud:g} baud, {script.typing:g} characters a second"
    return f"{script.name}: {_count(script.terminals, 'terminal')} ({line}), {calls}, {think}"


def _count(number: float, what: str) -> str:
    shown = f"{number:g}"
    return f"{shown} {what}{'' if shown == '1' else 's'}"
