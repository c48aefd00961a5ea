"""Makes variants of an experiment of Response Probe, each of which differs from it in one thing only."""

from collections.abc import Callable
from dataclasses import replace

from spindle.workloads.probe.bell import Bell
from spindle.workloads.probe.script import FileAction, Mode, Probe

DEVIATIONS_A_SPREAD = 6
"""Nominal deviations in the bytes over which records are spread: three on each side of the middle, as in the book."""


def in_mode(probe: Probe, mode: Mode) -> Probe:
    """Return *probe* with every file accessed in *mode*."""
    return _change_each(probe, lambda action: replace(action, mode=mode))


def spread_over(probe: Probe, size: int) -> Probe:
    """Return *probe* with its random records spread over *size* bytes in the middle of each file."""

    def spread(action: FileAction) -> FileAction:
        if action.seek is None:
            return action
        last = action.records - 1
        return replace(action, seek=Bell(action.records / 2, size / action.record / DEVIATIONS_A_SPREAD, last))

    return _change_each(probe, spread)


def in_records(probe: Probe, size: int) -> Probe:
    """Return *probe* with records of *size* bytes, always the first one of the file."""
    return _change_each(probe, lambda action: replace(action, record=size, seek=Bell(0.0, 0.0, 0.0)))


def resize_records(probe: Probe, size: int) -> Probe:
    """Return *probe* with records of *size* bytes; random ones keep their distance from the middle of the file."""

    def resize(action: FileAction) -> FileAction:
        seek, scale = action.seek, action.record / size
        bell = seek and Bell(seek.mean * scale, seek.deviation * scale, action.file.size // size - 1)
        return replace(action, record=size, seek=bell)

    return _change_each(probe, resize)


def in_sequence(probe: Probe, size: int | None = None) -> Probe:
    """Return *probe* with every file gone through in sequence, and *size* bytes long if given."""

    def sequence(action: FileAction) -> FileAction:
        file = action.file if size is None else replace(action.file, size=size)
        return replace(action, file=file, seek=None)

    return _change_each(probe, sequence)


def computing(probe: Probe, seconds: float) -> Probe:
    """Return *probe* with *seconds* of computing after each file action."""
    processes = (replace(process, threads=tuple(replace(thread, cpu=Bell(seconds)) for thread in process.threads))
                 for process in probe.processes)
    return replace(probe, processes=tuple(processes))


def widen_spread(probe: Probe, factor: float) -> Probe:
    """Return *probe* with its random records *factor* times as far from the middle of each file."""

    def widen(action: FileAction) -> FileAction:
        seek = action.seek
        return action if seek is None else replace(action, seek=replace(seek, deviation=factor * seek.deviation))

    return _change_each(probe, widen)


def anywhere(probe: Probe) -> Probe:
    """Return *probe* with deviations as large as their means: folded, its records lie nearly anywhere."""

    def widen(action: FileAction) -> FileAction:
        seek = action.seek
        return action if seek is None else replace(action, seek=replace(seek, deviation=seek.mean))

    return _change_each(probe, widen)


def _change_each(probe: Probe, change: Callable[[FileAction], FileAction]) -> Probe:
    processes = tuple(
        replace(process, threads=tuple(
            replace(thread, actions=tuple(map(change, thread.actions))) for thread in process.threads
        ))
        for process in probe.processes
    )
    return replace(probe, processes=processes)
