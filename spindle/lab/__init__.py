"""Measurements: drives and programs of the real world, and descriptions fitted to them."""
