"""Where figures of the report lead: to runs that the page can make, with what a study has of the run's settings."""

import json

import pytest

from spindle.playable import SYSTEMS
from spindle.studies.system import System
from spindle.systems import find_system
from spindle.web.play.request import PlayRequest, link_of, words_of
from spindle.web.play.worker import plan
from tests.web.play.words import read


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_figure_leads_to_runs_that_the_page_can_make(name: str) -> None:
    system = find_system(name)
    for study in system.studies:
        request = read(link_of(system, study))
        answer = json.loads(plan(json.dumps(request)))
        assert "error" not in answer, study.name
        assert words_of(PlayRequest(**request)) == link_of(system, study)


def test_a_figure_of_terminals_varies_the_terminals() -> None:
    system = find_system("hp3000")
    (study,) = (each for each in system.studies if each.name == "response_vs_terminals")
    request = read(link_of(system, study))
    assert (request["vary"], request["given"]["caching"]) == ("terminals", "true")
    assert request["values"][:2] == ["10", "21"]


def test_a_system_that_is_not_on_the_page_has_no_links() -> None:
    system = find_system("hp3000")
    own = System("mine", "mine", system.run, system.parameters)
    assert link_of(own, system.studies[0]) == ""
