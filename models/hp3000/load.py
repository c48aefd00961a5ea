"""Builds the load of an HP3000: scripts of terminals, a user's or the shipped ones, scaled by parameters."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from math import fsum
from pathlib import Path
from types import MappingProxyType

import spindle.workloads
from spindle.models.hp3000.data_sets import FAMILIES
from spindle.models.hp3000.load_sheets import CALIBRATED, LoadSheet
from spindle.models.hp3000.parameters import MpeParameters
from spindle.sim.error import UserError
from spindle.sim.script import Call, Choose, Deal, If, Loop, Script, Step, Think
from spindle.sim.streams import Scaled
from spindle.workloads import tepe
from spindle.workloads.program_files.reader import add_programs
from spindle.workloads.programs import Act, Answer, Compute, DataBaseCalls, Intrinsic, Program, Reply
from spindle.workloads.shipped_programs import CATALOGUE

# Scripts of terminals in files, with the user's programs, for a run without its own clerks and programmers.

def catalogue(files: Iterable[str | Path] = ()) -> Mapping[str, Program]:
    """Return the programs that scripts may run: the shipped ones, and the user's in *files* (.toml)."""
    return add_programs(CATALOGUE, map(Path, files), FAMILIES)


def scripts(*files: str | Path, programs: Iterable[str | Path] = ()) -> tuple[Script, ...]:
    """Read the terminal scripts (of TEPE, HP's terminal emulator) in *files*, for ``run(scripts=...)``.

    They may run the programs that the files *programs* describe. Scripts of the same name are numbered. UserError with
    file, line and column for a mistake.
    """
    known = catalogue(programs)
    read = [script for file in files for script in tepe.read(Path(file), known)]
    names = [script.name for script in read]
    return tuple(
        replace(script, name=f"{script.name} ({number})") if names.count(script.name) > 1 else script
        for number, script in enumerate(read, 1)
    )


SCRIPTS = Path(spindle.workloads.__file__).parent / "tepe"
MAX_TERMINALS = 10_000
CLERKS, TERMINALS = 63, 101
"""McBride & Boles (1983): terminals that enter transactions, and all with the 38 development sessions."""


@cache
def read_shipped(name: str) -> tuple[Script, ...]:
    """Read the scripts of a file that comes with Spindle."""
    return tepe.read(SCRIPTS / name, CATALOGUE)


def default_load(
    terminals: int, clerks: int, parameters: MpeParameters, sheet: LoadSheet = CALIBRATED
) -> list[Script]:
    """Return the scripts of *sheet* for *terminals* people, of whom at most *clerks* enter orders."""
    if not 1 <= terminals <= MAX_TERMINALS:
        raise UserError(f"terminals must be between 1 and {MAX_TERMINALS}, not {terminals!r}")
    if not 0 <= clerks <= MAX_TERMINALS:
        raise UserError(f"clerks must be between 0 and {MAX_TERMINALS}, not {clerks!r}")
    entering = min(clerks, terminals)
    orders = clerks_by(parameters, spread(read_shipped(sheet.clerks), entering))
    programmers = spread(read_shipped(sheet.programmers), terminals - entering, {"COBOL": parameters.cobol_scale})
    scaled = [_scale(script, parameters, parameters.development_scale) for script in programmers]
    return [*orders, *(begun for script in scaled for begun in in_phases(script, parameters.phases))]


def clerks_by(parameters: MpeParameters, scripts: Sequence[Script]) -> list[Script]:
    """Scale the *scripts* of clerks by *parameters*."""
    return [_scale(script, parameters, parameters.compute_scale, parameters.pace_scale) for script in scripts]


def spread(scripts: Sequence[Script], total: int, scales: Mapping[str, float] = MappingProxyType({})) -> list[Script]:
    """Divide *total* terminals among *scripts*, in proportion to the terminals of each times its scale in *scales*."""
    shares = [script.terminals * scales.get(script.name, 1.0) for script in scripts]
    spread_scripts, given, reached = [], 0, 0.0
    for script, share in zip(scripts, shares, strict=True):
        reached += share
        count = round(total * reached / fsum(shares)) - given
        given += count
        if count:
            spread_scripts.append(replace(script, terminals=count))
    return spread_scripts


