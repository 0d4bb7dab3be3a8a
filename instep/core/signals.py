"""How a process ends on SIGTERM and SIGINT."""

import signal
import sys


def exit_cleanly_on_signals() -> None:
    """Make SIGTERM and SIGINT end this process with success, after the clean-up of the running code.

    The web server stops cleanly, but then raises the signal that stopped it once more.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))
