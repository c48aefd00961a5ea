"""``spindle capture``: records the requests to a device of this machine as a trace, and characterises it."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from spindle.cli.characterise import character_lines
from spindle.cli.curve import page, watch
from spindle.cli.fields import take_fields
from spindle.cli.named_files import present_folder
from spindle.cli.printing import finish
from spindle.output.files import write_whole
from spindle.questions.field import ask
from spindle.sim.error import UserError, plain, quote
from spindle.traces.curve.question import USUAL_CURVE

USUAL_SECONDS = 60
"""Seconds of a recording where none are asked for."""
MAX_SECONDS = 86400
"""Seconds of the longest recording, a day."""
GRACE_SECONDS = 60.0
"""Seconds that a tool may take beyond its time before it counts as hanging."""
BPFTRACE_PROGRAM = r"""
BEGIN { printf("time_ns,device,op,lba_512,sectors\n"); }
tracepoint:block:block_rq_issue /args.dev == %d && args.nr_sector > 0 && strncmp(args.rwbs, "D", 1) != 0/
{ printf("%%lld,%d.%d,%%s,%%lld,%%d\n", nsecs, args.rwbs, args.sector, args.nr_sector); }
interval:s:%d { exit(); }
"""
"""Program for bpftrace, a tracer of the Linux kernel: prints all requests of a device, except discards, for a time."""
COMMAS_IN_A_LINE = 4
"""Commas in each line that the program prints; lines with another number are bpftrace's own."""
MINOR_BITS = 20
"""Bits of a device's number in the kernel that are its minor number."""


@dataclass(frozen=True)
class CaptureQuestion:
    """The options of ``spindle capture``: a device, and for how long its requests are recorded."""

    device: str = ask("", "a block device, such as /dev/sda", first="1", metavar="DEVICE")
    seconds: int = ask(USUAL_SECONDS, "seconds to record", least=1, most=MAX_SECONDS)
    out: str = ask("", "name of the files, without suffix; default the device's")


def main(arguments: Sequence[str]) -> int:
    asked = take_fields("capture", CaptureQuestion, arguments)
    if sys.platform != "linux":
        raise UserError("capture records on Linux only; other systems have tools whose output all commands read")
    device = Path(asked.device)
    if not device.exists():
        raise UserError(f"{quote(asked.device)}: there is no such device; lsblk lists them")
    trace = _record(device, Path(asked.out or device.name), asked.seconds)
    from spindle.traces.curve.answer import answer_curve  # and numpy, which no help text needs

    curves = page(trace, answer_curve(USUAL_CURVE, trace, watch()))
    return finish("\n".join([*character_lines(str(trace)), "", *curves[1:]]))


def _record(device: Path, name: Path, seconds: int) -> Path:
    """Record *device* for *seconds*; return the first file of the trace *name*."""
    present_folder("--out", name.parent)
    files = [Path(f"{name}.csv"), *name.parent.glob(f"{name.name}.blktrace.*")]
    if there := [file for file in files if file.exists()]:
        raise UserError(f"{there[0]} is there already; --out gives the trace another name")
    if which("blktrace") is not None:
        words = ["-d", str(device), "-w", str(seconds), "-D", str(name.parent), "-o", name.name]
        ran = _run(["blktrace", *words], seconds)
        first = Path(f"{name}.blktrace.0")
        if not first.is_file():
            raise UserError(f"blktrace has written no {first}: {_reason(ran) or 'it does not say why'}")
        return first
    if which("bpftrace") is None:
        raise UserError("capture needs blktrace or bpftrace, and neither is installed: apt install blktrace")
    number = os.stat(device).st_rdev
    major, minor = os.major(number), os.minor(number)
    program = BPFTRACE_PROGRAM % (major << MINOR_BITS | minor, major, minor, seconds)
    lines = _run(["bpftrace", "-e", program], seconds).stdout.splitlines(keepends=True)
    trace = Path(f"{name}.csv")
    write_whole(trace, b"".join(line for line in lines if line.count(b",") == COMMAS_IN_A_LINE))
    return trace


def _reason(ran: "subprocess.CompletedProcess[bytes]") -> str:
    """Return the first line with a word in it that the failed command wrote to standard error, or to its output."""
    lines = (ran.stderr or ran.stdout).decode("utf-8", "replace").splitlines()
    return plain(next((line.strip() for line in lines if line.strip()), ""))


def _run(command: Sequence[str], seconds: int) -> "subprocess.CompletedProcess[bytes]":
    """Run *command* for at most *seconds* and the grace time; UserError with its reason where it fails."""
    try:
        ran = subprocess.run(command, capture_output=True, timeout=seconds + GRACE_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise UserError(f"{command[0]} has not ended {GRACE_SECONDS:g} s after its time") from None
    except OSError as error:
        raise UserError(f"{command[0]} cannot be run: {error.strerror}") from error
    if ran.returncode:
        root = "" if os.geteuid() == 0 else "; it needs root"
        raise UserError(f"{command[0]} has failed: {_reason(ran) or f'status {ran.returncode}'}{root}")
    return ran
