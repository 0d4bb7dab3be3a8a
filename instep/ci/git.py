"""The real `git`: run without a shell, within a time, and untouched by the settings of whoever runs it."""

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import IO

from instep.core import limits
from instep.core.errors import AppError

# They would change what git writes or takes a path for, or have it start other programs.
UNSAFE_GIT_VARIABLES = {
    *("GIT_DIFF_OPTS", "GIT_EXTERNAL_DIFF"),
    *("GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"),
}
SETTINGS = ("core.quotePath=true", "diff.suppressBlankEmpty=false", "log.showSignature=false")


class GitFailed(AppError):
    """git can't do its work here."""


@dataclass(frozen=True, slots=True)
class Git:
    """The git of one folder."""

    folder: Path

    def read(self, *arguments: str, given: bytes = b"") -> bytes:
        """What it writes, or a refusal in a sentence."""
        done = self.run(*arguments, given=given)
        if done.returncode:
            raise failure(done.stderr)
        return done.stdout

    def find(self, *arguments: str) -> str | None:
        """The one line that it writes; None when there is no such thing."""
        done = self.run(*arguments)
        return done.stdout.decode("utf-8", "replace").strip() or None if done.returncode == 0 else None

    def run(self, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(
                command(arguments),
                cwd=self.folder,
                env=environment(),
                input=given,
                capture_output=True,
                timeout=limits.GIT_SECONDS,
                check=False,
            )
        except FileNotFoundError:
            raise no_git() from None
        except subprocess.TimeoutExpired:
            raise too_slow(arguments[0]) from None

    @contextmanager
    def reading(self, *arguments: str) -> Iterator[IO[bytes]]:
        """What it writes as a stream, for what may be too large to hold."""
        with tempfile.TemporaryFile() as said, self.started(arguments, said) as process:
            assert process.stdout is not None
            began, clock = time.monotonic(), Timer(limits.GIT_SECONDS, process.kill)
            clock.start()
            try:
                yield process.stdout
                process.wait()
            finally:
                clock.cancel()
                process.kill()
            if process.returncode:
                said.seek(0)
                is_late = time.monotonic() - began >= limits.GIT_SECONDS
                raise too_slow(arguments[0]) if is_late else failure(said.read())

    def started(self, arguments: tuple[str, ...], said: IO[bytes]) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                command(arguments),
                cwd=self.folder,
                env=environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=said,
            )
        except FileNotFoundError:
            raise no_git() from None


def open_checkout(folder: Path) -> Git:
    """The git of the checkout that a folder is in."""
    done = Git(folder).run("rev-parse", "--show-toplevel")
    if done.returncode == 0:
        return Git(Path(os.fsdecode(done.stdout.rstrip(b"\r\n"))))
    if b"dubious ownership" in done.stderr:
        raise GitFailed(
            f"The checkout belongs to another user: run `git config --global --add safe.directory {folder}`."
        )
    raise GitFailed(f"{folder} is in no git checkout: run this where the code is checked out.")


def command(arguments: tuple[str, ...]) -> list[str]:
    return ["git", *(word for setting in SETTINGS for word in ("-c", setting)), *arguments]


def environment() -> dict[str, str]:
    ours = {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    return {name: value for name, value in os.environ.items() if name not in UNSAFE_GIT_VARIABLES} | ours


def no_git() -> GitFailed:
    return GitFailed("The command `git` is not there: install it.")


def too_slow(name: str) -> GitFailed:
    return GitFailed(f"`git {name}` took longer than {limits.GIT_SECONDS} seconds.")


def failure(said: bytes) -> GitFailed:
    lines = said.decode("utf-8", "replace").strip().splitlines()
    return GitFailed(f"git refuses: {lines[0] if lines else 'it does not say why'}")
