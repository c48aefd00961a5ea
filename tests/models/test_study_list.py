"""``studies.toml`` has a sentence for each study of a system, in their order."""

import pytest

from spindle.system import read_studies
from spindle.systems import find_system, system_names


@pytest.mark.parametrize("system", system_names())
def test_the_list_is_that_of_the_studies(system: str) -> None:
    """Each name stands there once, and each theme's file is found."""
    shown = [(study.name, study.shows) for study in find_system(system).studies]
    assert shown == list(read_studies(system).items())
