"""Tests that a machine is built of the parts and numbers that were chosen, each under its name."""

from pathlib import Path
from typing import Any

import pytest
import simpy

from spindle.models.hp3000.control_block import CpuPart, WholeCall
from spindle.models.hp3000.image_log import ImageLog
from spindle.models.hp3000.load import answer_of, clerks_by, scripts
from spindle.models.hp3000.machine import Hp3000, MpeOptions
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.series import SERIES_64
from spindle.models.hp3000.system import PARTS
from spindle.sim.clock import Account, Phase, Wait
from spindle.sim.cpu import FcfsCpu, PreemptiveCpu
from spindle.sim.disc.channel import SharingDrive
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.scheduling import Sptf
from spindle.sim.error import UserError
from spindle.sim.parameter import change
from spindle.sim.request import Op, Span, access
from spindle.sim.script import Call, Counted, Deal, If, Script, Think
from spindle.sim.streams import Constant
from spindle.workloads.programs import Answer, Reply
from spindle.workloads.shipped_programs import CATALOGUE

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
