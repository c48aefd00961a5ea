"""``spindle replay``: replays a block trace on simulated drives, with a cache or tiers, and reports response times."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from spindle.cli import plotting
from spindle.cli.arguments import ArgumentParser
from spindle.cli.fields import add_fields, read_fields
from spindle.cli.film import FilmOptions, write_film
from spindle.cli.named_files import outputs, plot_file
from spindle.cli.printing import finish
from spindle.cli.trace_file import add_trace, files_read, passed_over, read_with_bar, reading
from spindle.output.files import draft
from spindle.output.text import json_text
from spindle.questions.field import ask
from spindle.traces.opening import TRACE_FIELDS
from spindle.traces.replay.question import ReplayQuestion

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from spindle.traces.replay.drives import StoragePlan
    from spindle.traces.replay.replay import DeviceTimes, OnCompletion, TraceTally
    from spindle.traces.replay.steps import ReplaySteps
    from spindle.traces.replay.storage import ReplayStorage
    from spindle.web.moving.film_replay import FilmedReplay
    from spindle.workloads.traces.reader import Trace
    from spindle.workloads.traces.record import Record


@dataclass(frozen=True)
class ReplayShown:
    """Options for the output of ``spindle replay``: files to write, and what the text shows."""

    out: str = ask("", "a row for each request, as they are done: its number in the trace, from 1 on, its time and its "
                       "response", metavar="FILE.csv")
    plot: str = ask("", "the distributions of response time; - draws it in the terminal", metavar="FILE.png")
    by_device: bool = ask(False, "response times of each device, volume or tenant, reads and writes apart; --columns "
                                 "device=N makes any column that")
    steps: bool = ask(False, "a line for each request, by the number that --out has: seek, rotation and transfer, hit "
                             "or miss in a cache, and what was evicted; --out has these columns then, too")
    film: FilmOptions = FilmOptions()
    json: bool = ask(False, "all numbers, as JSON")


def main(arguments: Sequence[str]) -> int:
    options = _parser().take(arguments)
    shown, question = read_fields(ReplayShown, options), read_fields(ReplayQuestion, options, "spindle sweep TRACE")
    files = outputs(files_read(options), {
        "--out": shown.out, "--plot": plot_file(shown.plot), "--html": shown.film.html})  # fmt: skip
    film = shown.film.trace()
    # Imported here, because a help text needs no drives.
    from spindle.traces.replay.answer import ReplayWatch, answer_replay
    from spindle.traces.replay.answer_page import answer_lines, response_text
    from spindle.traces.replay.data import answer_data
    from spindle.traces.replay.replay import DeviceTimes
    from spindle.traces.replay.steps import step_lines
    from spindle.web.moving.film_replay import FilmedReplay

    devices = DeviceTimes() if shown.by_device else None
    filmed = None if film is None else FilmedReplay(film)
    with ExitStack() as stack:
        out = None if files["--out"] is None else stack.enter_context(draft(files["--out"]))
        steps, rows = _rows(out, shown.steps)
        answer = answer_replay(question, options.trace, ReplayWatch(
            _also(rows, devices), partial(_records, question.source.limit, rows is not None), reading,
            _storage(steps, filmed), None if steps is None else steps.watch))  # fmt: skip
    if filmed is not None:
        write_film(files["--html"], filmed.close(answer.title))
    tally = answer.replayed.tally
    drawn = plotting.plot_or_save(files["--plot"], lambda: _picture(tally, answer.title), partial(response_text, tally),
                                  "response times") if shown.plot else []  # fmt: skip
    if shown.json:
        one_by_one = {} if steps is None else {"steps": [step.data() for step in steps.steps]}
        return finish(json_text({**answer_data(answer, devices), **one_by_one}))
    head, *lines = answer_lines(answer, devices) + ([] if steps is None else step_lines(steps))
    return finish("\n".join([head, *lines[:1], *passed_over(answer.trace), *lines[1:], *drawn]))


def _records(limit: int, numbered: bool, trace: "Trace", _: object) -> "Iterator[Record]":
    """Return the first *limit* records of *trace*, with a progress bar; with their numbers if *numbered*."""
    from spindle.traces.replay.request_rows import number_records

    records = read_with_bar(trace, limit, "replaying")
    return number_records(records) if numbered else records


def _rows(out: BinaryIO | None, one_by_one: bool) -> "tuple[ReplaySteps | None, OnCompletion | None]":
    """Return the recorder of each request's steps, if *one_by_one*, and the function that writes its row to *out*."""
    from spindle.traces.replay.request_rows import rows_into
    from spindle.traces.replay.steps import ReplaySteps, step_rows_into

    if not one_by_one:
        return None, None if out is None else rows_into(out)
    steps = ReplaySteps() if out is None else ReplaySteps(step_rows_into(out))
    return steps, steps


def _storage(
    steps: "ReplaySteps | None", filmed: "FilmedReplay | None"
) -> "Callable[[StoragePlan], ReplayStorage] | None":
    """Return a function that makes the storage of a plan so that *steps* and *filmed* record it; None for neither."""
    if steps is None:
        return filmed
    return steps.plan if filmed is None else lambda plan: filmed(steps.plan(plan))


def _also(rows: "OnCompletion | None", devices: "DeviceTimes | None") -> "OnCompletion | None":
    return rows if devices is None else devices if rows is None else devices.pass_to(rows)


def _picture(tally: "TraceTally", title: str) -> "Figure":
    # Imported here, because matplotlib takes a second.
    from spindle.traces.pictures import response_picture

    return response_picture(tally, title)


def _parser() -> ArgumentParser:
    parser = ArgumentParser("replay")
    add_trace(parser)
    add_fields(parser, ReplayQuestion, TRACE_FIELDS)
    add_fields(parser, ReplayShown)
    return parser
