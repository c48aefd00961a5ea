"""Tests that terminals are the same number at README's figure and example, ``run``, ``simulate`` and the web page."""

import inspect
import re
from pathlib import Path

from spindle import simulate
from spindle.models.hp3000.load import CLERKS, TERMINALS
from spindle.models.hp3000.run import run
from spindle.models.hp3000.studies.loads import STUDIES
from spindle.models.hp3000.studies.trials import hybrid, orders, people
from spindle.models.hp3000.system import SYSTEM
from spindle.studies.settings import usual
from spindle.web.play.request import PlayRequest

README = (Path(__file__).parents[3] / "README.md").read_text("utf-8")
SHORT = {"minutes": 0.1, "warm_up": 0.1}


def test_one_default_everywhere() -> None:
    usual_run = {name: each.default for name, each in inspect.signature(run).parameters.items()}
    assert (usual_run["terminals"], usual_run["clerks"]) == (TERMINALS, CLERKS) == (101, 63)
    assert (usual(SYSTEM, "terminals"), usual(SYSTEM, "clerks")) == (TERMINALS, CLERKS)
    assert not {"terminals", "clerks"} & SYSTEM.offer.begin.keys()
    assert simulate("hp3000", **SHORT).parameters["terminals"] == run(**SHORT).parameters["terminals"] == TERMINALS


def test_the_page_runs_what_a_command_runs_with_that_number_of_terminals() -> None:
    name, values = SYSTEM.offer.vary, SYSTEM.offer.values
    asked = PlayRequest("hp3000", {**SYSTEM.offer.begin, **SHORT_WORDS}, name, list(values))
    assert [int(point["terminals"]) for point in asked.points()] == [21, 42, 63, 84, 101]
    for point in asked.points()[::2]:
        page = run(**asked.arguments(point), seed=1)
        assert page.summary() == run(int(point["terminals"]), seed=1, **SHORT).summary()


SHORT_WORDS = {name: f"{60 * value:g}s" for name, value in SHORT.items()}


def test_the_figure_of_the_readme_runs_what_a_command_runs() -> None:
    assert "results/hp3000/response_vs_terminals.png" in README
    (study,) = (each for each in STUDIES if each.name == "response_vs_terminals")
    drawn = {(each.run, each.arguments["terminals"]) for each in study.points()}
    assert drawn == {(people, 10), (people, 80), (orders, 21), (orders, 42), (orders, 63), (hybrid, 101)}
    for trial, terminals in ((people, 80), (orders, 21), (hybrid, 101)):
        mean = trial(terminals, seed=1, **SHORT)["response_mean"]
        assert mean == run(terminals, seed=1, **SHORT).summary()["response_mean"]


def test_the_examples_of_the_readme_take_that_default() -> None:
    assert "spindle run hp3000  " in README
    assert [*map(int, re.findall(r"terminals=\[?(\d+)", README))][-2:] == [63, 21]
    assert "development" not in README
    assert "clerks=" not in README
