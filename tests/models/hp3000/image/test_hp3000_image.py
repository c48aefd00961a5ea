"""Tests IMAGE, HP's data base, by hand: locks of the control block, buffers, and the blocks that each call touches."""

from dataclasses import replace
from random import Random

import pytest
import simpy

from spindle.models.hp3000.control_block import ControlBlock, CpuPart, Hold, WholeCall
from spindle.models.hp3000.data_sets import FAMILIES, DataSet, Positions, ReferenceLocality
from spindle.models.hp3000.discs import Volumes
from spindle.models.hp3000.files import default_buffers
from spindle.models.hp3000.image import BufferPlan, CallCosts, DataBase
from spindle.models.hp3000.memory import SegmentManager
from spindle.sim.clock import Account, Phase, Wait, pause
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.eviction.lru import Lru
from spindle.sim.lock import Lock
from spindle.sim.machine import File, Machine, SystemCalls
from spindle.sim.memory import SharedMemory
from spindle.sim.request import Span
from spindle.sim.units import KIB, MIB, MS
from spindle.workloads.programs import DataBaseCalls as DataBaseCall
from spindle.workloads.programs import Intrinsic
from spindle.workloads.shipped_programs import CATALOGUE
from tests.models.hp3000.noting_cpu import NotingCpu

CALL, SYSTEM_CALL, DISC = 2 * MS, 1 * MS, 25 * MS
FAULT = 3 * MS + DISC
"""Seconds to bring the control block into memory."""
READ = SYSTEM_CALL + DISC
"""Seconds to read or write a block on an idle machine."""
BLOCK = 1024
BLOCKS = 200
SCATTERED = ReferenceLocality(near=0.0, hot_share=0.0, hot_size=0.01, step=1.0)
"""References that are never near an earlier one."""
ONWARD = ReferenceLocality(near=1.0, hot_share=0.0, hot_size=0.01, step=0.0)


def positions_at(chosen: DataSet, block: int, family: str = "ORDER") -> Positions:
    """Return the positions of a user whose answer has reached *block*."""
    positions = Positions()
    positions.now[family] = chosen, block
    return positions


class Rolled(Random):
    """A generator of given numbers."""

    def __init__(self, *numbers: float) -> None:
        super().__init__()
        self.numbers = list(numbers)

    def random(self) -> float:
        return self.numbers.pop(0)


class Bench:
    """A data base of two data sets in the family CUSTOMER and one in ORDER, on a plain disc; nobody is dispatched.

    The control block is in memory and was used before anything is looked at; *dispatch* is what a stop costs.
    """

    def __init__(self, env: simpy.Environment, buffers: int = 8, locality: ReferenceLocality = SCATTERED,
                 hold: Hold | None = None, dispatch: float = 0.0) -> None:
        self.env = env
        self.cpu = NotingCpu(env)
        self.drive = Drive(env, FixedService(DISC))
        self.machine = Machine(env, {}, self.cpu, SystemCalls(SYSTEM_CALL, SYSTEM_CALL, 3))
        self.lock = Lock(env, "data base control block")
        self.memory = SharedMemory(env, 64 * KIB, Lru())
        volumes = Volumes([self.drive], [MIB], reserved=64 * KIB)
        self.segments = SegmentManager(env, self.memory, [self.drive], volumes, self.cpu, 3 * MS, 1)
        self.tables = self.segments.data("control block", 16 * KIB)
        self.tables.present = True
        self.memory.take(self.segments, [self.tables], 16 * KIB, Account("start"))
        self.memory.unpin(self.tables)
        sets = [
            DataSet(number, File(f"set {number}", self.drive, [Span(number * BLOCKS * BLOCK, BLOCKS * BLOCK)]), BLOCK)
            for number in range(3)
        ]
        self.families = {"CUSTOMER": sets[:2], "ORDER": sets[2:]}
        control = ControlBlock(self.lock, self.segments, self.tables, hold or WholeCall())
        costs = CallCosts(CALL, dispatch, 2)
        self.data_base = DataBase(self.machine, self.families, control, BufferPlan(buffers, BLOCK), locality, costs)
        self.log: list[tuple[str, float]] = []
        self.accounts: dict[str, Account] = {}

    def calls(self, intrinsic: Intrinsic, family: str = "ORDER", times: int = 1, who: str = "user", when: float = 0.0,
              positions: Positions | None = None, random: Random | None = None) -> Positions:
        kept = positions or Positions()
        account = self.accounts.setdefault(who, Account(who))

        def work() -> Wait:
            yield pause(self.env, when)
            yield from self.data_base.call(intrinsic, family, times, kept, random or Random(0), account)
            self.log.append((who, round(self.env.now, 9)))

        self.env.process(work())
        return kept

    def run(self) -> list[tuple[str, float]]:
        self.env.run()
        assert self.lock.holder is None
        assert set(self.cpu.asked) <= {(2, Phase.CPU), (3, Phase.CPU), (1, Phase.MANAGER)}
        return self.log

    def counted(self) -> tuple[int, int, int, int]:
        each = self.data_base
        return each.calls, each.block_reads, each.block_writes, each.buffers.hits


