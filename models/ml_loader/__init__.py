"""Loaders of training data: accelerators that wait for batches, workers that read ahead, and checkpoints."""

from spindle.models.ml_loader.run import run

__all__ = ["run"]
