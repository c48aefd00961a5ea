"""Experiments of Response Probe that differ from another in one thing only."""

from collections.abc import Callable
from dataclasses import replace

from workloads.probe.bell import Bell
from workloads.probe.script import FileAction, Mode, Probe

SIXTHS = 6
"""A spread is three deviations each way of the middle, as everywhere in the book."""


def in_mode(probe: Probe, mode: Mode) -> Probe:
    """*probe* with every file reached in *mode*."""
    return _each(probe, lambda action: replace(action, mode=mode))


def spread_over(probe: Probe, size: int) -> Probe:
    """*probe* with its random records spread over *size* bytes in the middle of each file."""

    def spread(action: FileAction) -> FileAction:
        if action.seek is None:
            return action
        last = action.records - 1
        return replace(action, seek=Bell(action.records / 2, size / action.record / SIXTHS, last))

    return _each(probe, spread)


def in_records(probe: Probe, size: int) -> Probe:
    """*probe* with records of *size* bytes, always the first one of the file."""
    return _each(probe, lambda action: replace(action, record=size, seek=Bell(0.0, 0.0, 0.0)))


def widened(probe: Probe, factor: float) -> Probe:
    """*probe* with its random records *factor* times as far from the middle of each file."""

    def widen(action: FileAction) -> FileAction:
        seek = action.seek
        return action if seek is None else replace(action, seek=replace(seek, deviation=factor * seek.deviation))

    return _each(probe, widen)


def anywhere(probe: Probe) -> Probe:
    """*probe* with deviations as large as their means: folded, its records lie nearly anywhere."""

    def widen(action: FileAction) -> FileAction:
        seek = action.seek
        return action if seek is None else replace(action, seek=replace(seek, deviation=seek.mean))

    return _each(probe, widen)


def _each(probe: Probe, change: Callable[[FileAction], FileAction]) -> Probe:
    processes = tuple(
        replace(process, threads=tuple(
            replace(thread, actions=tuple(map(change, thread.actions))) for thread in process.threads
        ))
        for process in probe.processes
    )
    return replace(probe, processes=processes)
