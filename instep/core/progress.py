"""What takes a while is told to whoever sits at a terminal; logs of services are spared it."""

import sys


def tell(sentence: str) -> None:
    """Write a line to standard error if a person can see it there."""
    if sys.stderr.isatty():
        sys.stderr.write(f"{sentence}\n")
        sys.stderr.flush()
