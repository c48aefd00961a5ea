"""Tests synthetic programs by hand: which bytes they read, what each read costs, where a session continues."""

import pytest
import simpy

from spindle.sim.clock import Phase, Wait
from spindle.sim.cpu import FcfsCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.error import UserError
from spindle.sim.machine import File, Machine, SystemCalls
from spindle.sim.measure import engine
from spindle.sim.measure.load import Terminals, Window
from spindle.sim.measure.result import Recorder
from spindle.sim.request import Access, Hint, Span
from spindle.sim.script import Call, Loop, Script, Think
from spindle.sim.streams import Constant, Uniform, stream
from spindle.sim.units import KIB, MS
from spindle.workloads.synthetic import RandomReads, SelfSimilar, SequentialReads, software

STOCK = 100 * KIB
"""Where on the disc the file begins."""


class Watched(Drive):
    """A drive of 10 ms an access that remembers what was read of the file, and with which hint."""

    def __init__(self, env: simpy.Environment) -> None:
        super().__init__(env, FixedService(10 * MS))
        self.seen: list[tuple[int, int, Hint]] = []

    def read(self, access: Access) -> Wait:
        self.seen.append((access.span.first - STOCK, access.span.length, access.hint))
        return super().read(access)


class Office:
    """A machine with a file of ten records of 1 KB: 1 ms a call, 1 ms a character on the line."""

    def __init__(self, env: simpy.Environment) -> None:
        self.drive = Watched(env)
        self.stock = File("stock", self.drive, [Span(STOCK, 10 * KIB)])
        self.machine = Machine(env, {"drive": self.drive}, FcfsCpu(env), SystemCalls(read=1 * MS))
        self.recorder = Recorder()

    def work(self, *programs: object, rounds: int = 1, terminals: int = 1, seed: int = 1) -> None:
        calls = tuple(Call(program, f"call {number}") for number, program in enumerate(programs))
        script = Script("clerk", (Loop((Think(Constant(1.0)), *calls), rounds),), terminals, baud=10_000.0)
        load = Terminals([script], software(self.machine))
        self.recorder = engine.run(self.machine, load, Window(0.0, 60.0), seed).recorder

    def records(self) -> list[float]:
        return [first / KIB for first, _, _ in self.drive.seen]


@pytest.fixture
def office(env: simpy.Environment) -> Office:
    return Office(env)


def test_a_response_is_calls_reads_computing_and_the_first_character(office: Office) -> None:
    office.work(RandomReads(office.stock, 1 * KIB, times=3, compute=Constant(20 * MS), reply=81))
    row = office.recorder.rows[0]
    assert {phase.name: round(row.phases[phase] / MS, 6) for phase in Phase if row.phases[phase]} == {
        "CPU": 63, "OVERHEAD": 30, "LINE": 1,
    }
    assert round((row.responded - row.began) / MS, 6) == 94
    assert round((row.ended - row.responded) / MS, 6) == 80


def test_each_record_of_a_sequence_is_computed_on_and_a_reply_is_eighty_characters_unless_told(office: Office) -> None:
    office.work(SequentialReads(office.stock, 1 * KIB, times=3, compute=Constant(20 * MS)))
    row = office.recorder.rows[0]
    assert {phase.name: round(row.phases[phase] / MS, 6) for phase in Phase if row.phases[phase]} == {
        "CPU": 63, "OVERHEAD": 30, "LINE": 1,
    }
    assert round((row.ended - row.responded) / MS, 6) == 79


def test_a_program_may_read_nothing_or_the_whole_file_at_once(office: Office) -> None:
    office.work(RandomReads(office.stock, 10 * KIB, times=0, reply=5), SequentialReads(office.stock, 10 * KIB, reply=7))
    assert office.drive.seen == [(0, 10 * KIB, Hint.SEQUENTIAL)]
    assert [round((row.ended - row.responded) / MS) for row in office.recorder.rows] == [4, 6]
    assert (RandomReads(office.stock, 1).times, RandomReads(office.stock, 1).reply) == (1, 80)
    assert RandomReads(office.stock, 1).compute == SequentialReads(office.stock, 1).compute == Constant(0.0)


def test_a_sequence_has_the_last_record_of_the_file_and_then_the_first(office: Office) -> None:
    office.work(SequentialReads(office.stock, 1 * KIB, times=11))
    assert office.records() == [*range(10), 0]


def test_what_a_record_is_looked_at_is_drawn_anew(office: Office) -> None:
    office.work(SequentialReads(office.stock, 1 * KIB, times=2, compute=Uniform(10 * MS, 30 * MS)))
    draw, random = Uniform(10 * MS, 30 * MS).draw, stream(1, "clerk 1/work")
    assert office.recorder.rows[0].phases[Phase.CPU] == pytest.approx(2 * MS + draw(random) + draw(random))


