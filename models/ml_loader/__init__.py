"""Simulates the loading of training data: accelerators that wait for batches, workers that read ahead, checkpoints."""

from spindle.models.ml_loader.run import run

__all__ = ["run"]
