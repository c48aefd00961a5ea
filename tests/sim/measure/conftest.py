"""A fixture with a run whose timeline is kept, for all tests of this folder."""

from collections.abc import Callable
from pathlib import Path

import pytest

from spindle.sim.measure.result import Result
from spindle.sim.measure.timeline import Timeline
from tests.sim.measure.observed import Site
from tests.sim.measure.timelines import Read, perfetto


@pytest.fixture
def seen(tmp_path: Path) -> Callable[..., tuple[Result, Read]]:
    """Runs a site with a timeline, and reads it."""

    def run(site: Site, end: float, warm_up: float = 0.0) -> tuple[Result, Read]:
        with Timeline(tmp_path / "run.pftrace") as timeline:
            counted = site.run(end, warm_up, timeline)
        return counted, perfetto(tmp_path / "run.pftrace")

    return run
