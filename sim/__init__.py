"""Parts of a simulated computer (drives, caches, CPUs, locks), and the engine that runs and measures it."""

if __name__ != "spindle.sim":
    raise ImportError("sim is a part of Spindle: import spindle.sim")

MODEL = 1
"""The number of the shared model: raised by hand when a part changes answers of systems, with a line in CHANGELOG."""
