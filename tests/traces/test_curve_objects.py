"""Tests ``spindle curve`` on objects with sizes and times to live, with tiers, and as an HTML page."""

import re
from base64 import b64decode
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from spindle.traces.curves import CurveRow, Curves, curve_rows
from spindle.traces.object_page import object_page, object_rows
from spindle.traces.objects import ObjectReferences, ObjectRow, ObjectRules, usual_capacities, working_set_of
from spindle.traces.pictures import curve_picture
from tests.traces.conftest import Said

# a(6) b(4) a c(5) b c d(11) b at seconds 0 to 7; a is valid for 2 s.
OBJECTS = "time_s,op,key,size,ttl\n" + "".join(
    f"{second},{op},{key},{size},{ttl}\n" for second, (op, key, size, ttl) in enumerate([
        ("set", "a", 6, 2), ("get", "b", 4, ""), ("get", "a", 6, ""), ("get", "c", 5, ""), ("get", "b", 4, ""),
        ("get", "c", 5, ""), ("get", "d", 11, ""), ("get", "b", 4, "")]))  # fmt: skip


@pytest.fixture
def objects(place: Path) -> Path:
    (place / "objects.csv").write_text(OBJECTS)
    return place


def test_requests_and_bytes_stand_side_by_side(said: Said, objects: Path) -> None:
    page = said("curve", "objects.csv", "--bytes", "--sizes=10,100", "--policy=lru,belady-size", "--out=hits.csv",
                "--plot=hits.png").splitlines()  # fmt: skip
    assert page[1] == "8 references to 45 bytes of objects"
    assert page[4].split() == ["bytes", "requests", "bytes", "requests", "bytes"]
    assert page[5].split() == ["10", "B", "37.50%", "33.33%", "50.00%", "42.22%"]
    assert (objects / "hits.csv").read_text().splitlines()[:2] == [
        "policy,cache_bytes,refs,hits,hit_ratio,bytes,hit_bytes,byte_hit_ratio", "lru,10,8,3,0.375,45,15,0.333333"]
    assert (objects / "hits.png").read_bytes().startswith(b"\x89PNG")


def test_times_to_live_are_honoured_on_request(said: Said, objects: Path) -> None:
    for policy, ignored, honoured in (("lru", 4, 3), ("arc", 4, 3), ("belady", 4, 3)):
        said("curve", "objects.csv", "--admit=all", "--sizes=9", f"--policy={policy}", "--out=a.csv")
        page = said("curve", "objects.csv", "--ttl=honour", "--sizes=9", f"--policy={policy}", "--out=b.csv")
        assert "1 comes too late" in page
        hits = [(objects / name).read_text().splitlines()[1].split(",")[2] for name in ("a.csv", "b.csv")]
        assert hits == [str(ignored), str(honoured)]


def test_who_is_admitted(said: Said, objects: Path) -> None:
    for admit, hits in (("size(most=5)", 3), ("bloom", 1)):
        said("curve", "objects.csv", f"--admit={admit}", "--sizes=9", "--out=a.csv")
        assert (objects / "a.csv").read_text().splitlines()[1].split(",")[2] == str(hits)


def test_tiers_share_the_references_and_money_buys_time(said: Said) -> None:
    page = said("curve", "trace.csv", "--block=512", "--tiers=8KiB:0.1us,0.000064GB:2us", "--below=10ms",
                "--prices=1e6,1e4").splitlines()  # fmt: skip
    at = next(place for place, line in enumerate(page) if line.startswith("exclusive tiers, lru"))
    tiers = [line.split() for line in page[at + 1 : at + 5]]
    assert [line[0] for line in tiers] == ["8", "64", "below", "mean"]
    assert sum(float(line[-2].rstrip("%")) for line in tiers[:3]) == pytest.approx(100.0, abs=0.02)
    assert next(line for line in page if line.split()[:2] == ["money", "mean"])
    both = said("curve", "trace.csv", "--block=512", "--tiers=1MB:0.1us", "--inclusion=inclusive")
    assert "inclusive tiers, lru" in both
    assert "of hits alone" in both
    page = said("curve", "trace.csv", "--block=512", "--tiers=8KiB:1us,64KiB:2us", "--below=10ms", "--policy=fifo,lru")
    assert [line.split()[2] for line in page.splitlines() if line.startswith("exclusive tiers")] == ["fifo", "lru"]


