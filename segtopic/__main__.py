"""``python -m segtopic`` is the same as ``segtopic``."""

import sys

from segtopic.cli import main

if __name__ == "__main__":
    sys.exit(main())