@pytest.fixture
def bench(env: simpy.Environment) -> Bench:
    return Bench(env)


# The control block --------------------------------------------------------------------------------


def test_the_control_block_is_held_for_the_whole_call_disc_access_included(bench: Bench) -> None:
    bench.calls(Intrinsic.GET_KEYED, who="one")
    bench.calls(Intrinsic.GET_KEYED, who="other", when=1 * MS, random=Random(1))
    assert bench.run() == [("one", 0.028), ("other", 0.056)]
    assert (bench.lock.acquired, bench.lock.impedes) == (2, 1)
    assert bench.accounts["other"].seconds[Phase.LOCK] == pytest.approx(CALL + READ - 1 * MS)
    assert bench.accounts["other"].total() == pytest.approx(2 * (CALL + READ) - 1 * MS)
    assert bench.data_base.reading()["lock_held"] == pytest.approx(2 * (CALL + READ))
    assert bench.data_base.reading()["lock_impedes"] == 1.0


def test_it_is_given_up_between_the_calls_of_one_answer(bench: Bench) -> None:
    bench.calls(Intrinsic.CONTROL, times=3, who="one")
    bench.calls(Intrinsic.CONTROL, times=1, who="other", when=1 * MS)
    assert bench.run() == [("other", 2 * CALL), ("one", 4 * CALL)]
    assert bench.lock.impedes == 2


def test_calls_without_a_block_hold_it_for_their_cpu_time(bench: Bench) -> None:
    bench.calls(Intrinsic.CONTROL, times=6)
    assert bench.run() == [("user", pytest.approx(6 * CALL))]
    assert bench.counted() == (6, 0, 0, 0)


def test_held_over_the_cpu_part_alone_it_is_free_while_the_disc_works(env: simpy.Environment) -> None:
    bench = Bench(env, hold=CpuPart())
    bench.calls(Intrinsic.GET_KEYED, who="one")
    bench.calls(Intrinsic.GET_KEYED, who="other", when=1 * MS, random=Random(1))
    assert bench.run() == [("one", pytest.approx(CALL + READ)), ("other", pytest.approx(CALL + READ + DISC))]
    # The other's call begins when the one's read call has been through the CPU.
    assert bench.data_base.reading()["lock_held"] == pytest.approx(2 * CALL + SYSTEM_CALL)
    assert bench.accounts["other"].seconds[Phase.LOCK] == pytest.approx(CALL - 1 * MS)


def test_who_was_stopped_for_it_is_dispatched_again(env: simpy.Environment) -> None:
    bench = Bench(env, dispatch=0.5 * MS)
    bench.calls(Intrinsic.CONTROL, who="one")
    bench.calls(Intrinsic.CONTROL, who="other", when=1 * MS)
    assert bench.run() == [("one", CALL), ("other", pytest.approx(2 * CALL + 0.5 * MS))]