def test_a_warm_up_is_found_in_the_trace(said: Said, place: Path) -> None:
    cold = [f"n{number}" for number in range(300)]  # nothing hits at first
    (place / "cold.csv").write_text("key\n" + "\n".join([*cold, *"abcd" * 250]) + "\n")
    page = said("curve", "cold.csv", "--sizes=4", "--warm-up=auto", "--out=hits.csv")
    found = re.search(r"the first ([\d,]+) references warm up", page)
    assert found is not None
    assert 300 <= int(found[1].replace(",", "")) <= 310
    assert (place / "hits.csv").read_text().split()[1].endswith(",1")


def test_a_warm_up_that_does_not_end_is_told_in_words_of_the_trace(refused: Said, place: Path) -> None:
    (place / "late.csv").write_text("key\n" + "\n".join([*map(str, range(700)), *"abcd" * 75]) + "\n")
    assert "have not settled within the first half of the 1,000 references" in refused("curve", "late.csv",
                                                                                      "--warm-up=auto")


def test_objects_are_no_blocks_and_have_no_mebibytes(said: Said, place: Path) -> None:
    (place / "keys.csv").write_text("key\n" + "a\nb\n" * 50)
    page = said("curve", "keys.csv", "--sizes=1,2", "--out=hits.csv").splitlines()
    assert page[1] == "100 references to objects"
    assert page[4].split() == ["objects"]
    assert page[6].split() == ["2", "98.00%", "98.00%"]
    assert (place / "hits.csv").read_text().splitlines()[0] == "cache_objects,refs,hits,hit_ratio"
    assert not any("blocks" in line or "MiB" in line for line in page)


def test_a_sample_of_objects_is_one_of_objects(said: Said, place: Path) -> None:
    (place / "keys.csv").write_text("key\n" + "\n".join(str(place % 500) for place in range(2000)) + "\n")
    page = said("curve", "keys.csv", "--sizes=400", "--sample=0.5", "--out=hits.csv").splitlines()
    assert (place / "hits.csv").read_text().startswith("cache_objects,")
    assert page[1] == "2,000 references to objects"
    assert page[-1].startswith("of samples of the objects, ")


def test_where_nothing_has_a_time_to_live_that_is_said(said: Said, place: Path) -> None:
    (place / "keys.csv").write_text("time_s,key,ttl\n0,a,\n1,a,0\n2,a,-1\n")
    page = said("curve", "keys.csv", "--sizes=1", "--ttl=honour").splitlines()
    assert page[2] == "none has a time to live: all are valid for ever"


def test_a_separator_that_is_named_is_the_separator(said: Said, place: Path) -> None:
    (place / "words.txt").write_text("a b\na c\na b\n")  # two keys with spaces, and no tab
    page = said("curve", "words.txt", "--columns=key=1", "--separator=tab", "--sizes=1,2").splitlines()
    assert [line.split()[1] for line in page[5:7]] == ["0.00%", "33.33%"]


def test_metas_objects_of_a_cdn_have_times_to_live(said: Said, place: Path) -> None:
    rows = "".join(f"{ms},a,1,100,100,3600\n" for ms in (0, 3599_000, 3600_000))
    (place / "cdn.csv").write_text("timestamp,cacheKey,OpType,objectSize,responseSize,TTL\n" + rows)
    assert "1 comes too late" in said("curve", "cdn.csv", "--ttl=honour", "--sizes=1")


