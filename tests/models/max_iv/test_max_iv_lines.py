"""Tests by hand how many characters lines lose while Jacobson's cache locks interrupts out."""

from random import Random

import pytest

from spindle.models.max_iv.lines import DATA_LEVEL, Lines, LockOut, LockOuts, count_lost
from spindle.models.max_iv.run import run
from spindle.sim.error import UserError

MS = 1e-3


def losses(seconds: float, lines: Lines, count: int = 200) -> float:
    """Characters lost in each of *count* equal lock-outs."""
    return count_lost([LockOut(float(number), seconds) for number in range(count)], lines, Random(1)) / count


def test_a_lock_out_shorter_than_a_character_loses_nothing_on_one_line() -> None:
    assert losses(0.9 * MS, Lines(1)) == 0.0


def test_a_line_that_never_stops_loses_what_comes_while_its_receiver_is_full() -> None:
    # 1.042 ms a character: in 3 characters' time three arrive, of which one is held.
    assert losses(3 * Lines(1).character, Lines(1)) == pytest.approx(2.0)
    assert losses(3 * Lines(1).character, Lines(1, buffer=2)) == pytest.approx(1.0)
    assert losses(3 * Lines(1).character, Lines(1, buffer=3)) == 0.0


def test_half_a_character_more_loses_half_a_character() -> None:
    assert losses(1.5 * Lines(1).character, Lines(1), 4000) == pytest.approx(0.5, abs=0.03)


def test_lines_wait_for_each_other_once_the_cpu_is_free() -> None:
    few, many = Lines(1, interrupt=0.2 * MS), Lines(4, interrupt=0.2 * MS)
    assert losses(0.95 * MS, few) == 0.0
    assert losses(0.95 * MS, many) > 0.0


def test_what_is_more_urgent_is_not_locked_out_unless_interrupts_are_masked() -> None:
    assert losses(3 * MS, Lines(1, level=DATA_LEVEL)) == 0.0
    assert losses(3 * MS, Lines(1, level=DATA_LEVEL, masked=True)) == losses(3 * MS, Lines(1)) > 0.0


def test_slower_lines_lose_less() -> None:
    assert losses(3 * MS, Lines(1, baud=1200.0)) == 0.0


def test_lines_that_the_cpu_cannot_follow_are_refused() -> None:
    # 960 characters a second on each line: five take 96 % of the CPU at 0.2 ms a character, six 115 %.
    assert losses(3 * MS, Lines(5, interrupt=0.2 * MS), count=2) > 0.0
    says = r"^6 lines of 9600 baud take 115% of the CPU, at 0\.2 ms a character, and may take at most 99%$"
    with pytest.raises(UserError, match=says):
        Lines(6, interrupt=0.2 * MS)


def test_the_lock_outs_of_a_run_are_its_work_at_interrupt_level() -> None:
    seen = LockOuts()
    result = run(1, minutes=5.0, warm_up=2.0, watch=seen)
    spent = sum(each.seconds for each in seen.seen)
    assert spent == pytest.approx(result.counters["cpu.busy_cache"], abs=5 * MS)
    assert all(120.0 <= each.begin <= 420.0 for each in seen.seen)
    assert max(each.seconds for each in seen.seen) > 2 * MS  # a large write forgets its sectors one by one


def test_a_run_with_lines_says_what_they_lose() -> None:
    def lost_of(**parameters: object) -> float:
        extras = run(users=2, minutes=1.0, warm_up=0.5, seed=1, copy=0.9 * MS, **parameters).extras
        return extras.get("lost_characters", -1.0)

    assert lost_of() == -1.0
    assert lost_of(lines=4) > lost_of(lines=1) > 0.0
    assert lost_of(lines=4, line_buffer=4) < lost_of(lines=4)
    assert lost_of(lines=4, line_level=DATA_LEVEL) == lost_of(lines=4, sectors=0) == 0.0
    with pytest.raises(UserError, match="40 lines of 9600 baud take"):
        lost_of(lines=40)


def test_lines_change_nothing_else() -> None:
    plain, lined = (run(users=2, minutes=1.0, warm_up=0.5, seed=1, lines=lines) for lines in (0, 4))
    assert plain.counters == lined.counters
