"""Tests ``spindle figure``: its numbers are those of the curves, and its files are complete and reproducible."""

import csv
from dataclasses import replace
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest

from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Fifo, Lru
from spindle.traces.curve.replay import belady_hits, replay
from spindle.traces.figure import FigureQuestion, _file_name, figure_table
from spindle.traces.figure_picture import panels_picture, relative_picture
from spindle.traces.opening import TraceOptions
from spindle.workloads.traces.record import TraceLimits
from tests.traces.conftest import Said

KEYS = TraceOptions(columns="key=1")
ASKED = ("--columns", "key=1", "--sizes", "10%,50%")


def string(number: int) -> list[int]:
    random = Random(f"figure {number}")
    return [int(40 * random.random() ** (1 + number)) for _ in range(400)]


@pytest.fixture
def three(place: Path) -> list[str]:
    for number in range(3):
        (place / f"part{number}.txt").write_text("\n".join(map(str, string(number))) + "\n")
    return [f"part{number}.txt" for number in range(3)]


def test_each_ratio_is_that_of_a_replay(three: list[str]) -> None:
    table = figure_table(FigureQuestion(KEYS, "fifo,lru,opt", sizes="10%,50%"), three)
    assert len(table) == 3 * 3 * 2
    for row in table.itertuples():
        references = string(int(row.trace[-1]))
        assert row.size == max(1, round(row.share * len(set(references))))
        hits = belady_hits(references, [row.size], bypass=False)[row.size] if row.policy == "opt" else \
            replay({"fifo": Fifo, "lru": Lru}[row.policy], references, row.size)  # fmt: skip
        assert row.hit_ratio == hits / 400 == pytest.approx(1.0 - row.miss_ratio)


def test_misses_relative_to_a_policy(three: list[str]) -> None:
    plain = figure_table(FigureQuestion(KEYS, "fifo,lru", sizes="10%"), three).set_index(["trace", "policy"])
    against = figure_table(FigureQuestion(KEYS, "lru", sizes="10%", against="fifo"), three)
    assert set(against["policy"]) == {"lru"}
    for row in against.itertuples():
        misses = plain["miss_ratio"]
        assert row.relative_misses == pytest.approx(misses[row.trace, "lru"] / misses[row.trace, "fifo"])


def test_two_files_of_one_name_are_two_traces(said: Said, place: Path) -> None:
    """Of one all references are to other keys, of the other all are to one."""
    for folder, keys in (("one", range(10)), ("two", [0] * 10)):
        (place / folder).mkdir()
        (place / folder / "part.txt").write_text("\n".join(map(str, keys)) + "\n")
    paths = [place / "one" / "part.txt", place / "two" / "part.txt"]
    table = figure_table(FigureQuestion(KEYS, "lru", sizes="100%"), paths)
    assert table[["trace", "hit_ratio"]].to_numpy().tolist() == [[str(paths[0]), 0.0], [str(paths[1]), 0.9]]
    page = said("figure", *map(str, paths), *ASKED, "--policy", "lru", "--against", "fifo")
    assert page.startswith("misses, those of fifo are 1, of 2 traces\n")
    assert said("figure", str(paths[0]), *ASKED).startswith("miss ratio, of 1 trace\n")
    with pytest.raises(UserError, match="a trace is named twice"):
        figure_table(FigureQuestion(KEYS), [paths[0], paths[0]])


def test_a_figure_has_its_bounds(three: list[str]) -> None:
    forty = [f"{share}%" for share in range(1, 41)]
    assert len(FigureQuestion(sizes=",".join(forty)).shares()) == 40
    with pytest.raises(UserError, match="takes at most 40 shares, not 41"):
        FigureQuestion(sizes=",".join([*forty, "41%"])).shares()
    for traces in (0, 1001):
        with pytest.raises(UserError, match=f"a figure is of 1 to 1000 traces, not {traces}"):
            figure_table(FigureQuestion(), [f"{number}" for number in range(traces)])
    first = figure_table(FigureQuestion(replace(KEYS, limit=100), "lru", sizes="10%"), three[:1])
    assert first["references"].tolist() == [100]


def test_what_is_deleted_leaves_its_room(place: Path) -> None:
    """b a, a is deleted, c b: of two objects b is there still, which FIFO would have evicted for c."""
    steps = [("set", "b"), ("set", "a"), ("delete", "a"), ("set", "c"), ("get", "b")]
    (place / "deletes.csv").write_text("time_s,op,key,size\n" + "".join(
        f"{second},{op},{key},1\n" for second, (op, key) in enumerate(steps)))  # fmt: skip
    (row,) = figure_table(FigureQuestion(policy="fifo", sizes="67%"), [place / "deletes.csv"]).itertuples()
    assert (row.size, row.references, row.hit_ratio) == (2, 4, 0.25)


