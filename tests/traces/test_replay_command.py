"""Tests ``spindle replay``: responses by hand, open and closed, below a cache, on several drives; and mistakes."""

import csv
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import spindle
from spindle.cli.main import main
from spindle.sim.error import UserError
from spindle.sim.units import MS
from tests.traces.conftest import Said, trace_of

SMALL = ("--drive", "small.yaml")
# Sector 0 of 512 bytes comes by at 10 ms, sector 5 at 5; a request takes 1 ms before it, and 1 ms for its sector.
THREE = trace_of((0, "R", 0, 1), (0.001, "R", 5, 1), (0.1, "W", 0, 1))


def responses(place: Path) -> list[float]:
    with (place / "rows.csv").open() as file:
        return [float(row["response_ms"]) for row in csv.DictReader(file)]


def parts_ms(found: Any) -> float:
    """The sum of the phases of the mean response."""
    return sum(value for name, value in found["measures"].items() if name.startswith("part_")) / MS


def replayed(said: Said, *options: str, trace: str = "trace.csv") -> Any:
    return json.loads(said("replay", trace, *SMALL, "--json", "--out", "rows.csv", *options))


@pytest.mark.parametrize(("options", "expected", "end"), [
    ([], [11.0, 15.0, 11.0], 0.111),  # the second waits until 11, and is read from 15 to 16
    (["--open"], [11.0, 15.0, 11.0], 0.111),
    (["--closed", "1"], [11.0, 5.0, 5.0], 0.021),  # asked at 0, 11 and 16
    (["--closed", "2"], [11.0, 16.0, 10.0], 0.021),  # asked at 0, 0 and 11
    (["--closed", "9"], [11.0, 16.0, 21.0], 0.021),
])  # fmt: skip
def test_responses_by_hand(said: Said, place: Path, options: list[str], expected: list[float], end: float) -> None:
    (place / "trace.csv").write_text(THREE)
    found = replayed(said, *options)
    assert responses(place) == pytest.approx(expected)
    assert found["measures"]["makespan"] == pytest.approx(end)
    measures = found["measures"]
    assert (measures["responses"], measures["response_max"]) == (3, pytest.approx(max(expected) * MS))
    assert measures["response_mean"] == pytest.approx(sum(expected) / 3 * MS)
    assert measures["response_median"] == pytest.approx(sorted(expected)[1] * MS, rel=0.002)
    assert measures["write_mean"] == pytest.approx(expected[2] * MS)
    assert parts_ms(found) == pytest.approx(sum(expected) / 3)


def test_no_share_of_the_requests_takes_longer_than_the_longest(said: Said, place: Path) -> None:
    (place / "trace.csv").write_text(trace_of((0, "R", 5, 1)))
    found = replayed(said)
    times = found["measures"]
    assert times["response_max"] == pytest.approx(6.0 * MS)  # in a bucket whose middle is 6.0005
    largest = max(times["response_median"], times["response_p95"], *found["distributions"]["response"].values())
    assert largest <= times["response_max"]


FOUR = trace_of(("R", 0, 1), ("R", 0, 1), ("W", 0, 1), ("R", 5, 1), head="op,lba_512,sectors")


@pytest.mark.parametrize(("write", "expected"), [
    ("back", [11.0, 0.0, 0.0, 15.0]),  # block 0 is written out from 11 to 21 before block 5 is read until 26
    ("through", [11.0, 0.0, 10.0, 5.0]),
])  # fmt: skip
def test_a_cache_of_one_block_by_hand(said: Said, place: Path, write: str, expected: list[float]) -> None:
    (place / "trace.csv").write_text(FOUR)
    found = replayed(said, "--cache", "512", "--block", "512", "--write", write)
    assert found["question"]["loop"] == "closed loop of 1"
    assert responses(place) == pytest.approx(expected)
    ratios = {name: value for name, value in found["measures"].items() if name.endswith("hit_ratio")}
    assert ratios == {"hit_ratio": pytest.approx(1 / 3), "late_hit_ratio": 0, "write_hit_ratio": 1,
                      "write_late_hit_ratio": 0}  # fmt: skip
    assert found["measures"].get("part_memory", 0.0) / MS == pytest.approx(2.5 if write == "back" else 0.0)
    assert parts_ms(found) == pytest.approx(6.5)


