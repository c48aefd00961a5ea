"""The seek curve and what commands take before the arm moves, each found where the other is known, in turns."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from models.drives.fit.observed import ObservedRequests
from models.drives.fit.seeks import SeekFit, found_seeks, window
from models.drives.timed import Mask, Times
from sim.disc.buffer.sheet import After

TURNS = 3
FEW = 30
"""Fewer requests of a kind say nothing: it is assumed to be as long as a hit."""
READS, WRITES = "read_miss", "write_miss"
KINDS = tuple(f"{name}_after_{before}" for name in (READS, WRITES) for before in ("read", "write"))
Intervals = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class ArmAndCommands:
    """The *seeks*, and by the name of a command its seconds, and in *intervals* what the requests bear of some."""

    seeks: SeekFit
    seconds: Mapping[str, float]
    intervals: Intervals

    def after(self, name: str) -> After:
        return After(self.seconds[f"{name}_after_read"], self.seconds[f"{name}_after_write"])


def arm_and_commands(
    seen: ObservedRequests, reported: bool, waited: Times, data: Times, period: float, hit: float
) -> ArmAndCommands:
    """What was *waited* before the first sector is command, seek and rotation; writes tell nothing if *reported* early.

    Nor does a write whose *data* take longer to come than the arm, seconds. All kinds share the curve. Only the sum of
    command and seek is known: the command of a read after a read is said to be a *hit*'s.
    """
    kinds, seconds = _kinds(seen, reported), dict.fromkeys(KINDS, hit)
    commands, chosen = np.full(len(waited), hit), seen.reads & seen.fresh & seen.one
    intervals: dict[str, tuple[float, float]] = {}
    for _ in range(TURNS):
        seeks = found_seeks(seen, chosen, waited - commands, period)
        arm = np.array([seeks.curve(distance) for distance in seen.moved.tolist()])
        for name, of in kinds.items():
            if int((of & (data <= arm)).sum()) < FEW:
                continue
            begins = window((waited - arm)[of & (data <= arm)], period)
            seconds[name] = max(0.0, begins.middle)
            intervals[name] = begins.around(seconds[name])
        over = seconds[f"{READS}_after_read"] - hit
        for name, of in kinds.items():
            seconds[name] = max(0.0, seconds[name] - over)
            commands[of] = seconds[name]
        chosen = np.logical_or.reduce([*kinds.values(), chosen & seen.reads]) & (data <= arm)
    return ArmAndCommands(seeks, seconds, intervals)


def _kinds(seen: ObservedRequests, reported: bool) -> dict[str, Mask]:
    """By name, the requests that show what a command takes."""
    first = seen.fresh & seen.one & (seen.moved > 0)
    writes = ~seen.reads & (not reported)
    masks = (first & of & after for of in (seen.reads, writes) for after in (seen.after_read, ~seen.after_read))
    return dict(zip(KINDS, masks, strict=True))