@pytest.mark.parametrize(("path", "name"), [
    ("a/b.csv.gz", "b"), ("b.lis", "b"), ("b.jsonl.zst", "b"), ("b.bin.xz", "b"), ("b.txt.bz2", "b"), (".csv", ".csv"),
    ("b.csv.old", "b.csv.old"),
])  # fmt: skip
def test_a_panel_has_the_name_of_its_file(path: str, name: str) -> None:
    assert _file_name(path) == name


def test_a_figure_takes_more_devices_than_there_are_drives(place: Path) -> None:
    (place / "many.csv").write_text("device,op,lba_512,sectors\n" + "".join(
        f"d{number},R,0,1\n" for number in range(TraceLimits.devices + 1)))  # fmt: skip
    (row,) = figure_table(FigureQuestion(policy="lru", sizes="100%"), ["many.csv"]).itertuples()
    assert (row.size, row.references) == (TraceLimits.devices + 1, TraceLimits.devices + 1)


def test_a_policy_may_be_compared_with_one_that_is_named_beside_it(three: list[str]) -> None:
    alone, beside = (figure_table(FigureQuestion(KEYS, policies, sizes="10%", against="fifo"), three[:1])
                     for policies in ("lru", "fifo,lru"))  # fmt: skip
    assert beside.equals(alone)
    assert alone["policy"].tolist() == ["lru"]


def test_a_line_for_each_policy_and_no_other(three: list[str]) -> None:
    table = figure_table(FigureQuestion(KEYS, "fifo,lru,opt"), three)
    figure = panels_picture(table, "miss_ratio", "miss ratio")
    drawn = [ax for ax in figure.axes if ax.get_visible()]
    assert [ax.get_title(loc="left") for ax in drawn] == ["part0", "part1", "part2"]
    for ax in drawn:
        assert [line.get_label() for line in ax.lines] == ["fifo", "lru", "opt"]
        assert len({(str(line.get_linestyle()), line.get_marker(), line.get_color()) for line in ax.lines}) == 3
    assert [text.get_text() for text in figure.legends[0].texts] == ["fifo", "lru", "opt"]


def test_the_mean_over_traces_has_its_interval(three: list[str]) -> None:
    """Two values apart by 2 d have a mean with 12.7 d to either side."""
    table = figure_table(FigureQuestion(KEYS, "lru", sizes="10%", against="fifo"), three[:2])
    figure = relative_picture(table, "fifo")
    (interval,) = figure.axes[0].containers
    low, high = interval.lines[2][0].get_segments()[0][:, 1]
    first, second = table["relative_misses"]
    assert (high - low) / 2 == pytest.approx(12.7062 * abs(first - second) / 2, rel=1e-4)


def test_files_are_whole_and_the_same_each_time(said: Said, place: Path, three: list[str]) -> None:
    for kind, begins in (("pdf", b"%PDF"), ("svg", b"<?xml"), ("png", b"\x89PNG")):
        names = [f"{number}.{kind}" for number in range(2)]
        for name in names:
            said("figure", *three, *ASKED, "--plot", name)
        first, second = ((place / name).read_bytes() for name in names)
        assert first == second
        assert first.startswith(begins)
    words = {each.text for each in ElementTree.fromstring((place / "0.svg").read_text()).iter()}
    assert {"part0", "miss ratio", "s3-fifo", "10", "50"} <= words


def test_the_page_has_means_and_the_file_each_trace(said: Said, place: Path, three: list[str]) -> None:
    page = said("figure", *three, *ASKED, "--policy", "lru", "--against", "fifo", "--out", "f.csv")
    rows = list(csv.DictReader((place / "f.csv").open()))
    assert len(rows) == 6
    mean = sum(float(row["relative_misses"]) for row in rows if row["share"] == "0.1") / 3
    assert f"lru                       10 %{mean:>10.4f}  " in page


def test_any_picture_may_be_pdf_or_svg(said: Said, place: Path) -> None:
    said("curve", "trace.csv", "--plot", "hits.svg")
    ElementTree.fromstring((place / "hits.svg").read_text())
    said("replay", "trace.csv", "--drive", "small.yaml", "--plot", "responses.pdf")
    assert (place / "responses.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(("words", "says"), [
    ("--sizes 10", "--sizes takes shares above 0% and up to 100%"), ("--sizes 0%", "above 0%"),
    ("--policy lru,lru", "names one twice"), ("--policy lruu", "did you mean lru"),
    ("--policy lru --against lru", "--against lru compares other policies with it, and --policy names no other"),
    ("--against nosuch", "unknown policy"), ("--against fifo --show hits", "compares misses"),
    ("--plot f.gif", "ends in .png, .pdf, .svg"), ("trace.csv", "a trace is named twice")])  # fmt: skip
def test_what_cannot_be_drawn_is_said(refused: Said, words: str, says: str) -> None:
    assert says in refused("figure", "trace.csv", *words.split())
