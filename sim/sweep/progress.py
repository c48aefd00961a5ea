"""A bar of points done, rate and time left: on a terminal and in a notebook, and nowhere else."""

import sys

from tqdm import tqdm


def bar(points: int, done: int, shown: bool) -> tqdm:
    """Plain text in a notebook, too: a widget shows nothing when the notebook is saved and read again."""
    # None leaves it to tqdm, which draws where there is a terminal.
    hidden = True if not shown else False if _in_notebook() else None
    return tqdm(total=points, initial=done, unit="point", disable=hidden)


def _in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"
