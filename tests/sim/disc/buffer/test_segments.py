"""Tests the segments of a buffer by hand, and against a list of sets that drops the one used longest ago."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from spindle.sim.disc.buffer_sheet import Buffer
from spindle.sim.disc.buffered_arm import empty_buffer, times_of
from spindle.sim.disc.kernel.buffer import NOWHERE, BufferSegment, ending_at, extend, fill, forget, holding, use


class Segments:
    """At most *number* segments of *room* blocks each, *written* of them filled by writes."""

    def __init__(self, number: int, written: int, room: int) -> None:
        sheet = Buffer(number, room, write_segments=written)
        self._buffer = empty_buffer(times_of(sheet))

    def _at(self, number: int) -> BufferSegment | None:
        return None if number == NOWHERE else self._buffer.segments[number]

    def holding(self, first: int, stop: int) -> BufferSegment | None:
        return self._at(holding(self._buffer, first, stop))

    def ending_at(self, block: int) -> BufferSegment | None:
        return self._at(ending_at(self._buffer, block))

    def fill(self, first: int, stop: int, written: bool = False) -> BufferSegment:
        return self._buffer.segments[fill(self._buffer, first, stop, written)]

    def use(self, segment: BufferSegment) -> None:
        use(self._buffer, next(at for at, each in enumerate(self._buffer.segments) if each is segment))

    def forget(self, first: int, stop: int) -> None:
        forget(self._buffer, first, stop)


def held(segments: Segments, blocks: int = 100) -> list[int]:
    """The blocks that *segments* can be asked for one by one."""
    return [block for block in range(blocks) if segments.holding(block, block + 1)]


def test_a_segment_is_a_ring() -> None:
    segment = BufferSegment(3, 5)
    extend(segment, 4, 7)
    assert (segment.first, segment.stop) == (3, 7)
    extend(segment, 4, 9)
    assert (segment.first, segment.stop) == (5, 9)
    extend(segment, 4, 30)
    assert (segment.first, segment.stop) == (26, 30)


def test_more_than_a_segment_leaves_its_end_in_it() -> None:
    assert Segments(1, 1, 4).fill(3, 20).first == 16


def test_the_one_used_longest_ago_goes_first() -> None:
    segments = Segments(2, 1, 10)
    old = segments.fill(0, 2)
    segments.fill(20, 22)
    segments.use(old)
    segments.fill(40, 42)
    assert held(segments) == [0, 1, 40, 41]


def test_without_segments_nothing_is_held() -> None:
    segments = Segments(0, 1, 10)
    assert (segments.fill(0, 2).first, held(segments)) == (0, [])
    assert (segments.fill(5, 7, written=True).stop, held(segments)) == (7, [])


def test_a_request_is_held_from_its_beginning_or_not_at_all() -> None:
    segments = Segments(2, 1, 10)
    segment = segments.fill(10, 15)
    assert segments.holding(10, 15) is segment
    assert segments.holding(14, 30) is segment
    assert segments.holding(9, 12) is None
    assert segments.holding(15, 16) is None


def test_who_has_all_of_a_request_comes_before_who_has_its_beginning() -> None:
    segments = Segments(3, 1, 10)
    segments.fill(10, 15)
    whole = segments.fill(12, 20)
    segments.fill(13, 16)
    assert segments.holding(13, 19) is segments.holding(13, 20) is whole


def test_what_goes_on_is_found_by_where_it_ends() -> None:
    segments = Segments(2, 1, 10)
    segment = segments.fill(10, 15)
    assert segments.ending_at(15) is segment
    assert segments.ending_at(14) is None


@pytest.mark.parametrize(("first", "stop", "left"), [
    (0, 10, True), (0, 11, False), (12, 13, False), (14, 20, False), (15, 20, True), (0, 30, False),
])
def test_a_segment_is_forgotten_for_any_of_its_blocks(first: int, stop: int, left: bool) -> None:
    segments = Segments(3, 1, 10)
    segments.fill(10, 15)
    segments.fill(50, 51)
    segments.forget(first, stop)
    assert held(segments) == ([*range(10, 15), 50] if left else [50])


@pytest.mark.parametrize(("first", "stop", "left"), [(15, 51, [*range(10, 15)]), (10, 50, [50])])
def test_its_neighbours_stay_when_a_segment_is_forgotten(first: int, stop: int, left: list[int]) -> None:
    segments = Segments(3, 1, 10)
    segments.fill(10, 15)
    segments.fill(50, 51)
    segments.forget(first, stop)
    assert held(segments) == left


def test_what_was_written_takes_no_more_segments_than_it_may() -> None:
    segments = Segments(4, 2, 10)
    segments.fill(0, 1, written=True)
    segments.fill(10, 11)
    segments.fill(20, 21, written=True)
    segments.fill(30, 31, written=True)
    assert held(segments) == [10, 20, 30]
    segments.fill(40, 41)
    segments.fill(50, 51)
    assert held(segments) == [20, 30, 40, 50]  # reads take any segment, by age


ROOM, MOST = 6, 2
blocks = st.integers(0, 30)
spans = st.tuples(blocks, st.integers(1, 9))


class AgainstSets(RuleBasedStateMachine):
    """Segments of six blocks, three of them, two for writes; each is a set of blocks in a list by use."""

    NUMBER = 3

    def __init__(self) -> None:
        super().__init__()
        self.segments = Segments(self.NUMBER, MOST, ROOM)
        self.model: list[tuple[BufferSegment, set[int], bool]] = []

    @rule(span=spans, written=st.booleans())
    def fill(self, span: tuple[int, int], written: bool) -> None:
        first, stop = span[0], span[0] + span[1]
        if written and sum(kind for _, _, kind in self.model) == MOST:
            self.model.remove(next(each for each in self.model if each[2]))
        elif len(self.model) == self.NUMBER:
            self.model.pop(0)
        segment = self.segments.fill(first, stop, written)
        self.model.append((segment, set(range(first, stop)[-ROOM:]), written))

    @precondition(lambda self: self.model)
    @rule(data=st.data(), more=st.integers(0, 8))
    def extend(self, data: st.DataObject, more: int) -> None:
        segment, kept, _ = data.draw(st.sampled_from(self.model))
        stop = segment.stop + more
        extend(segment, ROOM, stop)
        kept |= set(range(max(kept), stop))
        kept -= set(range(stop - ROOM))

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def use(self, data: st.DataObject) -> None:
        each = data.draw(st.sampled_from(self.model))
        self.segments.use(each[0])
        self.model.remove(each)
        self.model.append(each)

    @rule(span=spans)
    def forget(self, span: tuple[int, int]) -> None:
        gone = set(range(span[0], span[0] + span[1]))
        self.segments.forget(span[0], span[0] + span[1])
        self.model = [each for each in self.model if not each[1] & gone]

    @rule(span=spans)
    def ask(self, span: tuple[int, int]) -> None:
        first, stop = span[0], span[0] + span[1]
        beginning = [segment for segment, kept, _ in self.model if first in kept]
        whole = [segment for segment, kept, _ in self.model if set(range(first, stop)) <= kept]
        found = self.segments.holding(first, stop)
        assert found in whole if whole else found in beginning if beginning else found is None
        ending = [segment for segment, kept, _ in self.model if max(kept) == first]
        found = self.segments.ending_at(first + 1)
        assert found in ending if ending else found is None

    @invariant()
    def the_same_blocks_are_held(self) -> None:
        assert held(self.segments, 200) == sorted(set().union(*(kept for _, kept, _ in self.model)))
        assert all(set(range(each.first, each.stop)) == kept for each, kept, _ in self.model)


TestAgainstSets = AgainstSets.TestCase


units = st.lists(st.integers(0, 8), max_size=60)


@given(asked=units, number=st.integers(1, 5))
def test_one_segment_more_holds_all_that_one_less_does(asked: list[int], number: int) -> None:
    few, many = Segments(number, 1, 2), Segments(number + 1, 1, 2)
    for unit in asked:
        first = unit * 10
        for segments in (few, many):
            found = segments.holding(first, first + 2)
            if found is not None:
                segments.use(found)
            else:
                segments.fill(first, first + 2)
        assert set(held(few)) <= set(held(many))