def test_a_write_into_what_is_on_its_way_is_a_late_hit(said: Said, place: Path) -> None:
    (place / "trace.csv").write_text(trace_of((0, "R", 0, 1), (0.005, "W", 0, 1), (0.006, "W", 3, 1)))
    found = replayed(said, "--cache", "8K", "--block", "512")
    assert (found["measures"]["write_hit_ratio"], found["measures"]["write_late_hit_ratio"]) == (0, 0.5)
    assert sorted(responses(place)) == pytest.approx([0.0, 6.0, 11.0])


def test_tags_let_the_nearest_go_first(said: Said, place: Path) -> None:
    (place / "trace.csv").write_text(trace_of((0, "R", 0, 1), (0.001, "R", 1999, 1), (0.002, "R", 25, 1)))
    asked = {}
    for depth in ("1", "2"):
        replayed(said, "--depth", depth)
        asked[depth] = [line.split(",")[3] for line in (place / "rows.csv").read_text().splitlines()[1:]]
    near_first = ["0.000000000", "0.002000000", "0.001000000"]
    assert asked["1"] == sorted(near_first)
    assert asked["2"] == near_first


TWO = trace_of((0, "a", "R", 0, 1), (0, "b", "R", 0, 1), head="time_s,device,op,lba_512,sectors")


def test_each_device_has_a_drive_of_its_own_unless_they_share(said: Said, refused: Said, place: Path) -> None:
    (place / "trace.csv").write_text(TWO)
    assert len(replayed(said)["drives"]) == len(replayed(said, "--drives", "2")["drives"]) == 2
    assert responses(place) == pytest.approx([11.0, 11.0])
    shared = replayed(said, "--drives", "1", "--wrap", "--cache", "4096", "--block", "512")
    assert len(shared["drives"]) == 1
    assert shared["measures"]["hit_ratio"] == 0.0, "they do not lie over each other"
    (place / "rows.csv").unlink()
    assert refused("replay", "trace.csv", *SMALL, "--drives", "1") == (
        "device 'b' is one more than the 1 drives that --drives says, and would lie over another; "
        "--wrap lets them begin at different places of one")


def test_more_drives_than_devices_are_refused(refused: Said, place: Path) -> None:
    (place / "trace.csv").write_text(TWO)
    assert refused("replay", "trace.csv", *SMALL, "--drives", "5") == (
        "--drives 5 leaves 3 idle: the trace has 2 devices, and each lies on one drive; --raid 0 makes them one "
        "array")  # fmt: skip
    with pytest.raises(UserError, match=r"^drives 5 leaves 3 idle: .*; raid 0 makes them one array$"):
        spindle.replay("trace.csv", drives=5)


def test_what_lies_beyond_the_drive_is_refused_or_wrapped(said: Said, refused: Said, place: Path) -> None:
    (place / "trace.csv").write_text(trace_of((0, "R", 1999, 1), (0.1, "R", 2000, 1), (0.2, "R", 1999, 2)))
    assert refused("replay", "trace.csv", *SMALL) == (
        "512 bytes from byte 1024000 on go beyond 1024000, where the drive ends; "
        "--wrap goes on from its beginning, --drive names a larger")
    assert replayed(said, "--wrap")["measures"]["disc_accesses"] == 3
    (place / "rows.csv").unlink()
    (place / "trace.csv").write_text(trace_of((0, "R", 0, 2001)))
    assert refused("replay", "trace.csv", *SMALL, "--wrap").endswith("go beyond 1024000, where the drive ends")


def test_one_request_of_millions_of_blocks_is_refused(refused: Said, place: Path) -> None:
    (place / "trace.csv").write_text("op,offset,size\nR,0,1073741824\n")
    error = refused("replay", "trace.csv", "--cache", "8M", "--block", "512")
    assert "1 request would be 2,097,152 references to blocks of 512 bytes: give a larger --block" in error


