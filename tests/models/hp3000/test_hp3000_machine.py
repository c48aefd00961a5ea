"""Tests that a machine is built of the parts and numbers that were chosen, each under its name."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
import simpy

from spindle.models.hp3000.caching.alignment import Centred
from spindle.models.hp3000.caching.competition import MemoryPartition, TwoMemories
from spindle.models.hp3000.caching.control import CacheSettings, WriteMode
from spindle.models.hp3000.control_block import CpuPart, WholeCall
from spindle.models.hp3000.data_sets import Positions, ReferenceLocality
from spindle.models.hp3000.disc_paths import OwnLinks
from spindle.models.hp3000.image_log import ImageLog
from spindle.models.hp3000.load import answer_of, clerks_by, scripts
from spindle.models.hp3000.load_sheets import LOADS
from spindle.models.hp3000.machine import Hp3000, MpeOptions
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.series import SERIES_64, SERIES_III
from spindle.models.hp3000.system import PARTS
from spindle.sim.clock import Account, Phase, Wait
from spindle.sim.cpu import FcfsCpu, PreemptiveCpu
from spindle.sim.disc.channel import SharingDrive
from spindle.sim.disc.drive import Drive, Fcfs
from spindle.sim.disc.flash.sheets import FLASH
from spindle.sim.disc.scheduling import Sptf
from spindle.sim.disc.sheets import HP7925
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.parameter import change
from spindle.sim.request import Op, Span, access
from spindle.sim.script import Call, Counted, Deal, If, Script, Think
from spindle.sim.streams import Constant
from spindle.sim.terminal import Line, Session
from spindle.sim.units import MIB, MS
from spindle.workloads.programs import Answer, Intrinsic, Reply
from spindle.workloads.shipped_programs import CATALOGUE
from tests.models.hp3000.noting_cpu import NotingCpu

COBOL = CATALOGUE["COBOL"]
EXAMPLES = Path(__file__).parents[3] / "examples"


def machine(caching: bool = True, choices: MpeOptions | None = None, **values: Any) -> Hp3000:
    asked = change(MpeParameters(), discs=3, channels=2, **values)
    return Hp3000(simpy.Environment(), asked, choices or MpeOptions(), caching)


def test_parts_are_counted_under_their_names() -> None:
    others = ["dispatcher", "memory", "segments", "data_base"]
    assert set(machine(False).machine.parts) == {
        "cpu", *others, "channel1", "channel2", "drive1", "drive2", "drive3",
    }  # fmt: skip
    logged = machine(log_record=128, ilr_record=256)
    added = set(logged.machine.parts) - set(machine(False).machine.parts)
    assert added == {"cache1", "cache2", "cache3", "posting", "image_log", "ilr"}
    assert logged.machine.parts["image_log"] is logged.data_base.log
    assert logged.machine.parts["ilr"] is logged.data_base.recovery


def test_names_of_parts_choose_what_they_say() -> None:
    assert {name: (mode.block, mode.serial) for name, mode in PARTS["write"].items()} == {
        "behind": (False, False), "serial": (False, True), "block-on-write": (True, False)}  # fmt: skip
    assert PARTS["flush"] == {"read-through": True, "never": False}
    rules = PARTS["alignment"].items()
    placed = {name: make().place(Span(7 * 256, 256), 8 * 256, Span(0, 9000)).first // 256 for name, make in rules}
    assert placed == {"from-request": 7, "in-multiples": 0, "centred": 4}
    assert (PARTS["hold"], PARTS["cpu"]) == (
        {"whole-call": WholeCall, "cpu-part": CpuPart}, {"preemptive": PreemptiveCpu, "fcfs": FcfsCpu})  # fmt: skip
    assert PARTS["series"]["iii"].name == "HP3000 Series III"
    assert PARTS["load"]["image"].clerks == "image_63.tepe"
    assert PARTS["cache_memory"]["domains-first"].reserved_bytes == 0
    assert CacheSettings() == CacheSettings(16 * 256, 96 * 256, WriteMode(block=False, serial=False), flushed=True)
    usual = MpeOptions()
    assert (usual.write.block, usual.write.serial, usual.flush, usual.hold, usual.cpu, usual.scheduler) == (
        False, False, True, WholeCall, PreemptiveCpu, Fcfs)  # fmt: skip


def test_drives_and_channels_have_numbers_from_1_on_and_share_channels_in_turn() -> None:
    made = machine(choices=MpeOptions(scheduler=Sptf))
    assert [channel.name for channel in made.channels] == ["channel 1", "channel 2"]
    assert [drive.name for drive in made.drives] == ["disc 1", "disc 2", "disc 3"]
    assert [type(drive.scheduler) for drive in made.drives] == [Sptf] * 3
    assert all(isinstance(drive, SharingDrive) for drive in made.drives)
    assert SERIES_64.path.drive(simpy.Environment(), SERIES_64.drive, made.channels[0], Sptf(), "x").name == "x"


def test_who_waits_for_a_plain_disc_is_seen_by_the_dispatcher() -> None:
    made = machine(False)
    made.machine.env.process(made.storages[0].read(access(Op.READ, 0, 512, Account("a"))))
    made.machine.env.run(until=0.02)
    assert (made.dispatcher.disc.now, made.dispatcher.cache.now) == (1, 0)


TIMES: dict[str, Any] = {
    "read_call": 1 * MS, "write_call": 2 * MS, "initiate": 3 * MS, "dispatch": 4 * MS, "miss_search": 5 * MS,
    "hit_cpu": 12 * MS, "fault_cpu": 7 * MS, "call_cpu": 8 * MS,
}  # fmt: skip


def spent(made: Hp3000, *works: Callable[[Account], Wait]) -> dict[str, float]:
    """Seconds of the CPU by kind, in ms, that *works* take one after the other; every disc access is over then."""
    account = Account("a")

    def process() -> Wait:
        for work in works:
            yield from work(account)

    made.machine.env.process(process())
    made.machine.env.run()
    kinds = Phase.CPU, Phase.CACHE, Phase.MANAGER
    return {kind.name: round(account.seconds[kind] / MS, 6) for kind in kinds if account.seconds[kind]}


def of_the_first_disc(made: Hp3000, op: Op) -> Callable[[Account], Wait]:
    disc, work = made.storages[0], access(op, 0, 512, Account("a"), Span(0, 4096))
    return lambda account: (disc.read if op is Op.READ else disc.write)(work._replace(account=account))


def test_each_cost_is_paid_where_it_arises_and_twice_on_half_as_fast_a_cpu() -> None:
    noted = MpeOptions(cpu=NotingCpu)
    plain, cached = machine(False, noted, mips=0.5, **TIMES), machine(True, noted, mips=0.5, **TIMES)
    assert spent(plain, of_the_first_disc(plain, Op.READ)) == {"CPU": 2 * (1 + 3 + 4)}
    assert spent(plain, of_the_first_disc(plain, Op.WRITE)) == {"CPU": 2 * (2 + 3 + 4)}
    segment = plain.segments.stack("a", 1024)
    assert spent(plain, lambda account: plain.segments.need([segment], account) or ()) == {"MANAGER": 2 * 7}
    assert plain.dispatcher.reading()["paused_swap"] > 0.0
    # The control block is brought in at the first call.
    call = partial(plain.data_base.call, Intrinsic.CONTROL, "CONTROL", 1, Positions(), Random(1))
    assert spent(plain, call) == {"CPU": 2 * 8, "MANAGER": 2 * 7}
    assert isinstance(plain.cpu, NotingCpu)
    assert isinstance(cached.cpu, NotingCpu)
    assert set(plain.cpu.asked) == {(2, Phase.CPU), (1, Phase.MANAGER)}
    reading, writing = (of_the_first_disc(cached, op) for op in (Op.READ, Op.WRITE))
    assert spent(cached, reading) == {"CPU": 2 * 1, "CACHE": 2 * (5 + 3 + 4 + 6)}
    assert spent(cached, reading) == {"CPU": 2 * 1, "CACHE": 2 * (5 + 6)}
    assert spent(cached, writing) == {"CPU": 2 * 2, "CACHE": 2 * (5 + 6 + 3)}
    assert set(cached.cpu.asked) == {(2, Phase.CACHE)}


def test_the_control_block_has_tables_and_buffers_for_all_its_users() -> None:
    for buffers, blocks in ((5, 5), (0, 17)):
        made = machine(buffers=buffers, control_bytes=4096, block=512)
        tables = made.segments.segments[0]
        assert (tables.name, tables.size, tables.kind.value) == (
            "data base control block", 4096 + blocks * 512, "extra_data")  # fmt: skip
        assert (made.data_base.buffers.limit, made.data_base._block_bytes) == (buffers or 8, 512)


def test_data_sets_and_logs_lie_behind_what_the_system_has() -> None:
    made = machine(set_bytes=100_000, block=1000, log_record=128, ilr_record=128)
    sets = [each for family in made.data_base._sets.values() for each in family]
    assert [(each.number, each.file.file.name) for each in sets[7:10]] == [
        (7, "CUSTOMER 7"), (8, "PART 8"), (9, "PART 9")]  # fmt: skip
    assert {(each.file.file.size, each.blocks, len(each.file.file.extents)) for each in sets} == {(8 * 12_544, 100, 8)}
    assert min(extent.first for each in sets for extent in each.file.file.extents) >= 8 * MIB
    assert [made.volumes.virtual("a", MIB).first // MIB for _ in range(7)] == list(range(7))  # of 8, a bit is used
    logs = made.data_base.log, made.data_base.recovery
    assert [(each._file.file.name, each._file.file.size, each._record) for each in logs if each is not None] == [
        ("IMAGE log", 2 * MIB, 256), ("ILR", 2 * MIB, 256)]  # fmt: skip
    for each in sets:
        assert each.file.file.storage is made.storages[each.number % 3]


def test_limits_of_memory_are_allowed_and_a_byte_more_is_not() -> None:
    """4 MiB beside MPE's 1280 KiB; half of that for the control block, and all but 64 KiB for the cache."""
    memory = 4 * MIB + 1280 * 1024
    half = 2 * MIB
    machine(memory=memory, control_bytes=half - 17, block=1)
    machine(memory=memory, control_bytes=17, buffers=1, block=half - 17, set_bytes=half)
    machine(set_bytes=2048, block=2048)
    machine(memory=1280 * 1024 + 65536, control_bytes=1024, block=1024)
    whole = machine(memory=memory, choices=MpeOptions(cache_memory=MemoryPartition(4 * MIB - 65536)))
    assert [each.capacity for each in whole.memories] == [65536, 4 * MIB - 65536]
    both = whole.machine.parts["memory"]
    assert isinstance(both, TwoMemories)
    assert both.capacity == 4 * MIB
    assert whole.caching is not None
    assert whole.caching.caches[0]._memory is whole.memories[1]
    assert whole.segments._memory is whole.memories[0]
    for wrong, says in (
        ({"control_bytes": half - 16, "block": 1}, f"control_bytes must be at most {half - 17} bytes"),
        ({"control_bytes": 17, "buffers": 1, "set_bytes": half, "block": half - 16}, f"be at most {half - 17} bytes"),
        ({"set_bytes": 2048, "block": 2049}, r"block must be at most 2048 bytes, to .*, not 2049$"),
        ({"choices": MpeOptions(cache_memory=MemoryPartition(4 * MIB - 65535))}, f"at most {4 * MIB - 65536} bytes"),
    ):
        with pytest.raises(UserError, match=says):
            machine(memory=memory, **wrong)
    with pytest.raises(UserError, match="memory must leave at least 64 KiB beside the 1280 KiB of MPE itself"):
        machine(memory=1280 * 1024 + 65535)


