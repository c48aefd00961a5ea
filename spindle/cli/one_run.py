"""Makes one run with a progress bar on a terminal, and writes its timeline and moving picture where asked."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from spindle.cli.patience import patience_with_events
from spindle.measures import check_measures
from spindle.output.files import draft
from spindle.output.progress import progress_bar
from spindle.sim.measure.observer import Observers
from spindle.sim.measure.result import Result
from spindle.sim.measure.timeline import Timeline
from spindle.system import System
from spindle.web.moving.filming import Filmed


def watch_run(system: System, keywords: Mapping[str, Any], timeline: Path | None, film: Filmed | None) -> Result:
    """Run *system* with *keywords* and a progress bar; write a *timeline*, and record a *film*, if there are such."""
    shape = "{l_bar}{bar}| {n:.0f} simulated s, {remaining} left"
    with patience_with_events(), progress_bar(bar_format=shape) as bar:

        def watch(now: float, end: float) -> None:
            bar.total = end
            bar.update(now - bar.n)

        if timeline is None:
            result = system.run(**keywords, watch=Observers(watch, film))
        else:
            with _timeline(timeline) as observer:
                result = system.run(**keywords, watch=Observers(watch, observer, film))
    assert isinstance(result, Result)
    return check_measures(result)


@contextmanager
def _timeline(path: Path) -> Iterator[Timeline]:
    """Open a timeline that is written to the file *path*; if the run fails, with its events so far."""
    failure: BaseException | None = None
    with draft(path) as file:
        with Timeline(Path(file.name), path) as observer:
            try:
                yield observer
            except BaseException as error:
                failure = error
        if failure is not None and not os.fstat(file.fileno()).st_size:
            raise failure
    if failure is not None:
        raise failure
