"""A command as it is printed for readers, with less simulated time or work, so that tests can run it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from inspect import signature
from pathlib import Path

from spindle.studies.study import Point, Runs
from spindle.systems import find_system

SHORT = {"minutes": 0.5, "warm_up": 0.2, "requests": 500, "steps": 20, "seconds": 10}
"""Settings that make a run long, and the value that makes it short, or a tenth of the system's default."""


def shortened(words: list[str]) -> list[str]:
    """Return the command *words*, without the word spindle, with options that make it a short one."""
    short = _short_options(words)
    for option in short[::2]:
        places = [place for place, word in enumerate(words) if word.partition("=")[0] == option]
        for place in reversed(places):
            words = words[:place] + words[place + (1 if "=" in words[place] else 2) :]
    return [*words, *short]


def _short_options(words: list[str]) -> list[str]:
    system = words[1] if len(words) > 1 else ""
    if words[0] not in ("run", "find") or "--shift" in words or system == "curve" or Path(system).is_file():
        return []  # a shift goes by minutes of its own, a trace by its length
    if "--window" in words:  # whose minutes count from the start
        return ["--warm-up", "0.2"]
    defaults = {name: each.default for name, each in signature(find_system(system).run).parameters.items()}
    lengths = {name: _short(value, defaults[name]) for name, value in SHORT.items() if defaults.get(name, 0) != 0}
    if words[0] == "find" or "--precision" in words:  # ten to thirty runs
        lengths = {name: value / 5 if isinstance(value, float) else value for name, value in lengths.items()}
    few = ["--seeds", "2", "--most", "2"] if words[0] == "find" else []
    rough = ["--precision", "0.9"] if "--precision" in words else []
    options = [(f"--{name.replace('_', '-')}", str(value)) for name, value in lengths.items()]
    return [*few, *rough, *(word for option in options for word in option)]


def quarter(points: Callable[[Runs, bool], Iterator[Point]]) -> Callable[..., Iterator[Point]]:
    """Return *points*, a method of Runs, with windows a quarter as long."""

    def quartered(runs: Runs, quick: bool = False) -> Iterator[Point]:
        for each in points(runs, quick):
            window = {name: value / 4 if isinstance(value, float) else value for name, value in each.window.items()}
            yield replace(each, window=window)

    return quartered


def _short(value: float, default: float | None) -> float:
    return value if default is None else min(value, type(value)(default / 10))
