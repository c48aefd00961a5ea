"""The parser of the options of all commands (ArgumentParser)."""

import argparse
import re
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from shutil import get_terminal_size
from typing import ClassVar, NoReturn, TypeVar

from spindle.cli.printing import HelpShown, finish
from spindle.sim.error import UserError, quote, unknown

T = TypeVar("T")
LIST = ",..."
"""End of the word for the value of an option that takes several."""
HELP_FOLDER = Path(__file__).with_name("help")
"""The folder with a text file for each command: its description and examples."""


class ArgumentParser(argparse.ArgumentParser):
    """A parser of argparse that raises UserError instead of printing its usage, and takes no abbreviated options.

    A command's description and examples are a file of the folder ``help``, in which *words* take the places of names in
    braces. *read_first* is called with each parser before it reads a line: a shell's completion answers there.
    """

    system = ""
    """The word that names the simulated system on the command line; empty for a command without one."""
    read_first: ClassVar[Callable[["ArgumentParser"], None]] = lambda parser: None

    def __init__(self, command: str, **words: str) -> None:
        text = HELP_FOLDER.joinpath(f"{re.sub('[ -]+', '_', command)}.txt").read_text("utf-8").rstrip()
        description, end, examples = (text.format(**words) if words else text).partition("\n\nexamples:\n")
        width = get_terminal_size().columns - 2  # asked once: argparse would ask again for each option
        super().__init__(
            prog=f"spindle {command}", description=description, allow_abbrev=False, epilog=end.lstrip() + examples,
            formatter_class=partial(argparse.RawDescriptionHelpFormatter, width=width),
        )  # fmt: skip
        self.command = command
        self._negative_number_matcher = re.compile(r"-[.\d]")  # -1ms and -1:2 are values, which their option refuses

    def print_help(self, file: object = None) -> None:
        finish(self.format_help().rstrip())

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """End the command after --help, where argparse calls this."""
        raise HelpShown(status)

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{self.command}: {message} (--help shows how it is used)")

    def take(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Parse all *arguments*; UserError for an unknown option, with the known options nearest to it."""
        if "--" in arguments:  # argparse would drop it, and take what is left, perhaps nothing, for the rest
            raise UserError(f"{self.command}: -- has no meaning here")
        type(self).read_first(self)
        options, left = self._read(list(arguments))
        for word in left:
            if word.startswith("-"):
                names = [option for action in self._actions for option in action.option_strings
                         if word.startswith("--no") or not option.startswith("--no-")]  # fmt: skip
                raise unknown("option", word.split("=")[0], names)
            raise UserError(f"{self.command}: one word too many: {quote(word)}")
        for action in self._actions:
            if getattr(options, action.dest, None) == "" and action.option_strings and action.const != "":
                raise UserError(f"{action.option_strings[0]} must have a value, not ''")
        self._warn_of_repeated(Counter(word.partition("=")[0] for word in arguments))
        return options

    def _warn_of_repeated(self, given: Counter[str]) -> None:
        """Warn of lists that are given twice, of which argparse takes the last; of single values that is usual."""
        for option in (option for action in self._actions if str(action.metavar).endswith(LIST)
                       for option in action.option_strings if given[option] > 1):  # fmt: skip
            warnings.warn(f"{option} is given twice, and the last counts: several values stand in one, with commas "
                          "between", stacklevel=2)  # fmt: skip

    def _read(self, arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
        """Read *arguments*; a word after a truth option is its value, unless a required word is then missing."""
        try:
            return self.parse_known_intermixed_args(arguments)
        except UserError:
            truths = {option for action in self._actions if action.const == "true" for option in action.option_strings}
            said = [f"{word}=true" if word in truths else word for word in arguments]
            with suppress(UserError):
                return self.parse_known_intermixed_args(said)
            raise


def of_kind(option: str, drive: object, kind: type[T], why: str) -> T:
    """Return the *drive* that *option* gives; UserError with the sentence *why* where it is not of *kind*."""
    if not isinstance(drive, kind):
        raise UserError(f"{option}: {why}")
    return drive
