"""Defines the models that MLPerf Storage trains, and the parameters of the host that loads their data, with sources."""

from collections.abc import Mapping
from dataclasses import dataclass

from spindle.sim.error import known_choice
from spindle.sim.parameter import Rule, assumed, check, cited, fitted

_DLIO = "DLIO's configurations of MLPerf Storage v1.0 (argonne-lcf/dlio_benchmark, configs/workload)"
_RUNS = "the commands of Micron's runs (mlcommons/storage_results_v1.0, Closed/Micron)"


@dataclass(frozen=True)
class TrainingModel:
    """A model as DLIO, the program of MLPerf Storage, describes it: bytes of a *record*, records of a *batch*.

    *spread* is the standard deviation of a record's bytes, *compute* the seconds for a batch by accelerator. *threads*
    read for each accelerator. With *workers_batch* each reads a batch, as PyTorch's workers do; else all read records
    for one batch, as TensorFlow's pipeline does. *records* is the number of a usual epoch.
    """

    name: str
    record: float
    spread: float
    batch: int
    compute: Mapping[str, float]
    threads: int
    workers_batch: bool
    records: int
    checkpoint: int
    source: str

    def batches_ahead(self, threads: int, prefetch: int) -> int:
        """Return the batches that may be read or kept beyond those computed."""
        return prefetch * threads if self.workers_batch else max(2, threads // self.batch)


TRAINED_MODELS = {each.name: each for each in (
    TrainingModel("unet3d", 146_600_628, 68_341_808, 7, {"a100": 0.636, "h100": 0.323}, 24, True, 17_500, 499_153_191,
                  f"{_DLIO}, unet3d_*; threads of {_RUNS}"),
    TrainingModel("resnet50", 114_660.07, 0.0, 400, {"a100": 0.435, "h100": 0.224}, 8, False, 15_798_879, 102_400_000,
                  f"{_DLIO}, resnet50_*; 25.6 million parameters of four bytes in a checkpoint"),
    TrainingModel("cosmoflow", 2_828_486, 71_311, 1, {"a100": 0.00551, "h100": 0.0035}, 4, False, 485_909, 35_000_000,
                  f"{_DLIO}, cosmoflow_*; 8.8 million parameters of four bytes in a checkpoint"),
)}  # fmt: skip


def find_model(name: str) -> TrainingModel:
    """Return the model *name*; UserError if it is unknown."""
    return known_choice("model", TRAINED_MODELS, name)


@dataclass(frozen=True)
class MlParameters:
    """Parameters of a run: seconds, bytes, and counts."""

    prefetch: int = cited(2, "PyTorch, DataLoader: prefetch_factor, batches that each worker has read ahead, unless "
                          "given", "1", Rule(1, 1024))
    requests: int = assumed(4, "requests that read a record, one after another: the kernel reads ahead "
                            "as fast as the drive is, so that only their order among workers depends on it", "1",
                            Rule(1, 1024))
    request: int = cited(1 << 20, f"{_RUNS}: transfer_size of TensorFlow's readers; no request is smaller", "bytes",
                         Rule(4096, 1 << 30))
    barrier: float = fitted(0.1235e-3, "ML-C2a: seconds that a step takes longer for each accelerator, for the barrier "
                            "behind it and the loop around it", "s", Rule(0.0, 10.0))
    handing: float = fitted(1.29e-11, "ML-U1a: to hand a batch from its reader to the accelerator, which waits "
                            "meanwhile; 78 GB/s", "s/byte", Rule(0.0, 1e-6))
    checkpoint_state: float = assumed(1.0, "bytes of a checkpoint as a multiple of the model's; more with moments of "
                                      "Adam, while DLIO writes the model alone", "1", Rule(1.0, 16.0))

    def __post_init__(self) -> None:
        check(self)
