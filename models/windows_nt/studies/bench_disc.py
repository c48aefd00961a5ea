"""Simulates the disc of Blake's 486/50, by its drive file or as one that reads whole tracks, and Probe on it alone."""

from collections.abc import Callable, Mapping
from math import fsum
from pathlib import Path
from statistics import fmean

import simpy
from simpy.resources.resource import Request as Turn

from spindle.sim.clock import Account, Phase, Wait, pause
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.sheets import kept_sheet
from spindle.sim.request import Access, access, wait_for
from spindle.sim.streams import stream
from spindle.sim.units import MS
from spindle.workloads.probe.script import FileAction, Probe
from spindle.workloads.probe.walk import ProbeWalk

# A disc that reads whole tracks, which would explain why each of the book's reads takes one revolution.

class WholeTracks:
    """A *disc* that begins to read a track anywhere, and transfers sectors as they pass under the head.

    It serves the next access only after one full revolution per track of the last; nothing is buffered. Its overhead
    is part of the revolution.
    """

    def __init__(self, env: simpy.Environment, disc: DiscType) -> None:
        self._env = env
        self._drive = Drive(env, disc)
        self._arm = simpy.Resource(env)
        self._revolution = disc.revolution
        self._track = disc.layout.zones[0].sectors_per_track * disc.layout.sector_bytes
        self._asked = 0
        self._since = self.busy = self.number_seconds = 0.0

    def read(self, access: Access) -> Wait:
        asked = self._env.now
        self._since = self._since if self._asked else asked
        self._asked += 1
        turn = self._arm.request()
        yield turn
        began, request = self._env.now, self._drive.start(access)
        yield from wait_for(request, access.account)
        seek = fsum(end - begin for phase, begin, end in request.pieces() if phase is Phase.SEEK)
        tracks = (access.span.end - 1) // self._track - access.span.first // self._track + 1
        self._env.process(self._go_round(turn, began + seek + tracks * self._revolution))
        self._asked -= 1
        self.number_seconds += self._env.now - asked
        self.busy += 0.0 if self._asked else self._env.now - self._since

    def _go_round(self, turn: Turn, until: float) -> Wait:
        yield pause(self._env, max(0.0, until - self._env.now))
        self._arm.release(turn)

    def reading(self) -> dict[str, float]:
        """Return the seconds with an access under way, and the seconds of all accesses, as the system counts them."""
        return {"busy": self.busy, "number_seconds": self.number_seconds}


# The disc of chapter 4's 486/50, and what Response Probe measures on it where nothing is buffered.

BENCH: DiscType = kept_sheet(Path(__file__).with_name("bench_disc.yaml"))
READ_CPU = 1.2 * MS
"""Seconds of the processor for a read; it was 7.2 % busy at 59 reads a second (figure 4.3)."""

BenchDisc = Drive | WholeTracks


def as_sheet(env: simpy.Environment) -> BenchDisc:
    return Drive(env, BENCH)


def by_tracks(env: simpy.Environment) -> BenchDisc:
    return WholeTracks(env, BENCH)


DISCS = {"sheet": as_sheet, "whole tracks": by_tracks}


def read_alone(
    probe: Probe, seed: object, cycles: int, disc: Callable[[simpy.Environment], BenchDisc] = as_sheet
) -> Mapping[str, float]:
    """Run *probe*'s readers on the *disc* alone for *cycles* cycles; return seconds, also as the disc counts them."""
    env = simpy.Environment()
    drive = disc(env)
    seen: list[float] = []
    actions = [thread.actions[0] for process in probe.processes for thread in process.threads]
    reads = cycles * round(probe.processes[0].threads[0].reads.mean)
    for number, action in enumerate(actions):
        env.process(_read(env, drive, ProbeWalk(action, stream(seed, f"probe {number}")), _place(action), reads, seen))
    env.run()
    counted = drive.reading()
    return {
        "response": env.now * len(actions) / len(seen),
        "disc_response": fmean(seen),
        "rate": len(seen) / env.now,
        "busy": counted["busy"] / env.now,
        "queue": counted["number_seconds"] / env.now,
    }


def _place(action: FileAction) -> int:
    """Return the byte where the file begins: at the begin of a cylinder, so that it lies in the middle of the disc."""
    cylinder = BENCH.layout.sectors * 512 // 1658
    return (BENCH.layout.sectors * 512 - action.file.size) // 2 // cylinder * cylinder


def _read(env: simpy.Environment, drive: BenchDisc, walk: ProbeWalk, first: int, reads: int, seen: list[float]) -> Wait:
    account = Account("probe")
    for _ in range(reads):
        for reference in walk.references():
            began = env.now
            yield from drive.read(access(reference.operation, first + reference.first, reference.size, account))
            seen.append(env.now - began)
            yield env.timeout(READ_CPU)
