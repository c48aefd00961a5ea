"""Tests the answers of a worker of the page, outside a browser: plans, runs like the system's own, and mistakes."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spindle.cli.main import main
from spindle.models.hp3000.system import TepeScripts
from spindle.models.windows_nt.system import ProbeScripts
from spindle.sim.error import UserError
from spindle.systems import PLAYED, played_system
from spindle.web.play import worker
from spindle.web.play.request import PlayRequest
from spindle.web.play.worker import MAX_FILM_VALUES, compute, film, plan, scale
from tests.models.one_run import KEPT, RUNS
from tests.models.test_needs_of_runs import NOT_NEEDED

ROOT = Path(__file__).parents[3]
SHORT = {"terminals": "4", "minutes": "30s", "warm_up": "0"}
TEPE = "TERMINALS 2\nTYPING 4\nRUN NOTHING\n"


def planned(**request: Any) -> Any:
    return json.loads(plan(json.dumps(request)))


def computed(**request: Any) -> Any:
    return json.loads(compute(json.dumps(request)))


def words(arguments: Any) -> dict[str, str]:
    return {name: str(value) for name, value in arguments.items()}


@pytest.mark.parametrize("system", PLAYED)
def test_a_run_has_the_numbers_that_the_system_itself_gives(system: str) -> None:
    row = computed(system=system, given=words(RUNS[system]))
    assert row["digest"] == json.loads(KEPT.read_text("utf-8"))[system]
    assert sum(row["phases"].values()) == pytest.approx(row["summary"]["response_mean"], rel=0.05)
    assert set(played_system(system).offer.curves) <= set(row["summary"])


def test_progress_grows_to_the_whole() -> None:
    shares: list[float] = []
    compute(json.dumps({"system": "hp3000", "given": SHORT}), shares.append)
    assert shares == sorted(shares)
    assert (len(shares) > 10, shares[-1]) == (True, 1.0)


def test_a_seed_decides_a_run() -> None:
    one, other = (computed(system="machine", given=words(RUNS["machine"]), seed=seed) for seed in (1, 2))
    assert (one["seed"], other["seed"], one["digest"] != other["digest"]) == (1, 2, True)


def test_a_film_holds_as_much_as_the_page_can_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "MAX_FILM_VALUES", 9)
    told = json.loads(film(json.dumps({"system": "machine", "given": words(RUNS["machine"]), "window": "1s:1s"})))
    assert told["film"]["note"].endswith(" s: it holds 9 slices and values")
    again = {"system": "machine", "given": words(RUNS["machine"]), "window": "1s:9s", "seed": 2}
    other = json.loads(film(json.dumps(again)))["film"]
    assert other["title"].endswith("seed 2")
    assert json.loads(film(json.dumps({**again, "seed": 1})))["film"]["tracks"] != other["tracks"]


@pytest.mark.parametrize(("now", "end", "shares"), [(2.0, 4.0, [0.5]), (5.0, 4.0, [1.0]), (1.0, 0.0, [])])
def test_a_share_is_told_of_a_run_that_has_a_length(
    monkeypatch: pytest.MonkeyPatch, now: float, end: float, shares: list[float]
) -> None:
    told: list[float] = []

    def run(watch: Any, **given: object) -> None:
        watch(now, end)
        raise UserError("that is all")

    machine = replace(played_system("machine"), run=run)
    monkeypatch.setattr(PlayRequest, "machine", machine)
    assert json.loads(compute('{"system": "machine"}', told.append)) == {"error": "that is all"}
    assert json.loads(compute('{"system": "machine"}')) == {"error": "that is all"}
    assert told == shares


@pytest.mark.parametrize("system", PLAYED)
def test_the_window_at_first_shows_something_small(system: str) -> None:
    of = played_system(system)
    name, values = of.offer.vary, of.offer.values
    shares: list[float] = []
    given = {**of.offer.begin, name: values[len(values) // 2]}
    answer = json.loads(film(json.dumps({"system": system, "given": given}), shares.append))
    tracks = {each["name"]: each["rows"] for each in answer["film"]["tracks"]}
    assert 300 < sum(map(len, tracks.values())) < MAX_FILM_VALUES / 3
    assert answer["film"]["title"].startswith(f"{system}: ")
    assert shares == sorted(shares)
    assert set(shares) <= {share for share in shares if 0.0 < share <= 1.0}
    assert shares.count(1.0) <= 1  # of all until the end of the window, and not of the window


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ({"window": "5"}, "the window takes BEGIN:SECONDS, as 2min:30s, not '5'"),
        ({"window": "-1:5"}, "a moving picture begins at 0 to 1e+06 s, not -1.0"),
        ({"window": "nan:5"}, "the window takes BEGIN:SECONDS, as 2min:30s, not 'nan:5'"),
        ({"window": "0:2h"}, "a moving picture lasts more than 0 and at most 3600 s, not 7200.0"),
        ({"window": "soon:1"}, "the window takes BEGIN:SECONDS, as 2min:30s, not 'soon:1'"),
        ({"window": "1h:5"}, "the run is over after 30 s, and the moving picture would begin at 3600 s"),
        ({"window": 3}, "system, vary and window are texts"),
        ({"vary": "terminals", "values": ["1"], "given": {}}, "one run is computed at a time"),
    ],
)
def test_a_window_that_is_none_is_a_sentence(request_: Any, says: str) -> None:
    assert json.loads(film(json.dumps({"system": "hp3000", "given": SHORT, **request_})))["error"].startswith(says)


def test_a_worker_needs_python_simpy_lark_and_yaml_alone() -> None:
    program = ("import sys; sys.modules.update(dict.fromkeys(sys.argv[1:]))\n"
               "from spindle.systems import PLAYED, played_system\nimport spindle.web.play.worker\n"
               "assert [played_system(each).names for each in PLAYED]\n"
               "from spindle.web.play.worker import film\n"
               "assert 'tracks' in film('{\"system\": \"unix_stdio\"}')")  # fmt: skip
    absent = [*NOT_NEEDED, "yaml._yaml", "jinja2", "cloudpickle", "joblib", "tqdm"]
    ran = subprocess.run([sys.executable, "-c", program, *absent], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_a_plan_has_the_points_and_where_they_lie() -> None:
    answer = planned(system="hp3000", given=SHORT, vary="hit_cpu", values=["1ms", "4 ms"], seeds=2)
    assert answer["points"] == [{**SHORT, "hit_cpu": "1ms"}, {**SHORT, "hit_cpu": "4 ms"}]
    assert answer["axis"] == {"places": [1.0, 4.0], "unit": "ms at 1.0 MIPS", "labels": None}
    words = planned(system="hp3000", vary="scheduler", values=["fcfs", "sptf"])["axis"]
    assert (words["places"], words["labels"]) == ([0, 1], ["fcfs", "sptf"])


def test_settings_that_change_nothing_at_any_point_are_told() -> None:
    fetch = {"fetch_random": "8K"}
    says = "fetch_random changes nothing, as caching is false"
    assert planned(system="hp3000", given={**fetch, "caching": "off"})["notes"] == [says]
    assert planned(system="hp3000", given={"caching": "off"}, vary="fetch_random", values=["8K"])["notes"] == [says]
    assert planned(system="hp3000", given=fetch, vary="caching", values=["on", "off"])["notes"] == []
    assert planned(system="hp3000", given={"scheduler": "sptf"})["notes"] == []


@pytest.mark.parametrize(
    ("value", "unit", "factor", "shown"),
    [(0.004, "s", 1e-3, "ms"), (3 * 2**20, "bytes", 2**20, "MiB"), (3.0, "min", 1.0, "min"), (5, "sectors", 1.0,
     "sectors"), (0.5, "1", 1.0, ""), (2.0, "s/s", 1.0, "s/s")],
)  # fmt: skip
def test_an_axis_has_the_unit_that_suits_it(value: float, unit: str, factor: float, shown: str) -> None:
    assert scale(value, unit) == (pytest.approx(factor), shown)


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ({"system": "hp300"}, "unknown machine 'hp300': did you mean hp3000?"),
        ({"system": "hp3000", "given": {"terminal": "3"}},
         "unknown setting 'terminal': did you mean terminals or terminal_delay or terminal_message?"),
        ({"system": "hp3000", "given": {"hit_cpu": "40"}}, "hit_cpu must be positive and at most 10, not 40.0"),
        ({"system": "hp3000", "given": {"hit_cpu": "soon"}}, "hit_cpu must be a number, such as 0.04, 40ms or 2min, "
         "not 'soon'"),
        ({"system": "hp3000", "given": {"scheduler": "spft"}}, "unknown scheduler 'spft': did you mean sptf or sstf?"),
        ({"system": "hp3000", "vary": "terminals"}, "terminals must take 1 to 40 values, not 0"),
        ({"system": "hp3000", "vary": "terminals", "values": ["1"], "given": {"terminals": "2"}},
         "terminals is varied, and cannot be given as well"),
        ({"system": "hp3000", "seeds": 11}, "seeds must be a whole number from 1 to 10, not 11"),
        ({"system": "hp3000", "given": {"log": "x.txt"}}, "unknown setting 'log': "),
        ({"system": "max_iv", "files": {"a.tepe": TEPE}}, "max_iv takes no scripts"),
        ({"system": "hp3000", "files": {"../a.tepe": TEPE}}, "'../a.tepe' is no name of a script's file"),
        ({"system": "hp3000", "files": {"a.tepe": "x" * 70_000}}, "a.tepe: a script on the page has at most 65536 "
         "characters"),
        ({"system": "hp3000", "files": [1]}, "given and files are texts by name"),
        ({"system": 3}, "system, vary and window are texts"),
        ({"more": 3}, "a request has system, given, vary, values, seeds, seed, files, window, and nothing else"),
        ([1], "a request has system, given, vary, values, seeds, seed, files, window, and nothing else"),
    ],
)  # fmt: skip
def test_a_mistake_is_a_sentence(request_: Any, says: str) -> None:
    error = json.loads(plan(json.dumps(request_)))["error"]
    assert error.startswith(says)


def test_what_is_no_json_is_a_mistake() -> None:
    assert json.loads(plan("{")) == json.loads(compute("[" * 100_000)) == {"error": "a request is JSON"}


def test_what_only_the_run_refuses_is_a_sentence_too() -> None:
    said = computed(system="hp3000", given={"terminals": "0"})["error"]
    assert said == "terminals must be between 1 and 10000, not 0"
    answer = computed(system="hp3000", vary="terminals", values=["1"])
    assert answer["error"].startswith("one run is computed at a time")


def test_a_script_is_checked_at_its_line() -> None:
    shipped = TepeScripts().shipped_files()["orders_21.tepe"]["orders_21.tepe"]
    lines = shipped.splitlines()
    answer = planned(system="hp3000", files={"mine.tepe": "\n".join([*lines[:5], "  DANCE", *lines[5:]])})
    assert (answer["file"], answer["line"]) == ("mine.tepe", 6)
    assert "DANCE" in answer["error"]
    probe = {**ProbeScripts().shipped_files()["random_read.scr"]}
    probe["random_read.sct"] = probe["random_read.sct"].replace("RECORDSIZE      4096", "RECORDSIZE      none")
    answer = planned(system="windows_nt", files=probe)
    assert (answer["file"], answer["line"]) == ("random_read.sct", 11)


def test_a_shipped_script_runs_as_from_its_file(capsys: pytest.CaptureFixture[str]) -> None:
    files = TepeScripts().shipped_files()["orders_21.tepe"]
    row = computed(system="hp3000", files=files, given={"minutes": "1", "warm_up": "0", "terminals": "5"})
    assert row["summary"]["response_mean"] == spindle_run(
        capsys, f"run hp3000 --script {ROOT}/workloads/tepe/orders_21.tepe --minutes 1 --warm-up 0 --terminals 5"
    )
    probe = ProbeScripts().shipped_files()["random_read.scr"]
    row = computed(system="windows_nt", files=probe, given={"seconds": "4"})
    assert row["summary"]["response_mean"] == spindle_run(
        capsys, f"run windows_nt --probe {ROOT}/workloads/probe/random_read.scr --seconds 4"
    )


def spindle_run(capsys: pytest.CaptureFixture[str], line: str) -> float:
    """The mean response of what is typed."""
    assert main([*line.split(), "--json"]) == 0
    mean = json.loads(capsys.readouterr().out)["summary"]["response_mean"]
    assert isinstance(mean, float)
    return mean
