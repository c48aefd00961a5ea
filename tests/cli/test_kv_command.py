"""Tests ``spindle kv``: its text, tables of several values, JSON, and one line for each mistake."""

import csv
import json
from pathlib import Path

import pytest

from spindle.cli.main import main
from tests.traces.kv.test_serving import conversations

USUAL = ["--model", "llama-3.1-8b", "--gpus", "1", "--hbm", "2G"]


@pytest.fixture
def trace(tmp_path: Path) -> str:
    path = tmp_path / "prompts.jsonl"
    path.write_text("".join(json.dumps({
        "timestamp": round(1000 * prompt.time), "input_length": prompt.tokens, "output_length": prompt.answer,
        "hash_ids": prompt.blocks}) + "\n" for prompt in conversations("command", 120).prompts))
    return str(path)


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["kv", *words]) == 0
    return capsys.readouterr().out


def test_a_page(capsys: pytest.CaptureFixture[str], trace: str) -> None:
    page = said(capsys, trace, *USUAL, "--dram", "4G", "--nvme", "40G", "--prices", "0,4,0.1")
    assert "llama-3.1-8b on 1 x 1 h100; 120 prompts" in page
    assert max(map(len, page.splitlines()[1:])) <= 80
    for word in ("time to first token", "hbm", "dram", "nvme", "written", "times a day"):
        assert word in page


def test_json_has_what_the_page_has(capsys: pytest.CaptureFixture[str], trace: str) -> None:
    answer = json.loads(said(capsys, trace, *USUAL, "--dram", "4G", "--json"))
    of, = answer["runs"]
    assert (answer["version"], answer["trace"], of["prompts"]) == (2, trace, 120)
    assert {"response_mean", "response_median", "response_p95", "response_p99"} <= set(of)
    assert list(of["tiers"]) == ["hbm", "dram"]


def test_json_has_the_notes_and_the_least_run_of_the_page(
    capsys: pytest.CaptureFixture[str], trace: str, tmp_path: Path
) -> None:
    late = tmp_path / "late.jsonl"
    late.write_text("".join(reversed(Path(trace).read_text().splitlines(keepends=True))))
    asked = (*USUAL, "--limit", "3", "--dram", "4G,1G", "--want")
    page = said(capsys, str(late), *asked, "p95=1h")
    assert "2 prompts out of order, before the one above: sorted by time\n" in page
    assert "the least with a p95 of 3600 s: dram 1G" in page
    answers = [json.loads(said(capsys, str(late), *asked, bound, "--json")) for bound in ("p95=1h", "p95=1ns")]
    assert [(answer["notes"], answer["least"]) for answer in answers] == [
        (["2 prompts out of order, before the one above: sorted by time"], place) for place in (1, None)]
    assert "least" not in json.loads(said(capsys, trace, *USUAL, "--json"))


def test_one_prompt_that_waits_for_nothing_is_no_overload(
    capsys: pytest.CaptureFixture[str], trace: str
) -> None:
    page = said(capsys, trace, *USUAL, "--limit", "1")
    assert "instances are busy 100.0%" in page
    assert "more prompts come" not in page


def test_a_tier_of_no_bytes_is_not_there(capsys: pytest.CaptureFixture[str], trace: str) -> None:
    """Beside one that is there, in a list too; and all of the accelerators' memory is used."""
    runs = [json.loads(said(capsys, trace, *USUAL, *more, "--json"))["runs"]
            for more in ([], ["--dram", "0"], ["--dram", "0G,4G"], ["--dram", "4G", "--nvme", "0"])]  # fmt: skip
    none, nought, both, dram = ([{name: value for name, value in run.items() if name != "dram"} for run in each]
                                for each in runs)  # fmt: skip
    assert none == nought == both[:1]
    assert dram == both[1:]
    whole, all_of_it = (json.loads(said(capsys, trace, *USUAL[:-2], *more, "--json"))["runs"]
                        for more in ([], ["--hbm", "0"]))  # fmt: skip
    assert whole == all_of_it


def test_a_bound_may_be_written_as_find_takes_it(capsys: pytest.CaptureFixture[str], trace: str) -> None:
    words = [said(capsys, trace, *USUAL, "--want", bound) for bound in ("p95=1h", "p95 <= 1h", " p95<=3600s ")]
    assert len(set(words)) == 1


def test_lists_make_a_table_and_the_least_is_named(
    capsys: pytest.CaptureFixture[str], trace: str, tmp_path: Path
) -> None:
    out = tmp_path / "runs.csv"
    page = said(capsys, trace, *USUAL, "--dram", "1G,4G,64G", "--policy", "lru,s3-fifo(small=0.2)", "--want", "p95=1h",
                "--out", str(out))
    assert "the least with a p95 of 3600 s: dram 1G, policy lru" in page
    rows = list(csv.DictReader(out.open()))
    assert [(row["dram"], row["policy"]) for row in rows[:2]] == [("1G", "lru"), ("1G", "s3-fifo(small=0.2)")]
    hits = [float(row["hit_share"]) for row in rows if row["policy"] == "lru"]
    assert hits == sorted(hits)
    assert "none has a p50 of 1 ns" in said(capsys, trace, *USUAL, "--want", "p50=1ns")


