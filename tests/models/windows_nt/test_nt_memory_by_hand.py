"""Tests the memory of Windows NT step by step: new pages, disc requests, the order of trimming, limits."""

from typing import Any

import pytest
import simpy

from spindle.models.windows_nt.caller import LOWEST_PRIORITY, WRITER_PRIORITY, thread
from spindle.models.windows_nt.disc import NtVolume
from spindle.models.windows_nt.memory import MemoryManager, check_frames
from spindle.models.windows_nt.page_writers import PAGE_WRITERS, PageWriter, Zeroing
from spindle.models.windows_nt.trimming import TRIMMER_PRIORITY, ByReference, ByShare, Trimmer
from spindle.models.windows_nt.working_set import PAGE, FileSection, Page, PageLists, WorkingSet
from spindle.sim.clock import Phase, Wait
from spindle.sim.parameter import change
from spindle.sim.parts import LawBroken
from spindle.sim.request import READ, WRITE, Access, Hint, Span
from tests.models.windows_nt.test_nt_memory import CALL, CLEAN, DISC, EXACT, SOFT, Rig, one_writer

ZERO = 0.25
NEW = change(EXACT, zero_page=ZERO)


def asked(rig: Rig) -> list[Access]:
    """Return the list to which what is asked of the drive is added."""
    accesses: list[Access] = []
    start = rig.drive.start

    def noted(access: Access) -> Any:
        accesses.append(access)
        return start(access)

    rig.drive.start = noted  # type: ignore[method-assign]
    return accesses


# Faults.

def test_a_new_page_costs_a_soft_fault_and_perhaps_its_zeroing() -> None:
    rig = Rig(frames=2, parameters=NEW)
    assert rig.do(rig.memory.create(rig.set, rig.file, 5, rig.caller)) == pytest.approx(SOFT)
    page = rig.file.pages[5]
    assert (page.number, page.section, page.dirty, page.users) == (5, rig.file, True, 1)
    assert (rig.set.faults, rig.set.soft_faults, rig.memory.demand_zero_faults) == (1, 0, 1)
    rig.memory.lists.zeroed, rig.memory.lists.free = 0, 1
    assert rig.do(rig.memory.create(rig.set, rig.file, 6, rig.caller)) == pytest.approx(SOFT + ZERO)
    assert (rig.set.faults, rig.memory.demand_zero_faults) == (2, 2)
    assert list(rig.set.pages) == [page, rig.file.pages[6]]


def test_a_new_page_waits_for_a_frame_and_is_made_once() -> None:
    rig = Rig(frames=2, parameters=NEW)
    rig.bring(0, 2)
    ended = list[float]()

    def create() -> Wait:
        yield from rig.memory.create(rig.set, rig.file, 5, rig.caller)
        ended.append(rig.env.now)

    for _ in range(2):
        rig.env.process(create())
    began = rig.env.now
    rig.env.run(began + 1.0)
    assert ended == []
    assert rig.memory.has_waiter
    rig.lose(0)
    rig.lose(1)
    rig.env.run(began + 2.0)
    assert ended == pytest.approx([began + 1.0, began + 1.0 + SOFT + ZERO])  # one finds the other's page
    assert rig.caller.account.seconds[Phase.MEMORY] == pytest.approx(2.0)
    assert (rig.set.faults, rig.memory.demand_zero_faults) == (3, 1)


def test_whoever_brings_pages_is_told_if_he_waited() -> None:
    rig, told = Rig(), list[bool]()

    def bring(first: int, count: int) -> Wait:
        told.append((yield from rig.memory.bring(rig.set, rig.file, range(first, first + count), rig.caller)))

    rig.do(bring(0, 2))
    rig.do(bring(0, 2))
    rig.lose(1)
    rig.do(bring(1, 1))
    assert told == [True, False, False]

    def late() -> Wait:
        yield rig.env.timeout(CALL + SOFT + DISC / 2)
        yield from bring(7, 1)

    rig.env.process(late())
    rig.do(bring(7, 1))
    rig.env.run()
    assert told == [True, False, False, True, True]
    assert (rig.set.faults, rig.set.soft_faults) == (5, 1), "two read, one soft, one read, and one that was coming"
    rig.do(bring(7, 3))
    assert sorted(rig.file.pages) == [0, 1, 7, 8, 9]


