"""Finds seek curve and seconds of a command from timed requests of a drive, in turns, with the other held fixed."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from spindle.lab.drives.timed_requests import Mask, Times
from spindle.lab.fit.geometry import ObservedRequests
from spindle.lab.fit.seek_curve import SeekFit, found_seeks, window
from spindle.sim.disc import buffer_sheet

TURNS = 3
"""Times that curve and commands are found anew, each from the last values of the other."""
FEWEST_COMMANDS = 30
"""The least number of requests that determines a command; with fewer it is assumed to take as long as that of a hit."""
READS, WRITES = "read_miss", "write_miss"
COMMAND_NAMES = tuple(f"{name}_after_{before}" for name in (READS, WRITES) for before in ("read", "write"))
Intervals = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class ArmAndCommands:
    """The seek curve and the seconds of commands, as found: *seeks*, *seconds* by name, and *intervals* of some."""

    seeks: SeekFit
    seconds: Mapping[str, float]
    intervals: Intervals

    def after_kinds(self, name: str) -> buffer_sheet.After:
        return buffer_sheet.After(self.seconds[f"{name}_after_read"], self.seconds[f"{name}_after_write"])


def arm_and_commands(
    seen: ObservedRequests, reported: bool, waited: Times, data: Times, period: float, hit: float
) -> ArmAndCommands:
    """Split the seconds *waited* before the first sector into command, seek and rotation.

    Left out are writes if they are *reported* early, and each write whose *data* take longer, in seconds, than the arm.
    All commands share one curve. Only the sum of command and seek can be observed, so a read after a read is assumed to
    take the command of a *hit*.
    """
    kinds, seconds = _kinds(seen, reported), dict.fromkeys(COMMAND_NAMES, hit)
    commands, chosen = np.full(len(waited), hit), seen.reads & seen.unbuffered & seen.on_one_track
    intervals: dict[str, tuple[float, float]] = {}
    for _ in range(TURNS):
        seeks = found_seeks(seen, chosen, waited - commands, period)
        arm = np.array([seeks.curve(distance) for distance in seen.moved.tolist()])
        for name, mask in kinds.items():
            if int((mask & (data <= arm)).sum()) < FEWEST_COMMANDS:
                continue
            begins = window((waited - arm)[mask & (data <= arm)], period)
            seconds[name] = max(0.0, begins.middle)
            intervals[name] = begins.interval_with(seconds[name])
        over = seconds[f"{READS}_after_read"] - hit
        for name, mask in kinds.items():
            seconds[name] = max(0.0, seconds[name] - over)
            commands[mask] = seconds[name]
        chosen = np.logical_or.reduce([*kinds.values(), chosen & seen.reads]) & (data <= arm)
    return ArmAndCommands(seeks, seconds, intervals)


def _kinds(seen: ObservedRequests, reported: bool) -> dict[str, Mask]:
    """Return, by name of the command, which requests show its time."""
    first = seen.unbuffered & seen.on_one_track & (seen.moved > 0)
    writes = ~seen.reads & (not reported)
    masks = (first & of & after for of in (seen.reads, writes) for after in (seen.after_read, ~seen.after_read))
    return dict(zip(COMMAND_NAMES, masks, strict=True))
