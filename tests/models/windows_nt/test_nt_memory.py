"""Tests page frames and working sets of Windows NT by hand: times of faults, lists of trimmed pages, their recovery."""

from collections.abc import Iterator, Sequence

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from spindle.models.windows_nt.caller import thread
from spindle.models.windows_nt.memory import MemoryManager, check_frames
from spindle.models.windows_nt.page_writers import ALL_PAGES, PAGE_WRITERS, PageWriter, PageWriters, Zeroing
from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.trimming import ByReference, ByShare, Trimmer, TrimRule
from spindle.models.windows_nt.working_set import PAGE, FileSection, Page, PageLists, WorkingSet, pages_of, runs
from spindle.sim.clock import Phase, Wait
from spindle.sim.cpu import Cpu, PreemptiveCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.parameter import change
from spindle.sim.request import Span

DISC = 0.020
SOFT, CALL, CLEAN = 0.001, 0.004, 0.002
EXACT = NtParameters(soft_fault=SOFT, paging_call=CALL, clean_page=CLEAN, local_pages=0, trim_below=8 * PAGE,
                   trim_goal=4 * PAGE, trim_share=0.5, trim_least=0.125, trim_page=0.0)


def one_writer(env: simpy.Environment, cpu: Cpu, memory: MemoryManager, parameters: NtParameters) -> PageWriter:
    """The one page writer of a machine that has no other."""
    return PageWriters(env, cpu, memory, parameters, (ALL_PAGES,), lambda pages: None)._writers[0]


class Rig:
    """Memory of a few frames over a disc of constant service, and one thread that faults."""

    def __init__(self, frames: int = 8, parameters: NtParameters = EXACT) -> None:
        self.env = simpy.Environment()
        self.cpu = PreemptiveCpu(self.env)
        self.drive = Drive(self.env, FixedService(DISC))
        self.memory = MemoryManager(self.env, self.drive, frames, parameters)
        self.parameters = parameters
        self.caller = thread(self.cpu, "thread", 8)
        self.file = FileSection("file", Span(0, 64 * PAGE))
        self.set = self.memory.working_set("process", 0, 1)

    def do(self, work: Wait) -> float:
        """Seconds that *work* takes alone."""
        began = self.env.now
        self.env.run(self.env.process(work))
        return float(self.env.now) - began

    def bring(self, first: int, count: int = 1, holder: WorkingSet | None = None) -> float:
        holder = self.set if holder is None else holder
        return self.do(self.memory.bring(holder, self.file, range(first, first + count), self.caller))

    def lose(self, number: int, dirty: bool = False) -> None:
        page = self.file.pages[number]
        page.dirty = dirty
        self.memory.remove(self.set, page)

    def levels(self) -> tuple[int, int, int, int]:
        lists = self.memory.lists
        return lists.zeroed, lists.free, len(lists.standby), len(lists.modified)


def test_pages_of_bytes() -> None:
    assert pages_of(0, 1) == range(0, 1)
    assert pages_of(PAGE - 1, 2) == range(0, 2)
    assert pages_of(2 * PAGE, PAGE) == range(2, 3)
    assert list(runs([1, 2, 3, 7, 5, 6], 2)) == [(1, 2), (3, 1), (7, 1), (5, 2)]
    assert list(runs([], 2)) == []


def test_whoever_needs_a_frame_gets_a_free_one_then_a_zeroed_one_then_the_one_that_stood_by_longest() -> None:
    rig = Rig(frames=3)
    for number in range(3):
        rig.bring(number)
        rig.lose(number)
    lists = rig.memory.lists
    assert rig.levels() == (0, 0, 3, 0)
    lists.delete(rig.file.pages[2])
    assert rig.levels() == (0, 1, 2, 0)
    assert lists.available_bytes == 3 * PAGE
    rig.bring(5)
    assert rig.levels() == (0, 0, 2, 0)
    rig.bring(6)
    assert sorted(rig.file.pages) == [1, 5, 6], "page 0 stood by longest"


