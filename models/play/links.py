"""Where a figure of the report leads on the page: the run of its study, as far as it has settings of the system."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from models.play.playable import SYSTEMS, Playable, playable
from models.play.request import MOST_VALUES, PlayRequest
from models.play.ticks import VARIED, written
from models.shown import spaced
from sim.error import UserError
from sim.study.study import Runs, Study
from sim.study.system import System


def link_of(system: System, study: Study) -> str:
    """The words behind # of the page's address for *study*; empty for a *system* that is not on the page."""
    if system.name not in SYSTEMS:
        return ""
    requests = [_request(system.name, runs) for runs in study.runs]
    return words_of(max(requests, key=lambda each: len(each.values) + len(each.given)))


def words_of(request: PlayRequest) -> str:
    words = dict(request.given)
    if request.vary:
        words |= {"vary": request.vary, "values": ",".join(request.values)}
    return f"{request.system}?{urlencode(words, safe=',/')}" if words else request.system


def _request(name: str, runs: Runs) -> PlayRequest:
    """What is varied most of *runs* is varied on the page; of what else is varied the last value is given."""
    texts = dict(_texts(playable(name), {**runs.window.usual, **runs.grid}))
    vary = max(texts, key=lambda each: len(texts[each]), default="")
    vary = vary if vary and len(texts[vary]) > 1 else ""
    given = {each: values[-1] for each, values in texts.items() if each != vary}
    values = texts[vary] if vary else []
    request = PlayRequest(name, given, vary, values if len(values) <= MOST_VALUES else spaced(values, VARIED))
    try:
        request.points()
    except UserError:  # a study may have values that its own run allows alone
        return PlayRequest(name)
    return request


def _texts(machine: Playable, grid: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """The settings in *grid*, each with its values as a command line has them."""
    for name, value in grid.items():
        values = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
        texts = [_text(machine, name, each) for each in values] if name in machine.names else []
        if texts and all(text is not None for text in texts):
            yield name, [str(text) for text in texts]


def _text(machine: Playable, name: str, value: Any) -> str | None:
    """None where no command line can say *value*."""
    if words := machine.words(name):
        return value if value in words else None
    setting = machine.settings[name]
    if isinstance(value, bool):
        return str(value).lower() if setting.kind is bool else None
    return written(value, setting) if setting.is_number and isinstance(value, int | float) else None
