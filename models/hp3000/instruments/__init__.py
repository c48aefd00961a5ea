"""Instruments: the log of OPT, the monitor of TEPE, SHOWCACHE, unit tests, and theory beside a run."""
