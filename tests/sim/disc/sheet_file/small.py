"""Two small drive files by hand, one of several zones and one of a single zone, and functions that read them."""

from pathlib import Path
from time import perf_counter

import pytest

from spindle.sim.disc.sheet_file.sheet import DriveSheet, read_sheet
from spindle.sim.error import UserError

ZONED = """\
name: Small Drive
sector_bytes: 512
capacity_sectors: 77
cylinders: 6
heads: 2
rpm: 6000
head_switch_ms: 0.5
write_settle_extra_ms: -0.25
seek:
  points_cyl_ms:
  - [1, 1.0]
  - [5, 3.0]
layout:
  disksim_mapping: 1
  disksim_sparing: 9
  zones:
  - first_cyl: 0
    last_cyl: 2
    sectors_per_track: 10
    first_lba: 0
    last_lba: 52
    track_skew_sectors: 3
    cyl_skew_sectors: 4.0
    offset_of_first_block_sectors: 1
    empty_sectors_at_front: 5
    spares: 2
    slips: [7]
    defects: [6, 59, 8, 8]
  - first_cyl: 4
    last_cyl: 5
    sectors_per_track: 6
    first_lba: 53
    last_lba: 76
    track_skew_sectors: 0
    cyl_skew_sectors: 0
    offset_of_first_block_sectors: 0
    empty_sectors_at_front: 0
    spares: 0
    slips: []
    defects: []
bus: {kind: SCSI-2, read_ms_per_sector: 0.1, write_ms_per_sector: 0.2, drive_ms_per_sector: 0.15, hold_bus_read: true}
overheads_ms: {read_hit_after_read: 1, read_hit_after_write: 2, read_miss_after_read: 3, read_miss_after_write: 4,
  write_hit_after_read: 5, write_hit_after_write: 6, write_miss_after_read: 7, write_miss_after_write: 8,
  read_disconnect_after_read: 9, read_disconnect_after_write: 10, data_preparation: 11, first_reselect: 12,
  other_reselect: 13, read_completion: 0.5, write_completion: 14, minimum_seek_delay: 15}
cache: {enabled: true, segments: 3, segment_sectors: 64, max_write_segments: 2, separate_write_segment: true,
  prefetch_code: 3, max_read_ahead_sectors: 20, read_ahead_on_full_hit: true,
  prefetch_may_replace_requested_data: false, keep_sectors_passing_before_request: true, fast_write_code: 2,
  read_hits_on_written_data: true, zero_latency_read: true, read_high_water_mark: 0.25, write_low_water_mark: 0.75}
raw_disksim_spec: {Extra write disconnect: 1, Extradisc command overhead: 1, Extradisc disconnect overhead: 2,
  Extradisc inter-disconnect delay: 3, Extradisc seek delta: 4}
scheduler: {drive_queue_depth: 1, policy: FCFS}
"""

SINGLE = """\
name: Old Drive
sector_bytes: 256
cylinders: 100
heads: 2
sectors_per_track: 20
capacity_sectors: 4000
rpm: 3600
command_overhead_ms: 1.5
head_switch_ms: 1.0
track_skew_sectors: 3
interleave: 1
seek: {one_cyl_ms: 2.0, break_cyl: 50, sqrt_const_ms: 3.0, sqrt_coeff: 1.0, lin_const_ms: 5.0, lin_coeff: 0.1}
bus: {MB_per_s: 1.2}
write_settle_extra_ms: null
cache: {enabled: false}
scheduler: {driver: cscan}
discs: {0: first, 1: second}
"""


def read(path: Path, content: str | bytes) -> DriveSheet:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_sheet(path, rules=())


def error_of(path: Path, content: str | bytes) -> str:
    """The one line with which *content* is refused, without the name of its file."""
    began = perf_counter()
    with pytest.raises(UserError) as raised:
        read(path, content)
    print(f"{perf_counter() - began:.2f} s: {raised.value}")
    line = str(raised.value)
    assert "\n" not in line
    assert len(line) < 1000
    assert line.startswith(str(path))
    return line.removeprefix(str(path))
