"""Runs of a machine: window and load, the engine, operational laws, results, observers and timelines."""
