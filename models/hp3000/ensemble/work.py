"""What is fitted to the uncached machine, and a member's load and runs with it."""

from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, fields, replace
from math import exp, log
from typing import Any

from models.hp3000.ensemble.member import Member
from models.hp3000.load import default_load
from models.hp3000.machine import Choices
from models.hp3000.parameters import Parameters
from models.hp3000.run import run
from models.hp3000.runs.other_work import OtherWork
from sim.script import Call, Choose, Loop, Script, Step
from sim.streams import Scaled
from workloads.programs.program import Act, Answer, Compute, DataBase, Intrinsic


@dataclass(frozen=True)
class Knobs:
    """The four numbers that are fitted, each as a multiple of what the default machine has.

    *pace* multiplies the clerks' think and typing times, *computing* the CPU time of data base calls and programs,
    *touching* the calls that touch a block, at the cost of those that do not, *records* those of development files.
    """

    pace: float = 1.0
    computing: float = 1.0
    touching: float = 1.0
    records: float = 1.0

    @property
    def logs(self) -> list[float]:
        return [log(each) for each in astuple(self)]

    @staticmethod
    def of(logs: Sequence[float]) -> "Knobs":
        return Knobs(*(exp(each) for each in logs))

    def settings(self) -> dict[str, float]:
        """What of it are parameters of a run; the rest is in the scripts."""
        usual = Parameters()
        return {"call_cpu": usual.call_cpu * self.computing, "records_scale": usual.records_scale * self.records}

    def row(self) -> dict[str, float]:
        return asdict(self)


NAMES = tuple(each.name for each in fields(Knobs))


def simulate(
    member: Member, knobs: Knobs, terminals: int, development: int, caching: bool, seed: int, minutes: float,
    warm_up: float, other_work: float = 0.0, **changes: Any,
) -> dict[str, float]:  # fmt: skip
    """The summary of one run of *member*, with the *changes* that an experiment makes to its parameters."""
    if other_work:
        changes["watch"] = OtherWork(other_work, seed)
    result = run(
        caching=caching, seed=seed, minutes=minutes, warm_up=warm_up, keep_rows=False,
        scripts=load(knobs, terminals, development), choices=Choices(hold=member.hold, alignment=member.alignment),
        **{**member.settings(), **knobs.settings(), **changes},
    )  # fmt: skip
    summary = result.summary()
    return summary | {"paused": summary["paused_disc"] + summary["paused_swap"]}


def load(knobs: Knobs, terminals: int, development: int) -> list[Script]:
    """The shipped scripts, with clerks as fast and programs as heavy as the *knobs* say."""
    usual = Parameters().think_scale
    scripts = []
    if terminals:
        clerks = default_load(terminals, 0, usual * knobs.pace)
        scripts += [replace(script, typing=script.typing / knobs.pace) for script in clerks]
    if development:
        scripts += [each for script in default_load(0, development, usual) for each in begun(script)]
    return [replace(script, steps=_heavier(script.steps, knobs)) for script in scripts]


PLACES = 4
"""Of a programmer's round of some six minutes, in which programmers begin; so that a short run sees all of it."""


def begun(script: Script) -> list[Script]:
    """*script*, its users divided among so many places of their round at which they begin.

    The shipped ones begin together, and all compile at the same time until they have drifted apart.
    """
    first, rest = script.steps[:-1], script.steps[-1]
    assert isinstance(rest, Loop)
    return [
        replace(
            script, name=f"{script.name} from {place}/{PLACES}", terminals=terminals,
            steps=(*first, *(_later(step, place / PLACES) for step in rest.steps), rest),
        )
        for place in range(PLACES) if (terminals := len(range(place, script.terminals, PLACES)))
    ]  # fmt: skip


def _later(step: Step, share: float) -> Step:
    """*step* of a round of which that *share* is over: so much is taken off the edits, which are most of it."""
    if isinstance(step, Loop) and step.times is not None:
        return replace(step, times=max(1, round(step.times * (1.0 - share))))
    return step


def _heavier(steps: tuple[Step, ...], knobs: Knobs) -> tuple[Step, ...]:
    return tuple(_step(step, knobs) for step in steps)


def _step(step: Step, knobs: Knobs) -> Step:
    match step:
        case Call(Answer(program, acts), name):
            control = _control(acts, knobs.touching)
            return Call(Answer(program, tuple(_act(act, knobs, control) for act in acts)), name)
        case Loop(inner, times):
            return Loop(_heavier(inner, knobs), times)
        case Choose(weights, branches):
            return Choose(weights, tuple(_heavier(branch, knobs) for branch in branches))
    return step


def _act(act: Act, knobs: Knobs, control: float) -> Act:
    match act:
        case Compute(time):
            return Compute(Scaled(time, knobs.computing))
        case DataBase(intrinsic):
            factor = control if intrinsic is Intrinsic.CONTROL else knobs.touching
            return replace(act, times=Scaled(act.times, factor))
    return act


def _control(acts: Sequence[Act], touching: float) -> float:
    """What multiplies an answer's calls that touch no block, so that it makes as many calls as before, if it can."""
    calls = [act for act in acts if isinstance(act, DataBase)]
    idle = sum(call.times.mean for call in calls if call.intrinsic is Intrinsic.CONTROL)
    rest = sum(call.times.mean for call in calls) - idle
    return max(0.0, 1.0 + rest * (1.0 - touching) / idle) if idle else 1.0