def test_a_new_page_takes_a_zeroed_frame_before_a_free_one() -> None:
    lists = PageLists(2)
    lists.take()
    lists.free = 1
    assert not lists.take_zeroed()
    assert lists.take_zeroed(), "the free one has yet to be zeroed"


def test_a_hard_fault_costs_the_call_and_the_disc_once_for_pages_in_a_row() -> None:
    rig = Rig()
    assert rig.bring(3, 4) == pytest.approx(CALL + 4 * SOFT + DISC)
    assert (rig.memory.page_reads, rig.memory.pages_input, rig.set.faults, rig.set.soft_faults) == (1, 4, 4, 0)
    assert rig.bring(3, 4) == 0.0
    assert rig.drive.reading()["bytes_read"] == 4 * PAGE


def test_a_page_that_stood_by_comes_back_without_the_disc() -> None:
    rig = Rig()
    rig.bring(3)
    rig.lose(3)
    assert rig.memory.touch(rig.set, rig.file, 3) == SOFT
    assert rig.memory.touch(rig.set, rig.file, 3) == 0.0
    assert rig.memory.touch(rig.set, rig.file, 4) is None
    assert (rig.memory.page_reads, rig.set.faults, rig.set.soft_faults) == (1, 2, 1)
    assert rig.levels() == (7, 0, 0, 0)


def test_a_modified_page_comes_back_dirty() -> None:
    rig = Rig()
    rig.bring(3)
    rig.lose(3, dirty=True)
    assert rig.levels() == (7, 0, 0, 1)
    assert rig.memory.lists.available == 7, "it cannot be had without writing"
    rig.memory.touch(rig.set, rig.file, 3)
    assert rig.file.pages[3].dirty
    assert rig.levels() == (7, 0, 0, 0)


def test_a_page_in_two_working_sets_stays_until_both_have_lost_it() -> None:
    rig = Rig()
    other = rig.memory.working_set("cache", 0, 0)
    rig.bring(3)
    assert rig.bring(3, holder=other) == pytest.approx(SOFT)
    rig.lose(3)
    assert rig.levels() == (7, 0, 0, 0)
    rig.memory.remove(other, rig.file.pages[3])
    assert rig.levels() == (7, 0, 1, 0)


def test_who_wants_a_page_that_is_coming_waits_for_the_same_read() -> None:
    rig = Rig()
    other = rig.memory.working_set("cache", 0, 0)
    ended = []

    def late() -> Wait:
        yield rig.env.timeout(CALL + SOFT + DISC / 2)
        yield from rig.memory.bring(other, rig.file, range(3, 4), thread(rig.cpu, "late", 8))
        ended.append(rig.env.now)

    rig.env.process(late())
    rig.bring(3)
    rig.env.run()
    assert ended == [pytest.approx(CALL + SOFT + DISC + SOFT)]
    assert rig.memory.page_reads == 1


def test_where_memory_is_short_a_working_set_gives_up_a_page_of_its_own() -> None:
    rig = Rig(frames=8, parameters=NtParameters(local_pages=4))
    rig.bring(0, 4)
    other = rig.memory.working_set("other", 1, 1)
    rig.bring(10, 3, holder=other)
    assert len(rig.set) == 4, "local: the other one pays for himself"
    assert [page.number for page in other.pages] == [12]


def test_a_set_of_fixed_size_forgets_its_oldest_page() -> None:
    rig = Rig()
    cache = rig.memory.working_set("cache", 2, 0, maximum=2)
    for number in range(3):
        rig.bring(number, holder=cache)
    assert [page.number for page in cache.pages] == [1, 2]
    assert 0 not in rig.file.pages
    assert rig.levels() == (5, 1, 0, 0)