def test_parts_that_are_chosen_are_used() -> None:
    chosen = MpeOptions(cpu=FcfsCpu, drive=HP7925, policy=Lru, hold=CpuPart, write=WriteMode(serial=True), flush=False,
                        alignment=Centred, series=SERIES_III)  # fmt: skip
    made = Hp3000(simpy.Environment(), change(MpeParameters(), discs=3, fetch_random=1024), chosen, True, (2,))
    assert isinstance(made.cpu, FcfsCpu)
    assert made.caching is not None
    assert [ldev.is_cached for ldev in made.caching.ldevs] == [False, True, False]
    control = made.caching.control
    assert control.settings == CacheSettings(1024, 96 * 256, WriteMode(serial=True), flushed=False)
    read = access(Op.READ, 2560, 256, Account("a"), Span(0, 8192))
    assert control.fetch(read, read.span) == Span(2560 - 256, 1024)  # of three more one before it, two behind
    assert isinstance(made.data_base._control.hold, CpuPart)
    assert isinstance(made.memories[0]._policy, Lru)
    assert [drive.name for drive in made.drives] == ["disc 1", "disc 2", "disc 3"]
    order, env = Sptf(), made.machine.env
    own = OwnLinks().drive(env, FLASH["intels3700"], made.channels[0], order, "a link of its own")
    assert (own.name, own.scheduler) == ("a link of its own", order)
    assert {drive.capacity for drive in made.drives} == {Drive(made.machine.env, HP7925).capacity}
    with pytest.raises(UserError, match="has a link of its own, and cannot be on the channel of an HP3000"):
        machine(choices=MpeOptions(drive=FLASH["intels3700"]))


