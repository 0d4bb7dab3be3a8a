"""Runs the command `instep` in this process and cleans up its settings."""

import asyncio
import io
import json
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from unittest.mock import patch

from instep.cli import main
from instep.platform.core.config import settings
from tests.support.cast import Json


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The output of a command, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        assert self.code == 0, self.err
        return self.out

    @property
    def json(self) -> Json:
        """The output, which must be a single line of JSON."""
        answer: Json = json.loads(self.text)
        assert self.out.count("\n") == 1
        return answer

    @property
    def refusal(self) -> str:
        """The single error line of a command that failed."""
        assert (self.code, self.out) == (1, "")
        [line] = self.err.splitlines()
        assert line.startswith("instep: ")
        return line


def run_command(*arguments: str, typed: str = "", **environment: str) -> CommandResult:
    """Run a command as a shell would. Not from a running event loop: the command starts its own."""
    code, out, err = 0, io.StringIO(), io.StringIO()
    with (
        patch.dict(os.environ, environment),
        patch.object(sys, "argv", ["instep", *arguments]),
        patch.object(sys, "stdin", io.StringIO(typed)),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        settings.cache_clear()
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else exit_code_of(end.code)
    settings.cache_clear()
    return CommandResult(code, out.getvalue(), err.getvalue())


def exit_code_of(words: str | None) -> int:
    """Do what the interpreter does on exit: a message goes to standard error and means failure."""
    if words is None:
        return 0
    sys.stderr.write(f"{words}\n")
    return 1


class Operator:
    """Runs commands on a server that uses the tests' database."""

    def __init__(self, database_url: str, **settings: str) -> None:
        self.settings = {"INSTEP_DATABASE_URL": database_url, **settings}

    async def run(self, *arguments: str, typed: str = "", **environment: str) -> CommandResult:
        environment = {**self.settings, **environment}
        return await asyncio.to_thread(run_command, *arguments, typed=typed, **environment)

    async def text(self, *arguments: str) -> str:
        return (await self.run(*arguments)).text

    async def json(self, *arguments: str, **environment: str) -> Json:
        return (await self.run(*arguments, "--json", **environment)).json

    async def refused(self, *arguments: str, **environment: str) -> str:
        return (await self.run(*arguments, **environment)).refusal
