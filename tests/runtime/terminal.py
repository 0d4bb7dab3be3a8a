"""Runs a command at a pseudo-terminal and reads what it prints."""

import os
import pty
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from tests.support.installation import Process

END_SECONDS = 30


class Terminal:
    """A running command and the screen that it writes to."""

    def __init__(self, process: Process, screen: int, side: TextIO) -> None:
        self.process, self.side = process, side
        self.output = b""
        self.screen = screen
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self) -> None:
        try:
            while part := os.read(self.screen, 65_536):
                self.output += part
        except OSError:
            # Reading a pseudo-terminal fails once it has no writer left.
            return

    @property
    def text(self) -> str:
        return self.output.decode().replace("\r\n", "\n")

    def end(self) -> int | None:
        """Terminate the process with SIGTERM; return its exit code."""
        self.process.terminate()
        code = self.process.wait(END_SECONDS)
        # The reader thread ends once no process can write any more.
        self.side.close()
        self.reader.join(END_SECONDS)
        return code


@contextmanager
def at_terminal(folder: Path, environment: Mapping[str, str], *arguments: str) -> Iterator[Terminal]:
    screen, side = pty.openpty()
    tty = os.ttyname(side)
    process = Process(folder, environment, *arguments, stdin=tty, stdout=tty, stderr=tty)
    with os.fdopen(side) as open_side:
        try:
            yield Terminal(process, screen, open_side)
        finally:
            process.kill()
            process.wait()
            os.close(screen)