def test_a_range_of_sizes_is_searched_for_the_least(capsys: pytest.CaptureFixture[str], trace: str) -> None:
    sizes = "1G:64G"
    listed = json.loads(said(capsys, trace, *USUAL, "--dram", "1G,64G", "--json"))
    slow, fast = (each["response_mean"] for each in listed["runs"])
    assert fast < slow
    page = said(capsys, trace, *USUAL, "--dram", sizes, "--want", f"mean={(slow + fast) / 2}s")
    rows = [line.split() for line in page.splitlines() if line.split()[:1] and line.split()[0][:-1].isdigit()]
    tried = sorted((int(row[0].removesuffix("M")), row) for row in rows)
    assert (tried[0][0], tried[-1][0]) == (1024, 64 * 1024)
    (least,) = (line for line in page.splitlines() if line.startswith("the least with"))
    found = int(least.split("dram ")[1].split("M")[0])
    near = max(size for size, _ in tried if size < found)
    assert near < found <= 1.05 * near + 1
    # Where the smallest is enough, or the largest not, nothing lies between.
    assert "the least with a mean of 3600 s: dram 1024M" in said(
        capsys, trace, *USUAL, "--dram", sizes, "--want", "mean=1h")
    assert "none has a mean of 1 ns" in said(capsys, trace, *USUAL, "--dram", sizes, "--want", "mean=1ns")


def test_policies_by_tier_and_other_rules(capsys: pytest.CaptureFixture[str], trace: str) -> None:
    page = said(capsys, trace, *USUAL, "--dram", "1T", "--dram-policy", "lru,fifo", "--object", "4T", "--layered",
                "--loading", "cheaper", "--inclusion", "inclusive", "--limit", "50", "--speed", "2")
    assert "dram_policy" in page


def test_with_and_without_a_tier_is_one_table(capsys: pytest.CaptureFixture[str], trace: str) -> None:
    without, with_it = json.loads(said(capsys, trace, *USUAL, "--dram", "0,4G", "--json"))["runs"]
    alone, = json.loads(said(capsys, trace, *USUAL, "--json"))["runs"]
    assert list(without["tiers"]) == ["hbm"]
    assert list(with_it["tiers"]) == ["hbm", "dram"]
    assert without["response_mean"] == alone["response_mean"] > with_it["response_mean"]


@pytest.mark.parametrize(("words", "says"), [
    (["--model", "llama-3.1-405b", "--gpus", "8"], "llama-3.1-405b does not fit: its weights take 811.8 GB"),
    (["--model", "gpt"], "unknown model 'gpt'"),
    (["--hbm", "200G", "--gpus", "1", "--model", "llama-3.1-8b"], "of cache do not fit: beside the weights"),
    (["--dram", "4G", "--dram-rate", "1GB", "--object", "1T"], "tiers in the wrong order: object"),
    (["--nvme", "40T"], "do not fit on 1 x Samsung 960 Pro"),
    (["--nvme", "100G", "--drive", "hp7933"], "is a disc"),
    (["--dram", "1K"], "have no room for a block"),
    (["--dram", "1G:2G"], "a range of sizes is searched for what --want says"),
    (["--dram", "2G:1G", "--want", "p95=1s"], "--dram must go up"),
    (["--want", "p90=1s"], "--want takes MEASURE=TIME"), (["--want", "p95 >= 1s"], "--want takes MEASURE=TIME"),
    (["--prices", "1,2"], "--prices names 2 prices for 1 tiers"),
    (["--prices", "nan"], "--prices must be a number from 0 to 1000000000000, not nan"),
    (["--block-tokens", "16"], "are not blocks of 16"),
    (["--speed", "0"], "--speed"),
    (["--policy", "mru"], "unknown policy 'mru'"),
    (["--nvme=0", "--nvme-policy", "mru"], "unknown policy 'mru'"),
    (["--object=0", "--object-policy", "lru,mru"], "unknown policy 'mru'"),
    (["--nvme=0", "--drive", "nosuch"], "unknown drive 'nosuch'"), (["--nvme=0", "--drive", "hp7933"], "is a disc"),
    (["--object=0", "--object-rate", "abc"], "--object-rate takes positive numbers"),
    (["--object=0", "--object-shared", "0"], "--object-shared takes positive numbers"),
    (["--object=0", "--object-latency", "soon"], "--object-latency takes positive numbers"),
    (["--dram=0", "--dram-rate", "-1"], "--dram-rate takes positive numbers"),
    (["--nvme=0", "--drives", "1,0"], "--drives must be a whole"),
    (["--dram-policy", "fifo"], "--dram-policy is for the tier dram; --dram gives its size"),
    (["--object-latency", "1s"], "--object-latency is for the tier object; --object gives its size"),
    (["--drives", "2"], "--drives is for the tier nvme; --nvme gives its size"),
    (["--layered"], "--layered is for tiers below hbm; --dram, --nvme or --object gives one"),
    (["--loading", "cheaper"], "--loading is for tiers below hbm"),
    (["--inclusion", "inclusive"], "--inclusion is for tiers below hbm"),
    (["--policy", "lru,lru"], "--policy has a value twice: lru,lru"),
    (["--dram", ",".join(["1G"] * 1001)], "1001 runs are asked for"),
])  # fmt: skip
def test_mistakes_are_told_whether_the_value_is_used_or_not(
    capsys: pytest.CaptureFixture[str], trace: str, words: list[str], says: str
) -> None:
    assert main(["kv", trace, *words]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1 or error.startswith(trace)


def test_a_table_of_lengths_is_no_trace_of_prompts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "lengths.csv").write_text("Timestamp,Request tokens\n5,472\n")
    assert main(["kv", str(tmp_path / "lengths.csv")]) == 2
    assert "its lengths and its blocks' hashes (hash_ids)" in capsys.readouterr().err
