"""Progress messages for a person at a terminal; they are not written to the logs of services."""

import sys


def tell(sentence: str) -> None:
    """Write a line to standard error if a person can see it there."""
    if sys.stderr.isatty():
        sys.stderr.write(f"{sentence}\n")
        sys.stderr.flush()
