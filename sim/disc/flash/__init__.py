"""Simulates solid-state drives: flash with a map from addresses to pages, as a mechanism for drives of sim.disc."""
