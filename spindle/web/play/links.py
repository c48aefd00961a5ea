"""Where a figure of the report leads on the page: the run of its study, as far as it has settings of the system."""

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
"""Values of a varied setting, where none are chosen."""


def link_of(system: System, study: "Study") -> str:
    """The words behind # of the page's address for *study*; empty for a *system* that is not on the page."""
    if system.name not in PLAYED:
        return ""
    requests = [_request(system.name, runs) for runs in study.runs]
    return words_of(max(requests, key=lambda each: len(each.values) + len(each.given)))


def words_of(request: PlayRequest) -> str:
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
    """The *settings* that the page has, each with its values as a command line has them."""
    for name, values in settings.items():
        texts = [_text(machine, name, each) for each in values] if name in machine.names else []
        if texts and all(text is not None for text in texts):
            yield name, [str(text) for text in texts]


def _text(machine: System, name: str, value: Any) -> str | None:
    """Return *value* as a command line has it; None where it cannot."""
    if words := machine.menu(name):
        return value if value in words else None
    setting = machine.settings[name]
    if isinstance(value, bool):
        return str(value).lower() if setting.kind is bool else None
    return value_text(value, setting) if setting.is_number and isinstance(value, int | float) else None
