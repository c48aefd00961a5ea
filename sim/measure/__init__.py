"""Runs and measures a machine: its load and window, the engine, operational laws, results, observers, timelines."""