def in_phases(script: Script, phases: int) -> list[Script]:
    """Copy *script* so that its users begin at *phases* different places of their round."""
    if phases == 1:
        return [script]
    first, rest = script.steps[:-1], script.steps[-1]
    assert isinstance(rest, Loop), "programmers go round"
    return [
        replace(
            script, name=f"{script.name} from {phase}/{phases}", terminals=terminals,
            steps=(*first, *(_begin_later(step, phase / phases) for step in rest.steps), rest),
        )
        for phase in range(phases) if (terminals := len(range(phase, script.terminals, phases)))
    ]  # fmt: skip


def _begin_later(step: Step, share: float) -> Step:
    """Shorten *step* by the *share* of a round that is over; only edits, which are most of the round, get fewer."""
    if isinstance(step, Loop) and step.times is not None:
        return replace(step, times=max(1, round(step.times * (1.0 - share))))
    return step


def _scale(script: Script, parameters: MpeParameters, computing: float, pace: float = 1.0) -> Script:
    """Multiply the times, shares and calls of *script* by *parameters*.

    *computing* multiplies the CPU time of its programs, *pace* the think and typing times of its users.
    """
    steps = tuple(_step(step, parameters, computing, pace) for step in script.steps)
    return replace(script, steps=steps, typing=script.typing / (parameters.typing_scale * pace))


def _step(step: Step, parameters: MpeParameters, computing: float, pace: float) -> Step:
    def inside(steps: tuple[Step, ...]) -> tuple[Step, ...]:
        return tuple(_step(each, parameters, computing, pace) for each in steps)

    match step:
        case Think(time):
            return Think(Scaled(time, parameters.think_scale * pace))
        case Call(Answer(program, acts)):
            control = _control(acts, parameters.touch_scale)
            scaled = Answer(program, tuple(_act(act, parameters, computing, control) for act in acts))
            return replace(step, program=scaled)
        case Loop(inner, times):
            scale = times if times is None else max(1, round(times * parameters.edits_scale))
            return replace(step, steps=inside(inner), times=scale)
        case If(_, held, otherwise):
            return replace(step, steps=inside(held), otherwise=inside(otherwise))
        case Deal(_, records):
            return replace(step, records=tuple(map(inside, records)))
        case Choose(weights, branches):
            weighed = zip(weights, branches, strict=True)
            return Choose(
                tuple(weight * _share(answer_of(branch), parameters) for weight, branch in weighed),
                tuple(inside(branch) for branch in branches),
            )
    return step


def answer_of(branch: tuple[Step, ...]) -> str:
    """Return the name of the user's request in *branch* of a choice; '' if there is none."""
    return next((step.name for step in branch if isinstance(step, Call)), "")


def _share(answer: str, parameters: MpeParameters) -> float:
    return {"ORDER": parameters.order_scale, "LIST": parameters.list_scale}.get(answer, 1.0)


def _act(act: Act, parameters: MpeParameters, computing: float, control: float) -> Act:
    match act:
        case Compute(time):
            return Compute(Scaled(time, computing))
        case DataBaseCalls(intrinsic):
            factor = control if intrinsic is Intrinsic.CONTROL else parameters.touch_scale
            return replace(act, times=Scaled(act.times, factor))
        case Reply(characters):
            return replace(act, characters=max(1, round(characters * parameters.reply_scale)))
    return act


def _control(acts: Sequence[Act], touching: float) -> float:
    """Return the factor of calls that touch no block: with it an answer keeps its number of calls, where possible."""
    calls = [act for act in acts if isinstance(act, DataBaseCalls)]
    idle = fsum(call.times.mean for call in calls if call.intrinsic is Intrinsic.CONTROL)
    rest = fsum(call.times.mean for call in calls) - idle
    return max(0.0, 1.0 + rest * (1.0 - touching) / idle) if idle else 1.0
