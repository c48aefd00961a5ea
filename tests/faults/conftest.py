"""The compiled shim, for all tests of this folder."""

from tests.faults.faulty import shim

__all__ = ["shim"]
