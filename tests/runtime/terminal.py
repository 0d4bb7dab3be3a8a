"""A command at a terminal: what a person sees of it."""

import os
import pty
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.support.installation import COMMAND

END_SECONDS = 30


class Terminal:
    """A running command and the screen that it writes to."""

    def __init__(self, process: subprocess.Popen[bytes], screen: int) -> None:
        self.process = process
        self.output = b""
        self.screen = screen
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self) -> None:
        try:
            while part := os.read(self.screen, 65_536):
                self.output += part
        except OSError:
            # So a terminal ends when nobody writes to it any more.
            return

    @property
    def text(self) -> str:
        return self.output.decode().replace("\r\n", "\n")

    def end(self) -> int:
        """As with SIGTERM; the exit code."""
        self.process.terminate()
        code = self.process.wait(END_SECONDS)
        self.reader.join(END_SECONDS)
        return code


@contextmanager
def at_terminal(folder: Path, environment: Mapping[str, str], *arguments: str) -> Iterator[Terminal]:
    screen, side = pty.openpty()
    process = subprocess.Popen(
        [COMMAND, *arguments], env=environment, cwd=folder, stdin=side, stdout=side, stderr=side
    )
    os.close(side)
    try:
        yield Terminal(process, screen)
    finally:
        process.kill()
        process.wait()
        os.close(screen)
