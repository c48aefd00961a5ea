"""Solid-state drives: flash behind a translation layer, as a mechanism that any drive of sim.disc can be built on."""
