"""``python -m spindle``: the command line."""

import sys

from spindle.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
