"""One run: an epoch, or a number of steps, of a model on accelerators that one drive feeds."""

from dataclasses import replace
from statistics import fmean

from spindle.models.ml_loader.machine import MlOptions, Training, TrainingHost
from spindle.models.ml_loader.parameters import MlParameters, TrainingModel, find_model
from spindle.questions.array import NO_ARRAY, ArrayOptions
from spindle.questions.field import flat
from spindle.sim.error import UserError, unknown
from spindle.sim.measure import engine
from spindle.sim.measure.load import Programs, Window
from spindle.sim.measure.observer import Watch
from spindle.sim.measure.result import Result
from spindle.sim.parameter import change

MAX_ACCELERATORS = 4096
MAX_STEPS = 10_000_000
USUAL_STEPS = 300


@flat
def run(
    model: str = "unet3d",
    accelerators: int = 2,
    gpu: str = "h100",
    steps: int = USUAL_STEPS,
    records: int = 0,
    threads: int = 0,
    checkpoint_every: int = 0,
    seed: object = 1,
    choices: MlOptions | None = None,
    keep_rows: bool = True,
    interval: float | None = None,
    watch: Watch | None = None,
    array: ArrayOptions = NO_ARRAY,
    **parameters: object,
) -> Result:
    """Train *model* for *steps* steps, or, with *records*, for the epoch of that many records.

    Each of the *accelerators* of the kind *gpu* has *threads* threads that read for it; 0 is the number that DLIO
    gives. A checkpoint follows each *checkpoint_every* steps; 0 is never. Records lie on a drive or on an
    *array*, whose fields are arguments of the run. Any field of MlParameters may be given by name.
    """
    values, trained = change(MlParameters(), **parameters), find_model(model)
    if gpu not in trained.compute:
        raise unknown("gpu", gpu, trained.compute)
    for name, count, least, most in (
        ("accelerators", accelerators, 1, MAX_ACCELERATORS), ("steps", steps, 2, MAX_STEPS),
        ("records", records, 0, 1 << 40), ("threads", threads, 0, 1024),
        ("checkpoint_every", checkpoint_every, 0, MAX_STEPS),
    ):  # fmt: skip
        if not least <= count <= most:
            raise UserError(f"{name} must be a whole number from {least} to {most}, not {count!r}")
    training = Training(trained, gpu, accelerators, _steps(trained, accelerators, steps, records),
                        threads or trained.threads, checkpoint_every)  # fmt: skip
    drives = array.array(seed)
    host = TrainingHost(training, values, choices or MlOptions(), seed, drives)
    result = engine.run(host.machine, Programs(host.programs(), host.share), Window(interval=interval), seed, watch,
                        keep_rows)  # fmt: skip
    settings = {"model": model, "accelerators": accelerators, "gpu": gpu, "steps": training.steps,
                "threads": training.threads, "checkpoint_every": checkpoint_every, **parameters,
                **array.settings()}  # fmt: skip
    return replace(result, system="ml_loader", parameters=settings, extras=_extras(result, host, array.drives or 1))


def _steps(model: TrainingModel, accelerators: int, steps: int, records: int) -> int:
    if not records:
        return steps
    whole = records // model.batch // accelerators
    if not 2 <= whole <= MAX_STEPS:
        raise UserError(f"{records} records are {whole} steps of {accelerators} x {model.batch}: from 2 to {MAX_STEPS} "
                        "can be run")  # fmt: skip
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