def test_a_page_may_be_used_while_it_is_written() -> None:
    rig = Rig()
    rig.bring(3)
    rig.lose(3, dirty=True)
    page = rig.file.pages[3]

    def reader() -> Wait:
        yield rig.env.timeout(CALL + CLEAN + DISC / 2)
        assert rig.memory.touch(rig.set, rig.file, 3) == SOFT

    rig.env.process(reader())
    assert rig.do(rig.memory.write([page], rig.caller)) == pytest.approx(CALL + CLEAN + DISC)
    assert rig.memory.transition_faults == 1
    assert rig.levels() == (7, 0, 0, 0)
    assert not page.dirty


def test_a_fault_waits_for_a_frame_that_must_be_written_first() -> None:
    rig = Rig(frames=2)
    one_writer(rig.env, rig.cpu, rig.memory, rig.parameters)
    rig.bring(0, 2)
    rig.lose(0, dirty=True)
    rig.lose(1, dirty=True)
    account = rig.caller.account
    assert rig.bring(9) == pytest.approx(CALL + SOFT + (CALL + 2 * CLEAN + DISC) + CALL + SOFT + DISC)
    assert account.seconds[Phase.MEMORY] == pytest.approx(CALL + 2 * CLEAN + DISC)
    assert (rig.memory.page_writes, rig.memory.pages_output) == (1, 2)


# Trimming ------------------------------------------------------------------------------------------------


class Office:
    """Twenty frames of which an idle process and a busy cache have eight each: four are available, eight wanted."""

    def __init__(self, rule: type[TrimRule] = ByShare) -> None:
        self.rig = Rig(frames=20)
        memory = self.rig.memory
        self.idle = memory.working_set("idle", 2, 3)
        self.idle.active_at = -100.0
        self.cache = memory.working_set("cache", 0, 0)
        self.writer = one_writer(self.rig.env, self.rig.cpu, memory, EXACT)
        self.trimmer = Trimmer(self.rig.env, self.rig.cpu, memory, self.writer.look, rule(EXACT), EXACT)
        memory.populate(self.idle, self.rig.file, range(8), dirty=False)
        memory.populate(self.cache, self.rig.file, range(8, 16), dirty=False)

    def look(self, second: int) -> tuple[int, int, int]:
        self.rig.env.run(second + 0.5)
        return len(self.idle), len(self.cache), self.rig.memory.lists.available


def test_the_inactive_are_trimmed_first_and_by_a_share_of_what_they_have_above_their_minimum() -> None:
    office = Office()
    assert office.look(0) == (8, 8, 4)
    assert office.look(1) == (5, 4, 11), "half of six, and then half of eight"
    assert office.look(2) == (5, 4, 11), "as long as enough is available nobody is trimmed"
    assert [page.number for page in office.idle.pages] == [3, 4, 5, 6, 7], "the oldest went"


def test_who_has_page_faults_is_trimmed_less_the_next_time() -> None:
    office = Office()
    office.look(1)
    memory, file = office.rig.memory, office.rig.file
    for number in (8, 9, 10, 11):
        memory.touch(office.cache, file, number)
    memory.populate(office.cache, file, range(20, 24), dirty=False)
    office.look(2)
    assert office.cache.share == EXACT.trim_share / 2
    assert office.idle.share == EXACT.trim_share, "he had none"


def test_by_reference_only_what_was_not_used_goes() -> None:
    """All were used when they came; of those that nobody uses meanwhile the second look takes what it wants."""
    office = Office(ByReference)
    assert office.look(1) == (8, 8, 4)
    for number in (8, 15):
        office.rig.memory.touch(office.cache, office.rig.file, number)
    # Twelve are wanted, four available: six of the idle one, down to its minimum, and the cache's two oldest unused.
    assert office.look(2) == (2, 6, 12)
    assert [page.number for page in office.cache.pages] == [8, 11, 12, 13, 14, 15]
    assert office.rig.memory.transition_faults == 0


