"""Tests what variants of an experiment of Response Probe change, and what they keep."""

from dataclasses import replace
from pathlib import Path

import spindle.workloads.probe
from spindle.sim.units import MIB
from spindle.workloads.probe.bell import Bell
from spindle.workloads.probe.reader import read
from spindle.workloads.probe.script import FileAction, Mode, Probe, ProbeFile, Process, Thread
from spindle.workloads.probe.variations import (
    anywhere,
    computing,
    in_mode,
    in_records,
    in_sequence,
    resize_records,
    spread_over,
    widen_spread,
)

FOLDER = Path(spindle.workloads.probe.__file__).parent
SIDES = read(FOLDER / "side_by_side.scr")


def actions(probe: Probe) -> list[FileAction]:
    return [action for process in probe.processes for thread in process.threads for action in thread.actions]


def test_another_mode_is_all_that_changes() -> None:
    mapped = in_mode(SIDES, Mode.MAPPED)
    assert {action.mode for action in actions(mapped)} == {Mode.MAPPED}
    assert actions(mapped)[1] == actions(SIDES)[1]
    assert replace(mapped, processes=SIDES.processes) == SIDES


def test_a_spread_is_three_deviations_each_way() -> None:
    action = actions(spread_over(SIDES, 6 * MIB))[0]
    assert action.seek == Bell(1280, 256, 2559)
    assert abs(actions(spread_over(SIDES, 4 * MIB))[0].seek.deviation - 171) < 0.5


def test_records_are_strewn_more_widely() -> None:
    assert actions(widen_spread(read(FOLDER / "large_read.scr"), 2.0))[0].seek == Bell(640, 170, 1279)


def test_in_sequence_there_is_no_spread() -> None:
    update = read(FOLDER / "sequential_update.scr")
    assert spread_over(update, MIB) == widen_spread(update, 3.0) == anywhere(update) == update


def test_the_same_record_again_and_again() -> None:
    action = actions(in_records(read(FOLDER / "disc_512.scr"), 16384))[0]
    assert (action.record, action.seek) == (16384, Bell(0, 0, 0))


def test_a_deviation_as_large_as_the_mean() -> None:
    assert actions(anywhere(read(FOLDER / "disc_60k.scr")))[0].seek == Bell(4266, 4266, 8532)


def test_larger_records_are_fewer_and_as_far_from_the_middle() -> None:
    before, after = (actions(each)[0] for each in (SIDES, resize_records(spread_over(SIDES, 6 * MIB), 8192)))
    assert (before.record, after.record) == (4096, 8192)
    assert after.seek == Bell(640, 128, 1279)
    update = read(FOLDER / "sequential_update.scr")
    assert [action.seek for action in actions(resize_records(update, 8192))] == [None] * len(actions(update))


def test_a_part_of_a_record_at_the_end_of_a_file_is_never_reached() -> None:
    """A file of three records of 8192 bytes and a bit has their numbers 0 to 2."""
    file = ProbeFile("f", 3 * 8192 + 100)
    probe = Probe((Process("p", (Thread((FileAction(file, seek=Bell(3.0, 1.0, 5.0)),)),)),))
    assert actions(resize_records(probe, 8192))[0].seek == Bell(1.5, 0.5, 2.0)
    assert actions(spread_over(probe, 12288))[0].seek == Bell(3.0, 0.5, 5.0)


def test_files_in_sequence_have_the_size_that_is_asked_for() -> None:
    assert [(action.seek, action.file.size) for action in actions(in_sequence(SIDES, MIB))] == [
        (None, MIB)] * len(actions(SIDES))
    assert [action.file for action in actions(in_sequence(SIDES))] == [action.file for action in actions(SIDES)]


def test_every_thread_computes_as_long() -> None:
    threads = [thread for process in computing(SIDES, 0.25).processes for thread in process.threads]
    assert {thread.cpu for thread in threads} == {Bell(0.25)}
    assert actions(computing(SIDES, 0.25)) == actions(SIDES)