def test_an_absent_control_block_is_brought_in_while_it_is_locked(bench: Bench) -> None:
    bench.memory.release(bench.tables)
    bench.segments.forget(bench.tables)
    bench.calls(Intrinsic.CONTROL, who="one")
    bench.calls(Intrinsic.CONTROL, who="other", when=1 * MS)
    assert bench.run() == [("one", FAULT + CALL), ("other", FAULT + 2 * CALL)]
    assert bench.segments.faults == 1
    assert bench.accounts["other"].seconds[Phase.LOCK] == pytest.approx(FAULT + CALL - 1 * MS)
    assert bench.tables.dirty


# What each call touches ---------------------------------------------------------------------------


@pytest.mark.parametrize(("intrinsic", "reads", "writes"), [
    (Intrinsic.FIND, 1, 0),
    (Intrinsic.GET_KEYED, 1, 0),
    (Intrinsic.GET_DIRECTED, 1, 0),
    (Intrinsic.GET_CHAINED, 1, 0),
    (Intrinsic.GET_SERIAL, 1, 0),
    (Intrinsic.UPDATE, 1, 1),
    (Intrinsic.PUT, 3, 3),
    (Intrinsic.DELETE, 4, 4),
    (Intrinsic.CONTROL, 0, 0),
])  # fmt: skip
def test_each_intrinsic_touches_its_blocks(intrinsic: Intrinsic, reads: int, writes: int, bench: Bench) -> None:
    """From empty buffers, on a detail with one path: DBPUT takes 2 + 4 accesses, entry, master and chain neighbour."""
    bench.calls(intrinsic)
    assert bench.run() == [("user", pytest.approx(CALL + (reads + writes) * READ))]
    assert bench.counted() == (1, reads, writes, 0)
    assert bench.drive.counts.reading(bench.env.now)["completed"] == reads + writes


def test_every_intrinsic_is_among_them_and_every_program_asks_for_families_that_exist() -> None:
    assert len(Intrinsic) == 9
    assert sum(family.count for family in FAMILIES.values()) == 56
    assert {path for family in FAMILIES.values() for path in family.paths} == {"CUSTOMER", "PART"}
    asked = {act.data_set for program in CATALOGUE.values() for acts in (program.starting, *program.answers.values())
             for act in acts if isinstance(act, DataBaseCall)}
    assert asked == {"CONTROL", "CUSTOMER", "ORDER", "PART", "STOCK", "INVOICE"} == set(FAMILIES)


