"""The loader of training data: its page and options, its studies and claims, for commands and the report."""

from spindle.models.ml_loader.parameters import MODELS
from spindle.models.ml_loader.play import PLAYABLE
from spindle.playable import shipped_system
from spindle.sim.measure.result import Result
from spindle.sim.quantity import quantity
from spindle.studies.arrays import ARRAY_SAYS, array_words


def page(result: Result) -> str:
    """For a screen of 80 columns."""
    said, of = result.parameters, result.extras
    waits = result.response()
    lines = [f"{said['model']} on {said['accelerators']} {said['gpu']}, {said['steps']} steps, "
             f"{said['threads']} threads each, seed {result.seed}",
             f"accelerator utilisation {of['accelerator_utilisation']:.2%}",
             f"{of['samples_rate']:,.1f} samples/s, {of['bytes_rate'] / 1e6:,.0f} MB/s, in "
             f"{quantity(of['makespan'], 's')}",
             f"drive busy {of['disc_busy']:.1%}, {of['number_at_drive']:.1f} requests there on the mean"
             f"{array_words(said)}",
             f"wait for a batch: mean {quantity(waits['response_mean'], 's')}, p95 "
             f"{quantity(waits['response_p95'], 's')}"]
    if of["bytes_written"]:
        lines.append(f"checkpoints: {of['bytes_written'] / 1e9:,.2f} GB written, {of['checkpoint_share']:.2%} of the "
                     "time")
    return "\n".join(lines)


MODEL = 2
"""Raised by hand when answers change, with a line in CHANGELOG.md that says what changed."""

SYSTEM = shipped_system(
    "ml_loader", MODEL, PLAYABLE,
    page=page,
    says={
        "model": f"that is trained: {', '.join(MODELS)}",
        "accelerators": "that train it together",
        "gpu": "the kind of accelerator: a100, h100",
        "steps": "of each accelerator, one batch each",
        "records": "of an epoch, which then says how many steps",
        "threads": "that read for each accelerator; 0 is as DLIO has it",
        "checkpoint_every": "steps between checkpoints; 0 is never",
        **ARRAY_SAYS,
    },
    answers=("accelerator_utilisation", "samples_rate", "bytes_rate", "disc_busy", "checkpoint_share"),
)
