"""Tests the bytes that a power failure leaves, by hand, and that the curve of bytes at risk agrees at any instant."""

from hypothesis import given
from hypothesis import strategies as st

from spindle.models.unix_stdio.page_cache.at_risk import BytesLeft, WriteHistory
from spindle.models.unix_stdio.parameters import PAGE


def test_bytes_in_the_library_in_the_cache_and_on_the_disc() -> None:
    history = WriteHistory()
    history.handed_over(1.0, 5000, 4096)
    history.handed_over(2.0, 9000, 8192)
    history.note_stored(3.0, [(0, PAGE)])
    assert history.left_at(0.5) == BytesLeft(0, 0, 0, 0)
    assert history.left_at(1.0) == BytesLeft(5000, 904, 0, 0)
    assert history.left_at(3.5) == BytesLeft(9000, 808, PAGE, PAGE)
    assert (history.left_at(3.5).lost_bytes, history.max_risk(), history.safe_at()) == (9000 - PAGE, 9000, 3.0)


def test_a_file_with_a_hole_is_whole_up_to_the_hole() -> None:
    history = WriteHistory()
    history.handed_over(1.0, 4 * PAGE, 4 * PAGE)
    history.note_stored(2.0, [(0, PAGE), (1, 100), (3, PAGE)])
    assert history.left_at(2.0) == BytesLeft(4 * PAGE, 0, 2 * PAGE + 100, PAGE + 100)
    history.note_stored(3.0, [(2, PAGE)])
    assert history.left_at(3.0).whole == PAGE + 100, "the second page is not full"


def test_a_page_that_is_written_again_counts_once() -> None:
    history = WriteHistory()
    history.handed_over(1.0, PAGE, PAGE)
    history.note_stored(2.0, [(0, 10)])
    history.note_stored(3.0, [(0, 30)])
    history.note_stored(4.0, [(0, 20)])
    assert [history.left_at(instant).on_disc for instant in (1.0, 2.0, 3.0, 4.0)] == [0, 10, 30, 30]
    assert [PAGE - risk for _, risk in history.curve((1.0, 2.0, 3.0, 4.0))] == [0, 10, 30, 30]
    assert WriteHistory().max_risk() == 0


stored = st.tuples(st.floats(0, 10), st.integers(0, 5), st.integers(1, PAGE))


@given(st.lists(st.tuples(st.floats(0, 10), st.integers(1, 9000))), st.lists(stored))
def test_the_curve_is_what_each_moment_says(
    handed: list[tuple[float, int]], pages: list[tuple[float, int, int]]
) -> None:
    history, total = WriteHistory(), 0
    for instant, more in sorted(handed):
        total += more
        history.handed_over(instant, total, total)
    for instant, page, filled in pages:
        history.note_stored(instant, [(page, filled)])
    instants = [number / 3 for number in range(40)]
    lost = [history.left_at(instant).lost_bytes for instant in instants]
    assert [risk for _, risk in history.curve(instants)] == lost
