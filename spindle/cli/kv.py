"""``spindle kv``: replays prompts through the tiers of a KV cache, where a language model keeps what it computed."""

from collections.abc import Sequence
from pathlib import Path

from spindle.cli.fields import take_fields
from spindle.cli.kv_question import KvCommand
from spindle.cli.named_files import outputs
from spindle.cli.printing import finish


def main(arguments: Sequence[str]) -> int:
    options = take_fields("kv", KvCommand, arguments)
    files = outputs([Path(options.trace)], {"--out": options.out})
    from spindle.cli.kv_runs import answer_kv  # and numpy, which no help text needs

    return finish(answer_kv(options, files["--out"]))
