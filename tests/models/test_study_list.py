"""The list of studies that ``spindle list`` shows is that of the studies."""

import pytest

from spindle.system import MODELS
from spindle.systems import STUDIES, find_system, read_studies, system_names
from tests.models.study_list import study_list


@pytest.mark.parametrize("system", system_names())
def test_the_list_is_that_of_the_studies(system: str) -> None:
    assert (MODELS / system / STUDIES).read_text("utf-8") == study_list(system), (
        "python -m tests.models.study_list --write")
    assert read_studies(system) == {study.name: study.shows for study in find_system(system).studies}
