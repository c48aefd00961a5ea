"""``spindle load``: puts a made-up load on drives, without a trace, and prints response times and throughput."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from spindle.cli.arguments import ArgumentParser
from spindle.cli.fields import add_fields, read_fields
from spindle.cli.printing import finish
from spindle.output.text import json_text
from spindle.questions.field import ask
from spindle.questions.words import seed
from spindle.traces.replay.load_question import LoadQuestion


@dataclass(frozen=True)
class LoadShown:
    """Options for the output of ``spindle load``, and its seed."""

    seed: str = ask("1", "of chance", metavar="SEED")
    by_device: bool = ask(False, "the same of each drive, too")
    json: bool = ask(False, "all numbers, as JSON")


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("load")
    add_fields(parser, LoadQuestion)
    add_fields(parser, LoadShown)
    options = parser.take(arguments)
    shown = read_fields(LoadShown, options)
    question = replace(read_fields(LoadQuestion, options, "spindle sweep load"), seed=seed(shown.seed))
    # Imported here, because a help text needs no drives.
    from spindle.traces.replay.answer_page import load_lines
    from spindle.traces.replay.data import load_data
    from spindle.traces.replay.load import answer_load
    from spindle.traces.replay.replay import DeviceTimes

    devices = DeviceTimes() if shown.by_device else None
    answer = answer_load(question, devices)
    if shown.json:
        return finish(json_text(load_data(answer, devices)))
    return finish("\n".join(load_lines(answer, devices)))
