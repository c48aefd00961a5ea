"""The command line, ``spindle``: finds the command and turns a user's mistake into one line and exit status 2."""

import os
import sys
from collections.abc import Callable, Sequence
from contextvars import copy_context
from importlib import import_module

from sim.error import UserError, unknown

COMMANDS = {
    "list": ("listing", "main", "the systems, their experiments, what each shows"),
    "run": ("run", "main", "one run: response times, hit ratios, utilisations, where the time goes"),
    "experiment": ("results", "main", "an experiment of a system, as CSV and PNG"),
    "sweep": ("sweep", "main", "every combination of values, as a tidy table"),
    "drive": ("drive", "main", "a drive from its sheet, held against measured requests"),
    "characterise": ("characterise", "main", "what a block trace is like, and requests that are like it"),
    "curve": ("curve", "main", "the hit ratio of a trace against the size of a cache"),
    "replay": ("replay", "main", "a trace through cache, scheduler and drive: response times, hit ratios"),
    "measure": ("measure", "main", "real programs on this machine, and how well they are predicted"),
    "claims": ("results", "claims", "the simulation held to what the papers print"),
    "sensitivity": ("sensitivity", "main", "which verdicts hang on an assumed number, halved or doubled"),
    "ensemble": ("ensemble", "main", "all machines that are like the paper's, and what follows for its claims"),
    "report": ("report", "main", "everything, as results/report.html"),
    "parameters": ("listing", "parameters", "every parameter: value, unit, source"),
    "tepe": ("tepe", "main", "check a terminal script"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``spindle`` with *arguments* (those of the process by default); the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        status = copy_context().run(_command, given)
        print(end="", flush=True)  # now, while what goes wrong can still be said in one line
        return status
    except UserError as error:
        print(_said(error), file=sys.stderr)
        return 2
    except KeyboardInterrupt as stop:
        print(f"spindle: {str(stop) or 'interrupted'}", file=sys.stderr)
        return 130
    except BrokenPipeError:
        _stop_writing()
        return 0
    except OSError as error:
        _stop_writing()
        print(f"spindle: {error}", file=sys.stderr)
        return 2


def _stop_writing() -> None:
    """Nobody takes what is written; Python, which flushes once more at its end, must find that somebody does."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _said(error: UserError) -> str:
    """A mistake in a file begins with its place, where editors look for it; any other with who says so."""
    text = str(error)
    return text if "\n" in text else f"spindle: {text}"


def _command(given: list[str]) -> int:
    if not given or given[0] in ("-h", "--help", "help"):
        print(_help())
        return 0
    if given[0].startswith("-"):
        raise unknown("option before a command", given[0], ("-h", "--help"))
    if given[0] not in COMMANDS:
        raise unknown("command", given[0], COMMANDS)
    module, function, _ = COMMANDS[given[0]]
    command: Callable[[Sequence[str]], int] = getattr(import_module(f"models.commands.{module}"), function)
    try:
        return command(given[1:])
    except SystemExit as end:  # argparse ends so after --help
        return int(end.code or 0)


def _help() -> str:
    lines = [f"  spindle {name:<13}{says}" for name, (_, _, says) in COMMANDS.items()]
    return "\n".join(
        ["Spindle simulates a whole computer as its discs see it.", "", *lines, "", "spindle COMMAND --help says more."]
    )


if __name__ == "__main__":
    sys.exit(main())
