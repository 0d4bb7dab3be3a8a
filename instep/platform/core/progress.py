"""Progress messages for a person at a terminal; service logs do not get them."""

import sys


def tell(sentence: str) -> None:
    """Write a line to standard error if that is a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"{sentence}\n")
        sys.stderr.flush()
