"""Tests pipelines by hand: rates of one program, thresholds of dirty bytes, a file server."""

import pytest

from spindle.models.unix_stdio.pipelines.host import PipelineHost
from spindle.models.unix_stdio.pipelines.run import PipelineTask, chain, run_pipelines
from spindle.sim.error import UserError
from spindle.sim.parameter import change

MB = 10**6
HOST = change(
    PipelineHost(), memory=1000.0 * MB, disc_read=10.0 * MB, alone_read=5.0 * MB, disc_write=10.0 * MB,
    cached_read=100.0 * MB, cached_write=50.0 * MB, read_stretch=1.0, write_stretch=1.0, compute_stretch=1.0,
    limit=0.4, background=0.1, server_read=10.0 * MB, server_write=20.0 * MB, network=40.0 * MB, piece=MB,
)  # fmt: skip
ONE_TASK = [PipelineTask("in", 10.0 * MB, 2.0, "out", 10.0 * MB)]


def test_one_program_waits_for_the_disc_once_and_for_memory_from_then_on() -> None:
    first, second = run_pipelines(chain(10.0 * MB, 2.0, 2), HOST)[0]
    assert (first.read, first.compute, first.write) == pytest.approx((2.0, 2.0, 0.2))
    assert (second.read, second.write) == pytest.approx((0.1, 0.2))


def test_two_programs_share_the_disc_and_slow_each_other() -> None:
    for (task,) in run_pipelines(ONE_TASK, HOST, 2):
        # Each piece waits for the other's, and for its own second 1/10 s: the disc is never idle.
        assert task.read == pytest.approx(2.0, abs=0.2)
        assert (task.compute, task.write) == pytest.approx((3.0, 0.3))


def test_writers_are_slowed_from_halfway_between_the_thresholds_on() -> None:
    # Of 1,000 MB less the buffer a quarter may be dirty before anybody waits.
    def write(size: float) -> float:
        return run_pipelines([PipelineTask("in", float(MB), 0.0, "out", size * MB)], HOST)[0][0].write

    assert write(200.0) == pytest.approx(4.0)
    # 150 MB more come out at between one and two times the disc's rate.
    assert 4.0 + 6.0 < write(400.0) < 8.0 + 16.0


def test_what_was_dirty_for_long_is_written_and_frees_the_writer() -> None:
    def second(compute: float) -> float:
        tasks = [PipelineTask("a", float(MB), 0.0, "b", 240.0 * MB),
                 PipelineTask("b", float(MB), compute, "c", 240.0 * MB)]  # fmt: skip
        return run_pipelines(tasks, HOST)[0][1].write

    assert second(100.0) == pytest.approx(4.8)
    assert second(0.0) > 8.0


def test_a_file_larger_than_memory_comes_from_the_disc_again() -> None:
    small = change(HOST, memory=30.0 * MB)
    tasks = [PipelineTask("in", 20.0 * MB, 0.0, "x", float(MB)), PipelineTask("in", 20.0 * MB, 0.0, "y", float(MB))]
    assert run_pipelines(tasks, HOST)[0][1].read == pytest.approx(0.2)
    assert run_pipelines(tasks, small)[0][1].read > 2.0


def test_a_server_writes_through_and_the_client_keeps_what_it_wrote() -> None:
    first, second = run_pipelines(chain(10.0 * MB, 2.0, 2), HOST, mounted=True)[0]
    assert (first.read, first.write) == pytest.approx((1.0, 0.5))
    assert second.read == pytest.approx(0.1)


@pytest.mark.parametrize("mounted", [False, True])
def test_more_programs_do_not_get_their_bytes_sooner(mounted: bool) -> None:
    reads = [max(task.read for (task,) in run_pipelines(ONE_TASK, HOST, programs, mounted))
             for programs in (1, 2, 4, 8)]  # fmt: skip
    assert reads == sorted(reads)


def test_the_same_run_gives_the_same_times() -> None:
    assert run_pipelines(ONE_TASK, HOST, 3) == run_pipelines(ONE_TASK, HOST, 3)


def test_a_share_above_one_is_refused() -> None:
    with pytest.raises(UserError, match="limit must be"):
        change(HOST, limit=1.5)