def test_references_and_sessions_are_as_parameters_and_the_load_say() -> None:
    shares = {"near": 0.1, "hot_share": 0.2, "hot_size": 0.3, "chain_step": 0.4}
    made = machine(choices=MpeOptions(load=LOADS["image"]), program_scale=2.0, **shares)
    assert made.data_base._locality == ReferenceLocality(0.1, 0.2, 0.3, 0.4, put_entries=5)
    program, session = CATALOGUE["ORDERS"], Session("a", Line(made.machine.env, 9600), Random(1), made.machine.env)
    made._prepare(Answer(program, ()), session)
    assert made.data_base._users == {"a"}
    assert len(made.data_base._sets["ORDER"][0].file.file.extents) == 32
    assert made.segments.segments[1].size == 2 * program.stack_bytes


@pytest.mark.parametrize(("log", "buffer"), [(128, 0), (300, 2048)])
def test_a_log_has_records_and_a_buffer_as_parameters_say(log: int, buffer: int) -> None:
    """In whole sectors of 256 bytes: a record of 128 takes one, and is written alone; of 300 four fill 2 KiB."""
    made = machine(log_record=log, log_buffer=buffer)
    written = made.data_base.log
    assert isinstance(written, ImageLog)

    def changes() -> Wait:
        for _ in range(4):
            yield from written.add(Account("a")) or ()

    made.machine.env.process(changes())
    made.machine.env.run()
    sectors = 1 if log == 128 else 2
    assert (written.reading()["records"], written.reading()["writes"]) == (4.0, 1.0 if buffer else 4.0)
    assert written._record == sectors * 256