def test_the_page_says_the_same_in_80_columns(said: Said, place: Path) -> None:
    lines = said("replay", "trace.csv", *SMALL, "--cache", "16K", "--policy", "arc", "--limit", "50").splitlines()
    assert lines[:2] == [
        "trace.csv, csv, open loop because it has times", "Small Drive, fcfs; cache of 16 KiB, arc, write back"]
    assert lines[4].split()[:3] == ["all", "50", "simulated"]
    assert "cache, of requests      requests     hits  late hits   misses" in lines
    assert "where the mean response goes, ms" in lines
    assert max(map(len, lines)) <= 80


def test_the_same_is_said_and_drawn_twice_alike(said: Said, place: Path) -> None:
    pages = [said("replay", "trace.csv", *SMALL, "--plot", f"{name}.png", "--out", f"{name}.csv") for name in "ab"]
    assert pages[0].replace("a.png", "b.png") == pages[1]
    assert (place / "a.png").read_bytes() == (place / "b.png").read_bytes()
    assert (place / "a.csv").read_bytes() == (place / "b.csv").read_bytes()


@pytest.mark.parametrize("command", ["replay", "curve", "characterise"])
def test_the_examples_of_the_help_work(said: Said, place: Path, command: str) -> None:
    examples = said(command, "--help").partition("\nexamples:\n")[2].splitlines()
    assert len(examples) >= 3
    (place / "conversation_trace.jsonl").write_text('{"timestamp": 0, "hash_ids": [1, 2]}\n' * 30)
    (place / "objects.csv").write_text("".join(f"{number},k{number % 7},4096,d{number % 2}\n" for number in range(30)))
    (place / "cluster.csv").write_text("".join(f"{n},k{n % 7},2,{100 + n % 3},1,get,60\n" for n in range(30)))
    (place / "pages.txt").write_text("1\n2\n3\n4\n1\n2\n5\n1\n2\n3\n4\n5\n")
    for example in examples:
        assert said(*shlex.split(example)[1:])


@pytest.mark.parametrize(("options", "says"), [
    (["--open", "--closed", "2"], "--open and --closed are two kinds of loop; choose one"),
    (["--closed", "-1"], "--closed must be a whole number from 0 to 65536, not -1"),
    (["--depth", "1025"], "--depth must be a whole number from 0 to 1024, not 1025"),
    (["--drives", "x"], "--drives must be a whole number, not 'x'"),
    (["--limit", "-1"], "--limit must be a whole number from 0 to"),
    (["--skip-bad", "-1"], "--skip-bad must be a whole number from 0 to"),
    (["--policy", "arc"], "--policy is for a cache; --cache gives its size"),
    (["--write", "back"], "--write is for a cache"),
    (["--cache", "8K", "--policy", "belady"], "unknown policy 'belady'"),
    (["--cache", "8K", "--write", "bakc"], "unknown way to write 'bakc': did you mean back?"),
    (["--cache", "1K", "--block", "256"], "a block of 256 bytes is too small for a cache of a drive: 512 is the least"),
    (["--cache", "1K"], "a cache of 1024 bytes has no room for a block of 4096"),
    (["--cache", "9999999999G"], "--cache must be at most 1125899906842624 bytes, not 9999999999G"),
    (["--cache", "K"], "--cache must be bytes, such as 4096, 64K, 1MiB or 6MB, not 'K'"),
    (["--scheduler", "elevator"], "unknown scheduler 'elevator'"),
    (["--format", "cvs"], "unknown trace format 'cvs': did you mean lcs or csv"),
    (["--format", "msr"], "trace.csv:1:"),
    (["--plot", "x.gif"], "--plot must name a file that ends in .png, .pdf, .svg, not 'x.gif'"),
    (["--out", "trace.csv"], "--out would overwrite trace.csv, which is to be read"),
    (["--out", "./small.yaml"], "--out would overwrite small.yaml, which is to be read"),
    (["--out", "x.csv", "--plot", "./x.csv"], "--plot would overwrite x.csv, which is --out"),
    (["more.csv"], "replay: one word too many: 'more.csv'"),
])  # fmt: skip
def test_options_that_cannot_be_are_refused(refused: Said, options: list[str], says: str) -> None:
    assert says in refused("replay", "trace.csv", *SMALL, *options)


