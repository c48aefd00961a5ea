"""Tests how words of a user are read: empty ones, and ranges of seeds."""

from pathlib import Path

import pytest

from spindle.cli.main import main
from spindle.questions import words
from spindle.questions.array import ArrayOptions
from spindle.questions.settings import Setting, made_of
from spindle.questions.storage import prices_of
from spindle.sim.error import UserError
from spindle.sim.quantity import amount
from spindle.sim.units import Bytes
from spindle.traces.curve.question import CurveQuestion
from spindle.traces.replay.question import ReplayQuestion


@pytest.mark.parametrize(("option", "said"), [
    ("--policy", "--policy must have a value, not ''"), ("--sample", "--sample must have a value, not ''"),
])  # fmt: skip
def test_what_is_empty_is_named_for_what_it_should_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str, said: str
) -> None:
    (tmp_path / "x.csv").write_text("time_s,op,offset,size\n0,R,0,4096\n")
    assert main(["curve", str(tmp_path / "x.csv"), option, ""]) == 2
    assert capsys.readouterr().err == f"spindle: {said}\n"


@pytest.mark.parametrize("kind", [int, Bytes])
def test_what_counts_is_whole(kind: type) -> None:
    assert Setting(kind).check("block", 2.0) == 2.0
    with pytest.raises(UserError, match=r"block must be a whole number, not 1\.5"):
        Setting(kind).check("block", 1.5)
    assert Setting(float).check("block", 1.5) == 1.5


def test_a_range_of_seeds_goes_up_and_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "MAX_SEEDS", 3)
    assert words.seeds("7,4-6,5..5") == [7, 4, 5, 6, 5]
    assert words.seeds("0,0-2") == [0, 0, 1, 2]
    for wrong in ("4-7", "5-4"):
        with pytest.raises(UserError, match=f"--seed {wrong} is no range of 1 to 3 numbers from 0 on"):
            words.seeds(wrong)


def test_a_field_that_needs_another_says_so_in_its_own_words_within_a_group_too() -> None:
    with pytest.raises(UserError, match="chunk is for an array; raid gives its level"):
        made_of(CurveQuestion, {"chunk": "64K"})
    with pytest.raises(UserError, match="drive is for response"):
        made_of(CurveQuestion, {"drive": "hp7933"})


def test_an_array_says_what_is_unusual_of_it() -> None:
    usual = {"raid": "5", "drives": 4, "chunk": 524288}
    assert ArrayOptions("5", 4).settings() == usual
    assert ArrayOptions("5", 4, bitmap=Bytes(1 << 26), failed=1).settings() == {**usual, "bitmap": 1 << 26, "failed": 1}
    assert ArrayOptions().settings() == {}


@pytest.mark.parametrize("name", ["cache", "write"])
def test_tiers_take_the_place_of_a_cache(name: str) -> None:
    given = {"tiers": "64K:10us", name: {"cache": "64K", "write": "through"}[name]}
    says = {"cache": "cache and tiers exclude each other", "write": "write is for a cache, which tiers replace"}[name]
    with pytest.raises(UserError, match=says):
        made_of(ReplayQuestion, given).check()


@pytest.mark.parametrize("text", ["1Gb", "10 Gbit", "100Mbps", "2.5Gb/s", "1Gbit/s", "512kbits", "8bits"])
def test_bits_are_no_bytes(text: str) -> None:
    with pytest.raises(UserError, match="reads as bits, of which a byte has 8"):
        words.size("--network-rate", text)
    assert amount(text, "bytes") is amount(text, "bytes/s") is None


@pytest.mark.parametrize(("text", "size"), [
    ("1GB", 10**9), ("1gb", 10**9), ("1Gib", 1 << 30), ("8b", 8), ("2kb", 2000),
])  # fmt: skip
def test_small_letters_are_bytes(text: str, size: int) -> None:
    assert words.size("--cache", text) == size


def test_several_numbers_are_listed_or_a_range() -> None:
    assert words.counts("--sizes", "7,3-5") == [7, 3, 4, 5]
    with pytest.raises(UserError, match="--sizes 0-2 is no range"):
        words.counts("--sizes", "0-2")
    with pytest.raises(UserError, match="--sizes must be a whole number"):
        words.counts("--sizes", "1,x")


def test_a_range_goes_up() -> None:
    assert words.rising("--between", "2K:1M", words.size) == (2048, 1 << 20)
    assert words.ends("--between", "cache=2K:1M") == ("2K", "1M")
    for text in ("x:1M", "2K:x"):
        with pytest.raises(UserError, match="--between must be bytes, such as"):
            words.rising("--between", text, words.size)
    assert words.ends("--between", "1:2:3") == ("1", "2:3")
    halves = [(half, "takes LOW:HIGH") for half in ("2K", "2K:", ":2K", ":")]
    for text, said in [("1M:2K", "must go up, not from 1M to 2K"), ("2K:2K", "must go up"), *halves]:
        with pytest.raises(UserError, match=f"--between {said}"):
            words.rising("--between", text, words.size)


def test_there_is_a_price_for_each_tier_and_it_may_be_nought() -> None:
    assert prices_of("--prices", "0,2.5", 2) == [0.0, 2.5]
    assert prices_of("--prices", "", 2) == []
    for text, said in (("-1", "must be a number from 0 to"), ("2e12", "must be a number from 0 to"),
                       ("nan", "must be a"), ("1,2", "names 2 prices for 1 tiers")):
        with pytest.raises(UserError, match=f"--prices {said}"):
            prices_of("--prices", text, 1)
