"""Print to a terminal or a CI log."""

import sys

from instep.client.ci.escaping import one_line


def print_text(text: str) -> None:
    """Print a result on standard output."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def say(sentence: str) -> None:
    """Print a progress message on standard error, on one line."""
    sys.stderr.write(f"instep: {one_line(sentence)}\n")
    sys.stderr.flush()
