"""``spindle characterise``: describes the requests of a block trace in text and a picture; makes up similar ones."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from spindle.cli.arguments import ArgumentParser
from spindle.cli.fields import add_fields, read_fields
from spindle.cli.named_files import outputs
from spindle.cli.printing import finish
from spindle.cli.trace_file import add_trace, files_read, passed_over, read_with_bar
from spindle.output.text import json_text
from spindle.questions.field import ask
from spindle.traces.character_question import CharacterAnswer, CharacterQuestion, answer_character
from spindle.traces.opening import TRACE_FIELDS
from spindle.traces.writer import WRITERS

if TYPE_CHECKING:
    from spindle.traces.characterise import Characterisation
    from spindle.workloads.traces.reader import Trace
    from spindle.workloads.traces.record import Record

VERSION = 1
"""Version of the JSON output: raised when a name or a unit in it changes, with a table in CHANGELOG.md."""


@dataclass(frozen=True)
class CharacterShown:
    """Options for the output: files of the measured distributions, and of made-up requests that follow them."""

    out: str = ask("", "how often each value occurred", metavar="FILE.csv")
    plot: str = ask("", "the distributions in one picture", metavar="FILE.png")
    synthetic: str = ask("", "as many made-up requests, with the same distributions", metavar="FILE")
    as_: str = ask("fio3", "format of --synthetic", words=tuple(WRITERS), noun="format to write a trace in",
                   metavar="FORMAT", needs=("synthetic",), because="{}")
    seed: str = ask("1", "seed of --synthetic", metavar="SEED")
    json: bool = ask(False, "all numbers, as JSON")


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("characterise")
    add_trace(parser)
    add_fields(parser, CharacterQuestion, TRACE_FIELDS)
    add_fields(parser, CharacterShown)
    options = parser.take(arguments)
    asked, question = read_fields(CharacterShown, options), read_fields(CharacterQuestion, options)
    files = outputs(files_read(options), {
        "--out": asked.out, "--plot": asked.plot, "--synthetic": asked.synthetic})  # fmt: skip
    trace, character = answer_character(question, options.trace, _bar)
    lines = _lines(options.trace, trace, character)
    if (path := files["--synthetic"]) is not None:
        from spindle.traces.synthetic import synthetic
        from spindle.traces.writer import write_trace

        write_trace(synthetic(character, asked.seed), path, asked.as_)
        lines += ["", f"{path}: as many made-up requests with the same distributions, {asked.as_}, seed {asked.seed}"]
    if (path := files["--out"]) is not None:
        _write(character, path)
    if (path := files["--plot"]) is not None:
        _draw(character, Path(options.trace).name, path)
    if not asked.json:
        return finish("\n".join(lines))
    head = {"version": VERSION, "trace": options.trace, "format": trace.format.name}
    return finish(json_text({**head, **CharacterAnswer(trace, character).data()}))


def _bar(trace: "Trace", limit: int) -> "Iterable[Record]":
    return read_with_bar(trace, limit, "reading")


def _lines(name: str, trace: "Trace", character: "Characterisation") -> list[str]:
    from spindle.traces.character_page import page

    return [f"{name}, {trace.format.name}", *passed_over(trace), *page(character)]


def character_lines(name: str) -> list[str]:
    """Return the text of the answer for the trace *name* with default options, as lines."""
    return _lines(name, *answer_character(CharacterQuestion(), name, _bar))


def _write(character: "Characterisation", path: Path) -> None:
    from spindle.output.tables import write_rows
    from spindle.traces.character_page import table

    write_rows(["distribution", "value", "count"], list(table(character)), path)


def _draw(character: "Characterisation", title: str, path: Path) -> None:
    from spindle.studies.plots.files import save
    from spindle.traces.pictures import portrait

    save(portrait(character, title), path)
