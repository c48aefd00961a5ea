"""Tests whole runs of the lecture's programs: rates, equal results if calls are done in one step, refused options."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from spindle.models.unix_stdio import performer
from spindle.models.unix_stdio.layers import Freads, Fwrites, Reads, Writes
from spindle.models.unix_stdio.parameters import LECTURE, PAGE, VIRTUAL_2026, UnixParameters
from spindle.models.unix_stdio.run import UnixOptions, perform, run
from spindle.models.unix_stdio.system import page
from spindle.sim.error import UserError
from spindle.sim.parameter import describe, read_sources
from spindle.sim.units import KIB, MIB, Bytes
from spindle.studies.claims.claims import Role, read_claims
from spindle.system import MODELS_FOLDER
from spindle.workloads.stdio import Advice, Flag, StdioCall, StdioProgram

CLAIMS = MODELS_FOLDER / "unix_stdio" / "claims.toml"


@pytest.mark.parametrize(
    ("program", "block", "rate"),
    [("w01", 1, 26), ("w02", 512, 14_000), ("w02", 64 * KIB, 1_540_000), ("w02", 10 * MIB, 9_630_000),
     ("w05", 1, 27_000_000)],
)  # fmt: skip
def test_the_rates_of_the_lecture(program: str, block: int, rate: float) -> None:
    assert run(program, Bytes(block), seconds=20.0).extras["rate"] == pytest.approx(rate, rel=0.1)


def test_stdio_makes_the_stride_slower_and_fetches_a_page_a_byte() -> None:
    plain, stdio = run("r06").extras, run("r08").extras
    assert stdio["rate"] < plain["rate"]
    assert (plain["amplification"], stdio["amplification"]) == (1, 4096)
    assert plain["system_calls"] == stdio["system_calls"] == 10 * MIB


def test_the_parts_of_a_programs_time_add_up() -> None:
    for name in ("w02", "w06", "r08"):
        found = run(name, size=Bytes(2 * MIB)).extras
        parts = ("library", "calls", "copying", "pages", "disc", "waiting_to_write")
        assert sum(found[f"in_{part}"] for part in parts) == pytest.approx(found["elapsed"])


@pytest.mark.parametrize(
    ("call", "block", "stride"),
    [(StdioCall.READ, 100, 0), (StdioCall.WRITE, 100, 0), (StdioCall.FREAD, 100, 0), (StdioCall.FWRITE, 100, 0),
     (StdioCall.WRITE, 5000, 0),
     (StdioCall.FWRITE, 64, 64 * KIB), (StdioCall.READ, 64, 64 * KIB), (StdioCall.FREAD, 64, 64 * KIB),
     (StdioCall.WRITE, 64, 64 * KIB),
     (StdioCall.FREAD, 512, 2048), (StdioCall.READ, 512, 12 * KIB)],
)  # fmt: skip
def test_calls_done_together_are_as_if_done_one_by_one(
    call: StdioCall, block: int, stride: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = 3 * 64 * KIB if stride else 300_001
    program = StdioProgram("p", "p", call, block, size, stride)
    together = perform(program)
    for layer in (Reads, Writes, Freads, Fwrites):
        monkeypatch.setattr(layer, "alike", lambda *_: 0)
        monkeypatch.setattr(layer, "repeat_rows", lambda *_: False)
    apart = perform(program)
    assert together.extras == pytest.approx(apart.extras, rel=1e-6, nan_ok=True)


@pytest.mark.parametrize("name", ["w03", "w05", "r01", "r06", "r08"])
def test_ten_million_calls_take_few_events(name: str) -> None:
    found = run(name)
    assert found.extras["calls"] == 10 * MIB
    assert found.counters["cpu.bursts"] < 20_000


def test_larger_blocks_are_never_slower() -> None:
    for name in ("w02", "w04", "w06", "r01"):
        rates = [run(name, Bytes(block), Bytes(MIB)).extras["rate"] for block in (512, 4096, 65536, MIB)]
        assert rates == sorted(rates)


def test_a_warm_file_is_not_read_from_the_disc() -> None:
    found = run("r08", stride=Bytes(64 * KIB), warm=True).extras
    assert (found["device_reads"], found["in_disc"]) == (0, 0)


def test_advice_doubles_the_window_or_closes_it() -> None:
    reads = {advice: perform(StdioProgram("p", "p", StdioCall.READ, 4096, MIB, advice=advice)).extras["device_reads"]
             for advice in Advice}  # fmt: skip
    assert reads[Advice.RANDOM] == 256 > reads[Advice.NORMAL] > reads[Advice.SEQUENTIAL]


def test_flags_and_a_program_of_ones_own_may_be_given(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('says = "mine"\ncall = "write"\nblock = "8 KiB"\nsize = "64 KiB"\n')
    cached, synchronous = run(str(mine)), run(str(mine), flags="O_DSYNC")
    assert cached.extras["calls"] == synchronous.extras["calls"] == 8
    assert cached.extras["elapsed"] < 0.001 < 0.3 < synchronous.extras["elapsed"]


@pytest.mark.parametrize(("call", "stride", "size"), [
    (StdioCall.FREAD, 4 * KIB, 4 * KIB), (StdioCall.READ, 4 * KIB, 10 * KIB), (StdioCall.FREAD, 8 * KIB, 12 * KIB),
])  # fmt: skip
def test_rows_of_one_page_or_of_part_of_one_are_read_one_by_one(call: StdioCall, stride: int, size: int) -> None:
    """A listed run makes each call by itself."""
    program = StdioProgram("p", "p", call, 512, size, stride)
    together, listed = perform(program).extras, perform(program, listed=1000).extras
    for name in ("calls", "system_calls", "seeks", "device_bytes"):
        assert together[name] == listed[name]
    assert together["us_per_call"] == pytest.approx(listed["us_per_call"])


def test_a_program_is_interrupted_after_so_many_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(performer, "MAX_REQUESTS", 5)
    found = perform(StdioProgram("p", "p", StdioCall.WRITE, 1, 10, 0, frozenset({Flag.SYNC}))).extras
    assert (found["calls"], found["interrupted"]) == (5.0, 1.0)


def test_time_that_a_program_owes_counts_before_it_has_passed() -> None:
    """Of ten cached pages, a call of 1 ms each, none of which waits, five are read in 4.5 ms."""
    program = StdioProgram("p", "p", StdioCall.READ, PAGE, 10 * PAGE)
    found = perform(program, seconds=0.0045, warm=True, read_call=1e-3, copy=0.0).extras
    assert (found["calls"], found["interrupted"]) == (5.0, 1.0)
    rows = StdioProgram("p", "p", StdioCall.READ, 512, 4 * PAGE, PAGE)
    found = perform(rows, seconds=0.0025, warm=True, read_call=1e-3, seek_call=0.0, copy=0.0).extras
    assert (found["calls"], found["interrupted"]) == (3.0, 1.0), "in the first row, which the others are not like"


def test_a_long_program_is_interrupted() -> None:
    found = run("w01", seconds=10.0).extras
    assert found["interrupted"]
    assert found["elapsed"] == pytest.approx(10.0, abs=0.1)


def test_the_seed_draws_the_moment_when_the_power_fails_and_nothing_else() -> None:
    one, other = run("w06", seed=1).extras, run("w06", seed=2).extras
    assert run("w06", seed=1).extras == one
    assert one["power_fails_at"] != other["power_fails_at"]
    assert one["rate"] == other["rate"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"program": "w07"}, "unknown program 'w07': did you mean w0"),
        ({"program": "w02", "block": 1}, "EINVAL"),
        ({"program": "r01", "size": 1 << 40}, "nothing is evicted"),
        ({"seconds": 0.0}, "seconds must be positive"),
        ({"read_ahed": 1}, "unknown parameter 'read_ahed'"),
        ({"limit": 1.5}, "limit must be"),
        ({"flags": "O_SINC"}, "unknown flag 'O_SINC': did you mean"),
        ({"program": "w05", "flags": "O_SYNC"}, "fopen"),
        ({"program": "r01", "advice": "sequental"}, "unknown advice 'sequental': did you mean sequential"),
    ],
)
def test_mistakes_are_said(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UserError, match=says):
        run(**given)


def test_the_page_says_rate_calls_disc_and_risk() -> None:
    shown = page(run("w05"))
    for said in ("27,000,000 bytes/s, ln 17.11", "10,485,760 in 0.38", "2,560", "10 writes, 1,024.0 KiB each",
                 "library", "what is at risk", "if the power fails"):  # fmt: skip
        assert said in shown
    assert all(len(line) <= 100 for line in shown.splitlines())
    assert "risk" not in page(run("r06", size=Bytes(2 * MIB)))


def test_what_differs_from_the_lectures_machine_says_where_it_is_from() -> None:
    names = UnixParameters.__dataclass_fields__
    table = tomllib.loads((MODELS_FOLDER / "unix_stdio" / "virtual_2026.toml").read_text("utf-8"))
    assert {name for name in names if getattr(LECTURE, name) != getattr(VIRTUAL_2026, name)} == set(table)
    sources = read_sources({name: given["source"] for name, given in table.items()})
    assert all(source.kind in ("cited", "fitted") and len(source.note) > 10 for source in sources.values())


def test_every_fitted_parameter_names_its_claim() -> None:
    claims = {claim.id: claim for claim in read_claims(CLAIMS)}
    fitted = {each.name: each.note.split(":")[0] for each in describe(UnixParameters()) if each.kind == "fitted"}
    calibrated = {id for id, claim in claims.items() if claim.role is Role.CALIBRATED}
    assert sorted(fitted.values()) == sorted(calibrated)
    assert all(name in claims[id].note for name, id in fitted.items())


def test_another_machine_may_be_chosen() -> None:
    lecture, later = run("w03"), run("w03", choices=UnixOptions(VIRTUAL_2026))
    assert later.extras["rate"] > 2 * lecture.extras["rate"]
