"""Compares nine measured drives with DiskSim: the place of every block, seek times, and one arm request by request."""

import csv
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
import simpy

from spindle.sim.clock import Account
from spindle.sim.disc.drive import Drive, Fcfs
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.scheduling import Sptf
from spindle.sim.disc.sheet_file.sheet import DriveSheet, read_sheet
from spindle.sim.request import Op, Request, access
from spindle.sim.units import MS
from tests.sim.disc.track_runs import track_runs

DRIVES = (
    "DEC_RZ26", "HP_C2247A", "HP_C2490A", "HP_C3323A", "QUANTUM_ATLAS10K", "QUANTUM_QM39100TD_ATLAS_III",
    "SEAGATE_ST32171W_BARRACUDA", "SEAGATE_ST34501N_CHEETAH4LP", "SEAGATE_ST39102LW_CHEETAH9LP",
)


@pytest.fixture(scope="module", params=DRIVES)
def drive(request: pytest.FixtureRequest, shared: Path) -> tuple[Path, DriveSheet]:
    folder = shared / "data/drives" / request.param
    return folder, read_sheet(folder / "drive.yaml")


@pytest.fixture(scope="module")
def c2247a(shared: Path) -> DiscType:
    """Its mechanics alone."""
    return replace(read_sheet(shared / "data/drives/HP_C2247A/drive.yaml").disc, buffer=None)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open() as lines:
        return list(csv.DictReader(lines))


def at_angle(found: float, angle: str) -> bool:
    apart = abs(found - float(angle)) % 1.0
    return min(apart, 1.0 - apart) < 1e-6


def test_every_block_of_the_mapping_is_where_disksim_has_it(drive: tuple[Path, DriveSheet]) -> None:
    folder, sheet = drive
    checks = rows(folder / "mapping_check.csv")
    for row in checks:
        place = sheet.disc.layout.locate(int(row["lba"]))
        assert place[:3] == (int(row["cylinder"]), int(row["head"]), int(row["sector_in_track"])), row
        assert place.sectors_per_track == int(row["sectors_per_track"]), row
        assert at_angle(place.angle, row["sector_start_angle_rev"]), row
    assert len(checks) > 1000


def test_every_extent_of_every_request_is_where_disksim_has_it(drive: tuple[Path, DriveSheet]) -> None:
    folder, sheet = drive
    extents = {seq: list(group) for seq, group in groupby(rows(folder / "placement.csv"), lambda row: row["seq"])}
    requests = rows(folder / "requests.csv")
    for request in requests:
        runs = track_runs(sheet.disc.layout, int(request["lba"]), int(request["sectors"]))
        for run, row in zip(runs, extents[request["seq"]], strict=True):
            assert (run.cylinder, run.head) == (int(row["cylinder"]), int(row["head"])), row
            assert (run.per_track, run.stop - run.first) == (int(row["sectors_per_track"]), int(row["sectors"]))
            assert at_angle(run.angle, row["start_angle_rev"]), row
    assert len(requests) == len(extents) > 1000


def test_seeks_take_what_disksim_computes(drive: tuple[Path, DriveSheet]) -> None:
    """To the precision that the table is written with; the curve of the C2247A has five digits there."""
    folder, sheet = drive
    table = rows(folder / "seek_table.csv")
    for row in table:
        assert sheet.disc.seek(int(row["distance_cyl"])) / MS == pytest.approx(float(row["read_ms"]), abs=1e-5), row
    assert len(table) > 100


def replay(disc: DiscType, scheduler: Any, wanted: list[dict[str, str]]) -> list[Request]:
    env, account, requests = simpy.Environment(), Account("replay"), []
    drive = Drive(env, disc, scheduler)

    def arrivals() -> simpy.events.ProcessGenerator:
        for row in wanted:
            yield env.timeout(float(row["arrival_s"]) - env.now)
            lba, op = int(row["lba"]), Op.READ if row["op"] == "R" else Op.WRITE
            requests.append(drive.start(access(op, lba * 512, int(row["sectors"]) * 512, account)))

    env.process(arrivals())
    env.run()
    return requests


def done_ms(request: Request) -> float:
    return (request.submitted + request.value.queue + request.value.total) / MS


def test_completions_are_those_of_disksim(shared: Path, c2247a: DiscType) -> None:
    folder = shared / "data/disksim_reference"
    requests = replay(c2247a, Fcfs(), rows(folder / "HP_C2247A_light_requests.csv"))
    theirs = [float(row["completion_ms"]) for row in rows(folder / "HP_C2247A_light_mech_fcfs.csv")]
    apart = sorted(abs(done_ms(ours) - their) for ours, their in zip(requests, theirs, strict=True))
    print(f"apart: p50 {apart[2500]:.4f}, p99 {apart[4950]:.4f}, p99.9 {apart[4995]:.4f}, most {apart[-1]:.4f} ms")
    assert apart[len(apart) * 99 // 100] < 0.05


def test_mean_response_with_sptf_is_that_of_disksim(shared: Path, c2247a: DiscType) -> None:
    folder = shared / "data/disksim_reference"
    requests = replay(c2247a, Sptf(), rows(folder / "HP_C2247A_light_requests.csv"))
    mean = sum(done_ms(request) - request.submitted / MS for request in requests) / len(requests)
    print(f"mean response {mean:.3f} ms")
    assert mean == pytest.approx(31.888, rel=0.01)
