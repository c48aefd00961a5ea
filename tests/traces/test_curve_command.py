"""Tests ``spindle curve``: hits by hand and to the integer on real traces, samples within their bounds, responses."""

import csv
import json
from pathlib import Path

import pytest

from spindle import UserError, curve
from spindle.cli.main import main
from spindle.traces.curve.question import CURVE_POLICIES as NAMES
from spindle.traces.curves import ONE_BY_ONE
from tests.traces.conftest import Said, trace_of

# The references 0 1 0 2 3 0.
FIVE = trace_of(("R", 0, 1), ("R", 1, 1), ("W", 0, 1), ("R", 2, 2), ("R", 0, 1), head="op,lba_512,sectors")
TRUTH = {"lru": "LRU", "fifo": "FIFO", "lfu": "LFU", "arc": "ARC", "belady-min": "Belady", "clock": "Clock"}


def rows(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(("policy", "hits"), [
    ("lru", [0, 1, 2, 2]), ("fifo", [0, 1, 1, 2]), ("belady", [2, 2, 2, 2]), ("belady-min", [0, 2, 2, 2]),
])  # fmt: skip
def test_five_requests_by_hand(said: Said, place: Path, policy: str, hits: list[int]) -> None:
    (place / "five.csv").write_text(FIVE)
    said("curve", "five.csv", "--policy", policy, "--block", "512", "--sizes", "3,1,2,9", "--out", "hits.csv")
    lines = [f"{size},6,{hit},{round(hit / 6, 6):g}" for size, hit in zip((1, 2, 3, 9), hits, strict=True)]
    assert (place / "hits.csv").read_text().splitlines() == ["cache_blocks,refs,hits,hit_ratio", *lines]


def test_several_policies_have_a_column_and_a_page(said: Said, place: Path) -> None:
    (place / "five.csv").write_text(FIVE)
    page = said("curve", "five.csv", "--policy=lru,fifo", "--block=1K", "--sizes=1,2", "--out=hits.csv").splitlines()
    found = rows(place / "hits.csv")
    assert list(found[0]) == ["policy", "cache_blocks", "refs", "hits", "hit_ratio"]
    assert [(row["policy"], row["cache_blocks"], row["refs"], row["hits"]) for row in found] == [
        ("lru", "1", "5", "2"), ("lru", "2", "5", "3"), ("fifo", "1", "5", "2"), ("fifo", "2", "5", "3")]
    assert page[0] == "five.csv, csv"
    assert page[1] == "5 references to blocks of 1 KiB"
    assert page[3].split() == ["hit", "ratio", "lru", "fifo", "lru,", "Che"]
    assert page[5].split()[:4] == ["1", "0.0009766", "40.00%", "40.00%"]


def test_a_list_that_is_given_twice_is_told(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "five.csv").write_text(FIVE)
    asked = ["curve", "five.csv", "--policy=lru", "--sizes=1", "--block=512", "--block=1K"]
    assert main(asked) == 0
    assert capsys.readouterr().err == ""
    assert main([*asked, "--policy", "fifo"]) == 0
    page, told = capsys.readouterr()
    assert told == ("spindle: --policy is given twice, and the last counts: several values stand in one, with commas "
                    "between\n")
    assert "fifo" in page
    assert "lru" not in page


def test_all_policies_fit_a_screen(said: Said) -> None:
    page = said("curve", "trace.csv", "--policy", ",".join(NAMES), "--sizes", "4,64").splitlines()
    assert max(map(len, page)) <= 80
    assert sum(line.startswith("hit ratio ") for line in page) == -(-(len(NAMES) + 1) // 5)
    assert [word for line in page if line.startswith("hit ratio ") for word in line.split()[2:]] == [
        *NAMES, "lru,", "Che"]


@pytest.mark.parametrize("policy", ["belady", "fifo,belady", "lru"])
def test_there_is_a_picture_of_any_policies(said: Said, place: Path, policy: str) -> None:
    said("curve", "trace.csv", "--policy", policy, "--plot", "hits.png")
    assert (place / "hits.png").read_bytes().startswith(b"\x89PNG")


def test_a_picture_has_no_line_that_was_not_asked_for() -> None:
    drawn = curve("examples/trace.csv", policy="lru,arc").picture()
    assert [line.get_label() for line in drawn.lines] == ["lru", "arc"]


def test_a_policy_has_a_cost_and_a_bound_has_none(said: Said, refused: Said) -> None:
    words = ("curve", "trace.csv", "--policy=lru,lhd,belady", "--sizes=1,4,64", "--cpu")
    *_, head, lru, lhd = said(*words).splitlines()
    assert head.startswith("processor time of a reference at 4 ")
    assert (lru.split()[0], lhd.split()[0]) == ("lru", "lhd")
    found = json.loads(said(*words, "--json"))["cpu"]
    assert set(found) == {"lru", "lhd"}
    assert 0.0 < 2.0 * found["lru"] < found["lhd"] < 1e-3, "LHD looks at a sample of entries"
    assert "cpu" not in json.loads(said(*words[:-1], "--json"))
    assert refused(*words, "--bytes").startswith("--cpu measures")
    assert refused("curve", "trace.csv", "--policy=belady", "--cpu") == (
        "--cpu measures policies, and all that are asked for are bounds")


def test_a_terminal_shows_the_curves_and_python_has_them(said: Said, place: Path) -> None:
    page = said("curve", "trace.csv", "--policy=lru,arc", "--plot=-")
    assert "blocks in the cache" in page
    assert "policy: ● lru   ▲ arc" in page
    frame = curve("trace.csv", policy=["lru", "arc"], sizes="4,64", by_device=True)
    assert list(frame["policy"]) == ["lru", "lru", "arc", "arc"]
    assert "hit ratio" in frame.attrs["page"]
    assert frame.attrs["lru"]["knee"] > 0
    assert frame.attrs["by_device"][0]["references"] == frame["refs"][0]
    assert frame.picture().get_title(loc="left") == "trace.csv"
    with pytest.raises(UserError, match="did you mean policy"):
        curve("trace.csv", polcy="lru")


def test_the_usual_sizes_end_where_all_blocks_fit(said: Said, place: Path) -> None:
    said("curve", "trace.csv", "--out", "lru.csv", "--block", "512")
    said("curve", "trace.csv", "--out", "arc.csv", "--policy", "lru,arc", "--block", "512")
    alone, both = rows(place / "lru.csv"), rows(place / "arc.csv")
    assert len(alone) > len(both) / 2 > 5
    assert alone[-1]["hits"] == both[-1]["hits"] == str(int(alone[0]["refs"]) - int(alone[-1]["cache_blocks"]))


def test_hits_are_true_to_the_integer(said: Said, place: Path, shared: Path) -> None:
    traces = shared / "data" / "traces"
    truth = [row for row in rows(traces / "truth_tpcc.csv") if row["block_bytes"] == "4096"]
    sizes = [row["cache_blocks"] for row in truth]
    said("curve", str(traces / "tpcc.csv.gz"), "--policy", ",".join(TRUTH), "--sizes", ",".join(sizes), "--out=t.csv")
    found = {(row["policy"], row["cache_blocks"]): (row["refs"], row["hits"]) for row in rows(place / "t.csv")}
    assert found == {(policy, row["cache_blocks"]): (row["refs"], row[f"{name}_hits"])
                     for policy, name in TRUTH.items() for row in truth}


def test_responses_fall_with_the_cache_and_are_those_of_a_replay(said: Said, place: Path) -> None:
    page = said("curve", "trace.csv", "--policy=lru,belady", "--sizes=2,8,64", "--block=512", "--response",
                "--drive=small.yaml", "--out=hits.csv", "--plot=hits.png")  # fmt: skip
    found = rows(place / "hits.csv")
    times = [float(row["response_mean"]) for row in found if row["policy"] == "lru"]
    assert times == sorted(times, reverse=True)
    assert [row["response_mean"] for row in found if row["policy"] == "belady"] == ["", "", ""]
    assert "mean response, ms" in page
    assert ONE_BY_ONE in page
    replayed = said("replay", "trace.csv", "--drive=small.yaml", "--closed=1", "--cache=4K", "--block=512")
    assert f"{times[1] * 1000:.3f}" in replayed
    assert (place / "hits.png").read_bytes().startswith(b"\x89PNG")


def test_more_than_is_held_needs_a_sample(refused: Said, said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spindle.traces.blocks.MAX_REFERENCES", 100)
    assert refused("curve", "trace.csv", "--block=512") == (
        "the trace has more than 100 references, which are not held; --sample takes a share")
    assert "samples keep hit ratios, not queues" in said("curve", "trace.csv", "--block=512", "--sample=0.9")


CYCLE = "".join(f"{place},{key}\n" for place, key in enumerate("abcabcabc"))


def test_the_misses_are_split_and_said(said: Said, place: Path) -> None:
    (place / "cycle.csv").write_text("timestamp,key\n" + CYCLE)
    page = said("curve", "cycle.csv", "--sizes", "2,3", "--over-time").splitlines()
    for line in ("at most 66.7% can hit: the rest are first uses", "lru has 90% of that with 3 objects",
                 "its knee is at 3 objects, where 66.7% hit"):
        assert line in page
    at = next(place for place, line in enumerate(page) if line.startswith("of all references"))
    assert [line.split() for line in page[at + 1 : at + 3]] == [
        ["2", "0.00%", "33.33%", "22.22%", "44.44%"], ["3", "66.67%", "33.33%", "0.00%", "0.00%"]]
    assert page[at + 3] == "at 2, lru can win 22.2% by more memory, and at most 44.4% by a better policy"
    assert [line.split()[-2:] for line in page if line.startswith("from ")][:4] == [
        ["0.00%", "0.00%"]] * 3 + [["0.00%", "100.00%"]]
    assert [line.split()[-3] for line in page if line.startswith("from ")] == ["1"] * 9  # none of ten parts is empty
    assert max(map(len, page)) <= 80


def test_a_warm_up_does_not_count_and_each_device_has_its_ratio(said: Said, place: Path) -> None:
    (place / "shared.csv").write_text("key,tenant\n" + "a,x\na,x\nb,y\na,y\nb,x\n")
    page = said("curve", "shared.csv", "--sizes=2", "--warm-up=0.2", "--by-device", "--out=hits.csv").splitlines()
    assert (place / "hits.csv").read_text().split() == ["cache_objects,refs,hits,hit_ratio", "2,4,3,0.75"]
    at = next(place for place, line in enumerate(page) if line.startswith("lru by device"))
    assert [line.split() for line in page[at + 1 :]] == [["x", "2", "100.00%"], ["y", "2", "50.00%"]]


@pytest.mark.parametrize(("options", "says"), [
    (["--warm-up", "1"], "--warm-up must be a share of the references from 0 up to 1, not 1.0"),
    (["--warm-up", "nan"], "from 0 up to 1, not nan"), (["--sample=0.5", "--over-time"], "--over-time needs the whole"),
    (["--policy", "lru,lfru"], "unknown policy 'lfru': did you mean lru or lfu"),
    (["--policy", "lru,lru"], "--policy names lru twice"),
    (["--sizes", "4,0"], "--sizes must be a whole number from 1 to"),
    (["--sizes", "4,,5"], "--sizes must be a whole number, not ''"),
    (["--block", "256"], "a block of 256 bytes is too small for a trace: 512 is the least"),
    (["--drive", "hp7933"], "--drive is for --response"),
    (["--wrap"], "--wrap is for --response"),
    (["--sample", "0.5", "--response"], "a sample keeps hit ratios, but not queues"),
    (["--sample", "1.5"], "--sample must be a number from 0 to 1, not 1.5"),
    (["--sample", "nan"], "--sample must be a number from 0 to 1, not nan"),
    (["--sample", "0.5", "--sizes", "1"], "a cache of 1 blocks is too small for this sample: 64 is the least"),
    (["--sample", "0.01"], "is too small: take more"),
    (["--response", "--drive", "none.yaml"], "none.yaml: there is no such file"),
])  # fmt: skip
def test_options_that_cannot_be_are_refused(refused: Said, options: list[str], says: str) -> None:
    assert says in refused("curve", "trace.csv", *options)


@pytest.mark.parametrize(("trace", "why"), [
    ("none.csv", "there is no such file"), ("/dev/zero", "it is no regular file"),
])  # fmt: skip
def test_what_is_no_trace_is_refused(refused: Said, trace: str, why: str) -> None:
    assert refused("curve", trace) == f"{trace}: {why}"
