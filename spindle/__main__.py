"""Runs the command line, as ``python -m spindle``."""

import sys

from spindle.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
