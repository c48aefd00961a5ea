"""The disc of chapter 4's 486/50, and what Response Probe measures on it where nothing is buffered."""

from collections.abc import Mapping
from statistics import fmean

import simpy

from sim.account import Account
from sim.clock import Wait
from sim.disc.drive import Drive
from sim.disc.layout import uniform
from sim.disc.mechanism import DiscType
from sim.disc.seek import PowerSeek
from sim.disc.sheets.source import assumed, cited, fitted
from sim.request import access
from sim.streams import stream
from sim.units import MS
from workloads.probe.script import FileAction, Probe
from workloads.probe.walk import ProbeWalk

_CLASS = "Hitachi DK515C (680 MB, 3600 rpm), north.hokkai.net/~ji8sth"

BENCH = DiscType(
    name="486/50's disc",
    layout=uniform(cylinders=1658, heads=15, sectors_per_track=52, sector_bytes=512),
    rpm=3600,
    seek=PowerSeek.through(4 * MS, 16 * MS, 40 * MS, cylinders=1658),
    overhead=1 * MS,
    sources={
        "cylinders": assumed("1658, usual in its class; the product is 662 MB, and the book has a file of 500 MB"),
        "heads": assumed("15, usual in its class"),
        "sectors_per_track": fitted("D-06a: five pages of one record fit into a revolution with their overhead, six "
                                    "do not; twelve fit into two, thirteen do not"),
        "sector_bytes": cited("Blake 1993, chapter 4: 512 is the least that can be read without buffers"),
        "track_skew": assumed("none: no source mentions any"),
        "cylinder_skew": assumed("none: no source mentions any"),
        "rpm": cited("Blake 1993, chapter 4: steps of 16.7 ms, and 'many disks rotate at 3600 rpm'"),
        "seek": cited(f"{_CLASS}: 4 ms at least, 16 on average, 40 at most"),
        "head_switch": assumed("done within the gap between two sectors"),
        "write_settle": assumed("none: no source mentions any"),
        "overhead": assumed("1 ms, usual in its class"),
    },
)
CPU = 1.2 * MS
"""Seconds a read of the processor, which was 7.2 % busy at 59 reads a second (figure 4.3)."""


def read_alone(probe: Probe, seed: object, cycles: int) -> Mapping[str, float]:
    """What *probe*'s readers see of BENCH, each after so many cycles: seconds, as the drive counts them too."""
    env = simpy.Environment()
    drive = Drive(env, BENCH)
    seen: list[float] = []
    actions = [thread.actions[0] for process in probe.processes for thread in process.threads]
    reads = cycles * round(probe.processes[0].threads[0].reads.mean)
    for number, action in enumerate(actions):
        env.process(_read(drive, ProbeWalk(action, stream(seed, f"probe {number}")), _place(action), reads, seen))
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
    """Where the file begins: at the beginning of a cylinder, so that it lies in the middle of the disc."""
    cylinder = BENCH.layout.sectors * 512 // 1658
    return (BENCH.layout.sectors * 512 - action.file.size) // 2 // cylinder * cylinder


def _read(drive: Drive, walk: ProbeWalk, first: int, reads: int, seen: list[float]) -> Wait:
    account = Account("probe")
    for _ in range(reads):
        for each in walk.once():
            began = drive.env.now
            yield from drive.read(access(each.operation, first + each.first, each.size, account))
            seen.append(drive.env.now - began)
            yield drive.env.timeout(CPU)
