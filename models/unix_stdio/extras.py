"""The measures of a program's run: rate, calls, the disc's requests, times by phase, and data at risk."""

from math import fsum, log, nan

from models.unix_stdio.stack import UnixStack
from sim.account import Phase
from sim.request import READ
from sim.streams import stream

FOR_THE_DISC = (Phase.QUEUE, Phase.OVERHEAD, Phase.SEEK, Phase.ROTATION, Phase.TRANSFER, Phase.CHANNEL)


def extras(stack: UnixStack, seed: object) -> dict[str, float]:
    """Numbers by name; *seed* draws the moment at which the power fails."""
    return _speed(stack) | _counts(stack) | _seconds(stack) | _risk(stack, seed)


def _speed(stack: UnixStack) -> dict[str, float]:
    progress = stack.performer.progress
    rate = progress.bytes / progress.seconds if progress.seconds else nan
    return {
        "rate": rate,
        "ln_rate": log(rate) if rate > 0 else nan,
        "us_per_call": 1e6 * progress.seconds / progress.calls if progress.calls else nan,
        "interrupted": float(progress.interrupted),
    }


def _counts(stack: UnixStack) -> dict[str, float]:
    work, progress = stack.work, stack.performer.progress
    reading = stack.program.operation is READ
    return {
        "calls": float(progress.calls),
        "system_calls": float(work.reads + work.writes),
        "seeks": float(work.seeks),
        "device_reads": float(len(stack.sizes)) if reading else 0.0,
        "device_writes": 0.0 if reading else float(len(stack.sizes)),
        "device_writes_meanwhile": 0.0 if reading else float(progress.requests),
        "device_bytes": float(sum(stack.sizes)),
        **_grown(stack.sizes if reading else []),
        "amplification": work.bytes_read / progress.bytes if reading and progress.bytes else nan,
    }


def _grown(sizes: list[int]) -> dict[str, float]:
    """Mean bytes of the first tenth of the reads, and of the last."""
    tenth = max(1, len(sizes) // 10)
    return {"first_reads": sum(sizes[:tenth]) / tenth, "last_reads": sum(sizes[-tenth:]) / tenth}


def _seconds(stack: UnixStack) -> dict[str, float]:
    """Of the program's own time."""
    work, progress = stack.work, stack.performer.progress
    return {
        "elapsed": progress.seconds,
        "in_library": progress.library,
        "in_calls": progress.in_calls,
        "in_copying": progress.copying,
        "in_pages": progress.pages,
        "in_disc": fsum(progress.parts[part] for part in FOR_THE_DISC),
        "in_waiting_to_write": progress.parts[Phase.WRITE_WAIT],
        "of_others": work.account.total() - fsum(progress.parts),
    }


def _risk(stack: UnixStack, seed: object) -> dict[str, float]:
    """What was at risk; and what a failure of the power would leave at a moment drawn from the time something was."""
    history = stack.at_risk
    until = max(history.safe_at(), stack.performer.progress.seconds)
    fails_at = until * stream(seed, "power").random()
    left = history.at(fails_at)
    return {
        "most_at_risk": float(history.most()),
        "safe_after": max(0.0, history.safe_at() - stack.performer.progress.seconds),
        "power_fails_at": fails_at,
        "written_then": float(left.handed_over),
        "lost_then": float(left.lost),
        "whole_then": float(left.whole),
    }
