"""Loaders of training data: accelerators that wait for batches, workers that read ahead, and checkpoints."""
