"""Runs, sweeps, statistics, claims, plots and the report: the only part of sim that knows pandas and matplotlib."""

from sim.experiment.sweep import sweep

__all__ = ["sweep"]