def test_traces_that_cannot_be_replayed_are_refused(refused: Said, place: Path) -> None:
    assert refused("replay", "none.csv", *SMALL) == "none.csv: there is no such file"
    (place / "timeless.csv").write_text(FOUR)
    assert refused("replay", "timeless.csv", *SMALL, "--open").startswith("timeless.csv has no times for an open loop;")
    (place / "half.csv").write_text(trace_of((0, "R", 0, 1), ("", "R", 0, 1)))
    assert refused("replay", "half.csv", *SMALL).startswith("a request has no time, which an open loop needs;")
    (place / "bad.csv").write_text(THREE + "0.2,X,0,1\n")
    assert refused("replay", "bad.csv", *SMALL, "--out", "rows.csv").startswith("bad.csv:5:5: ")


def test_bad_lines_may_be_passed_over_and_are_told_of(said: Said, place: Path) -> None:
    (place / "bad.csv").write_text(THREE + "0.2,X,0,1\n")
    assert "\n1 bad line passed over, the first: bad.csv:5:5: " in said("replay", "bad.csv", *SMALL, "--skip-bad=1")
    assert replayed(said, "--skip-bad=1", trace="bad.csv")["question"]["bad_lines"] == 1


def test_a_tier_of_one_block_by_hand(said: Said, place: Path) -> None:
    """A block of the tier takes 1 ms; the write, asked at 12, is through to the drive at 21."""
    (place / "trace.csv").write_text(FOUR)
    found = replayed(said, "--tiers", "1KB:1ms", "--block", "512")
    assert responses(place) == pytest.approx([11.0, 1.0, 9.0, 5.0])
    tier, below = found["tiers"]
    assert (tier["blocks"], tier["share"], below["share"]) == (1, 0.5, 0.5)
    assert tier["utilisation"] == pytest.approx(2 / 26)
    assert parts_ms(found) == pytest.approx(26.0 / 4)


def test_who_comes_to_a_tier_that_is_busy_or_to_a_block_on_its_way_waits(said: Said, place: Path) -> None:
    (place / "trace.csv").write_text(trace_of((0, "R", 0, 1), (0.001, "R", 0, 1), (0.1, "R", 0, 1), (0.1, "R", 0, 1)))
    found = replayed(said, "--tiers", "1KB:1ms", "--block", "512")
    assert responses(place) == pytest.approx([11.0, 10.0, 1.0, 2.0])
    assert found["measures"]["disc_accesses"] == 1
    assert found["measures"]["late_hit_ratio"] == 0.25
    assert found["tiers"][0]["queue_seconds"] == pytest.approx(0.001 / 3)


def test_tiers_have_a_policy_and_the_terminal_a_picture(said: Said, place: Path) -> None:
    """0 1 0 2 0 in two blocks: LRU keeps 0, FIFO does not."""
    (place / "trace.csv").write_text(trace_of(*((10.0 * place, "R", block, 1) for place, block in
                                                enumerate((0, 1, 0, 2, 0)))))  # fmt: skip
    hits = {policy: replayed(said, "--tiers", "1KiB:1ms", "--block", "512", "--policy", policy)["tiers"][0]["share"]
            for policy in ("lru", "fifo")}  # fmt: skip
    assert hits == {"lru": 0.4, "fifo": 0.2}
    page = said("replay", "trace.csv", "--plot", "-")
    assert "share of requests that take no longer" in page
    assert "●" not in page


