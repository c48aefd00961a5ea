"""Tests BibTeX of sources: the paper of a system, the drives and policies of a run, each once."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spindle import HP7933, MIB, Arc, Computer, Exponential, cite, simulate
from spindle.citation import _sheet
from spindle.cli.main import main
from spindle.sim.error import UserError
from spindle.sim.eviction.registry import POLICIES
from spindle.systems import system_names
from spindle.version import VERSION, YEAR
from spindle.workloads.synthetic import RandomReads

ROOT = Path(__file__).parents[1]
NO_PAPER = {"Lru", "Fifo", "Clock", "Lfu", "RandomDraw"}
"""Older than the literature, or of no single paper."""


def keys(text: str) -> list[str]:
    return re.findall(r"^@\w+\{(\w+),$", text, re.MULTILINE)


def test_spindle_itself_comes_first_with_its_version() -> None:
    assert keys(cite()) == ["spindle"]
    assert f"version = {{{VERSION}}},\n  year = {{{YEAR}}}" in cite()
    assert f"\nversion: {VERSION}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"Copyright (c) {YEAR} " in (ROOT / "LICENSE").read_text("utf-8")


@pytest.mark.parametrize("system", system_names())
def test_every_system_has_a_paper_that_the_citation_file_names_too(system: str) -> None:
    text = cite(system)
    assert len(keys(text)) > 1, f'put its paper into spindle/references.toml: [[papers]] with of = ["{system}"]'
    titles = [title.translate(str.maketrans("", "", "{}")) for title in re.findall(r"title = \{(.*)\}", text)]
    known = (ROOT / "CITATION.cff").read_text("utf-8")
    assert [title for title in titles[1:] if title not in known] == [], "name it in CITATION.cff, too"


def test_every_policy_of_a_paper_has_it() -> None:
    without = {policy.__name__ for name, policy in POLICIES.items() if len(keys(cite(name))) == 1}
    assert without == NO_PAPER, (
        f"put the papers of {sorted(without - NO_PAPER)} into spindle/references.toml: a table [[papers]] with the "
        f"class in `of`; or the class into NO_PAPER, where there is none; out of it {sorted(NO_PAPER - without)}"
    )


def test_a_run_cites_its_paper_its_drive_and_its_policy() -> None:
    result = simulate("hp3000", terminals=2, caching=True, minutes=0.1, warm_up=0.0, policy="sieve")
    assert keys(cite(result)) == ["spindle", "mcbride1983discs", "zhang2024sieve", "sheet_hp7933"]
    assert "NetBSD's disc tables" in cite(result)


def test_a_computer_of_your_own_cites_its_parts() -> None:
    mine = Computer()
    (cache,) = mine.cache(mine.drive(HP7933), size=MIB, policy=Arc)
    reads = RandomReads(mine.file(cache, 10 * MIB), 4096, times=1)
    result = mine.run(terminals=1, think=Exponential(1.0), transaction=reads, minutes=0.1, warm_up=0.0)
    assert keys(cite(result)) == ["spindle", "sheet_hp7933", "megiddo2003arc"]


def test_the_command_prints_each_entry_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cite", "sata_ncq", "fac", "intels3700"]) == 0
    assert keys(capsys.readouterr().out) == ["spindle", "kim2014fac", "sheet_intels3700"]


def test_an_entry_of_a_sheet_lists_each_cited_source_once() -> None:
    sources = {"a": cited("one"), "b": assumed("guess"), "c": cited("two"), "d": cited("one")}
    sheet: Any = SimpleNamespace(name="HP 79-33", sources=sources)
    assert _sheet(sheet) == ("@misc{sheet_hp7933,\n  title = {Data sheet of the HP 79-33, as Spindle has it},\n"
                             "  note = {one; two}\n}")  # fmt: skip
    sheet.sources = {"b": assumed("guess")}
    assert _sheet(sheet) == "@misc{sheet_hp7933,\n  title = {Data sheet of the HP 79-33, as Spindle has it}\n}"
    assert cite("HP7933") == cite("hp7933")
    assert cite("ARC") == cite("arc")


def cited(note: str) -> SimpleNamespace:
    return SimpleNamespace(kind="cited", note=note)


def assumed(note: str) -> SimpleNamespace:
    return SimpleNamespace(kind="assumed", note=note)


def test_another_name_is_refused() -> None:
    with pytest.raises(UserError, match="unknown system, drive or policy 'hp300'"):
        cite("hp300")


def test_what_is_neither_a_result_nor_a_name_is_refused() -> None:
    with pytest.raises(UserError, match="cite takes results and names, not '5'"):
        cite(5)  # type: ignore[arg-type]
