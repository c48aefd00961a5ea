"""Runs, sweeps and searches in Python take what the command line takes, and give frames that know their units."""

import inspect
import json
import pydoc
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import spindle
from spindle import HP7933, Lru, UserError, curve, find, replay, simulate, sweep
from spindle.cli.main import main
from spindle.models.hp3000 import run as hp3000
from spindle.studies.plots.files import save

SHORT = {"minutes": "30s", "warm_up": 0}
SHOP = str(Path(__file__).parents[1] / "examples/machine.py") + ":SHOP"


def test_a_run_is_that_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--terminals", "5", "--memory", "6MiB", "--policy", "sieve", "--minutes", "30s", "--warm-up", "0"]
    assert main(["run", "hp3000", *words, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)["summary"]
    result = simulate("hp3000", terminals="5", memory="6MiB", policy="sieve", **SHORT)
    assert result.summary()["response_mean"] == printed["response_mean"]
    assert simulate("hp3000", terminals=5, memory=6 << 20, policy="sieve", **SHORT).summary() == result.summary()


def test_without_users_it_is_the_case_of_the_paper() -> None:
    result = simulate("hp3000", minutes="6s", warm_up=0)
    assert result.summary() == simulate("hp3000", terminals=101, clerks=63, minutes="6s", warm_up=0).summary()


def test_none_is_the_default_of_an_argument() -> None:
    usual = simulate("hp3000", minutes=1, warm_up=0)
    assert simulate("hp3000", minutes=1, warm_up=0, terminals=None, memory=None).summary() == usual.summary()


def test_a_sweep_knows_its_axes_and_units_and_draws_itself(tmp_path: Path) -> None:
    frame = sweep(SHOP, terminals=[4, 8], memory=["1MiB", "4MiB"], seeds=2, workers=1, progress=False, **SHORT)
    assert frame.attrs["axes"] == ["terminals", "memory", "minutes", "warm_up"]
    assert frame.attrs["units"]["response_mean"] == "s"
    assert frame.attrs["units"]["memory"] == "bytes"
    assert frame.attrs["units"]["hit_ratio"] == frame.attrs["units"]["terminals"] == "1"
    assert frame["memory"].tolist()[:4:2] == [1 << 20, 4 << 20]
    ax = frame.picture("response_mean")
    assert (ax.get_xlabel(), len(ax.lines)) == ("terminals", 2)
    save(ax, tmp_path / "swept.png")
    assert type(frame[frame["terminals"] == 4]).__name__ == "SweepFrame"
    means = frame.pivot_table(index="terminals", columns="memory", values="response_mean")
    assert len(means.plot(marker="o").lines) == 2
    assert frame.plot.scatter(x="terminals", y="response_mean").get_xlabel() == "terminals"


def test_parts_are_names_classes_and_objects() -> None:
    one, other = (simulate(SHOP, terminals=3, policy=policy, drive=drive, **SHORT).summary()
                  for policy, drive in (("lru", "hp7933"), (Lru, HP7933)))  # fmt: skip
    assert one == other


def test_a_run_function_is_swept_too() -> None:
    frame = sweep(hp3000, terminals=["2", 3], minutes="6s", warm_up=0, seeds=[7], workers=1, progress=False)
    assert frame["terminals"].tolist() == [2, 3]
    assert frame["seed"].tolist() == [7, 7]


def queue(terminals: int, seed: int) -> dict[str, float]:
    """A response that grows with the terminals."""
    return {"response_mean": terminals / 10 + seed / 1000}


def test_a_search_draws_what_it_probed() -> None:
    found = find(queue, "terminals", "response_mean <= 1500ms", ("2", 64), seeds=2, most=4, workers=1)
    assert found.value == 14
    assert found.plot().get_xlabel() == "terminals"


def test_a_result_draws_its_responses_and_says_the_units_of_its_frame(tmp_path: Path) -> None:
    result = simulate(SHOP, terminals=3, **SHORT)
    assert result.frame().attrs["units"]["response"] == "s"
    save(result.plot(), tmp_path / "responses.png")
    assert result.plot().get_title(loc="left").startswith("Responses of")


@pytest.mark.parametrize(("given", "says"), [
    ({"terminal": 5}, "unknown name of an argument 'terminal': did you mean terminals"),
    ({"policy": "lruu"}, "unknown policy 'lruu'"),
    ({"minutes": "5 sheep"}, "minutes must be a number"),
])  # fmt: skip
def test_mistakes_are_one_line(given: dict[str, object], says: str) -> None:
    with pytest.raises(UserError, match=says) as caught:
        simulate(SHOP, **given)
    assert "\n" not in str(caught.value)


def test_a_trace_is_replayed_and_swept(tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    trace.write_text("time_ms,op,offset,size\n" + "".join(f"{40 * n},R,{n % 7 * 4096},4096\n" for n in range(50)))
    one = replay(trace, drive="hp7933", cache="64K", policy="lru")
    frame = sweep(str(trace), drive=["hp7933", "intels3700"], cache="64K", seeds=1, workers=1, progress=False)
    assert frame["response_mean"].tolist()[0] == one["response_mean"]
    assert one["hit_ratio"] == pytest.approx(43 / 50)


NUMBERS = "time_ms,op,offset,size\n" + "".join(f"{9 * n},R,{n % 11 * 4096},4096\n" for n in range(60))


@pytest.mark.parametrize(("given", "text"), [
    ({"cache": np.int64(16384)}, {"cache": "16K"}), ({"cache": np.float64(16384)}, {"cache": "16K"}),
    ({"cache": 16384.0}, {"cache": "16K"}), ({"cache": np.array(16384)}, {"cache": "16K"}),
    ({"closed": np.int32(4)}, {"closed": "4"}), ({"speed": np.float32(1.5)}, {"speed": "1.5"}),
    ({"raid": 5, "drives": np.int8(3)}, {"raid": "5", "drives": "3"}), ({"wrap": np.bool_(True)}, {"wrap": "yes"}),
])  # fmt: skip
def test_numbers_of_numpy_and_whole_floats_are_numbers(
    tmp_path: Path, given: dict[str, object], text: dict[str, str]
) -> None:
    trace = tmp_path / "t.csv"
    trace.write_text(NUMBERS)
    asked, said = (dict(replay(trace, drive="hp7933", **each)) for each in (given, text))
    assert asked == said
    assert all(type(each) in (int, float, str) for each in asked.values())


def test_a_curve_takes_numbers_where_it_takes_text(tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    trace.write_text(NUMBERS)
    said = curve(trace, sizes="5,11", warm_up="0.5", limit="60").to_dict()
    assert list(said["hits"].values()) == [0, 30]
    for sizes in ([5, 11], np.array([5, 11]), pd.Series([5, 11])):
        assert curve(trace, sizes=sizes, warm_up=np.float64(0.5), limit=np.int64(60)).to_dict() == said
    assert curve(trace, sizes=11)["hits"].tolist() == [49]


def test_tables_of_a_trace_say_the_units_of_all_numbers(tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    trace.write_text(NUMBERS)
    units = curve(trace, sizes="8K", bytes=True).attrs["units"]
    assert units == {"cache_bytes": "bytes", "refs": "1", "hits": "1", "hit_ratio": "1", "bytes": "bytes",
                     "hit_bytes": "bytes", "byte_hit_ratio": "1"}  # fmt: skip
    units = replay(trace, drive="hp7933").frame().attrs["units"]
    assert (units["count"], units["p95"], units["mean"], units["throughput"], units["bandwidth"]) == (
        "1", "s", "s", "1/s", "bytes/s")


def test_seeds_and_the_trace_of_a_sweep_are_numbers_and_paths(tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    trace.write_text(NUMBERS)
    usual = {"drive": "hp7933", "workers": 1, "progress": False}
    assert sweep(trace, seeds=np.int64(2), cache=np.array([8192, 16384]), **usual)["seed"].tolist() == [1, 2, 1, 2]
    assert len(sweep(trace, **usual)) == 1
    found = find(trace, "cache", "hit_ratio >= 50%", ("4K", "64K"), drive="hp7933", workers=1)
    assert 11 * 4096 <= found.value <= 11 * 4096 * 1.005
    assert replay(trace, drive="hp7933", cache=found.value)["hit_ratio"] == pytest.approx(41 / 60)


def test_xarray_is_asked_for_where_it_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    import spindle.frames

    frame = spindle.frames.SweepFrame(pd.DataFrame({"a": [1]}))
    monkeypatch.setattr(spindle.frames, "find_spec", lambda name: None)
    with pytest.raises(UserError, match="pip install xarray"):
        frame.to_xarray()


@pytest.mark.parametrize(("ask", "says"), [
    (lambda: replay("nowhere.csv"), "nowhere.csv: there is no such file"),
    (lambda: curve(pd.DataFrame()), "a trace is the name of a file, not a DataFrame"),
    (lambda: replay(pd.DataFrame()), "a trace is the name of a file, not a DataFrame"),
    (lambda: replay(b"t.csv"), "a trace is the name of a file, not a bytes"),
    (lambda: curve("examples/trace.csv", policy=Lru), "policy must be text, not"),
    (lambda: curve("examples/trace.csv", format=True), "format must be text, not 'True'"),
    (lambda: simulate(None), "a system is a name, a System, the file of a trace, or a run, not a NoneType"),
    (lambda: sweep("max_iv", users=[1], seeds=2.0), "seeds is a number of seeds, or a list of them, not '2.0'"),
    (lambda: find("examples/trace.csv", "drive", "response_mean <= 1", ("hp7933", "hp7935")),
     "unknown name of a number 'drive'"),
    (lambda: simulate("max_iv", users=np.array([1, 2])), "users is one value here, not '[1, 2]': sweep takes several"),
    (lambda: simulate("max_iv", users=[1, 2]), "users is one value here, not '[1, 2]': sweep takes several"),
    (lambda: simulate("max_iv", users=1, policy=Lru()), "without parentheses, for the cache makes its own"),
    (lambda: sweep("max_iv", users=[1], seeds="x"), "seeds is a number of seeds, or a list of them, not 'x'"),
    (lambda: simulate("load", iops=50), "load is for sweep() and find(): sweep('load', ..., seeds=1) makes one run"),
    (lambda: sweep("load", iops=50, seed=5), "seed is given by seeds here: a number of seeds"),
    (lambda: find("load", "iops", "p95 <= 1", (20, 200), seed=5), "seed is given by seeds here: a number of seeds"),
    (lambda: find("load", "iops", "p95 <= 1", "20:200"),
     "between takes two values, the low end and the high end, not '20:200'"),
    (lambda: find("load", "iops", ["p95 <= 1", "mean <= 1"], (20, 200)),  # type: ignore[arg-type]
     "where is one condition, such as 'response_p95 <= 2', not a list"),
    (lambda: simulate("ml_loader", drive=HP7933), "drive HP 7933 is no solid-state drive, and one is asked for"),
    (lambda: simulate("sata_ncq", drive=spindle.INTEL_S3700), "is flash, and a disc is asked for"),
])  # fmt: skip
def test_what_is_no_question_is_said_in_a_sentence(ask: Callable[[], object], says: str) -> None:
    with pytest.raises(UserError, match=re.escape(says)):
        ask()


def test_a_result_names_the_parts_that_were_exchanged() -> None:
    first = repr(simulate("hp3000", terminals=2, drive="hp7935", policy=Lru, **SHORT)).splitlines()[0]
    assert "drive hp7935" in first
    assert "policy Lru" in first
    assert "drive" not in repr(simulate("hp3000", terminals=2, **SHORT)).splitlines()[0]


@pytest.mark.parametrize("face", [curve, replay, spindle.characterise, spindle.drive, spindle.measure])
def test_help_is_a_page_one_can_read(face: Callable[..., Any]) -> None:
    shown = pydoc.render_doc(face, renderer=pydoc.plaintext)
    assert "Asked(" not in shown
    lines = [line for line in shown.splitlines() if not line.startswith(f"{face.__name__}(")]
    assert max(map(len, lines)) <= 125  # before Python 3.13 the signature is one line
    options = shown.partition("Options::")[2]
    described = [name for name in inspect.signature(face).parameters if re.search(rf"^ +{name}: \S", options, re.M)]
    assert len(described) >= len(inspect.signature(face).parameters) - 4  # what is no option, and parts


def test_help_of_an_option_is_its_help_in_the_command() -> None:
    assert "warm_up: first share of the references" in (curve.__doc__ or "")
    assert "inclusion: of tiers, one of exclusive, inclusive" in (curve.__doc__ or "")


@pytest.mark.parametrize(("given", "says"), [
    ({"speed": 0}, "speed must be a number from 1e-06 to 1000000, not 0"),
    ({"filled": 2}, "filled must be a number from 0 to 1, not 2"),
    ({"depth": 2000}, "depth must be a whole number from 0 to 1024, not 2000"),
])  # fmt: skip
def test_a_number_that_may_be_a_fraction_is_called_so(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UserError, match=f"^{says}$"):
        replay("examples/trace.csv", **given)


def test_whole_ends_of_a_number_with_fractions_are_those_of_the_command() -> None:
    asked = {"seeds": 2, "most": 2, "workers": 1, "drive": "hp7933", "requests": 50}
    ends = (1, 20), (1.0, 20.0), ("1", "20")
    found = [find("load", "iops", "throughput >= 5", each, **asked) for each in ends]
    assert len({answer.value for answer in found}) == 1
    assert found[0].value % 1
    threads = find("load", "threads", "response_mean <= 0.2", (1, 20), **asked)
    assert isinstance(threads.value, int)


def test_a_search_for_a_number_that_there_is_not_is_refused_before_it_runs() -> None:
    with pytest.raises(UserError, match=r"^unknown name of an argument 'cach': did you"):
        find("examples/trace.csv", "cach", "hit_ratio >= 0.5", ["4K", "64K"])


def test_a_level_of_an_array_may_be_a_number() -> None:
    assert spindle.RaidType(level=5, drives=4) == spindle.RaidType(level="5", drives=4)  # type: ignore[arg-type]


def test_a_trace_is_no_system() -> None:
    with pytest.raises(UserError, match=r"trace.csv is a trace: replay\(\) replays it"):
        simulate("examples/trace.csv")