@pytest.mark.parametrize(("options", "says"), [
    (["--tiers", "1MB:1us", "--cache", "1MB"], "--cache and --tiers exclude each other"),
    (["--inclusion", "inclusive"], "--inclusion is for --tiers"), (["--tiers", "1MB"], "--tiers takes SIZE:SECONDS"),
    (["--tiers", "1MB:1us", "--block", "1"], "too small for tiers above a drive"),
    (["--tiers", "1MB:1us", "--inclusion", "in"], "inclusion"), (["--tiers", "1B:1us"], "no room for a block"),
])  # fmt: skip
def test_tiers_that_cannot_be_are_refused(refused: Said, options: list[str], says: str) -> None:
    assert says in refused("replay", "trace.csv", *SMALL, *options)


DEVICES = [(0, "a", "R", 0, 8), (1, "b", "W", 0, 8), (2, "a", "W", 100, 8), (3, "a", "R", 500, 8)]


def test_responses_by_device_are_those_of_the_rows(said: Said, place: Path) -> None:
    (place / "two.csv").write_text(trace_of(*DEVICES, head="time_s,device,op,lba_512,sectors"))
    page = said("replay", "two.csv", "--drive", "small.yaml", "--by-device", "--out", "rows.csv")
    table = page[page.index("response by device, ms"):].splitlines()[1:5]
    assert [line.split()[:2] for line in table] == [["a", "3"], ["reads", "2"], ["writes", "1"], ["b", "1"]]
    found = json.loads(said("replay", "two.csv", "--drive", "small.yaml", "--by-device", "--json"))["devices"]
    rows = [line.split(",") for line in (place / "rows.csv").read_text().splitlines()[1:]]
    for device in "ab":
        for counted, kind, op in (("responses", "response", "RW"), ("reads", "read", "R"), ("writes", "write", "W")):
            took = [float(row[4]) * MS for row in rows if row[1] == device and row[2] in op]
            assert found[device][counted] == len(took)
            if took:
                assert found[device][f"{kind}_mean"] == pytest.approx(sum(took) / len(took), rel=1e-6)
                assert found[device][f"{kind}_p9999"] == pytest.approx(max(took), rel=1e-3)


MEASURED = ("time,op,offset,length,device,response_s\n0,R,0,512,a,0.022\n0.1,R,0,512,b,0.005\n0.2,R,0,512,b,0.015\n"
            "0.3,W,0,512,c,\n")  # fmt: skip


def test_measured_times_stand_beside_simulated_ones(said: Said, place: Path) -> None:
    """At 0, 0.1 and 0.2 s sector 0 was just missed, so that each takes 11 ms; that of c was not measured."""
    (place / "trace.csv").write_text(MEASURED)
    page = said("replay", "trace.csv", *SMALL, "--by-device")
    found = replayed(said, "--by-device")["measured"]
    assert set(found) == {"reads", "devices"}
    reads = found["reads"]
    assert (reads["requests"], reads["measured_mean"]) == (3, pytest.approx(0.014))
    assert reads["errors"]["mean"] == pytest.approx(11 / 14 - 1)
    assert found["devices"]["a"]["all"]["errors"]["p99"] == pytest.approx(-0.5, abs=0.002)
    assert found["devices"]["b"]["reads"]["errors"]["mean"] == pytest.approx(0.1)
    assert found["devices"]["c"] == {}
    assert "measured" in page
    assert "error by device, %" in page
    assert re.search(r"error, % +-21\.429", page)


def test_a_closed_loop_is_compared_with_nothing(said: Said, place: Path) -> None:
    (place / "trace.csv").write_text(MEASURED)
    assert "measured" not in replayed(said, "--closed", "1")
    assert "measured" not in replayed(said, "--speed", "2"), "it was measured at another load"
    assert "measured" not in said("replay", "trace.csv", *SMALL, "--speed", "2")
    assert "error, %" not in said("replay", "trace.csv", *SMALL, "--closed", "1")


def test_a_time_measured_as_nought_has_no_error(said: Said, place: Path) -> None:
    (place / "trace.csv").write_text(MEASURED.replace("0.022", "0"))
    assert replayed(said, "--by-device")["measured"]["devices"]["a"]["all"]["errors"]["mean"] is None
    assert "error by device, %" in said("replay", "trace.csv", *SMALL, "--by-device")


