"""The arm against DiskSim's, request by request, on the measured HP C2247A: seek, rotation and media alone, FCFS."""

import csv
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import simpy

from sim.account import Account
from sim.disc.drive import Drive
from sim.disc.layout import Layout, Zone
from sim.disc.mechanism import DiscType
from sim.disc.scheduling import Fcfs, Sptf
from sim.disc.seek import TableSeek
from sim.request import Op, Request, access
from sim.units import MS


@dataclass(frozen=True)
class Slipped:
    """Where the blocks lie of a disc that steps over its bad tracks: block to physical sector."""

    zones: list[dict[str, Any]]
    layout: Layout

    def sector(self, block: int) -> int:
        number = bisect_right([zone["first_lba"] for zone in self.zones], block) - 1
        zone = self.zones[number]
        track, sector = divmod(block - zone["first_lba"] + zone["empty_sectors_at_front"], zone["sectors_per_track"])
        for slip in zone["slips"]:
            track += slip <= track
        return self.layout.zone_sectors[number] + track * zone["sectors_per_track"] + sector


def drive_of(parameters: dict[str, Any]) -> tuple[DiscType, Slipped]:
    zones = parameters["layout"]["zones"]
    layout = Layout(parameters["cylinders"], parameters["heads"], parameters["sector_bytes"], tuple(
        Zone(z["first_cyl"], z["sectors_per_track"], z["track_skew_sectors"], z["cyl_skew_sectors"],
             z["offset_of_first_block_sectors"])
        for z in zones
    ))
    points = ((0, 0.0), *((d, ms * MS) for d, ms in parameters["seek"]["points_cyl_ms"]))
    disc = DiscType("HP C2247A", layout, parameters["rpm"], TableSeek(points),
                    parameters["head_switch_ms"] * MS, parameters["write_settle_extra_ms"] * MS)
    return disc, Slipped(zones, layout)


@pytest.fixture(scope="module")
def c2247a(shared: Path) -> tuple[DiscType, Slipped]:
    yaml = pytest.importorskip("yaml", reason="PyYAML reads the reference drive")
    return drive_of(yaml.safe_load((shared / "data/drives/HP_C2247A/drive.yaml").read_text()))


def rows(path: Path) -> list[dict[str, str]]:
    with path.open() as lines:
        return list(csv.DictReader(lines))


def test_every_block_of_the_mapping_is_where_disksim_has_it(shared: Path, c2247a: tuple[DiscType, Slipped]) -> None:
    disc, slipped = c2247a
    checks = rows(shared / "data/drives/HP_C2247A/mapping_check.csv")
    for row in checks:
        place = disc.layout.locate(slipped.sector(int(row["lba"])))
        assert place[:3] == (int(row["cylinder"]), int(row["head"]), int(row["sector_in_track"])), row
        apart = abs(place.angle - float(row["sector_start_angle_rev"])) % 1.0
        assert min(apart, 1.0 - apart) < 1e-6, row
    assert len(checks) > 1000


def replay(disc: DiscType, slipped: Slipped, scheduler: Any, wanted: list[dict[str, str]]) -> list[Request]:
    env, account, requests = simpy.Environment(), Account("replay"), []
    drive = Drive(env, disc, scheduler)

    def arrivals() -> simpy.events.ProcessGenerator:
        for row in wanted:
            yield env.timeout(float(row["arrival_s"]) - env.now)
            lba, op = int(row["lba"]), Op.READ if row["op"] == "R" else Op.WRITE
            first, last = slipped.sector(lba), slipped.sector(lba + int(row["sectors"]) - 1)
            requests.append(drive.start(access(op, first * 512, (last - first + 1) * 512, account)))

    env.process(arrivals())
    env.run()
    return requests


def done_ms(request: Request) -> float:
    return (request.submitted + request.value.queue + request.value.total) / MS


def test_completions_are_those_of_disksim(shared: Path, c2247a: tuple[DiscType, Slipped]) -> None:
    folder = shared / "data/disksim_reference"
    requests = replay(*c2247a, Fcfs(), rows(folder / "HP_C2247A_light_requests.csv"))
    theirs = [float(row["completion_ms"]) for row in rows(folder / "HP_C2247A_light_mech_fcfs.csv")]
    apart = sorted(abs(done_ms(ours) - their) for ours, their in zip(requests, theirs, strict=True))
    print(f"apart: p50 {apart[2500]:.4f}, p99 {apart[4950]:.4f}, p99.9 {apart[4995]:.4f}, most {apart[-1]:.4f} ms")
    assert apart[len(apart) * 99 // 100] < 0.05


def test_mean_response_with_sptf_is_that_of_disksim(shared: Path, c2247a: tuple[DiscType, Slipped]) -> None:
    folder = shared / "data/disksim_reference"
    requests = replay(*c2247a, Sptf(), rows(folder / "HP_C2247A_light_requests.csv"))
    mean = sum(done_ms(request) - request.submitted / MS for request in requests) / len(requests)
    print(f"mean response {mean:.3f} ms")
    assert mean == pytest.approx(31.888, rel=0.01)