def test_random_reads_are_whole_records_where_the_distribution_says(office: Office) -> None:
    office.work(*(RandomReads(office.stock, 1 * KIB, where=Constant(place)) for place in (0.0, 0.55, 0.999, 1.0)))
    assert office.drive.seen == [
        (record * KIB, KIB, Hint.RANDOM) for record in (0, 5, 9, 9)
    ]


def test_a_record_does_not_reach_over_the_end_of_its_file(office: Office) -> None:
    office.work(RandomReads(office.stock, 4 * KIB, where=Constant(1.0)))
    assert office.drive.seen == [(4 * KIB, 4 * KIB, Hint.RANDOM)]


def test_random_reads_go_everywhere_unless_told(office: Office) -> None:
    office.work(RandomReads(office.stock, 1 * KIB, times=1000))
    counts = [office.records().count(record) for record in range(10)]
    assert sum(counts) == 1000
    assert min(counts) >= 70
    assert max(counts) <= 130


def test_a_seed_repeats_its_reads_and_another_does_not() -> None:
    offices = [Office(simpy.Environment()) for _ in range(3)]
    for office, seed in zip(offices, (1, 1, 2), strict=True):
        office.work(RandomReads(office.stock, 1 * KIB, times=50), seed=seed)
    assert offices[0].drive.seen == offices[1].drive.seen
    assert offices[0].drive.seen != offices[2].drive.seen


def test_sequential_reads_go_on_where_the_session_stopped_and_begin_again_at_the_end(office: Office) -> None:
    office.work(SequentialReads(office.stock, 3 * KIB, times=2), rounds=2)
    assert office.drive.seen == [(first * KIB, 3 * KIB, Hint.SEQUENTIAL) for first in (0, 3, 6, 0)]


def test_every_session_has_a_place_of_its_own(office: Office) -> None:
    office.work(SequentialReads(office.stock, 1 * KIB, times=2), terminals=2)
    assert sorted(office.records()) == [0, 0, 1, 1]


def test_random_reads_do_not_move_a_sequential_reader(office: Office) -> None:
    reads = SequentialReads(office.stock, 1 * KIB), RandomReads(office.stock, 1 * KIB, where=Constant(0.7))
    office.work(*reads, rounds=2)
    assert office.records() == [0, 7, 1, 7]


def test_what_is_not_a_program_is_named(office: Office) -> None:
    with pytest.raises(UserError, match="clerk 1 calls 'order entry', which is not a program"):
        office.work("order entry")


@pytest.mark.parametrize("kind", [RandomReads, SequentialReads])
@pytest.mark.parametrize("length", [0, -1, 10 * KIB + 1])
def test_records_must_fit_the_file(office: Office, kind: type[RandomReads | SequentialReads], length: int) -> None:
    with pytest.raises(UserError, match=rf"file stock: records of {length} bytes do not fit its 10240 bytes"):
        kind(office.stock, length)


def test_nobody_reads_a_negative_number_of_times(office: Office) -> None:
    with pytest.raises(UserError, match="must not be negative, not -1"):
        SequentialReads(office.stock, 1 * KIB, times=-1)


@pytest.mark.parametrize(("size", "share"), [(0.2, 0.8), (0.01, 0.5), (0.5, 0.5)])
def test_a_self_similar_choice_gives_a_part_its_share_and_the_part_of_the_part_the_same(
    size: float, share: float
) -> None:
    random, where = stream(1, "places"), SelfSimilar(size, share)
    places = [where.draw(random) for _ in range(20_000)]
    inside = [place for place in places if place < size]
    assert len(inside) / len(places) == pytest.approx(share, abs=0.015)
    assert sum(place < size * size for place in inside) / len(inside) == pytest.approx(share, abs=0.015)
    assert sum(places) / len(places) == pytest.approx(where.mean, abs=0.01)


def test_a_half_with_half_the_draws_is_uniform() -> None:
    where, uniform = SelfSimilar(0.5, 0.5), Uniform(0.0, 1.0)
    draws = [(where.draw(stream(seed, "a")), uniform.draw(stream(seed, "a"))) for seed in range(20)]
    assert [a for a, _ in draws] == pytest.approx([b for _, b in draws])
    assert where.mean == pytest.approx(0.5)


@pytest.mark.parametrize(("size", "share"), [(0.0, 0.8), (1.0, 0.8), (0.2, 0.0), (0.2, 1.0), (float("nan"), 0.8)])
def test_a_self_similar_choice_needs_a_part_and_a_share(size: float, share: float) -> None:
    wrong, value = ("share", share) if 0.0 < size < 1.0 else ("size", size)
    with pytest.raises(UserError, match=f"^{wrong} of a self-similar choice must lie between 0 and 1, not at {value}$"):
        SelfSimilar(size, share)
