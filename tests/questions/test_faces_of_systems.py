"""The law of faces for systems: a run by the command, by Python, in a sweep and on the page has the same numbers."""

import json
import os
import random
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from io import StringIO
from statistics import fmean
from typing import Any

import pytest

from spindle import ask
from spindle.cli.main import main
from spindle.questions.field import option_of
from spindle.sim.error import UserError
from spindle.studies.settings import usual
from spindle.systems import PLAYED, find_system, played_system
from spindle.web.play.spelling import value_text
from spindle.web.play.worker import compute
from tests.models.one_run import RUNS

QUESTIONS = max(1, int(os.environ.get("SPINDLE_QUESTIONS", "20")) // len(PLAYED))
"""Questions that are drawn of each system."""
SHORT = {**RUNS, "max_iv": {"users": 20, "minutes": 0.3, "warm_up": 0.1}}
FACTORS = (0.5, 0.8, 1.25, 2)
Answer = dict[str, float] | None


def text_of(system: str, name: str, chance: random.Random) -> str | None:
    """Draw a value of the setting *name* as text; None where the page and a command have no word in common."""
    machine = played_system(system)
    words = [text for text, value in machine.menu(name).items() if name in machine.parts or value == text]
    if machine.menu(name):
        return chance.choice(words) if words else None
    setting, default = machine.settings[name], usual(find_system(system), name)
    if setting.kind is bool:
        return chance.choice(["true", "false"])
    if not setting.is_number or not default:
        return None
    value = default * chance.choice(FACTORS)
    return value_text(value if setting.kind is float else round(value), setting)


def drawn(system: str, seed: int) -> dict[str, str]:
    """Draw two settings beside those that make a run short."""
    chance = random.Random(f"{system} {seed}")
    names = [name for name in played_system(system).names if name not in SHORT[system]]
    texts = {name: text_of(system, name, chance) for name in chance.sample(sorted(names), 5)}
    given = {name: text for name, text in texts.items() if text is not None}
    return {**{name: str(value) for name, value in SHORT[system].items()}, **dict([*given.items()][:2])}


def numbers(summary: Mapping[str, Any], given: Mapping[str, str]) -> dict[str, float]:
    """The numbers that are there, without those that are columns of a sweep already."""
    return {name: value for name, value in summary.items()
            if value is not None and value == value and name not in (*given, "seed")}  # fmt: skip


def by_command(system: str, given: Mapping[str, str]) -> Answer:
    with redirect_stdout(StringIO()) as out:
        status = main(["run", system, *(f"{option_of(name)}={text}" for name, text in given.items()), "--json"])
    assert status in (0, 2), given
    return None if status else numbers(json.loads(out.getvalue())["summary"], given)


def by_python(system: str, given: Mapping[str, str]) -> Answer:
    try:
        return numbers(ask.simulate(system, **given).summary(), given)
    except UserError:
        return None


def by_sweep(system: str, given: Mapping[str, str]) -> Answer:
    try:
        row = ask.sweep(system, **given, seeds=[1], workers=1, progress=False).iloc[0].to_dict()
    except UserError:
        return None
    return None if "refused" in row else numbers(row, given)


def by_page(system: str, given: Mapping[str, str]) -> Answer:
    answer = json.loads(compute(json.dumps({"system": system, "given": given})))
    return None if "error" in answer else numbers(answer["summary"], given)


FACES: tuple[Callable[[str, Mapping[str, str]], Answer], ...] = (by_python, by_sweep, by_page)


@pytest.mark.filterwarnings("ignore::UserWarning")  # a sweep warns of a point that cannot be run
@pytest.mark.parametrize("seed", range(QUESTIONS))
@pytest.mark.parametrize("system", PLAYED)
def test_all_faces_of_a_system_answer_alike_to_the_last_digit(system: str, seed: int) -> None:
    given = drawn(system, seed)
    told = by_command(system, given)
    for face in FACES:
        assert face(system, given) == told, (face.__name__, given)


def test_a_search_probes_what_a_run_answers() -> None:
    given = {"minutes": "0.5", "warm_up": "0.1"}
    found = ask.find("hp3000", "terminals", "cpu_busy <= 0.08", (5, 30), seeds=2, most=3, workers=1, **given)
    for terminals, busy, seeds in found.curve[["terminals", "cpu_busy", "seeds"]].itertuples(index=False):
        runs = [ask.simulate("hp3000", terminals=int(terminals), seed=seed, **given).summary()
                for seed in range(1, int(seeds) + 1)]  # fmt: skip
        assert busy == fmean(run["cpu_busy"] for run in runs)


@pytest.mark.parametrize(("system", "name", "values"), [
    ("machine", "think", [1.0, 2.0]), ("max_iv", "think", [20.0, 30.0]), ("sata_ncq", "reads", [0.25, 0.75]),
])  # fmt: skip
def test_an_argument_takes_the_place_of_the_measure_of_its_name(system: str, name: str, values: list[float]) -> None:
    frame = ask.sweep(system, **{**SHORT[system], name: values}, seeds=1, workers=1, progress=False)
    assert frame[name].tolist() == values
    assert frame["response_mean"].nunique() == 2
