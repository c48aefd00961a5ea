"""Tests the load of an IMAGE application (HP's data base): sources of numbers, sizes of files, new entries."""

from dataclasses import fields

import pytest
import simpy

from spindle.models.hp3000.caching.alignment import SECTOR
from spindle.models.hp3000.load import answer_of, default_load
from spindle.models.hp3000.load_sheets import (
    CALIBRATED,
    LOADS,
    LoadSheet,
    _read_image_load,
    file_size,
    longest,
    uses_of,
)
from spindle.models.hp3000.machine import Hp3000, MpeOptions
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.run import run
from spindle.sim.parameter import ParameterSource, change
from spindle.sim.script import Choose, Loop, Script, Think
from spindle.sim.streams import Constant, Exponential, Uniform
from spindle.sim.units import KIB
from spindle.workloads.programs import ReadFile, WriteFile
from spindle.workloads.shipped_programs import CATALOGUE

IMAGE = LOADS["image"]

SHORT = {"terminals": 8, "minutes": 1.0, "warm_up": 0.2, "seed": 1}


def test_every_number_of_a_load_has_a_source_and_is_a_parameter() -> None:
    known = {each.name for each in fields(MpeParameters)}
    assert IMAGE.settings.keys() <= known
    assert IMAGE.settings.keys() <= IMAGE.sources.keys()
    assert {"clerks", "set_extents", "put_entries"} <= IMAGE.sources.keys()
    assert all(source.kind in ("cited", "assumed") and len(source.note) > 20 for source in IMAGE.sources.values())
    assert not CALIBRATED.settings


def test_the_file_of_a_load_has_factors_of_1_settings_and_sources() -> None:
    read = _read_image_load()
    as_written = [name for name, value in read.settings.items() if value == 1.0]
    assert len(as_written) == 8
    assert {name: value for name, value in read.settings.items() if value != 1.0} == {
        "terminal_delay": 0.0, "call_cpu": 0.003, "initiate": 0.0015, "near": 0.5, "hot_share": 0.84, "hot_size": 0.2,
        "chain_step": 0.3, "file_bytes": 40_960,
    }  # fmt: skip
    assert (read.clerks, read.programmers) == ("image_63.tepe", "development_38.tepe")
    assert (read.set_extents, read.put_entries, read == IMAGE) == (32, 5, True)
    assert read.sources["calls_scale"].note.startswith("1: scripts and programs as they were written")
    assert read.sources["hot_size"] == ParameterSource("assumed", "with hot_share: a fifth of a data set")
    assert "as_written" not in read.sources
    assert read.sources == IMAGE.sources


def test_nothing_that_was_fitted_to_a_response_is_left() -> None:
    """But for the memory that MPE takes, which is the machine's."""
    fitted = {each.name for each in fields(MpeParameters) if each.metadata["source"].kind == "fitted"}
    assert fitted - IMAGE.settings.keys() == {"resident"}


def test_a_file_holds_its_longest_pass() -> None:
    acts = [ReadFile("SOURCE", 80, Uniform(900, 1700)), ReadFile("SOURCE", 80, Constant(20)), WriteFile("WORK", 80)]
    uses = uses_of([*acts, *CATALOGUE["ORDERS"].acts()])
    assert {name: len(of) for name, of in uses.items()} == {"SOURCE": 2, "WORK": 1}
    assert file_size(40 * KIB, uses["SOURCE"]) == 1700 * 80
    assert file_size(40 * KIB, uses["WORK"]) == 40 * KIB
    assert [longest(times) for times in (Uniform(1, 3), Exponential(2.0), Constant(5))] == [3, 2.0, 5]


def test_an_extent_is_longer_than_a_sequential_fetch() -> None:
    """A compile reads 1,700 records of 80 bytes at most, an eighth of which is 17,000 bytes; a test 1,800 of 128."""
    uses = uses_of(CATALOGUE["COBOL"].acts())
    assert file_size(40 * KIB, uses["TESTDATA"]) // 8 == 28_800 > MpeParameters().fetch_sequential


@pytest.mark.parametrize("load", LOADS.values(), ids=list(LOADS))
def test_each_step_of_the_sequential_fetch_hits_more(load: LoadSheet) -> None:
    """Up to 24 KB, the least that an extent of a file read in whole holds; 12 programmers, no clerks."""
    hits = [run(choices=MpeOptions(load=load), terminals=12, clerks=0, minutes=3.0, warm_up=1.0, seed=1,
                fetch_sequential=sectors * SECTOR).summary()["hit_ratio"] for sectors in (4, 20, 96)]  # fmt: skip
    assert hits[0] + 0.5 < hits[1] < hits[2] - 0.15


@pytest.mark.parametrize(("name", "blocks"), [("calibrated", 0), ("image", 3)])
def test_new_entries_go_behind_the_last(name: str, blocks: int) -> None:
    """Eleven entries of five to a block lie in three blocks, whoever put them."""
    sheet = LOADS[name]
    assert sheet.put_entries == (5 if blocks else 0)
    machine = Hp3000(simpy.Environment(), change(MpeParameters(), set_bytes=64 * KIB), MpeOptions(load=sheet), False)
    chosen = machine.data_base._sets["ORDER"][0]
    assert len({chosen.put_behind(5) for _ in range(11)}) == 3
    assert {chosen.put_behind(64 * 5) for _ in range(3)} == {0}
    assert len(chosen.file.file.extents) == sheet.set_extents == (32 if blocks else 8)


def test_a_data_set_that_is_full_is_filled_from_its_beginning() -> None:
    machine = Hp3000(simpy.Environment(), change(MpeParameters(), set_bytes=8 * KIB), MpeOptions(), False)
    chosen = machine.data_base._sets["ORDER"][0]
    assert [chosen.put_behind(1) for _ in range(9)] == [0, 1, 2, 3, 4, 5, 6, 7, 0]


def test_its_clerks_key_and_think_as_published() -> None:
    (clerks,) = default_load(63, 63, change(MpeParameters(), **IMAGE.settings), IMAGE)
    assert isinstance(clerks, Script)
    assert (clerks.name, clerks.terminals, clerks.typing) == ("CLERKS", 63, 4.0)
    (loop,) = (step for step in clerks.steps if isinstance(step, Loop))
    (choice,) = (step for step in loop.steps if isinstance(step, Choose))
    keyed = {answer_of(branch): [step.time.mean for step in branch if isinstance(step, Think)]
             for branch in choice.branches}  # fmt: skip
    keying = {name: before + len(name) / 4.0 for name, (before, _) in keyed.items()}
    assert keying == {"FIND": 2.0, "STOCK": 2.0, "ORDER": 18.0, "LIST": 2.0}
    thinking = {name: after for name, (_, after) in keyed.items()}
    assert thinking == {"FIND": 10.0, "STOCK": 5.0, "ORDER": 12.0, "LIST": 5.0}


def test_a_load_is_a_choice_and_its_numbers_may_be_changed() -> None:
    usual = run(choices=MpeOptions(load=IMAGE), **SHORT)
    changed = run(choices=MpeOptions(load=IMAGE), terminal_delay=0.5, **SHORT)
    assert usual.summary()["response_mean"] + 0.4 < changed.summary()["response_mean"]
    assert usual.summary() != run(**SHORT).summary()
