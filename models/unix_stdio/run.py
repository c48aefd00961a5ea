"""One run of one program of buffered I/O."""

from dataclasses import dataclass

import simpy

from models.unix_stdio.asked import asked
from models.unix_stdio.extras import extras
from models.unix_stdio.machines import LECTURE
from models.unix_stdio.parameters import Parameters
from models.unix_stdio.stack import Stack
from sim.clock import pause
from sim.disc.mechanism import DiscType
from sim.error import UserError
from sim.measure.laws import check_cpu, check_drive
from sim.measure.recorder import Recorder
from sim.measure.result import Result
from sim.measure.simulate import Onlooker, Watch
from sim.parameter import changed
from sim.terminal import Transaction
from sim.units import Bytes
from workloads.stdio import Program

MOST_SECONDS = 1e9


@dataclass(frozen=True)
class Choices:
    """What may be exchanged: the *machine*, and the *drive*, without which the machine's own R and U describe it."""

    machine: Parameters = LECTURE
    drive: DiscType | None = None


def run(
    program: str = "w03",
    block: Bytes | None = None,
    size: Bytes | None = None,
    stride: Bytes | None = None,
    seed: object = 1,
    seconds: float = 1000.0,
    warm: bool = False,
    flags: str | None = None,
    advice: str | None = None,
    choices: Choices | None = None,
    keep_rows: bool = True,
    watch: Watch | None = None,
    **parameters: object,
) -> Result:
    """Run one of the programs w01 to r08, or one in a file, as it is or with something changed in it.

    A stride of 0 is from front to back. *flags* are those of open, O_SYNC or O_SYNC,O_DIRECT; *advice* is normal,
    sequential or random.

    It is interrupted after so many *seconds*, or 25,000 requests of the disc. What it reads is *warm* in the page
    cache or not; what it writes is a new file. The run goes on until nothing is at risk any more. Any field of
    Parameters may be given by name.
    """
    chosen = asked(program, block, size, stride, flags, advice)
    return perform(chosen, seed, seconds, warm, choices, keep_rows, watch, **parameters)


def perform(
    program: Program, seed: object = 1, seconds: float = 1000.0, warm: bool = False, choices: Choices | None = None,
    keep_rows: bool = True, watch: Watch | None = None, **parameters: object,
) -> Result:  # fmt: skip
    """The same for any program."""
    stack = performed(program, seconds, warm, choices, watch, **parameters)
    env, progress = stack.machine.env, stack.performer.progress
    recorder = Recorder(keep=keep_rows)
    row = Transaction("program", program.name, 0.0, progress.seconds, progress.seconds, progress.parts)
    recorder.record(row, progress.charges)
    said = {"program": program.name, "block": program.block, "size": program.size, "stride": program.stride,
            "flags": ",".join(sorted(program.flags)), "advice": program.advice.name.lower(), "warm": warm,
            **parameters}  # fmt: skip
    return Result("unix_stdio", said, seed, 0.0, env.now, stack.machine.reading(), recorder, (), 0, extras(stack, seed))


def performed(
    program: Program, seconds: float = 1000.0, warm: bool = False, choices: Choices | None = None,
    watch: Watch | None = None, **parameters: object,
) -> Stack:  # fmt: skip
    """The stack after *program* has run on it and nothing is at risk any more."""
    if not 0.0 < seconds <= MOST_SECONDS:
        raise UserError(f"seconds must be positive and at most {MOST_SECONDS:g}, not {seconds!r}")
    chosen = choices or Choices()
    env = simpy.Environment()
    stack = Stack(env, changed(chosen.machine, **parameters), chosen.drive, program, warm, seconds)
    if isinstance(watch, Onlooker):
        watch.attend(stack.machine, None, 0.0, seconds)
    work = env.process(stack.performer.perform())
    env.run(until=work)
    while stack.write_back.unsafe:
        env.run(until=pause(env, 1.0))
    if watch is not None:
        watch(env.now, env.now)
    check_cpu(stack.cpu.reading(), env.now)
    check_drive("drive", stack.disc.drive.reading(), env.now)
    return stack
