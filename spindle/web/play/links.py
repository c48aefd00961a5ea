"""Makes the link from a figure of the report to the page: the runs of its study, as far as the page has settings."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from spindle.output.text import thin_out
from spindle.sim.error import UserError
from spindle.system import System
from spindle.systems import PLAYED, played_system

if TYPE_CHECKING:  # a browser's Python has no pandas
    from spindle.studies.study import Runs, Study
from spindle.web.play.request import MAX_VALUES, PlayRequest
from spindle.web.play.spelling import value_text

VARIED_VALUES = 6
"""Values of a varied setting where the study has more than the page allows."""


def link_of(system: System, study: "Study") -> str:
    """Return the part of the page's address behind # for *study*; empty for a *system* that is not on the page."""
    if system.name not in PLAYED:
        return ""
    requests = [_request(system.name, runs) for runs in study.runs]
    return words_of(max(requests, key=lambda each: len(each.values) + len(each.given)))


def words_of(request: PlayRequest) -> str:
    """Return *request* as the part of the page's address behind #."""
    words = dict(request.given)
    if request.vary:
        words |= {"vary": request.vary, "values": ",".join(request.values)}
    return f"{request.system}?{urlencode(words, safe=',/')}" if words else request.system


def _request(name: str, runs: "Runs") -> PlayRequest:
    """Build the page's request for *runs*: the axis with most values is varied, the others take their last value."""
    texts = dict(_texts(played_system(name), runs.settings()))
    vary = max(texts, key=lambda each: len(texts[each]), default="")
    vary = vary if vary and len(texts[vary]) > 1 else ""
    given = {each: values[-1] for each, values in texts.items() if each != vary}
    values = texts[vary] if vary else []
    request = PlayRequest(name, given, vary, values if len(values) <= MAX_VALUES else thin_out(values, VARIED_VALUES))
    try:
        request.points()
    except UserError:  # a study may have values that its own run allows alone
        return PlayRequest(name)
    return request


def _texts(machine: System, settings: Mapping[str, Sequence[object]]) -> Iterator[tuple[str, list[str]]]:
    """Yield the *settings* that the page has as well, with their values as on a command line."""
    for name, values in settings.items():
        texts = [_text(machine, name, each) for each in values] if name in machine.names else []
        if texts and all(text is not None for text in texts):
            yield name, [str(text) for text in texts]


def _text(machine: System, name: str, value: Any) -> str | None:
    """Return *value* as on a command line; None where that is impossible."""
    if words := machine.menu(name):
        return value if value in words else None
    setting = machine.settings[name]
    if isinstance(value, bool):
        return str(value).lower() if setting.kind is bool else None
    return value_text(value, setting) if setting.is_number and isinstance(value, int | float) else None
