"""Advisory locks of files, for processes that write at the same time; where a system has none, nothing is locked."""

import os
from importlib.util import find_spec
from typing import BinaryIO

CAN_LOCK = find_spec("fcntl") is not None
"""False on Windows, where of two processes that write a folder at the same time one may lose what it wrote."""


def lock(file: BinaryIO | int, shared: bool = False, wait: bool = True) -> None:
    """Lock *file* until it is closed; OSError where nothing can be locked, or another has it and *wait* is False."""
    if not CAN_LOCK:
        raise OSError(f"{os.name} has no locks of files")
    import fcntl

    fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
