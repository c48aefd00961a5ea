"""Runs a program of buffered I/O, of the lecture CS61 or from a file, with options and changed arguments."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import simpy

from spindle.models.unix_stdio.page_cache.read_ahead import FileReadAhead
from spindle.models.unix_stdio.parameters import LECTURE, UnixParameters
from spindle.models.unix_stdio.program_calls import LISTED_CALLS, StracedResult
from spindle.models.unix_stdio.stack import Prefetcher, UnixStack, extras
from spindle.questions.field import ask, flat
from spindle.questions.runs import RECORDED, Recorded
from spindle.sim.disc.flash.drive import DriveType
from spindle.sim.error import UserError, check_known, unknown
from spindle.sim.measure import engine
from spindle.sim.measure.load import Window
from spindle.sim.measure.result import Result
from spindle.sim.parameter import change
from spindle.sim.units import Bytes
from spindle.workloads.stdio import Advice, Flag, StdioProgram
from spindle.workloads.stdio_files import programs, read

MAX_PROGRAM_TIME = 1e9
FILE_SUFFIX = ".toml"
FLAGS = {flag.value: flag for flag in Flag}
ADVICE = {advice.value.removeprefix("POSIX_FADV_").lower(): advice for advice in Advice}


@dataclass(frozen=True)
class UnixOptions:
    """Exchangeable parts: the *machine*; the *drive*, or None for R + size x U; the *prefetcher* for read-ahead."""

    machine: UnixParameters = LECTURE
    drive: DriveType | None = None
    prefetcher: Prefetcher = FileReadAhead


@dataclass(frozen=True)
class ProgramOptions:
    """The program of a run: one of w01 to r08 of the lecture, or one in a file, with some arguments changed or none.

    A stride of 0 is from front to back. *flags* are those of open, O_SYNC or O_SYNC,O_DIRECT; *advice* is normal,
    sequential or random.
    """

    program: str = ask("w03", "the program")
    block: Bytes | None = ask(None, "bytes of a call", "bytes")
    size: Bytes | None = ask(None, "bytes of the file", "bytes")
    stride: Bytes | None = ask(None, "bytes from one call to the next", "bytes")
    flags: str | None = ask(None, "flags of open")
    advice: str | None = ask(None, "what the kernel is told of the order")


@flat
def run(
    asked: ProgramOptions = ProgramOptions(),
    seed: object = 1,
    seconds: float = 1000.0,
    warm: bool = False,
    strace: bool = False,
    choices: UnixOptions | None = None,
    recorded: Recorded = RECORDED,
    **parameters: object,
) -> Result:
    """Run a program.

    It is interrupted after *seconds* seconds, or 25,000 requests of the disc. A file that it reads is *warm* in the
    page cache or not; one that it writes is new. The run goes on until nothing is at risk any more. Any field of
    UnixParameters may be given by name. With *strace* the result has the first system calls as well.
    """
    changed = find_program(asked.program, asked.block, asked.size, asked.stride, asked.flags, asked.advice)
    return perform(changed, seed, seconds, warm, choices, recorded, LISTED_CALLS if strace else 0, **parameters)


def perform(
    program: StdioProgram, seed: object = 1, seconds: float = 1000.0, warm: bool = False,
    choices: UnixOptions | None = None, recorded: Recorded = RECORDED, listed: int = 0, **parameters: object,
) -> Result:  # fmt: skip
    """Run any *program*, as ``run`` does those that have a name; the first *listed* system calls are recorded."""
    stack = _stack(program, seconds, warm, choices, parameters, listed)
    window = Window(interval=recorded.interval)
    result = engine.run(stack.machine, stack.load(), window, seed, recorded.watch, recorded.keep_rows)
    settings = {"program": program.name, "block": program.block, "size": program.size, "stride": program.stride,
                "flags": ",".join(sorted(program.flags)), "advice": program.advice.name.lower(), "warm": warm,
                **parameters}  # fmt: skip
    result = replace(result, system="unix_stdio", parameters=settings, extras=extras(stack, seed))
    return StracedResult(**vars(result), calls=stack.work.listed.calls) if listed else result


def run_stack(
    program: StdioProgram, seconds: float = 1000.0, warm: bool = False, choices: UnixOptions | None = None,
    **parameters: object,
) -> UnixStack:  # fmt: skip
    """Run *program* until nothing is at risk any more, and return its stack."""
    stack = _stack(program, seconds, warm, choices, parameters)
    engine.run(stack.machine, stack.load(), Window())
    return stack


def _stack(
    program: StdioProgram, seconds: float, warm: bool, choices: UnixOptions | None, parameters: Mapping[str, object],
    listed: int = 0,
) -> UnixStack:  # fmt: skip
    if not 0.0 < seconds <= MAX_PROGRAM_TIME:
        raise UserError(f"seconds must be positive and at most {MAX_PROGRAM_TIME:g}, not {seconds!r}")
    parts = choices or UnixOptions()
    return UnixStack(simpy.Environment(), change(parts.machine, **parameters), parts.drive, program, warm, seconds,
                     parts.prefetcher, listed)


def find_program(
    name: str, block: int | None = None, size: int | None = None, stride: int | None = None, flags: str | None = None,
    advice: str | None = None,
) -> StdioProgram:
    """Return program *name* of the lecture or in the file *name*; *flags* are separated by commas, none if empty."""
    if not name.endswith(FILE_SUFFIX) and name not in programs():
        raise unknown("program", name, programs())
    program = read(Path(name)) if name.endswith(FILE_SUFFIX) else programs()[name]
    changes = {key: value for key, value in (("block", block), ("size", size), ("stride", stride)) if value is not None}
    others: dict[str, object] = {} if flags is None else {"flags": _flags(flags)}
    if advice is not None:
        check_known("advice", ADVICE, advice)
        others["advice"] = ADVICE[advice]
    return program.change(**changes, **others)


def _flags(text: str) -> frozenset[Flag]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    check_known("flag", FLAGS, *words)
    return frozenset(FLAGS[word] for word in words)
