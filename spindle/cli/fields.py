"""Makes options of a command from the fields of a dataclass: adds them to its parser, and reads their values back."""

import argparse
from argparse import Namespace
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from spindle.cli.arguments import ArgumentParser
from spindle.questions.field import flat, option_of, spell_as_options
from spindle.questions.settings import AnySetting, PartSetting, Setting, Words, read_one, settings_of_fields
from spindle.sim.offers import ENTRY_POINTS, installed_parts
from spindle.sim.part_forms import SHEET
from spindle.sim.units import Bytes

T = TypeVar("T")
METAVARS = {str: "NAME", Words: "NAME", Bytes: "BYTES", Path: "FILE", bool: "BOOL"}
"""The word that stands for an option's value in the help, by the type of the value."""
SETTING_PREFIX = "of_run_"
"""Prefix of the attribute in which a parser keeps the text that was given for a field."""


def add_fields(
    parser: ArgumentParser, asked: Callable[..., Any], without: Collection[str] = (), says: Mapping[str, str] = {}
) -> None:
    """Add an option for each field of *asked* except those in *without*; *says* replaces the help of some fields."""
    defaults = flat(asked).__signature__.parameters  # type: ignore[attr-defined]
    for name, setting in settings_of_fields(asked).items():
        if name not in without:
            add_setting(parser, name, setting, help_of(setting, defaults[name].default, says.get(name, "")))


def read_fields(asked: Callable[..., T], options: Namespace, sweep: str = "") -> T:
    """Return *asked* with the values that *options* give; *sweep* is the command that takes several of each."""
    spell_as_options()
    settings = settings_of_fields(asked)
    texts = {name: getattr(options, SETTING_PREFIX + name, None) for name in settings}
    given = {name: read_one(settings[name], option_of(name), text, sweep) for name, text in texts.items()
             if text is not None}  # fmt: skip
    return flat(asked)(**given)


def take_fields(command: str, asked: Callable[..., T], arguments: Sequence[str], **words: str) -> T:
    """Return *asked*, whose fields are the options of *command*, with the values that *arguments* give."""
    parser = ArgumentParser(command, **words)
    add_fields(parser, asked)
    return read_fields(asked, parser.take(arguments))


def given_fields(asked: Callable[..., Any], options: Namespace) -> list[str]:
    """Return the names of the fields of *asked* that *options* give."""
    return [name for name in settings_of_fields(asked) if getattr(options, SETTING_PREFIX + name, None) is not None]


def add_setting(
    parser: ArgumentParser, name: str, setting: AnySetting, says: str, prefix: str = SETTING_PREFIX
) -> None:
    """Add the option of one *setting*; a boolean one has its negation too."""
    option, dest = option_of(name), prefix + name
    metavar = setting.asked.metavar or (METAVARS.get(setting.kind, "N") if isinstance(setting, Setting) else "NAME")
    if setting.asked.first:
        parser.add_argument(dest, metavar=metavar, nargs={"1": None}.get(setting.asked.first, setting.asked.first),
                            default=[] if setting.asked.first == "*" else None, help=says)  # fmt: skip
        return
    if isinstance(setting, Setting) and setting.kind is bool:
        parser.add_argument(option, dest=dest, nargs="?", const="true", metavar="BOOL", help=says)
        parser.add_argument(f"--no-{option[2:]}", dest=dest, action="store_const", const="false",
                            help=argparse.SUPPRESS)  # fmt: skip
    elif isinstance(setting, Setting) and setting.kind == Words:
        several = setting.asked.several
        parser.add_argument(option, dest=dest, nargs="+" if several else None, action="extend" if several else "append",
                            metavar=metavar, help=says)  # fmt: skip
    else:
        parser.add_argument(option, dest=dest, metavar=metavar, required=setting.asked.required, help=says,
                            nargs=None if setting.asked.bare is None else "?", const=setting.asked.bare)


def help_of(setting: AnySetting, default: object, says: str = "") -> str:
    """Return the help of *setting*: *says* or the field's own help, the words that it may be, and its *default*."""
    says, words = says or setting.asked.says.replace("%", "%%"), [word for word in setting.asked.words if word]
    if isinstance(setting, PartSetting):
        words = [*setting.choices, *installed_parts(setting.part)]
        words += [f"FILE{SHEET}"] * (setting.part == "drive")
        words += ["FILE.py:NAME"] * (setting.part in ENTRY_POINTS)
    shown = "" if default is None or "default" in says or setting.asked.first or setting.asked.required else \
        f"default {setting.text(default)}".replace("%", "%%")  # fmt: skip
    return "; ".join(filter(None, (says, " | ".join(words), shown)))
