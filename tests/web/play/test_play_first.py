"""First results that the page has before Python is there: equal to runs, and not made anew for the same models."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spindle.systems import find_system
from spindle.web.play import first
from spindle.web.play.first import first_results
from spindle.web.play.pages import write_pages
from spindle.web.play.worker import compute, plan

BEGIN = {"minutes": "30s", "warm_up": "0"}
HP3000 = find_system("hp3000")
SHORTER = replace(HP3000, play=replace(HP3000.offer, begin=BEGIN, values=["2", "4"]))
"""The machine that the page opens with, in runs that take no time."""


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return first_results(tmp_path_factory.mktemp("none"), SHORTER)


def test_what_is_stored_equals_runs_of_the_same_question(stored: dict[str, Any]) -> None:
    question = {"system": "hp3000", "given": BEGIN, "vary": "terminals", "values": ["2", "4"], "seeds": 3}
    assert stored["plan"] == json.loads(plan(json.dumps(question)))
    assert stored["models"] == HP3000.models
    for terminals, rows in zip(("2", "4"), stored["points"], strict=True):
        for seed, row in enumerate(rows, start=1):
            request = {"system": "hp3000", "given": {**BEGIN, "terminals": terminals}, "seed": seed}
            assert row == json.loads(compute(json.dumps(request)))
        assert len({row["digest"] for row in rows}) == 3


def test_they_are_computed_anew_for_another_model_or_question_only(
    tmp_path: Path, stored: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first, "_answers", lambda tasks: dict.fromkeys(tasks, '"anew"'))
    anew = [["anew"] * 3] * 2
    write_pages(tmp_path, {"first": {"hp3000": stored}})
    assert first_results(tmp_path, SHORTER) == stored
    assert first_results(tmp_path, replace(SHORTER, model=SHORTER.model + 1))["points"] == anew
    assert first_results(tmp_path, replace(SHORTER, play=replace(SHORTER.offer, values=["2", "5"])))["points"] == anew


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"first": 3}'])
def test_a_page_that_has_none_is_no_mistake(content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first, "_answers", lambda tasks: dict.fromkeys(tasks, '"anew"'))
    (tmp_path / "machines.json").write_text(content)
    assert first_results(tmp_path, SHORTER)["points"] == [["anew"] * 3] * 2
