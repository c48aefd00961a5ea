"""What a worker of the page is asked for its moving picture: the film of a part of one run, as JSON."""

from collections.abc import Callable
from typing import Any

from models.moving.filming import filmed, read_window
from models.play.request import PlayRequest
from models.play.worker import alone, answered
from models.play.written import command, users_in
from sim.measure.observer import Observers

MOST = 50_000
"""Slices and values, some 4 MB: a worker hands them to the page in less than a second."""


def film(text: str, tell: Callable[[float], object] | None = None) -> str:
    """The film of the run of *text*, of its window; *tell* hears the share of the way to the window's end.

    The run is that of ``compute``, with a trace, and is ended when all of the window is seen.
    """
    return answered(_film, text, tell)


def _film(text: str, tell: Callable[[float], object] | None) -> dict[str, Any]:
    request = alone(text)
    begin, seconds = read_window("the window", request.window or request.machine.window)
    arguments = request.arguments(request.given)

    def told(now: float, _: float) -> None:
        if tell is not None:
            tell(min(1.0, now / (begin + seconds)))

    return {
        "film": filmed(
            lambda watch: request.machine.run(**arguments, seed=request.seed, watch=Observers(watch, told)),
            title(request), begin, seconds, MOST),
        "command": command(request),
    }  # fmt: skip


def title(request: PlayRequest) -> str:
    """Of which run a film is."""
    of = [next(iter(request.files), ""), *(f"{name} {text}" for name, text in users_in(request, request.given).items())]
    return f"{request.system}: {', '.join(each for each in [*of, f'seed {request.seed}'] if each)}"