def test_trimming_stops_at_its_goal() -> None:
    office = Office()
    memory = office.rig.memory
    for page in list(office.cache.pages)[:3]:
        memory.remove(office.cache, page)
    # Seven are available and twelve are wanted: three come from the idle one, and of the cache's five a half, two.
    assert office.look(1) == (5, 3, 12)


def test_dirty_pages_that_were_trimmed_are_written_in_clusters() -> None:
    rig = Rig(frames=60)
    holder = rig.memory.working_set("process", 0, 1)
    holder.active_at = -100.0
    rig.memory.populate(holder, rig.file, range(40), dirty=True)
    parameters = NtParameters(trim_below=30 * PAGE, trim_goal=0, trim_share=1.0, paging_call=0.0, clean_page=0.0)
    Trimmer(rig.env, rig.cpu, rig.memory, one_writer(rig.env, rig.cpu, rig.memory, parameters).look,
            ByShare(parameters), parameters)  # fmt: skip
    rig.env.run(1.5)
    # Ten pages were wanted, which is less than a cluster, so they wait; those of the next pass come to them.
    assert (rig.memory.page_writes, len(rig.memory.lists.modified)) == (0, 10)
    rig.env.run(2.5)
    assert (rig.memory.page_writes, rig.memory.pages_output) == (1, 16)


def test_single_pages_of_a_file_are_written_only_where_they_are_too_many() -> None:
    rig = Rig(frames=200)
    writer = one_writer(rig.env, rig.cpu, rig.memory, change(EXACT, modified_most=3))
    rig.env.run(0.1)
    for number in (0, 10, 20, 30):
        assert not rig.memory.page_writes
        rig.bring(number)
        rig.lose(number, dirty=True)
        writer.look()
    rig.env.run(rig.env.now + 1.0)
    assert (rig.memory.page_writes, len(rig.memory.lists.modified)) == (1, 3)


class Writers:
    """A machine short of memory whose page writers are *number*; what they flush is kept by page numbers."""

    def __init__(self, number: str) -> None:
        self.rig = Rig(frames=40, parameters=change(EXACT, trim_below=64 * PAGE))
        self.flushed: list[list[int]] = []
        rig = self.rig
        self.writers = PageWriters(rig.env, rig.cpu, rig.memory, rig.parameters, PAGE_WRITERS[number], self.flush)
        rig.env.run(0.1)

    def flush(self, pages: Sequence[Page]) -> None:
        self.flushed.append([page.number for page in pages])

    def lose(self, section: FileSection, *numbers: int) -> None:
        """Put these pages on the modified list, in this order."""
        self.rig.memory.populate(self.rig.set, section, numbers, dirty=True)
        for number in numbers:
            self.rig.memory.remove(self.rig.set, section.pages[number])


def test_the_mapped_page_writer_gathers_pages_in_a_row_and_they_are_data_flushes() -> None:
    """Seven is first on the list; five, six and eight lie about it. Twelve lies alone."""
    two = Writers("two")
    two.lose(two.rig.file, 7, 12, 5, 6, 8)
    two.writers.look()
    two.rig.env.run(1.0)
    assert two.flushed == [[5, 6, 7, 8], [12]]
    assert (two.rig.memory.page_writes, two.rig.memory.pages_output, two.rig.levels()[2:]) == (0, 0, (5, 0))


def test_a_row_is_a_cluster_at_most() -> None:
    """Twenty pages in a row, the last first on the list: its cluster ends with it."""
    two = Writers("two")
    two.lose(two.rig.file, *reversed(range(20)))
    two.writers.look()
    two.rig.env.run(1.0)
    assert two.flushed == [list(range(4, 20)), list(range(4))]


def test_one_writer_for_all_writes_whole_clusters_and_counts_them_as_its_own() -> None:
    one = Writers("one")
    one.lose(one.rig.file, *range(18))
    one.writers.look()
    one.rig.env.run(1.0)
    assert one.flushed == []
    assert (one.rig.memory.page_writes, one.rig.memory.pages_output, one.rig.levels()[3]) == (1, 16, 2)


