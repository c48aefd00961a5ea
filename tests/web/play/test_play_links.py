"""Where figures of the report lead: to runs that the page can make, with what a study has of the run's settings."""

import json

import pytest

from spindle.system import System
from spindle.systems import PLAYED, find_system
from spindle.web.play.links import link_of, words_of
from spindle.web.play.request import PlayRequest
from spindle.web.play.worker import plan
from tests.web.play.words import read


@pytest.mark.parametrize("name", PLAYED)
def test_every_figure_leads_to_runs_that_the_page_can_make(name: str) -> None:
    system = find_system(name)
    for study in system.studies:
        request = read(link_of(system, study))
        answer = json.loads(plan(json.dumps(request)))
        assert "error" not in answer, study.name
        assert words_of(PlayRequest(**request)) == link_of(system, study)


def test_a_figure_of_terminals_varies_the_terminals() -> None:
    system = find_system("hp3000")
    (study,) = (each for each in system.studies if each.name == "transactions")
    request = read(link_of(system, study))
    assert (request["vary"], request["given"]["caching"]) == ("terminals", "true")
    assert request["values"][:2] == ["21", "42"]


@pytest.mark.parametrize(("system", "study", "words"), [
    ("buffer_pool", "pools", "vary=pool&values=8MiB,16MiB,32MiB,64MiB,128MiB"),
    ("buffer_pool", "scans", "pool=16MiB"),
    ("hp3000", "hybrid_101", "terminals=101&clerks=63"),
    ("hp3000", "hit_ratio_vs_memory", "terminals=101&clerks=63"),
    ("hp3000", "gain_map", "terminals=101&clerks=63"),
    ("hp3000", "forty_years", "terminals=101&clerks=63"),
    ("kv_cache", "memory", "vary=dram&values=0B,"),
    ("kv_cache", "drive", "hbm=16GiB&nvme=400GiB"),
])  # fmt: skip
def test_a_figure_leads_to_the_load_and_the_sizes_of_its_runs(system: str, study: str, words: str) -> None:
    found = find_system(system)
    assert words in link_of(found, next(each for each in found.studies if each.name == study))


def test_an_axis_that_means_several_settings_has_its_last_value() -> None:
    system = find_system("hp3000")
    (study,) = (each for each in system.studies if each.name == "customers_questions")
    request = read(link_of(system, study))
    assert (request["given"]["terminals"], request["given"]["clerks"], request["vary"]) == ("80", "50", "caching")


def test_a_system_that_is_not_on_the_page_has_no_links() -> None:
    system = find_system("hp3000")
    own = System("mine", "mine", system.run, system.parameters)
    assert link_of(own, system.studies[0]) == ""
