"""Tests a host of pipelines by hand: thresholds of dirty bytes, pauses of writers, the flusher, a file server."""

from collections.abc import Iterable

import pytest
import simpy

from spindle.models.unix_stdio.pipelines.host import PipelineHost
from spindle.models.unix_stdio.pipelines.machine import MountedMachine, Mover, PipelineMachine
from spindle.models.unix_stdio.pipelines.run import PipelineTask, TaskTimes, chain, run_pipelines
from spindle.models.unix_stdio.pipelines.two_lists import FilePiece, TwoLists
from spindle.sim.clock import Wait
from spindle.sim.parameter import change
from spindle.sim.parts import LawBroken

MB = 10**6
HOST = change(
    PipelineHost(), memory=1000.0 * MB, disc_read=10.0 * MB, alone_read=5.0 * MB, disc_write=10.0 * MB,
    cached_read=100.0 * MB, cached_write=50.0 * MB, read_stretch=0.5, write_stretch=1.0, compute_stretch=2.0,
    limit=0.4, background=0.1, server_read=10.0 * MB, server_write=20.0 * MB, network=40.0 * MB, piece=MB,
)  # fmt: skip


def machine(host: PipelineHost = HOST, dirty: int = 0, programs: int = 1) -> PipelineMachine:
    """A host with so many dirty pieces, since 0."""
    made = PipelineMachine(simpy.Environment(), host, programs)
    for piece in pieces("old", range(dirty)):
        made._cache.use(piece)
        made._cache.dirty[piece] = 0.0
    return made


def pieces(file: str, places: Iterable[int]) -> list[FilePiece]:
    return [FilePiece(file, place) for place in places]


def seconds(made: PipelineMachine, work: Wait) -> float:
    """How long *work* takes from now on."""
    began = made.env.now
    made.env.run(made.env.process(work))
    return made.env.now - began


# Writers and what is dirty. Of 1,000 MB: the flusher from 100 on, pauses from 250 on, the limit at 400.

@pytest.mark.parametrize(("dirty", "ratio"), [
    (251, 1.0 + (74 / 75) ** 3), (300, 1.0 + (1 / 3) ** 3), (325, 1.0), (350, 1.0 - (1 / 3) ** 3), (400, 0.02),
    (999, 0.02),
])  # fmt: skip
def test_a_writer_pauses_by_the_cube_of_its_distance_from_the_middle(dirty: int, ratio: float) -> None:
    made = machine(dirty=dirty)
    made._writers = 3
    assert seconds(made, made._throttle(0.5 * MB)) == pytest.approx(0.5 * 3 / (10.0 * ratio))


def test_up_to_halfway_nobody_pauses() -> None:
    made = machine(dirty=250)
    made._writers = 1
    assert seconds(made, made._throttle(MB)) == 0.0


@pytest.mark.parametrize(("dirty", "wakes"), [(100, False), (101, True), (250, True)])
def test_the_flusher_is_woken_above_the_background_threshold(dirty: int, wakes: bool) -> None:
    made = machine(dirty=dirty)
    assert list(made._throttle(MB)) == []
    assert made._asked.triggered is wakes


def test_thresholds_are_of_the_memory_that_buffers_leave() -> None:
    made = machine(dirty=126)
    assert list(made._throttle(MB)) == []
    made._anonymous = 500.0 * MB
    made._writers = 1
    assert seconds(made, made._throttle(MB)) > 0.0
    made._anonymous = 2000.0 * MB
    assert made._dirtyable() == 0.0


def test_where_both_thresholds_are_one_a_writer_waits_longest() -> None:
    made = machine(change(HOST, background=0.4), dirty=401)
    made._writers = 1
    assert seconds(made, made._throttle(MB)) == pytest.approx(0.1 / 0.02)


def test_a_writer_copies_then_pauses_and_counts_only_while_it_writes() -> None:
    """At 401 dirty pieces it waits 5 s, in which the flusher writes 50; the next, at 352, hardly more than the disc."""
    made = machine(dirty=400)
    assert seconds(made, made.write("new", MB)) == pytest.approx(0.02 + 5.0)
    made.env.run(made.env.now + 0.05)
    assert len(made._cache.dirty) == 351
    assert seconds(made, made.write("newer", MB)) == pytest.approx(0.02 + 0.1 / (1.0 - (27 / 75) ** 3))


def test_two_writers_share_what_they_may_write() -> None:
    made = machine(dirty=400)
    first = made.env.process(made.write("a", MB))
    assert seconds(made, made.write("b", MB)) == pytest.approx(0.02 + 2 * 5.0)
    assert not first.is_alive


def test_what_is_written_again_is_dirty_since_it_first_was() -> None:
    made = machine(dirty=1)
    made.env.run(7.0)
    seconds(made, made.write("old", MB))
    seconds(made, made.write("new", MB))
    assert list(made._cache.dirty.values()) == pytest.approx([0.0, 7.04])


