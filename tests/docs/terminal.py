"""A terminal as people use it: one interactive bash, which gets the blocks of a page one after another."""

import asyncio
import os
import pty
import re
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

PROMPT = re.compile(r"<<done>>")
FAILURE = re.compile(r"^<<\d+ from: .*>>", re.M)
# To receive signals from the terminal, bash must open it as the leader of a new session.
SHELL = 'exec bash --norc --noprofile --noediting < "$1" > "$1" 2>&1'
# The terminal echoes this line before `stty` takes effect, so the prompt is split to avoid a match.
SETUP = "stty -echo; PS2=; PS1='<<''done>>'; trap 'echo \"<<$? from: $BASH_COMMAND>>\"' ERR\n"


class Terminal:
    """Reads output as it is printed; `folder` is the working directory, where blocks are stored as files."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self.printed = ""
        self.begin = 0
        self.blocks = 0
        self.is_interrupted = False
        self.news = asyncio.Event()
        self.master, slave = pty.openpty()
        self.bash = subprocess.Popen(
            ["bash", "-c", SHELL, "bash", os.ttyname(slave)],
            start_new_session=True,
            cwd=folder,
            env=dict(environment),
        )
        asyncio.get_running_loop().add_reader(self.master, self.read)
        self.slave = slave
        self.type(SETUP)

    def read(self) -> None:
        self.printed += os.read(self.master, 65_536).decode(errors="replace").replace("\r", "")
        self.news.set()

    @property
    def latest(self) -> str:
        """The output since the last block was entered."""
        return self.printed[self.begin :]

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def interrupt(self) -> None:
        """Press Ctrl-C; the interrupted command does not count as a failure."""
        self.is_interrupted = True
        self.type("\x03")

    async def enter(self, block: str) -> None:
        """Start a block after the previous one has finished."""
        await self.until_done()
        self.blocks += 1
        file = self.folder / f"block-{self.blocks}.sh"
        file.write_text(block)
        self.begin, self.is_interrupted = len(self.printed), False
        self.type(f'. "{file}"\n')

    async def until_done(self) -> None:
        await self.until(PROMPT, 600)
        failure = FAILURE.search(self.latest)
        assert failure is None or self.is_interrupted, self.latest

    async def until(self, pattern: re.Pattern[str], seconds: float) -> re.Match[str]:
        """Wait until the output since the last block matches the pattern."""
        try:
            async with asyncio.timeout(seconds):
                while (match := pattern.search(self.latest)) is None:
                    self.news.clear()
                    await self.news.wait()
                return match
        except TimeoutError:
            raise AssertionError(
                f"{pattern.pattern} is not printed within {seconds} s:\n{self.latest}"
            ) from None

    def close(self) -> None:
        """Hang up, which ends bash and its child processes."""
        asyncio.get_running_loop().remove_reader(self.master)
        for pid in self.processes():
            os.kill(pid, signal.SIGTERM)
        self.bash.kill()
        self.bash.wait()
        os.close(self.master)
        os.close(self.slave)

    def processes(self) -> list[int]:
        """The processes of this terminal other than bash itself."""
        listed = subprocess.run(
            ["ps", "-o", "pid=", "-s", str(self.bash.pid)], capture_output=True, text=True, check=False
        )
        return [int(pid) for pid in listed.stdout.split() if int(pid) != self.bash.pid]
