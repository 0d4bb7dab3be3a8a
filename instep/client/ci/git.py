"""Run `git` without a shell, with a time limit, and independently of the user's settings."""

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from typing import IO

from instep.platform.core import limits
from instep.platform.core.errors import AppError

# These variables change git's output or its pathspecs, or make it start other programs.
UNSAFE_GIT_VARIABLES = {
    *("GIT_DIFF_OPTS", "GIT_EXTERNAL_DIFF"),
    *("GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"),
}
SETTINGS = ("core.quotePath=true", "diff.suppressBlankEmpty=false", "log.showSignature=false")


class GitFailed(AppError):
    """A git command failed."""


@dataclass(frozen=True, slots=True)
class Git:
    """Runs git in one folder, with further variables of the environment."""

    folder: Path
    variables: dict[str, str] = field(default_factory=dict)

    def read(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """The output of a command; raises `GitFailed`."""
        result = self.run(*arguments, stdin=stdin)
        if result.returncode:
            raise failure(result.stderr)
        return result.stdout

    def find(self, *arguments: str) -> str | None:
        """The line that a command prints; None if it prints nothing or fails."""
        result = self.run(*arguments)
        return result.stdout.decode("utf-8", "replace").strip() or None if result.returncode == 0 else None

    def run(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(
                command(arguments),
                cwd=self.folder,
                env=environment() | self.variables,
                input=stdin,
                capture_output=True,
                timeout=limits.GIT_SECONDS,
                check=False,
            )
        except FileNotFoundError:
            raise no_git() from None
        except subprocess.TimeoutExpired:
            raise too_slow(arguments[0], limits.GIT_SECONDS) from None

    @contextmanager
    def reading(
        self, *arguments: str, stdin: bytes = b"", seconds: float | None = None
    ) -> Iterator[IO[bytes]]:
        """The output of a command as a stream, for output that may be too large for memory."""
        with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as stderr:
            source.write(stdin)
            source.seek(0)
            with self.started(arguments, source, stderr) as process:
                yield from self.output_of(process, stderr, arguments[0], seconds or limits.GIT_SECONDS)

    def output_of(
        self, process: subprocess.Popen[bytes], stderr: IO[bytes], name: str, seconds: float
    ) -> Iterator[IO[bytes]]:
        """Standard output of a process, which is killed after this time; raises `GitFailed`."""
        assert process.stdout is not None
        start, timer = time.monotonic(), Timer(seconds, process.kill)
        timer.start()
        try:
            yield process.stdout
            process.wait()
        finally:
            timer.cancel()
            process.kill()
        if process.returncode:
            stderr.seek(0)
            is_late = time.monotonic() - start >= seconds
            raise too_slow(name, seconds) if is_late else failure(stderr.read())

    def started(
        self, arguments: tuple[str, ...], stdin: IO[bytes], stderr: IO[bytes]
    ) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                command(arguments),
                cwd=self.folder,
                env=environment() | self.variables,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=stderr,
            )
        except FileNotFoundError:
            raise no_git() from None


def open_checkout(folder: Path) -> Git:
    """git in the root of the checkout that contains a folder."""
    result = Git(folder).run("rev-parse", "--show-toplevel")
    if result.returncode == 0:
        return Git(Path(os.fsdecode(result.stdout.rstrip(b"\r\n"))))
    if b"dubious ownership" in result.stderr:
        raise GitFailed(
            f"The checkout belongs to another user: run `git config --global --add safe.directory {folder}`."
        )
    raise GitFailed(f"{folder} is not in a git checkout: run this where the code is checked out.")


def command(arguments: tuple[str, ...]) -> list[str]:
    return ["git", *(word for setting in SETTINGS for word in ("-c", setting)), *arguments]


def environment() -> dict[str, str]:
    fixed_variables = {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    return {
        name: value for name, value in os.environ.items() if name not in UNSAFE_GIT_VARIABLES
    } | fixed_variables


def no_git() -> GitFailed:
    return GitFailed("The command `git` is missing: install it.")


def too_slow(name: str, seconds: float) -> GitFailed:
    return GitFailed(f"`git {name}` took longer than {seconds:g} seconds.")


def failure(stderr: bytes) -> GitFailed:
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    return GitFailed(f"git failed: {lines[0] if lines else 'it printed no message'}")