def test_the_answer_is_a_page_that_runs_nothing(said: Said, place: Path) -> None:
    hostile = '"><script>alert(1)<'  # a slash cannot be in the name of a file
    (place / f"{hostile}.csv").write_text("key,tenant\na,<img_src=x_onerror=alert(1)>\nb,y\na,y\n")
    said("curve", f"{hostile}.csv", "--by-device", "--policy=lru,belady", "--html=answer.html", "--out=hits.csv")
    page = (place / "answer.html").read_text()
    assert "<script" not in page
    assert "<img_" not in page
    assert page.count("<img ") == 1
    assert "default-src 'none'" in page
    assert "at most 33.3% can hit" in page
    assert not re.findall(r"(?:src|href)=\"(?!data:)", page)
    table = re.search(r"data:text/csv;base64,([^\"]*)", page)
    assert table is not None
    assert b64decode(table[1]).decode() == (place / "hits.csv").read_text()
    picture = re.search(r"data:image/svg\+xml;base64,([^\"]*)", page)
    assert picture is not None
    assert b"<script" not in b64decode(picture[1])


@pytest.mark.parametrize(("options", "says"), [
    (["--ttl=always"], "unknown way to treat times to live 'always'"), (["--admit=none"], "unknown admission 'none'"),
    (["--admit=size(most=0)"], "admission by size lets in"),
    (["--admit=size(least=1)"], "unknown argument of admission"),
    (["--bytes", "--policy=arc", "--sizes=64"], "policy 'arc' divides a fixed number of entries"),
    (["--bytes", "--policy=s3-fifo(small=0.2)"], "there are lru, fifo, clock, lfu, sieve, lru-k, hyperbolic, "),
    (["--bytes", "--policy=belady", "--sizes=64"], "belady is the bound for objects of one size; belady-size"),
    (["--admit=bloom", "--policy=belady", "--sizes=64"], "belady chooses itself what it admits"),
    (["--policy=belady-size"], "unknown policy 'belady-size'"), (["--bytes", "--over-time"], "go without --response"),
    (["--bytes", "--sample=0.5"], "--bytes needs the whole trace"), (["--ttl=honour", "--sample=0.5"], "--ttl needs"),
    (["--tiers=8GB"], "--tiers takes SIZE:SECONDS,..., as 8GB:0.1us"), (["--tiers=1B:1us"], "no room for a block"),
    (["--tiers=8GB:0"], "positive numbers with units"), (["--tiers=8GB:nan"], "positive numbers with units"),
    (["--tiers=8XB:1us"], "positive numbers with units"),
    (["--tiers=8GB:1us", "--prices=1,2", "--below=1ms"], "2 prices for 1 tiers"),
    (["--tiers=8GB:1us", "--prices=1"], "--prices needs --below"),
    (["--tiers=8GB:1us", "--prices=1", "--policy=fifo"], "takes --policy lru"),
    (["--tiers=8GB:1us", "--policy=belady"], "belady is a bound"),
    (["--tiers=8GB:1us", "--inclusion=some"], "unknown inclusion 'some'"), (["--below=1ms"], "--below is for --tiers"),
    (["--prices=1"], "--prices is for --tiers"), (["--html="], "--html must have a value, not ''"),
])  # fmt: skip
def test_what_cannot_be_asked_is_refused(refused: Said, options: list[str], says: str) -> None:
    assert says in refused("curve", "trace.csv", *options)


def test_one_is_not_many(said: Said, place: Path) -> None:
    (place / "one.csv").write_text("key,size\na,1\n")
    page = said("curve", "one.csv", "--sizes=1").splitlines()
    assert page[1] == "1 reference to objects"
    assert "lru has 90% of that with 1 object" in page
    assert "its knee is at 1 object, where 0.0% hit" in page
    assert "working set: 1 in 1 reference" in page
    assert said("curve", "one.csv", "--sizes=1", "--bytes").splitlines()[1] == "1 reference to 1 byte of objects"
    assert said("convert", "one.csv", "like.csv", "--to=csv").splitlines()[1] == "like.csv: 1 request, csv"


def test_the_picture_of_objects_says_so() -> None:
    curves = Curves([CurveRow("lru", 1, 4, 1)], [1], {1: 0.5})
    for size, label in (("cache_objects", "objects in the cache"), ("cache_blocks", "blocks in the cache")):
        picture = curve_picture(pd.DataFrame(curve_rows(curves, {("lru", 1): 0.01}, size)), curves.che, "title")
        assert [ax.get_xlabel() for ax in picture.axes] == [" ", label]


