"""``spindle load``: a load that needs no trace, on drives: response times, requests and megabytes a second."""

from collections.abc import Sequence
from dataclasses import replace

from spindle.cli.arguments import ArgumentParser
from spindle.cli.fields import add_fields, read_fields
from spindle.cli.printing import finish
from spindle.output.text import json_text
from spindle.questions.words import seed
from spindle.traces.replay.load import LoadQuestion, answer_load
from spindle.traces.replay.replay import DeviceTimes
from spindle.traces.report import load_data, load_lines

ABOUT = """\
Ask drives for so many requests a second, as iostat counts them, or with so many under way, as fio
has it: how long do they take, and how many are done? Places are random or in order. All options
are axes of spindle sweep load, and spindle find load iops --where "p99 <= 20ms" finds the most."""

EXAMPLES = """\
  spindle load --iops 120 --writes 40% --size 16K --random 70% --threads 8
  spindle load --iops 300 --drive hp7933 --raid 5 --drives 4 --chunk 64K
  spindle load --threads 32 --drive intels3700 --json
  spindle find load iops --between 20:200 --where "p95 <= 50ms" --seeds 2 --set requests=2000"""


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("load", ABOUT, EXAMPLES)
    add_fields(parser, LoadQuestion)
    parser.add_argument("--seed", metavar="N", help="of chance; default 1")
    parser.add_argument("--by-device", action="store_true", help="the same of each drive, too")
    parser.add_argument("--json", action="store_true", help="all numbers, as JSON")
    options = parser.take(arguments)
    question = read_fields(LoadQuestion, options)
    question = question if options.seed is None else replace(question, seed=seed(options.seed))
    devices = DeviceTimes() if options.by_device else None
    answer = answer_load(question, devices)
    if options.json:
        return finish(json_text(load_data(answer, devices)))
    return finish("\n".join(load_lines(answer, devices)))
