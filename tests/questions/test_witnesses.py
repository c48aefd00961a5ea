"""For each field of a load, a character and a figure, a question whose answer it changes."""

import json
import random
from collections.abc import Mapping
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from spindle.cli.main import main
from spindle.questions.field import option_of
from spindle.questions.settings import settings_of_fields
from spindle.traces.character_question import CharacterQuestion
from spindle.traces.figure import FigureQuestion
from spindle.traces.replay.load_question import LoadQuestion
from tests.questions.test_faces import NOT_DRAWN
from tests.traces.conftest import trace_of

REPEATED = ("question", "block")
Witness = tuple[Mapping[str, str], str]
"""A question without the field, and a value of the field that changes the answer."""
SLOW = {"drive": "hp7933", "requests": "60"}
FLASH = {"drive": "intels3700", "requests": "200", "threads": "32"}
TIER = {**SLOW, "requests": "600", "span": "1M", "flash": "intels3700"}
ARRAY = {**SLOW, "raid": "5", "drives": "4", "size": "32K"}
LOAD: Mapping[str, Witness] = {
    "iops": (SLOW, "5"), "threads": (SLOW, "4"), "writes": ({**ARRAY, "seed": "3"}, "50%"), "size": (SLOW, "64K"),
    "random": (SLOW, "20%"), "span": (SLOW, "1M"), "requests": ({"drive": "hp7933", "requests": "50"}, "70"),
    "burst": ({**SLOW, "burst": "5", "pause": "10ms"}, "20"), "pause": ({**SLOW, "burst": "5", "pause": "10ms"}, "1s"),
    "drive": (SLOW, "hp7920"), "scheduler": ({**SLOW, "threads": "9"}, "sptf"),
    "depth": ({**SLOW, "threads": "9"}, "4"), "bus": (SLOW, "HP-IB"),
    "head": ({**SLOW, "requests": "1"}, "500"), "filled": (FLASH, "1"),
    "sleep_after": ({**SLOW, "iops": "5", "wake": "1s", "sleep_after": "1h"}, "1ms"),
    "wake": ({**SLOW, "iops": "5", "wake": "1s", "sleep_after": "1ms"}, "2s"),
    "stall_every": ({**SLOW, "stall": "1s", "stall_every": "20"}, "30"),
    "stall": ({**SLOW, "stall": "1s", "stall_every": "20"}, "2s"), "network_latency": (SLOW, "1ms"),
    "network_rate": (SLOW, "1MB"),
    "raid": ({**SLOW, "drives": "4"}, "5"), "drives": ({**SLOW, "raid": "0", "drives": "4", "chunk": "4K"}, "3"),
    "chunk": ({**ARRAY, "raid": "0"}, "4K"), "bitmap": ({**ARRAY, "writes": "100%"}, "64K"),
    "delayed": ({**ARRAY, "writes": "100%", "random": "0%", "size": "4K", "threads": "16"}, "true"),
    "failed": (ARRAY, "1"),
    "rebuild": ({**ARRAY, "failed": "1"}, "1M"), "ure": (ARRAY, "1e-6"),
    "cache": ({**SLOW, "span": "1M"}, "512K"),
    "policy": ({**SLOW, "span": "256K", "cache": "128K", "requests": "600"}, "fifo"),
    "block": ({**SLOW, "span": "64K", "cache": "64K", "size": "512"}, "512"),
    "write": ({**SLOW, "span": "1M", "cache": "512K", "writes": "50%"}, "through"), "seed": (SLOW, "2"),
    "flash": (SLOW | {"span": "1M"}, "intels3700"), "flash_size": (TIER, "128K"),
    "flash_policy": ({**TIER, "flash_size": "128K"}, "fifo"), "flash_block": (TIER, "64K"),
    "flash_write": ({**TIER, "writes": "50%"}, "back"), "engine": (FLASH, "spdk"),
    "cpus": ({**FLASH, "engine": "libaio"}, "2"),
}  # fmt: skip
CHANGES_NO_LOAD = {"wrap"}
"""A load asks no device for bytes beyond its end."""
WRITES_FOR_LONG = {"foreground"}
"""Tested beside the drive."""
CHARACTER: Mapping[str, Witness] = {"limit": ({}, "10"), "block": ({}, "512")}
FIGURE: Mapping[str, Witness] = {
    "policy": ({}, "lru"), "block": ({}, "512"), "sizes": ({}, "50%"), "show": ({}, "hits"),
    "against": ({"policy": "lru,sieve"}, "fifo"), "limit": ({}, "10"),
}  # fmt: skip


def answers(words: list[str], given: Mapping[str, str]) -> str:
    """Return the printed answer without the question that it repeats."""
    with redirect_stdout(StringIO()) as out:
        assert main([*words, *(f"{option_of(name)}={text}" for name, text in given.items())]) == 0, given
    if "--json" not in words:
        return out.getvalue()
    return json.dumps({name: told for name, told in json.loads(out.getvalue()).items() if name not in REPEATED})


def changes(words: list[str], name: str, witness: Witness) -> bool:
    given, value = witness
    return answers(words, given) != answers(words, {**given, name: value})


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chance = random.Random(7)
    path = tmp_path_factory.mktemp("witnesses") / "t.csv"
    path.write_text(trace_of(*((number * 0.02, chance.choice("RRW"), chance.randrange(60) * 8, 8)
                               for number in range(200))))  # fmt: skip
    return path


@pytest.mark.parametrize("name", LOAD)
def test_each_field_of_a_load_matters(name: str) -> None:
    assert changes(["load", "--json"], name, LOAD[name])


@pytest.mark.parametrize("name", CHARACTER)
def test_each_field_of_a_character_matters(name: str, trace: Path) -> None:
    assert changes(["characterise", str(trace), "--json"], name, CHARACTER[name])


@pytest.mark.parametrize("name", FIGURE)
def test_each_field_of_a_figure_matters(name: str, trace: Path, tmp_path: Path) -> None:
    given, value = FIGURE[name]
    for place, asked in enumerate((given, {**given, name: value})):
        answers(["figure", str(trace), "--plot", str(tmp_path / f"{place}.svg")], asked)
    assert (tmp_path / "0.svg").read_bytes() != (tmp_path / "1.svg").read_bytes()


def test_bad_lines_matter_where_there_are_some(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = trace.with_name("bad.csv")
    bad.write_text(trace.read_text() + "nonsense\n")
    for words in (["characterise"], ["figure", "--plot", str(trace.with_name("bad.svg"))], ["replay"]):
        assert main([*words, str(bad)]) == 2
        assert main([*words, str(bad), "--skip-bad", "1"]) == 0
    assert "nonsense" in capsys.readouterr().err


def test_no_field_is_without_a_witness() -> None:
    elsewhere = {*NOT_DRAWN, "skip_bad"}
    assert set(settings_of_fields(LoadQuestion)) == {*LOAD, *CHANGES_NO_LOAD, *WRITES_FOR_LONG} - {"seed"}
    assert set(settings_of_fields(CharacterQuestion)) == {*CHARACTER, *elsewhere}
    assert set(settings_of_fields(FigureQuestion)) == {*FIGURE, *elsewhere}