# The flusher.

@pytest.mark.parametrize(("since", "written"), [(0.0, 30.1), (1.0, 35.1), (5.0, 35.1), (5.5, 40.1)])
def test_what_is_dirty_for_thirty_seconds_is_written_at_the_next_fifth(since: float, written: float) -> None:
    made = machine()
    piece = FilePiece("a", 0)
    made._cache.use(piece)
    made._cache.dirty[piece] = since
    made.env.run(written - 0.05)
    assert piece in made._cache.dirty
    made.env.run(written + 0.01)
    assert piece not in made._cache.dirty
    assert piece in made._cache


def test_the_flusher_stops_at_the_threshold_and_takes_the_oldest_first() -> None:
    made = machine(dirty=103)
    made._wake()
    made.env.run(2.0)
    assert list(made._cache.dirty) == pieces("old", range(3, 103))


def test_the_flusher_takes_the_time_of_writing() -> None:
    """At 4 MB a second a piece takes a quarter of a second; who makes room looks again as often."""
    made = machine(change(HOST, disc_write=4.0 * MB), dirty=103)
    made._wake()
    made.env.run(0.6)
    assert len(made._cache.dirty) == 101
    full = machine(change(HOST, memory=2.0 * MB, disc_write=4.0 * MB), dirty=3)
    assert seconds(full, full._make_room()) == pytest.approx(0.5)


def test_reading_and_flushing_share_one_disc() -> None:
    """Three pieces are written before the one that is read."""
    made = machine(dirty=103)
    made._wake()
    made.env.run(0.25)
    assert seconds(made, made.read("new", MB)) == pytest.approx(0.05 + 0.1 + 0.1)


# Room.

def test_where_all_is_dirty_room_is_made_by_the_flusher() -> None:
    """It looks again each tenth of a second: at 0.1 the first piece is not yet clean, at 0.2 it is."""
    made = machine(change(HOST, memory=2.0 * MB), dirty=3)
    assert seconds(made, made._make_room()) == pytest.approx(0.2)
    assert made._cache.size == 2.0 * MB


def test_memory_that_is_just_full_has_room() -> None:
    made = machine(change(HOST, memory=3.0 * MB), dirty=3)
    assert list(made._make_room()) == []


def test_where_buffers_are_larger_than_memory_nothing_can_leave() -> None:
    made = machine(change(HOST, memory=3.0 * MB))
    assert seconds(made, made.read("a", 5.0 * MB)) == pytest.approx(1.0)
    assert made._cache.size == MB  # the piece that was read last


# Reading.

def test_a_part_of_a_piece_takes_its_share_of_time() -> None:
    made = machine()
    assert seconds(made, made.read("a", 2.5 * MB)) == pytest.approx(0.5)
    assert made._anonymous == 2.5 * MB
    assert seconds(made, made.read("a", 2.5 * MB)) == pytest.approx(0.025)
    made.free_buffer(5.0 * MB)
    assert made._anonymous == 0.0


def test_each_file_has_pieces_of_its_own() -> None:
    made = machine()
    assert [seconds(made, made.read(name, MB)) for name in "aba"] == pytest.approx([0.2, 0.2, 0.01])


def test_a_disc_that_is_faster_alone_makes_nobody_wait() -> None:
    made = machine(change(HOST, alone_read=20.0 * MB))
    assert seconds(made, made.read("a", MB)) == pytest.approx(0.1)


def test_programs_beside_stretch_what_a_processor_does() -> None:
    """Of four programs each has three quarters of the stretch."""
    made = machine(programs=4)
    assert made.time_beside(2.0, 0.5) == 2.0 * (1.0 + 0.5 * 0.75)
    seconds(made, made.read("a", MB))
    assert seconds(made, made.read("a", MB)) == pytest.approx(0.01 * 1.375)
    assert seconds(made, made.write("b", MB)) == pytest.approx(0.02 * 1.75)


def test_moves_follow_one_another_and_begin_at_once_after_a_break(env: simpy.Environment) -> None:
    mover = Mover(env)
    mover.move(1.0)
    env.run(mover.move(2.0))
    assert env.now == 3.0
    env.run(10.0)
    env.run(mover.move(1.0))
    assert env.now == 11.0


# What is left at the end.

@pytest.mark.parametrize(("left", "writers"), [(1.0, 0), (-1.0, 0), (0.0, 1), (MB, 1)])
def test_a_buffer_or_a_writer_that_is_left_breaks_the_law(left: float, writers: int) -> None:
    made = machine()
    made._anonymous, made._writers = left, writers
    with pytest.raises(LawBroken):
        made.check()


def test_less_than_a_byte_is_no_buffer() -> None:
    """Sizes are fractions, whose sum and differences may miss nought by their last digit."""
    made = machine()
    made._anonymous = -0.9
    made.check()


# A server of files.

def mounted() -> MountedMachine:
    return MountedMachine(simpy.Environment(), HOST, 1)


