"""One folder per system, all alike."""

import sim.compiled_parts  # noqa: F401  # before anything that may be compiled is imported
