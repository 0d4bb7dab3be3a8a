"""Print to a terminal or the log of a CI."""

import sys

from instep.client.ci.escaping import one_line


def print_text(text: str) -> None:
    """Print a result on standard output."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def say(sentence: str) -> None:
    """Tell on standard error what happens, in one line."""
    sys.stderr.write(f"instep: {one_line(sentence)}\n")
    sys.stderr.flush()