def test_who_finds_that_another_has_begun_to_read_waits_for_that() -> None:
    """Both fault at the same time; while the second takes its fault the first asks the disc, which is asked once."""
    rig = Rig()
    for _ in range(2):
        rig.env.process(rig.memory.bring(rig.set, rig.file, range(7, 8), rig.caller))
    rig.env.run(10.0)
    assert (rig.memory.page_reads, rig.set.faults, rig.memory.has_waiter) == (1, 2, False)


def test_a_read_is_of_pages_that_are_absent_and_of_a_cluster_at_most() -> None:
    rig = Rig(frames=40)
    accesses = asked(rig)
    rig.bring(3)
    rig.bring(0, 6)
    section = rig.file.extent
    assert accesses[0] == Access(READ, Span(3 * PAGE, PAGE), section, rig.file, Hint.NONE, False, rig.caller.account)
    assert [access.span for access in accesses] == [
        Span(3 * PAGE, PAGE), Span(0, 3 * PAGE), Span(4 * PAGE, 2 * PAGE)]  # fmt: skip
    assert rig.set.faults == 6
    rig.bring(20, 20)
    assert [access.span.length // PAGE for access in accesses[3:]] == [EXACT.cluster, 20 - EXACT.cluster]
    assert rig.memory.fetch(rig.set, rig.file, 20, 5, rig.caller) is None


def test_no_more_is_read_than_there_are_frames() -> None:
    rig = Rig(frames=2)
    accesses = asked(rig)
    rig.memory.fetch(rig.set, rig.file, 0, 5, rig.caller)
    assert [access.span for access in accesses] == [Span(0, 2 * PAGE)]
    assert rig.memory.lists.available == 0
    assert [page.coming is not None for page in rig.file.pages.values()] == [True, True]
    rig.env.run()
    assert [page.coming for page in rig.set.pages] == [None, None]
    assert (rig.memory.page_reads, rig.memory.pages_input) == (1, 2)


def test_a_write_makes_a_page_dirty_and_a_read_does_not() -> None:
    rig = Rig()
    rig.bring(0, 2)
    assert rig.memory.touch(rig.set, rig.file, 0) == rig.memory.touch(rig.set, rig.file, 1, write=True) == 0.0
    assert [page.dirty for page in rig.set.pages] == [False, True]
    request = rig.memory.fetch(rig.set, rig.file, 9, 1, rig.caller)
    assert rig.memory.touch(rig.set, rig.file, 9, write=True) is None
    assert request is not None
    rig.env.run()
    assert not rig.file.pages[9].dirty


def test_faults_are_counted_one_by_one() -> None:
    rig = Rig()
    rig.bring(0, 3)
    for count in (1, 2):
        for number in range(3):
            rig.lose(number)
            rig.memory.touch(rig.set, rig.file, number)
        assert (rig.set.faults, rig.set.soft_faults) == (3 + 3 * count, 3 * count)
    assert rig.memory.transition_faults == 0


def test_reads_and_pages_that_come_back_while_they_are_written_add_up() -> None:
    rig = Rig()
    rig.bring(0, 2)
    rig.bring(3, 3)
    assert (rig.memory.page_reads, rig.memory.pages_input) == (2, 5)
    for number in (0, 1):
        rig.lose(number, dirty=True)
        next(rig.memory.write([rig.file.pages[number]], rig.caller))
        rig.memory.touch(rig.set, rig.file, number)
    assert rig.memory.transition_faults == 2


def test_a_page_that_is_in_use_is_written_and_stays() -> None:
    rig = Rig()
    rig.bring(3)
    page = rig.file.pages[3]
    page.dirty = True
    assert rig.do(rig.memory.write([page], rig.caller)) == pytest.approx(CALL + CLEAN + DISC)
    assert (page.dirty, page.writing, list(rig.set.pages)) == (False, False, [page])
    assert rig.levels() == (7, 0, 0, 0)


def test_a_page_that_is_written_is_clean_and_off_the_list() -> None:
    rig = Rig()
    accesses = asked(rig)
    rig.bring(3, 2)
    rig.lose(3, dirty=True)
    rig.lose(4, dirty=True)
    pages = [rig.file.pages[number] for number in (3, 4)]
    work = rig.memory.write(pages, rig.caller)
    next(work)
    assert [(page.dirty, page.writing) for page in pages] == [(False, True)] * 2
    assert rig.levels() == (6, 0, 0, 0)

    def rest() -> Wait:
        yield from work

    rig.do(rest())
    assert [(page.dirty, page.writing) for page in pages] == [(False, False)] * 2
    assert rig.levels() == (6, 0, 2, 0)
    assert accesses[-1] == Access(WRITE, Span(3 * PAGE, 2 * PAGE), rig.file.extent, rig.file, Hint.NONE, False,
                                  rig.caller.account)  # fmt: skip


def test_sets_are_made_as_they_are_asked_for() -> None:
    rig = Rig()
    made = rig.memory.working_set("mine", 3, 2, 9)
    assert (made.name, made.minimum, made.favour, made.maximum, made.share) == ("mine", 3, 2, 9, EXACT.trim_share)
    assert rig.memory.sets == [rig.set, made]
    caller = thread(rig.cpu, "name", 31)
    assert (caller.account.name, caller.level, thread(rig.cpu, "idle", 0).level) == ("name", 1, 32)


def test_what_memory_reads() -> None:
    rig = Rig(frames=9)
    memory = rig.memory
    names = ["page_reads", "pages_input", "page_writes", "pages_output", "transition_faults", "demand_zero_faults"]
    for number, name in enumerate(names):
        setattr(memory, name, 100 + number)
    other = memory.working_set("other", 0, 0)
    rig.set.faults, other.faults, rig.set.soft_faults, other.soft_faults = 5, 6, 3, 4
    lists, file = memory.lists, rig.file
    lists.zeroed, lists.free = 2, 1
    lists.standby = {Page(file, number): None for number in (0, 1, 2, 3)}
    lists.modified = {Page(file, 9): None, Page(file, 8): None}
    assert memory.reading() == {
        **{name: 100.0 + number for number, name in enumerate(names)}, "page_faults": 11.0, "soft_faults": 7.0,
        "available_bytes": 7.0 * PAGE, "zeroed_pages": 2.0, "free_pages": 1.0, "standby_pages": 4.0,
        "modified_pages": 2.0}  # fmt: skip


# Trimming.

def filled(size: int, minimum: int = 0, favour: int = 0) -> WorkingSet:
    made, section = WorkingSet("set", minimum, favour), FileSection("file", Span(0, 64 * PAGE))
    made.pages = {Page(section, number): True for number in range(size)}
    made.share = EXACT.trim_share
    return made


@pytest.mark.parametrize(("size", "minimum", "favour", "inactive", "wanted", "gives"), [
    (8, 0, 0, False, 9, 4), (8, 0, 1, False, 9, 2), (8, 0, 2, False, 9, 1), (8, 0, 2, True, 9, 4),
    (10, 2, 3, True, 9, 4), (8, 0, 0, True, 3, 3), (8, 0, 0, True, 0, 0), (3, 2, 0, True, 9, 1), (2, 2, 0, True, 9, 0),
    (1, 2, 0, True, 9, 0), (9, 8, 9, False, 9, 1), (24, 0, 3, False, 9, 2),
])  # fmt: skip
def test_a_share_of_what_is_above_the_minimum(
    size: int, minimum: int, favour: int, inactive: bool, wanted: int, gives: int
) -> None:
    """A half; each step of favour halves it, but for the inactive; one page at least where there is any."""
    of = filled(size, minimum, favour)
    of.faults = 99  # nothing was taken yet that they could be held against
    assert [page.number for page in ByShare(EXACT).give_up(of, wanted, inactive)] == list(range(gives))
    assert of.trimmed == gives


@pytest.mark.parametrize(("trimmed", "before", "faults", "share"), [
    (0, 0, 9, 0.25), (4, 0, 2, 0.5), (4, 0, 3, 0.125), (4, 10, 12, 0.5), (4, 10, 13, 0.125), (5, 0, 2, 0.5),
    (5, 0, 3, 0.125), (1, 0, 0, 0.5),
])  # fmt: skip
def test_more_faults_than_half_of_what_was_taken_halve_the_share(
    trimmed: int, before: int, faults: int, share: float
) -> None:
    of = filled(0)
    of.share, of.trimmed, of.faults_before, of.faults = 0.25, trimmed, before, faults
    ByShare(change(EXACT, trim_share=1.0)).give_up(of, 9, True)
    assert (of.share, of.faults_before) == (share, faults)


def test_a_share_has_a_least_and_a_most() -> None:
    of = filled(8)
    of.share, of.trimmed, of.faults = EXACT.trim_least, 2, 9
    ByShare(EXACT).give_up(of, 0, True)
    assert of.share == EXACT.trim_least
    of.share, of.trimmed, of.faults = EXACT.trim_share, 2, 9
    of.faults_before = 9
    ByShare(EXACT).give_up(of, 0, True)
    assert of.share == EXACT.trim_share


@pytest.mark.parametrize(("size", "minimum", "wanted", "gives"), [
    (6, 0, 9, [1, 3, 5]), (6, 0, 2, [1, 3]), (6, 4, 9, [1, 3]), (6, 6, 9, []), (6, 9, 9, []), (6, 0, 0, []),
])  # fmt: skip
def test_what_was_not_used_goes(size: int, minimum: int, wanted: int, gives: list[int]) -> None:
    of = filled(size, minimum)
    of.pages = {page: page.number % 2 == 0 for page in of.pages}
    assert [page.number for page in ByReference(EXACT).give_up(of, wanted, False)] == gives
    assert not any(of.pages.values())


class Given:
    """A rule that takes the two oldest of each, and notes whom it was asked for, for how many, and if inactive."""

    def __init__(self) -> None:
        self.said: list[tuple[str, int, bool]] = []

    def give_up(self, each: WorkingSet, wanted: int, inactive: bool) -> list[Page]:
        self.said.append((each.name, wanted, inactive))
        return list(each.pages)[: min(2, wanted)]


def trimmed(frames: int, *sets: tuple[str, int, float]) -> tuple[Rig, Trimmer, Given]:
    """Sets of six pages each by name, favour, and when they were active; below 8 available they are trimmed to 12."""
    rig, rule = Rig(frames=frames), Given()
    rig.memory.sets.clear()
    for number, (name, favour, active_at) in enumerate(sets):
        made = rig.memory.working_set(name, 0, favour)
        made.active_at = active_at
        rig.memory.populate(made, rig.file, range(6 * number, 6 * number + 6), dirty=False)
    fixed = rig.memory.working_set("fixed", 0, 0, maximum=4)
    fixed.active_at = -999.0
    writer = one_writer(rig.env, rig.cpu, rig.memory, EXACT)
    return rig, Trimmer(rig.env, rig.cpu, rig.memory, writer.look, rule, EXACT), rule  # type: ignore[arg-type]


def test_the_longest_inactive_is_first_and_then_the_least_favoured() -> None:
    """Inactive after a while of the parameters; a set of fixed size gives none."""
    old = -EXACT.inactive_after
    rig, trimmer, rule = trimmed(31, ("favoured", 2, 0.0), ("plain", 0, 0.5), ("short", 0, old - 1.0),
                                 ("long", 2, old - 9.0))  # fmt: skip
    assert rig.memory.lists.available == 7
    rig.env.run(1.5)
    assert rule.said == [("long", 5, True), ("short", 3, True), ("plain", 1, False), ("favoured", 0, False)]
    assert trimmer.reading() == {"passes": 1.0, "trimmed": 5.0}
    assert rig.memory.lists.available == 12


def test_of_equals_that_are_active_the_first_made_is_first() -> None:
    rig, _, rule = trimmed(13, ("later", 0, 0.5), ("sooner", 0, 0.25))
    rig.env.run(1.5)
    assert [name for name, _, _ in rule.said] == ["later", "sooner"]


def test_active_for_just_so_long_is_not_inactive() -> None:
    rig, _, rule = trimmed(8, ("just", 0, 1.0 - EXACT.inactive_after))
    rig.env.run(1.5)
    assert rule.said == [("just", 10, False)]


def test_sets_are_trimmed_while_too_little_is_available() -> None:
    rig, trimmer, rule = trimmed(14, ("one", 0, 0.0))
    assert rig.memory.lists.available_bytes == EXACT.trim_below
    rig.env.run(1.5)
    assert rule.said == []
    rig.memory.lists.zeroed -= 5
    rig.env.run(3.5)
    assert trimmer.reading() == {"passes": 2.0, "trimmed": 4.0}
    assert [wanted for _, wanted, _ in rule.said] == [9, 7]
    assert trimmer.passes == len(rule.said)


def test_a_claim_takes_a_free_frame_then_a_zeroed_one_and_then_what_stands_by_longest() -> None:
    lists, section = PageLists(2), FileSection("some", Span(0, 4 * PAGE))
    for number in range(2):
        lists.leave(section.pages.setdefault(number, Page(section, number)))
    lists.free = 1
    taken = []
    for _ in range(4):
        lists.take()
        taken.append((lists.free, lists.zeroed, [page.number for page in lists.standby], list(section.pages)))
    assert taken == [(0, 2, [0, 1], [0, 1]), (0, 1, [0, 1], [0, 1]), (0, 0, [0, 1], [0, 1]), (0, 0, [1], [1])]
    lists.free = lists.zeroed = 1
    assert [lists.take_zeroed() for _ in range(3)] == [False, True, True], "what is free has yet to be zeroed"
    assert (lists.available, section.pages) == (0, {})


def test_a_page_that_is_being_written_stands_by_when_that_is_done_and_it_is_there() -> None:
    lists, section = PageLists(0), FileSection("some", Span(0, 4 * PAGE))
    pages = [section.pages.setdefault(number, Page(section, number)) for number in range(4)]
    for page in pages:
        page.writing = True
        lists.leave(page)
    assert lists.standby == {}
    lists.delete(pages[1])
    pages[2].users = 1
    pages[3].dirty = True
    for page in pages:
        lists.finish_write(page)
    assert ([*lists.standby], lists.free, [page.writing for page in pages]) == ([pages[0]], 1, [False] * 4)


def test_a_file_may_end_within_its_last_page() -> None:
    sizes = (1, PAGE, PAGE + 1, 2 * PAGE)
    assert [FileSection("some", Span(0, 2 * PAGE), size).count for size in sizes] == [1, 1, 2, 2]


def test_each_writer_has_pages_of_its_kind() -> None:
    kinds = [Page(FileSection("some", Span(0, PAGE), private=private), 0) for private in (True, False)]
    have = {name: [[each.have(page) for page in kinds] for each in writers] for name, writers in PAGE_WRITERS.items()}
    assert have == {"two": [[True, False], [False, True]], "one": [[True, True]]}


def test_threads_have_their_names_and_priorities(env: simpy.Environment) -> None:
    rig, trimmer, _ = trimmed(31)
    writer = one_writer(rig.env, rig.cpu, rig.memory, EXACT)
    zeroing = Zeroing(rig.env, rig.cpu, rig.memory.lists, EXACT)
    of = [(part._caller.account.name, 32 - part._caller.level) for part in (writer, zeroing, trimmer)]
    assert of == [("System: modified page writer", WRITER_PRIORITY), ("System: zero page thread", LOWEST_PRIORITY),
                  ("System: working set manager", TRIMMER_PRIORITY)]  # fmt: skip
    assert all(part.account is part._caller.account for part in (writer, zeroing, trimmer))
    assert (WRITER_PRIORITY, TRIMMER_PRIORITY, LOWEST_PRIORITY) == (17, 16, 0)
    assert trimmer.reading() == {"passes": 0.0, "trimmed": 0.0}


def test_trimming_takes_time_by_the_page() -> None:
    rig = Rig(frames=8, parameters=change(EXACT, trim_page=0.125))
    rig.memory.populate(rig.set, rig.file, range(8), dirty=False)
    writer = one_writer(rig.env, rig.cpu, rig.memory, rig.parameters)
    trimmer = Trimmer(rig.env, rig.cpu, rig.memory, writer.look, ByShare(rig.parameters), rig.parameters)
    rig.env.run(1.9)
    assert rig.cpu.busy() == pytest.approx(trimmer.trimmed * 0.125)
    assert trimmer.trimmed > 0


# The page writer and the zero page thread.

def modified(count: int, available: int, **parameters: Any) -> tuple[PageWriter, list[int]]:
    """A writer above *count* modified pages in a row and *available* frames; and what it would write next."""
    rig = Rig(frames=count + available, parameters=change(EXACT, **parameters))
    writer = one_writer(rig.env, rig.cpu, rig.memory, rig.parameters)
    rig.memory.populate(rig.set, rig.file, range(count), dirty=True)
    for page in list(rig.set.pages):
        rig.memory.remove(rig.set, page)
    return writer, [page.number for page in writer._next()]


def test_the_writer_writes_clusters_while_memory_is_short_and_less_only_if_it_must() -> None:
    cluster, short = EXACT.cluster, (EXACT.trim_below + EXACT.trim_goal) // PAGE
    assert (cluster, short) == (16, 12)
    wide = {"trim_below": 20 * PAGE}  # with the goal, 24 pages
    assert modified(16, 24, **wide)[1] == []
    assert modified(16, 23, **wide)[1] == list(range(16))
    assert modified(15, 23, **wide)[1] == []
    assert modified(15, 16, **wide)[1] == []
    assert modified(15, 15, **wide)[1] == list(range(15))
    assert modified(5, 99, modified_most=5)[1] == []
    assert modified(6, 99, modified_most=5)[1] == list(range(6))
    writer, _ = modified(5, 99)
    assert writer._next() == []
    next(writer._memory.wait_for_room(writer.account))
    assert len(writer._next()) == 5


def test_a_cluster_is_of_the_page_file_alone_or_of_a_file_in_a_row() -> None:
    """Pages of both, in turn; those of the file are 0, 1 and 3."""
    rig = Rig(frames=8, parameters=EXACT)
    writer, own = one_writer(rig.env, rig.cpu, rig.memory, EXACT), FileSection("own", Span(0, 9 * PAGE), private=True)
    for section, number in ((own, 5), (rig.file, 0), (own, 2), (rig.file, 3), (rig.file, 1)):
        rig.memory.populate(rig.set, section, [number], dirty=True)
    for page in list(rig.set.pages):
        rig.memory.remove(rig.set, page)
    assert [page.number for page in writer._cluster(own.pages[2])] == [5, 2]
    assert [page.number for page in writer._cluster(rig.file.pages[1])] == [0, 1]
    assert [page.number for page in writer._cluster(rig.file.pages[3])] == [3]


def test_the_writer_is_woken_by_a_claim_and_counts_what_it_writes() -> None:
    rig = Rig(frames=40, parameters=change(EXACT, trim_below=20 * PAGE))
    writer = one_writer(rig.env, rig.cpu, rig.memory, rig.parameters)
    writer.look()
    rig.env.run(0.1)
    rig.memory.populate(rig.set, rig.file, range(40), dirty=True)
    for page in list(rig.set.pages):
        rig.memory.remove(rig.set, page)
    writer.look()
    assert writer._work is None
    writer.look()
    rig.env.run(0.1 + 2 * (CALL + 16 * CLEAN + DISC) + 1e-6)
    assert (rig.memory.page_writes, rig.memory.pages_output) == (2, 32)
    assert rig.memory.lists.available == 32


def test_frames_are_zeroed_by_batches() -> None:
    rig = Rig(frames=40)
    lists, batch = rig.memory.lists, EXACT.zero_batch
    Zeroing(rig.env, rig.cpu, lists, EXACT)
    for free, left in ((batch - 1, batch - 1), (batch, 0), (2 * batch + 1, 1)):
        lists.zeroed, lists.free = 0, free
        rig.env.run(rig.env.now + 2 * EXACT.zero_period)
        assert (lists.zeroed, lists.free) == (free - left, left)


def test_frames_that_are_taken_meanwhile_are_not_zeroed() -> None:
    slow = change(EXACT, zero_page=0.25)
    rig = Rig(frames=40, parameters=slow)
    lists, batch = rig.memory.lists, slow.zero_batch
    Zeroing(rig.env, rig.cpu, lists, slow)
    lists.zeroed, lists.free = 0, batch
    rig.env.run(slow.zero_period + 0.1)
    lists.take()
    rig.env.run(slow.zero_period + batch * 0.25 + 0.1)
    assert (lists.zeroed, lists.free) == (batch - 1, 0)


# Frames that are lost.

def test_a_frame_that_is_lost_or_in_two_places_breaks_the_law() -> None:
    rig = Rig()
    memory, file = rig.memory, rig.file
    rig.bring(0, 3)
    rig.lose(1)
    rig.lose(2, dirty=True)
    memory.lists.free, memory.lists.zeroed = 2, 3
    check_frames(memory, [file])
    for free in (3, 1):
        memory.lists.free = free
        with pytest.raises(LawBroken, match=f"3 zeroed, {free} free and 3 pages are not 8"):
            check_frames(memory, [file])
    memory.lists.free = 2
    for number, change_it, undo in (
        (0, lambda page: setattr(page, "users", 2), lambda page: setattr(page, "users", 1)),
        (0, lambda page: setattr(page, "users", 0), lambda page: setattr(page, "users", 1)),
        (0, lambda page: memory.lists.standby.update({page: None}), lambda page: memory.lists.standby.pop(page)),
        (0, lambda page: memory.lists.modified.update({page: None}), lambda page: memory.lists.modified.pop(page)),
        (1, lambda page: memory.lists.modified.update({page: None}), lambda page: memory.lists.modified.pop(page)),
        (1, lambda page: setattr(page, "users", 1), lambda page: setattr(page, "users", 0)),
        (1, lambda page: setattr(page, "coming", True), lambda page: setattr(page, "coming", None)),
    ):  # fmt: skip
        change_it(file.pages[number])
        with pytest.raises(LawBroken, match=f"page {number} of file is in the wrong place"):
            check_frames(memory, [file])
        undo(file.pages[number])
        check_frames(memory, [file])


# The page file.

def test_private_pages_have_their_place_in_the_page_file() -> None:
    layout = NtVolume(400 * PAGE, 10 * PAGE, 20 * PAGE)
    one, other = layout.private("one", 8), layout.private("other", 12)
    assert [section.private for section in (one, other)] == [True, True]
    assert other.extent.first == one.extent.end
    with pytest.raises(Exception, match="1 pages are more than the page file has left"):
        layout.private("third", 1)


def test_a_manager_without_a_writer_tells_nobody(env: simpy.Environment) -> None:
    rig = Rig()
    assert isinstance(rig.memory, MemoryManager)
    next(rig.memory.wait_for_room(rig.caller.account))
    assert rig.memory.has_waiter
    rig.memory.make_known()
    assert not rig.memory.has_waiter
