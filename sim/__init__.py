"""The parts of a computer and the engine that runs and measures it; every system is built of these."""

if __name__ != "spindle.sim":
    raise ImportError("sim is a part of Spindle: import spindle.sim")

MODEL = 1
"""The number of the shared model: raised by hand when a part changes answers of systems, with a line in CHANGELOG."""