def test_the_server_reads_from_its_disc_once_and_then_only_the_network_counts() -> None:
    made = mounted()
    assert seconds(made, made.read("a", 4.0 * MB)) == pytest.approx(0.4)
    assert seconds(made, made.read("a", 4.0 * MB)) == pytest.approx(0.04)
    while made._cache.evict():
        pass
    assert seconds(made, made.read("a", 4.0 * MB)) == pytest.approx(0.1)


def test_what_was_written_to_the_server_is_kept_by_both() -> None:
    made = mounted()
    assert seconds(made, made.write("a", 4.0 * MB)) == pytest.approx(0.2)
    assert made._cache.dirty == {}
    while made._cache.evict():
        pass
    assert seconds(made, made.read("a", 4.0 * MB)) == pytest.approx(0.1)


def test_a_slow_network_is_what_a_server_waits_for() -> None:
    made = MountedMachine(simpy.Environment(), change(HOST, network=2.0 * MB), 1)
    assert seconds(made, made.read("a", 2.0 * MB)) == pytest.approx(1.0)
    assert seconds(made, made.write("b", 2.0 * MB)) == pytest.approx(1.0)


def test_a_client_that_writes_more_than_it_has_keeps_the_last() -> None:
    made = MountedMachine(simpy.Environment(), change(HOST, memory=2.0 * MB), 1)
    seconds(made, made.write("a", 3.0 * MB))
    assert [piece in made._cache for piece in pieces("a", range(3))] == [False, True, True]


# Tasks.

def test_a_chain_reads_what_the_one_before_wrote() -> None:
    assert chain(5.0, 2.0) == [PipelineTask("file 0", 5.0, 2.0, "file 1", 5.0),
                               PipelineTask("file 1", 5.0, 2.0, "file 2", 5.0),
                               PipelineTask("file 2", 5.0, 2.0, "file 3", 5.0)]  # fmt: skip


def test_a_buffer_is_free_when_its_task_is_done() -> None:
    """Two files of ten pieces and one buffer fill memory: the third task finds the first one's file."""
    tasks = [PipelineTask(name, 10.0 * MB, 0.0, "out", 0.0) for name in "aba"]
    (times,) = run_pipelines(tasks, change(HOST, memory=30.0 * MB))
    assert [each.read for each in times] == pytest.approx([2.0, 2.0, 0.1])


def test_phases_of_a_task_follow_one_another() -> None:
    """Of two programs each has half of the stretches: computing takes twice its time, writing one and a half."""
    for (only,) in run_pipelines([PipelineTask("in", 0.0, 3.0, "out", 2.0 * MB)], HOST, 2):
        assert only == TaskTimes(0.0, 6.0, pytest.approx(0.06))


def test_programs_share_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []
    for name in ("read", "write"):
        whole = getattr(PipelineMachine, name)
        monkeypatch.setattr(PipelineMachine, name,
                            lambda made, file, size, whole=whole: names.append(file) or whole(made, file, size))
    run_pipelines([PipelineTask("in", 1.0, 0.0, "out", 1.0)], HOST, 2)
    assert sorted(names) == ["program 0, in", "program 0, out", "program 1, in", "program 1, out"]


# Which piece leaves.

def filled(piece: float, inactive: int, active: int) -> TwoLists:
    cache = TwoLists(piece)
    for each in pieces("active", range(active)):
        cache.use(each)
        cache.use(each)
    for each in pieces("inactive", range(inactive)):
        cache.use(each)
    return cache


@pytest.mark.parametrize(("piece", "inactive", "active", "grows_old"), [
    (1e9, 1, 9, False),  # of 10 GB the active list may be 10 times the other
    (1e9, 1, 10, False), (1e9, 1, 11, True), (1e9, 2, 18, False), (1e9, 2, 30, False), (1e9, 2, 42, True),
    (1.0, 1, 1, False), (1.0, 1, 2, True), (1.0, 3, 3, False), (1.0, 2, 3, True),
])  # fmt: skip
def test_an_active_piece_grows_old_where_the_active_list_is_too_long(
    piece: float, inactive: int, active: int, grows_old: bool
) -> None:
    cache = filled(piece, inactive, active)
    oldest = FilePiece("active", 0)
    assert cache.evict()
    assert FilePiece("inactive", 0) not in cache
    assert (oldest in cache._inactive, oldest in cache._active) == (grows_old, not grows_old)


def test_an_active_piece_that_is_used_again_is_the_youngest() -> None:
    cache = filled(1.0, 0, 3)
    cache.use(FilePiece("active", 0))
    assert list(cache._active) == pieces("active", (1, 2, 0))
    assert (len(cache._inactive), cache.size, cache.dirty_bytes) == (0, 3.0, 0.0)
    cache.dirty[FilePiece("active", 0)] = 0.0
    assert TwoLists(2.0).size == 0.0
    assert cache.dirty_bytes == 1.0
