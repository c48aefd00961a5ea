"""Tests how words of a command line are read as values or refused in one line, for every type of argument."""

import json
from pathlib import Path

import pytest

from spindle.cli.main import main
from spindle.questions.settings import _simple
from spindle.questions.words import size, value
from spindle.sim.error import UserError
from spindle.sim.parameter import describe
from spindle.sim.units import MIB, Bytes
from spindle.studies.settings import settings_of
from spindle.systems import find_system, system_names


@pytest.mark.parametrize(
    ("text", "bytes_"),
    [("512", 512), ("4k", 4096), ("64K", 65536), ("1MiB", MIB), ("1mib", MIB), ("2G", 2 << 30), ("4MB", 4_000_000),
     ("1.5K", 1536), ("3.81GiB", 4090956349)]
)
def test_bytes_are_written_with_their_unit(text: str, bytes_: int) -> None:
    assert size("--block", text) == bytes_ == value("--block", text, Bytes)


@pytest.mark.parametrize("text", ["", "K", "1.3B", "-4K", "0", "4Q", "4s", "1024ib", "9999999999G", "ib"])
def test_what_is_no_number_of_bytes_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(UserError, match=r"--block must be [^\n]*$"):
        size("--block", text)


def test_no_bytes_are_an_argument_of_a_run_that_has_a_meaning_for_them() -> None:
    """No cache for sata_ncq, and no stride for unix_stdio; where it has none, the run says so."""
    assert value("cache", "0", Bytes) == 0
    with pytest.raises(UserError, match="cache must be a whole number from 0 to"):
        value("cache", "-1", Bytes)


@pytest.mark.parametrize(("name", "text", "given"), [
    ("memory", "6MB", 6_000_000), ("memory", "6MiB", 6 << 20), ("minutes", "90s", 1.5), ("minutes", "5", 5.0),
    ("slice", "40ms", 0.04), ("terminals", "63", 63),
])  # fmt: skip
def test_a_number_is_given_in_any_unit_of_its_kind(name: str, text: str, given: float) -> None:
    """In ``--set`` of run, sweep and find, and in the option of an argument: one place reads them all."""
    read = settings_of(find_system("hp3000"))[name].read(name, text)
    assert (read, type(read)) == (given, type(given))


@pytest.mark.parametrize(("name", "text", "says"), [
    ("memory", "6s", "memory must be bytes, such as 4096, 64K, 1MiB or 6MB, not '6s'"),
    ("minutes", "6MB", "minutes must be a number, such as 20, 90s or 2h, not '6MB'"),
    ("slice", "40mm", "slice must be a number, such as 0.04, 40ms or 2min, not '40mm'"),
    ("terminals", "63s", "terminals must be a whole number, not '63s'"),
    ("near", "50s", "near must be a number, not '50s'"),
])  # fmt: skip
def test_a_unit_of_another_kind_is_refused_in_one_line(name: str, text: str, says: str) -> None:
    with pytest.raises(UserError) as error:
        settings_of(find_system("hp3000"))[name].read(name, text)
    assert str(error.value) == says


def test_every_parameter_of_every_system_is_read_as_it_is_shown() -> None:
    for name in system_names():
        system = find_system(name)
        known = settings_of(system)
        for each in (each for each in describe(system.parameters) if known[each.name].is_number):
            shown = known[each.name].text(each.value).removesuffix(" at 1.0 MIPS")
            assert known[each.name].read(each.name, shown) == pytest.approx(each.value, rel=1e-5), shown


def test_a_screen_shows_units_and_a_table_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parameters", "hp3000"]) == 0
    assert "memory = 8 MiB   [" in capsys.readouterr().out
    short = ["hp3000", "--set=memory=6MB", "--set=slice=0.5s"]
    assert main(["run", *short, "--minutes=30s", "--warm-up=30s", "--terminals=42"]) == 0
    page = capsys.readouterr().out
    assert "memory 6 MB, slice 0.5 s" in page
    assert "0.5 minutes measured" in page
    sweep = ["sweep", *short, "--set=minutes=30s", "--set=warm_up=0", "--set=terminals=42", "--seeds=1", "--workers=1",
             "--json"]  # fmt: skip
    assert main(sweep) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["memory"], row["slice"], row["minutes"]) == (6_000_000, 0.5, 0.5)


def test_a_file_must_exist(tmp_path: Path) -> None:
    there = tmp_path / "script"
    there.write_text("")
    assert value("--probe", str(there), Path) == there
    with pytest.raises(UserError, match="--probe must name a file that exists"):
        value("--probe", str(tmp_path), Path)


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [(int, int), (Bytes, Bytes), (Bytes | None, Bytes), (Path | None, Path), (object, None), (int | str, None),
     (list[int], None), (list[int] | None, None), (Path | list[int] | None, Path)],
)  # fmt: skip
def test_an_argument_is_an_option_where_one_word_says_it(annotation: object, kind: object) -> None:
    assert _simple(annotation) is kind