def test_a_key_and_a_place_are_not_both_read(refused: Said, place: Path) -> None:
    (place / "both.csv").write_text("7,512,1\n")
    for command in ("curve", "characterise"):
        assert refused(command, "both.csv", "--columns=key=1,offset=2,size=3") == (
            "--columns names key and offset: objects have no place on a drive; leave out one")


def test_rows_of_objects_are_of_bytes_or_of_objects() -> None:
    rows = [ObjectRow("lru", 4, 10, 6, 100, 70)]
    for in_bytes, room in ((True, "cache_bytes"), (False, "cache_objects")):
        rules = ObjectRules(in_bytes=in_bytes)
        assert object_rows(rows, rules) == [{"policy": "lru", room: 4, "refs": 10, "hits": 6, "hit_ratio": 0.6,
                                             "bytes": 100, "hit_bytes": 70, "byte_hit_ratio": 0.7}]  # fmt: skip
    empty = ObjectRow("lru", 4, 0, 0, 0, 0)
    assert (empty.hit_ratio, empty.byte_hit_ratio) == (0.0, 0.0)


def test_usual_capacities_are_spread_to_the_whole() -> None:
    """Of 5,000 objects of ten bytes each, which are asked for twice."""
    keys = np.tile(np.arange(5000), 2)
    string = ObjectReferences(keys, np.full(10_000, 10), np.zeros(10_000, np.bool_), False)
    for rules, least, most in ((ObjectRules(), 2, 5000), (ObjectRules(True), 24, 50_000)):
        found = usual_capacities(string, rules)
        assert (found[0], found[-1], len(found)) == (least, most, 12)
        assert working_set_of(string, rules) == most
    assert usual_capacities(string._replace(keys=keys[:0], sizes=keys[:0]), ObjectRules()) == [1]


@pytest.mark.parametrize(("changes", "rules", "lines"), [
    ({}, ObjectRules(True), ["10 references to 100 bytes of objects", "", "                                 lru",
                             "         bytes   requests      bytes", "         2 KiB     60.00%     70.00%"]),
    ({"unsized": 1}, ObjectRules(), ["10 references to 100 bytes of objects",
                                     "1 request of an object without a size in the trace: taken for 1 byte", "",
                                     "                                 lru", "       objects   requests      bytes",
                                     "         2,048     60.00%     70.00%"]),
    ({"unsized": 3, "sized": False}, ObjectRules(), [
        "10 references to objects without sizes", "", "                                 lru",
        "       objects   requests      bytes", "         2,048     60.00%          -"]),
    ({"mortal": True}, ObjectRules(honoured=True), [
        "10 references to 100 bytes of objects", "2 come too late: what a cache has is no longer valid", "",
        "                                 lru", "       objects   requests      bytes",
        "         2,048     60.00%     70.00%"]),
    ({}, ObjectRules(honoured=True), [
        "10 references to 100 bytes of objects", "none has a time to live: all are valid for ever", "",
        "                                 lru", "       objects   requests      bytes",
        "         2,048     60.00%     70.00%"]),
])  # fmt: skip
def test_a_page_of_objects(changes: dict[str, Any], rules: ObjectRules, lines: list[str]) -> None:
    string = ObjectReferences(np.zeros(10, np.int64), np.full(10, 10), np.arange(10) < 2, False)
    assert object_page([ObjectRow("lru", 2048, 10, 6, 100, 70)], string._replace(**changes), rules) == lines
    assert object_page([], string, ObjectRules()) == ["no references"]
    many = [ObjectRow(name, 1, 10, 6, 100, 70) for name in "abcd"]
    assert [line.split() for line in object_page(many, string, ObjectRules())[2::4]] == [["a", "b", "c"], ["d"]]


def test_a_bound_is_of_requests_and_has_no_share_of_bytes() -> None:
    rows = [ObjectRow(policy, 4, 10, 6, 100, 70) for policy in ("lru", "opt")]
    string: Any = SimpleNamespace(sized=True, unsized=0)
    rules: Any = SimpleNamespace(honoured=False, in_bytes=False)
    assert object_page(rows, string, rules)[-1].split() == ["4", "60.00%", "70.00%", "60.00%", "-"]
