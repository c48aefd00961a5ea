"""``spindle capture``: records the requests to a device of this machine as a trace, and characterises it."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from spindle.cli.arguments import present_folder
from spindle.cli.characterise import character_lines
from spindle.cli.curve import page, watch
from spindle.cli.fields import take_fields
from spindle.cli.printing import finish
from spindle.output.files import write_whole
from spindle.questions.field import ask
from spindle.sim.error import UserError, plain, quote
from spindle.traces.curve.question import USUAL_CURVE

SECONDS = 60
MAX_SECONDS = 86400
GRACE = 60.0
"""Seconds after its time, when a tool counts as hanging."""
PROGRAM = r"""
BEGIN { printf("time_ns,device,op,lba_512,sectors\n"); }
tracepoint:block:block_rq_issue /args.dev == %d && args.nr_sector > 0 && strncmp(args.rwbs, "D", 1) != 0/
{ printf("%%lld,%d.%d,%%s,%%lld,%%d\n", nsecs, args.rwbs, args.sector, args.nr_sector); }
interval:s:%d { exit(); }
"""
"""Program of bpftrace that prints all requests of a device except discards, for a number of seconds."""
COMMAS = 4
"""Commas in each line that PROGRAM prints; other lines are bpftrace's own."""
MINOR_BITS = 20
"""Bits of the minor number in the kernel's number of a device."""


@dataclass(frozen=True)
class CaptureQuestion:
    """A recording of a device."""

    device: str = ask("", "a block device, such as /dev/sda", first="1", metavar="DEVICE")
    seconds: int = ask(SECONDS, "seconds to record", least=1, most=MAX_SECONDS)
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
    program = PROGRAM % (major << MINOR_BITS | minor, major, minor, seconds)
    lines = _run(["bpftrace", "-e", program], seconds).stdout.splitlines(keepends=True)
    trace = Path(f"{name}.csv")
    write_whole(trace, b"".join(line for line in lines if line.count(b",") == COMMAS))
    return trace


def _reason(ran: "subprocess.CompletedProcess[bytes]") -> str:
    """Return the first line that says something of what a command complained of, or else printed."""
    lines = (ran.stderr or ran.stdout).decode("utf-8", "replace").splitlines()
    return plain(next((line.strip() for line in lines if line.strip()), ""))


def _run(command: Sequence[str], seconds: int) -> "subprocess.CompletedProcess[bytes]":
    """Run *command*; UserError with its reason where it fails."""
    try:
        ran = subprocess.run(command, capture_output=True, timeout=seconds + GRACE, check=False)
    except subprocess.TimeoutExpired:
        raise UserError(f"{command[0]} has not ended {GRACE:g} s after its time") from None
    except OSError as error:
        raise UserError(f"{command[0]} cannot be run: {error.strerror}") from error
    if ran.returncode:
        root = "" if os.geteuid() == 0 else "; it needs root"
        raise UserError(f"{command[0]} has failed: {_reason(ran) or f'status {ran.returncode}'}{root}")
    return ran