def test_a_used_drive_is_slower_and_says_what_it_writes(said: Said, place: Path) -> None:
    rows = [(0, "W", 8 * (number * 7919 % 100_000), 8) for number in range(3000)]
    (place / "trace.csv").write_text(trace_of(*rows))
    words = ("replay", "trace.csv", "--drive", "samsung960pro", "--closed", "64")
    new, used = (json.loads(said(*words, "--json", "--filled", share))["measures"] for share in ("0", "1"))
    assert (new["write_amplification"], "flash: write amplification 1.000" in said(*words)) == (1.0, True)
    assert used["makespan"] > 1.5 * new["makespan"]
    steps, whole = (json.loads(said(*words, "--json", "--filled", "1", *how))["measures"]
                    for how in ([], ["--foreground"]))  # fmt: skip
    assert whole["makespan"] < steps["makespan"]  # no block is full yet, and in steps each die pays for the last one


def test_a_disc_is_not_filled(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "trace.csv").write_text(THREE)
    assert main(["replay", "trace.csv", "--drive", "hp7933", "--filled", "1"]) == 2
    assert "--filled is for solid-state drives; HP 7933 is a disc" in capsys.readouterr().err
    assert main(["replay", "trace.csv", "--drive", "hp7933", "--foreground"]) == 2
    assert "--foreground is for solid-state drives; HP 7933 is a disc" in capsys.readouterr().err


@pytest.mark.parametrize(("speed", "expected", "end"), [
    ("0.5", [11.0, 14.0, 11.0], 0.211),  # asked at 0, 2 and 200 ms
    ("10", [11.0, 15.9, 11.0], 0.021),  # asked at 0, 0.1 and 10 ms; the third waits from 10 to 16, and until 20
])  # fmt: skip
def test_a_load_that_comes_faster_by_hand(
    said: Said, place: Path, speed: str, expected: list[float], end: float
) -> None:
    (place / "trace.csv").write_text(THREE)
    found = replayed(said, "--speed", speed)
    assert found["question"]["speed"] == float(speed)
    assert found["measures"]["makespan"] == pytest.approx(end)
    assert responses(place)[:2] == pytest.approx(expected[:2])


def test_a_load_has_no_speed_where_requests_do_not_come_at_their_times(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "trace.csv").write_text(THREE)
    assert main(["replay", "trace.csv", *SMALL, "--speed", "2", "--closed", "3"]) == 2
    assert "--speed is for an open loop" in capsys.readouterr().err
    assert main(["replay", "trace.csv", *SMALL, "--speed", "0"]) == 2
    assert "--speed must be" in capsys.readouterr().err


def test_requests_and_bytes_a_second_by_hand(said: Said, place: Path) -> None:
    rows = (("time_s,op,lba_512,sectors,device",), (0, "R", 0, 2, "a"), (0.0, "W", 5, 1, "b"), (0.4895, "R", 0, 1, "a"))
    (place / "trace.csv").write_text("\n".join(",".join(map(str, row)) for row in rows) + "\n")
    found = replayed(said, "--by-device")  # the last is asked at 489.5 ms, and misses the sector at 490
    rates = {name: value for name, value in found["measures"].items() if name.endswith(("throughput", "bandwidth"))}
    assert found["measures"]["makespan"] == pytest.approx(0.501)
    assert rates == pytest.approx({
        "throughput": 3 / 0.501, "bandwidth": 2048 / 0.501, "read_throughput": 2 / 0.501,
        "read_bandwidth": 1536 / 0.501, "write_throughput": 1 / 0.501, "write_bandwidth": 512 / 0.501})  # fmt: skip
    assert found["devices"]["a"]["read_bandwidth"] == pytest.approx(1536 / 0.501)
    assert found["devices"]["b"]["throughput"] == pytest.approx(1 / 0.501)
    assert "read_throughput" not in found["devices"]["b"]
    page = said("replay", "trace.csv", *SMALL, "--by-device")
    assert ["reads", "4.0", "0.003"] in [line.split() for line in page.splitlines()]
    assert ["b", "2.0", "0.001"] in [line.split() for line in page.splitlines()]
