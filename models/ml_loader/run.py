"""Runs the training of a model, for an epoch or a number of steps, on accelerators that read from one drive."""

from dataclasses import dataclass, replace
from statistics import fmean

from spindle.models.ml_loader.machine import MlOptions, Training, TrainingHost
from spindle.models.ml_loader.parameters import MlParameters, TrainingModel, find_model
from spindle.questions.array import NO_ARRAY, ArrayOptions
from spindle.questions.field import ask, flat
from spindle.questions.runs import RECORDED, Recorded
from spindle.sim.error import UserError, check_known
from spindle.sim.measure import engine
from spindle.sim.measure.load import Programs, Window
from spindle.sim.measure.result import Result
from spindle.sim.parameter import change

MAX_ACCELERATORS = 4096
MAX_TRAINING = 10_000_000
MAX_COMPUTE = 10_000.0
USUAL_STEPS = 300


@dataclass(frozen=True)
class TrainingOptions:
    """The training: *model* for *steps* steps, or, with *records*, for an epoch of so many records.

    Each of the *accelerators* of the kind *gpu* has *threads* threads that read for it; 0 is the number that DLIO,
    MLPerf's program, has. A batch takes *compute* seconds; 0 is what DLIO has for the kind. A checkpoint follows each
    *checkpoint_every* steps; 0 is never.
    """

    model: str = ask("unet3d", "the model that is trained")
    accelerators: int = ask(2, "accelerators", least=1, most=MAX_ACCELERATORS)
    gpu: str = ask("h100", "the kind of accelerator")
    steps: int = ask(USUAL_STEPS, "steps of training", least=2, most=MAX_TRAINING)
    records: int = ask(0, "records of the epoch in the place of steps", least=0, most=1 << 40)
    threads: int = ask(0, "threads that read for each accelerator", least=0, most=1024)
    checkpoint_every: int = ask(0, "steps before each checkpoint", least=0, most=MAX_TRAINING)
    compute: float = ask(0.0, "time in which an accelerator computes a batch, in the place of that of its kind", "s",
                         least=0.0, most=MAX_COMPUTE, metavar="TIME")  # fmt: skip

    def training(self) -> Training:
        trained = find_model(self.model)
        check_known("gpu", trained.compute, self.gpu)
        if self.compute:
            trained = replace(trained, compute={self.gpu: self.compute})
        steps = _steps(trained, self.accelerators, self.steps, self.records)
        return Training(trained, self.gpu, self.accelerators, steps, self.threads or trained.threads,
                        self.checkpoint_every)  # fmt: skip


@flat
def run(
    asked: TrainingOptions = TrainingOptions(),
    seed: object = 1,
    choices: MlOptions | None = None,
    recorded: Recorded = RECORDED,
    array: ArrayOptions = NO_ARRAY,
    **parameters: object,
) -> Result:
    """Train; records lie on a drive or on an *array*. Any field of MlParameters may be given by name."""
    values, training = change(MlParameters(), **parameters), asked.training()
    drives = array.array(seed)
    host = TrainingHost(training, values, choices or MlOptions(), seed, drives)
    result = engine.run(host.machine, Programs(host.programs(), host.share), Window(interval=recorded.interval), seed,
                        recorded.watch, recorded.keep_rows)  # fmt: skip
    settings = {"model": asked.model, "accelerators": asked.accelerators, "gpu": asked.gpu, "steps": training.steps,
                "threads": training.threads, "checkpoint_every": asked.checkpoint_every,
                **({"compute": asked.compute} if asked.compute else {}), **parameters, **array.settings()}  # fmt: skip
    return replace(result, system="ml_loader", parameters=settings, extras=_extras(result, host, array.drives or 1))


def _steps(model: TrainingModel, accelerators: int, steps: int, records: int) -> int:
    if not records:
        return steps
    whole = records // model.batch // accelerators
    if not 2 <= whole <= MAX_TRAINING:
        raise UserError(f"{records} records are {whole} steps of {accelerators} x {model.batch}: from 2 to "
                        f"{MAX_TRAINING} can be run")  # fmt: skip
    return whole


def _extras(result: Result, host: TrainingHost, drives: int) -> dict[str, float]:
    training, counters = host.training, result.counters
    samples = training.steps * training.model.batch * training.accelerators
    return {
        "accelerator_utilisation": fmean(host.busy),
        "samples_rate": samples / result.seconds,
        "bytes_rate": counters["drive.bytes_read"] / result.seconds,
        "makespan": result.seconds,
        "disc_busy": counters["drive.busy"] / result.seconds / drives,
        "number_at_drive": counters["drive.number_seconds"] / result.seconds,
        "checkpoint_share": host.checkpoint_seconds / result.seconds,
        "bytes_written": counters["drive.bytes_written"],
    }