@pytest.mark.parametrize(("number", "writing"), [("two", 32), ("one", 16)])
def test_two_writers_are_at_work_at_once(number: str, writing: int) -> None:
    """Both clusters are gathered before the first is on the disc; one writer takes them one after the other."""
    writers = Writers(number)
    writers.lose(writers.rig.file, *range(16))
    own = FileSection("own", Span(64 * PAGE, 64 * PAGE), private=True)
    writers.lose(own, *range(16))
    writers.writers.look()
    writers.rig.env.run(writers.rig.env.now + 2 * (CALL + 16 * CLEAN) + DISC / 2)
    pages = [*writers.rig.file.pages.values(), *own.pages.values()]
    gathered = sum(page.writing or not page.dirty for page in pages)
    assert gathered == writing + (number == "one") * 16 * (CALL + 16 * CLEAN > DISC / 2)


def test_a_long_modified_list_wakes_the_writers_by_itself() -> None:
    two = Writers("two")
    two.rig.memory._parameters = change(two.rig.parameters, modified_most=3)
    two.lose(two.rig.file, 0, 10, 20)
    two.rig.env.run(0.5)
    assert two.flushed == []
    two.lose(two.rig.file, 30)
    two.rig.env.run(1.5)
    assert two.flushed == [[0], [10], [20], [30]]


def test_pages_of_the_page_file_are_written_together_wherever_they_were() -> None:
    rig = Rig(frames=40)
    own = FileSection("own", Span(0, 64 * PAGE), private=True)
    writer = one_writer(rig.env, rig.cpu, rig.memory, change(EXACT, trim_below=64 * PAGE))
    rig.memory.populate(rig.set, own, range(0, 40, 2), dirty=True)
    rig.env.run(0.1)
    for page in list(rig.set.pages):
        rig.memory.remove(rig.set, page)
    writer.look()
    rig.env.run(1.0)
    assert (rig.memory.page_writes, rig.memory.pages_output, len(rig.memory.lists.modified)) == (1, 16, 4)


def test_free_pages_are_zeroed_when_nobody_else_wants_the_processor() -> None:
    rig = Rig(frames=20)
    Zeroing(rig.env, rig.cpu, rig.memory.lists, NtParameters(zero_page=0.010))
    rig.memory.lists.zeroed, rig.memory.lists.free = 0, 20
    rig.env.run(1.005)
    rig.do(iter_burst(rig, 0.5))
    assert rig.levels() == (0, 20, 0, 0), "the burst came first"
    rig.env.run(3.0)
    assert rig.levels() == (16, 4, 0, 0)


def iter_burst(rig: Rig, seconds: float) -> Iterator[simpy.Event]:
    yield rig.caller.burst(seconds)


# Whatever happens, no frame is lost -----------------------------------------------------------------------


@given(st.lists(st.tuples(st.sampled_from("bdtlw"), st.integers(0, 15), st.integers(0, 1)), max_size=60))
def test_every_frame_is_somewhere(steps: list[tuple[str, int, int]]) -> None:
    """Pages are brought, dirtied, touched, lost and written at random by two working sets in eight frames."""
    rig = Rig(frames=8, parameters=NtParameters(local_pages=3))
    sets = rig.set, rig.memory.working_set("other", 0, 1)
    for what, number, which in steps:
        holder, page = sets[which], rig.file.pages.get(number)
        if what == "b" and rig.memory.lists.available:
            rig.bring(number, holder=holder)
        elif page is None:
            continue
        elif what == "d" and page in holder.pages:
            page.dirty = True
        elif what == "t":
            rig.memory.touch(holder, rig.file, number)
        elif what == "l" and page in holder.pages:
            rig.memory.remove(holder, page)
        elif what == "w" and page.dirty:
            rig.do(rig.memory.write([page], rig.caller))
        check_frames(rig.memory, [rig.file])