def test_recovery_is_on_the_medium_before_its_caller_goes_on() -> None:
    made = machine(ilr_record=256)
    recovery, account = made.data_base.recovery, Account("a")
    assert isinstance(recovery, ImageLog)
    wait = recovery.add(account)
    assert wait is not None
    made.machine.env.process(wait)
    made.machine.env.run()
    assert account.seconds[Phase.WRITE_WAIT] > 0.0
    assert sum(drive.counts.writes for drive in made.drives) == 1


def test_nothing_is_logged_where_no_record_is_asked_for() -> None:
    assert (machine().data_base.log, machine().data_base.recovery) == (None, None)


def test_what_is_dealt_or_chosen_by_a_test_is_scaled_too() -> None:
    """Think times of records, and on both sides of a test; a reply of a character stays one."""
    think = (Think(Constant(2.0)),)
    answer = Answer(COBOL, (Reply(1),))
    steps = (Deal("pack", (think, think)), If(Counted("N", 1), think, think), Call(answer, "x"))
    parameters = change(MpeParameters(), think_scale=3.0, pace_scale=1.0, reply_scale=0.1)
    (scaled,) = clerks_by(parameters, [Script("clerk", steps)])
    deal, test, call = scaled.steps
    assert isinstance(deal, Deal)
    assert isinstance(test, If)
    assert isinstance(call, Call)
    assert isinstance(call.program, Answer)
    thinks = [*(record[0] for record in deal.records), test.steps[0], test.otherwise[0]]
    assert [each.time.mean for each in thinks if isinstance(each, Think)] == [6.0] * 4
    assert call.program.acts == (Reply(1),)


def test_scripts_of_one_name_are_numbered_and_run_programs_of_the_user() -> None:
    read = scripts(EXAMPLES / "shop.tepe", str(EXAMPLES / "shop.tepe"), programs=[EXAMPLES / "shop.toml"])
    assert [script.name for script in read] == ["TILLS (1)", "OFFICE (2)", "TILLS (3)", "OFFICE (4)"]
    assert [script.name for script in scripts(EXAMPLES / "shop.tepe", programs=[EXAMPLES / "shop.toml"])] == [
        "TILLS", "OFFICE"]  # fmt: skip
    with pytest.raises(UserError, match="SHOP"):
        scripts(EXAMPLES / "shop.tepe")


def test_a_choice_without_a_call_has_no_name() -> None:
    assert (answer_of(()), answer_of((Think(Constant(1.0)), Call(None, "LIST")))) == ("", "LIST")
