"""Chapter 4's disc alone: revolutions that are lost, and queues."""

import pytest

from models.windows_nt.experiments.bench_disc import BENCH, CPU, read_alone
from models.windows_nt.experiments.discs import best, disc_checks, record_size, same_record, steps
from models.windows_nt.experiments.workloads import workload
from sim.study.system import Effort
from sim.units import KIB, MIB, MS

REVOLUTION = BENCH.revolution


@pytest.mark.parametrize(("pages", "revolutions"), [(1, 1), (5, 1), (6, 2), (12, 2), (13, 3)])
def test_a_record_that_is_read_again_waits_for_whole_revolutions(pages: int, revolutions: int) -> None:
    """At the end of one reading the beginning has just gone by, but for what the sectors and the overhead leave."""
    seconds = same_record(pages)["read_ms"] * MS
    assert seconds == pytest.approx(revolutions * REVOLUTION, rel=0.02)


def test_steps_and_the_best_size() -> None:
    frame = record_size(Effort())
    assert steps(frame) == [6, 13]
    most, pages = best(frame)
    assert pages == 12
    assert most == pytest.approx(12 * 4 * KIB / (2 * REVOLUTION) / MIB, rel=0.02)


def test_five_readers_queue() -> None:
    """Little's law; each computes a little between his reads, so that fewer than five wait."""
    one, five = (read_alone(workload(name), 1, 10) for name in ("disc_512", "disc_512_by_5"))
    assert five["queue"] == pytest.approx(five["rate"] * five["disc_response"], rel=0.01)
    assert 5 - 5 * CPU * five["rate"] < five["queue"] < 5
    assert five["busy"] > one["busy"]


def test_checks_do_not_depend_on_parameters() -> None:
    assert disc_checks(1, 0.1) == disc_checks(1, 0.1, whatever=1)