def spans(bench: Bench) -> list[tuple[str, int]]:
    """What the drive is asked for from now on: reads and writes, by block."""
    asked: list[tuple[str, int]] = []
    start = bench.drive.start
    bench.drive.start = lambda access: (  # type: ignore[method-assign]
        asked.append((access.op.value, access.span.first // BLOCK)), start(access))[1]
    return asked


def test_put_links_the_new_entry_to_its_master_and_to_the_last_of_its_chain(bench: Bench) -> None:
    asked = spans(bench)
    # Which data set of one; cold; block 50 of 200. The master: the second data set; cold; block 100. The neighbour is
    # not near; cold; 150.
    bench.calls(Intrinsic.PUT, random=Rolled(0.0, 0.9, 0.25, 0.5, 0.9, 0.5, 0.5, 0.9, 0.75))
    bench.run()
    entry, master, neighbour = 2 * BLOCKS + 50, BLOCKS + 100, 2 * BLOCKS + 150
    assert asked == [(op, block) for block in (entry, master, neighbour) for op in ("read", "write")]


def test_find_reads_the_master_and_goes_to_the_chain(bench: Bench) -> None:
    asked = spans(bench)
    positions = bench.calls(Intrinsic.FIND, random=Rolled(0.0, 0.9, 0.25, 0.5, 0.9, 0.5))
    bench.run()
    assert asked == [("read", BLOCKS + 100)]
    assert positions.now["ORDER"][1] == 50
    assert positions.now["CUSTOMER"][1] == 100


def test_a_master_has_no_chain_to_be_linked_into(bench: Bench) -> None:
    bench.calls(Intrinsic.PUT, "CUSTOMER")
    bench.run()
    assert bench.counted() == (1, 1, 1, 0)
    bench.calls(Intrinsic.FIND, "CUSTOMER", random=Random(1))  # nor one to be found: the entry itself is read
    bench.run()
    assert bench.counted() == (2, 2, 1, 0)


# Where references go ------------------------------------------------------------------------------


def test_a_key_leads_to_a_data_set_and_a_block_of_it(bench: Bench) -> None:
    positions = bench.calls(Intrinsic.GET_KEYED, "CUSTOMER", random=Rolled(0.5, 0.9, 0.75))
    bench.run()
    chosen, block = positions.now["CUSTOMER"]
    assert (chosen.number, block) == (1, 150)


def test_the_hot_blocks_lie_together_at_the_beginning(env: simpy.Environment) -> None:
    bench = Bench(env, locality=ReferenceLocality(near=0.0, hot_share=0.8, hot_size=0.05, step=1.0))
    positions = bench.calls(Intrinsic.GET_KEYED, "CUSTOMER", random=Rolled(0.0, 0.79, 0.95))
    bench.run()
    assert positions.now["CUSTOMER"][1] == 9  # the last but none of 10 hot ones
    data_set, random = bench.families["ORDER"][0], Random(1)
    locality = ReferenceLocality(near=0.0, hot_share=0.8, hot_size=0.05, step=1.0)
    hot = sum(data_set.place(random, locality) < 10 for _ in range(10_000))
    assert hot / 10_000 == pytest.approx(0.8 + 0.2 * 0.05, abs=0.02)


@pytest.mark.parametrize(("drawn", "places"), [
    (0.4999, [(0, "hot"), (9, "neighbour"), (11, "step"), (11, "begin")]),
    (0.5, [(100, "hot"), (100, "neighbour"), (10, "step"), (100, "begin")]),
])  # fmt: skip
def test_a_share_is_that_of_the_draws_below_it(
    drawn: float, places: list[tuple[int, str]], env: simpy.Environment
) -> None:
    """Each of a half, and a hot part of a block; what is drawn afterwards leads to block 100, the middle."""
    locality = ReferenceLocality(near=0.5, hot_share=0.5, hot_size=0.003, step=0.5)
    bench = Bench(env, locality=locality)
    chosen, base = bench.families["ORDER"][0], bench.data_base
    behind = positions_at(chosen, 10)
    behind.begin()
    assert places == [
        (chosen.place(Rolled(drawn, 0.5), locality), "hot"),
        (chosen.chain_neighbour(10, Rolled(drawn, 0.9, 0.5), locality), "neighbour"),
        (base._next(Intrinsic.GET_SERIAL, "ORDER", positions_at(chosen, 10), Rolled(drawn))[1], "step"),
        (base._begin("ORDER", behind, Rolled(drawn, 0.0, 0.9, 0.5))[1], "begin"),
    ]
    assert chosen.place(Rolled(0.0, 0.999), locality) == 0


@pytest.mark.parametrize("intrinsic", [Intrinsic.GET_KEYED, Intrinsic.GET_CHAINED, Intrinsic.UPDATE, Intrinsic.FIND])
def test_an_answer_begins_behind_the_one_before(intrinsic: Intrinsic, env: simpy.Environment) -> None:
    bench = Bench(env, locality=ONWARD)
    chosen = bench.families["ORDER"][0]
    positions = positions_at(chosen, BLOCKS - 1)
    positions.begin()
    bench.calls(intrinsic, positions=positions)
    bench.run()
    assert positions.now["ORDER"] == (chosen, 0)  # the first lies behind the last


def test_or_somewhere_else(bench: Bench) -> None:
    positions = positions_at(bench.families["ORDER"][0], 10)
    positions.begin()
    bench.calls(Intrinsic.GET_KEYED, positions=positions, random=Rolled(0.0, 0.0, 0.9, 0.25))
    bench.run()
    assert positions.now["ORDER"][1] == 50


def test_a_user_goes_on_in_a_family_that_the_last_answer_did_not_touch(env: simpy.Environment) -> None:
    bench = Bench(env, locality=ONWARD)
    orders, customers = bench.families["ORDER"][0], bench.families["CUSTOMER"][0]
    positions = positions_at(orders, 10)
    positions.begin()
    positions.now["CUSTOMER"] = customers, 7
    positions.begin()
    assert (positions.before, positions.now) == ({"ORDER": (orders, 10), "CUSTOMER": (customers, 7)}, {})
    bench.calls(Intrinsic.GET_KEYED, positions=positions)
    bench.run()
    assert positions.now["ORDER"] == (orders, 11)


def test_a_serial_reader_goes_on_in_his_next_answer(bench: Bench) -> None:
    positions = positions_at(bench.families["ORDER"][0], 10)
    positions.begin()
    bench.calls(Intrinsic.GET_SERIAL, positions=positions)
    bench.run()
    assert positions.now["ORDER"][1] == 11


def test_an_entry_beside_another_in_a_chain_was_put_just_before_it_or_long_ago(bench: Bench) -> None:
    chosen = bench.families["ORDER"][0]
    assert [chosen.chain_neighbour(block, Random(0), ONWARD) for block in (10, 0)] == [9, BLOCKS - 1]
    assert chosen.chain_neighbour(10, Rolled(0.5, 0.9, 0.75), SCATTERED) == 150


def test_an_answer_stays_at_its_block(env: simpy.Environment) -> None:
    bench = Bench(env, locality=ONWARD)
    positions = bench.calls(Intrinsic.GET_KEYED, times=5)
    bench.run()
    assert bench.counted() == (5, 1, 0, 4)
    assert list(positions.now) == ["ORDER"]


def test_a_chain_goes_one_to_four_blocks_on_when_it_leaves_its_block(bench: Bench) -> None:
    chosen = bench.families["ORDER"][0]
    for number, ahead in ((0.0, 1), (0.3, 2), (0.99, 4)):
        positions = positions_at(chosen, 10)
        bench.calls(Intrinsic.GET_CHAINED, positions=positions, random=Rolled(0.0, number))
        bench.run()
        assert positions.now == {"ORDER": (chosen, 10 + ahead)}


def test_a_serial_reader_goes_to_the_next_block_and_from_the_last_to_the_first(bench: Bench) -> None:
    chosen = bench.families["ORDER"][0]
    positions = positions_at(chosen, BLOCKS - 2)
    bench.calls(Intrinsic.GET_SERIAL, times=1, positions=positions)
    bench.run()
    assert positions.now == {"ORDER": (chosen, BLOCKS - 1)}
    bench.calls(Intrinsic.GET_SERIAL, times=1, positions=positions)
    bench.run()
    assert positions.now == {"ORDER": (chosen, 0)}


def test_who_does_not_step_stays_in_the_block(env: simpy.Environment) -> None:
    bench = Bench(env, locality=ONWARD)
    chosen = bench.families["ORDER"][0]
    positions = positions_at(chosen, 10)
    bench.calls(Intrinsic.GET_SERIAL, times=20, positions=positions)
    bench.run()
    assert positions.now == {"ORDER": (chosen, 10)}
    assert bench.counted() == (20, 1, 0, 19)


# Users --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("users", "buffers"), [(1, 8), (2, 8), (3, 9), (6, 10), (18, 16), (19, 17), (63, 17)])
def test_image_gives_buffers_by_the_number_of_users(users: int, buffers: int, env: simpy.Environment) -> None:
    bench = Bench(env, buffers=0)
    for user in range(users):
        bench.data_base.open(f"user {user}")
        bench.data_base.open(f"user {user}")
    assert bench.data_base.buffers.limit == buffers
    assert default_buffers(users, paths=10) == buffers + 5


@pytest.mark.parametrize("buffers", [1, 8])
def test_a_number_of_buffers_that_was_given_stays(buffers: int, env: simpy.Environment) -> None:
    bench = Bench(env, buffers)
    for user in range(63):
        bench.data_base.open(f"user {user}")
    assert bench.data_base.buffers.limit == buffers


# Buffers ------------------------------------------------------------------------------------------


def serial(bench: Bench, start: int, times: int) -> None:
    """Blocks *start* + 1 and so on, one a call."""
    bench.calls(Intrinsic.GET_SERIAL, times=times, positions=positions_at(bench.families["ORDER"][0], start))
    bench.run()


def test_buffers_keep_the_blocks_used_last(env: simpy.Environment) -> None:
    bench = Bench(env, buffers=3)
    serial(bench, 0, 3)  # 1 2 3
    assert bench.counted()[1:] == (3, 0, 0)
    serial(bench, 0, 1)  # 1 is used again
    assert bench.counted()[1:] == (3, 0, 1)
    serial(bench, 9, 1)  # 10 takes the place of 2
    serial(bench, 0, 1)
    serial(bench, 2, 1)
    assert bench.counted()[1:] == (4, 0, 3)
    serial(bench, 1, 1)
    assert bench.counted()[1:] == (5, 0, 3)


def test_what_is_written_goes_to_the_disc_at_once_and_stays_in_its_buffer(env: simpy.Environment) -> None:
    bench = Bench(env, locality=ONWARD)
    bench.calls(Intrinsic.UPDATE, times=3)
    assert bench.run() == [("user", pytest.approx(3 * CALL + READ + 3 * READ))]
    assert bench.counted() == (3, 1, 3, 2)
    reading = {name: value for name, value in bench.data_base.reading().items() if not name.startswith("lock_")}
    assert reading == {"calls": 3.0, "block_reads": 1.0, "block_writes": 3.0, "buffer_hits": 2.0}


def test_sets_of_one_family_do_not_share_blocks(env: simpy.Environment) -> None:
    bench = Bench(env)
    one, other = bench.families["CUSTOMER"]
    for chosen in (one, other, one):
        bench.calls(Intrinsic.GET_SERIAL, "CUSTOMER", positions=positions_at(chosen, 5, "CUSTOMER"))
        bench.run()
    assert bench.counted()[1:] == (2, 0, 1)


def test_a_data_set_has_the_whole_blocks_that_its_file_holds(env: simpy.Environment) -> None:
    file = File("small", Drive(env, FixedService(DISC)), [Span(0, 10 * KIB)])
    assert DataSet(0, file, 3000).blocks == 3


def test_puts_of_all_users_go_behind_the_last_where_a_load_says_so(env: simpy.Environment) -> None:
    """Two entries to a block: of four puts by two users the first two touch block 0, the next two block 1."""
    behind = replace(SCATTERED, put_entries=2)
    base = Bench(env, locality=behind).data_base
    users = [Positions(), Positions()]
    touched = [base._touches(Intrinsic.PUT, "ORDER", users[number % 2], Random(number))[0] for number in range(4)]
    assert [(chosen.number, block, written) for chosen, block, written in touched] == [
        (2, 0, True), (2, 0, True), (2, 1, True), (2, 1, True)]
    update = base._touches(Intrinsic.UPDATE, "ORDER", positions_at(touched[0][0], 77), Random(0))
    assert [(block, written) for _, block, written in update] == [(77, True)]
    elsewhere = Bench(env).data_base._touches(Intrinsic.PUT, "ORDER", positions_at(touched[0][0], 77), Random(0))
    assert elsewhere[0][1] == 77
