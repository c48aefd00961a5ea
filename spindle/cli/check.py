"""``spindle check``: tests a policy, scheduler or drive, built in or a user's own, for each promise of its kind."""

from collections.abc import Sequence
from dataclasses import dataclass

from spindle.cli.fields import take_fields
from spindle.cli.printing import finish
from spindle.questions.field import ask


@dataclass(frozen=True)
class CheckedPart:
    """The option of ``spindle check``: the part to test, by name or file."""

    part: str = ask("", "a policy, scheduler or drive: a name, FILE.py:NAME, or a drive FILE.yaml", first="1",
                    metavar="part")


def main(arguments: Sequence[str]) -> int:
    text = take_fields("check", CheckedPart, arguments).part
    from spindle.cli.promises import breaches, not_promised  # and drives

    kind, found = breaches(text)
    broken = [promise for promise, says in found.items() if says]
    lines = [f"  {'BROKEN' if says else 'kept  '}  {promise}{f': {says}' if says else ''}"
             for promise, says in found.items()]  # fmt: skip
    lines += [f"  not promised, as it says itself: {promise}" for promise in not_promised(text)]
    finish("\n".join([f"{kind} {text}", *lines, f"{len(found) - len(broken)} of {len(found)} promises are kept"]))
    return 1 if broken else 0
