"""The programs of a cluster: their paths and configuration files, and how they are killed and started."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

import pytest

FILES = Path(__file__).parents[2] / "deploy" / "cluster"
POSTGRES = Path("/usr/lib/postgresql")
PACKAGES = "etcd-server patroni pgbouncer haproxy postgresql"
STOP_SECONDS = 40


class Program:
    """A process with a log file; in the end it is killed together with its children."""

    def __init__(
        self, folder: Path, name: str, command: Sequence[str | Path], options: Mapping[str, Any]
    ) -> None:
        self.name = name
        self.command = list(command)
        self.options = dict(options)
        self.log = folder / f"{name}.log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command, stdout=log, stderr=log, start_new_session=True, **self.options
            )

    @property
    def pid(self) -> int:
        assert self.process is not None, "it was started"
        return self.process.pid

    def kill(self) -> None:
        """Kill the process and its children with SIGKILL."""
        assert self.process is not None, "it was started"
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """Stop the process as a service manager does, so that it can finish its work."""
        assert self.process is not None, "it was started"
        self.process.terminate()
        self.process.wait(STOP_SECONDS)

    def end(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.kill()

    def last_words(self) -> str:
        return f"{self.name}: {self.log.read_text(errors='replace')[-2_000:]}"


def program(name: str) -> str:
    path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
    if path is None:
        pytest.fail(f"A cluster needs {name}: install your system's packages {PACKAGES}.")
    return path


def postgres_programs() -> Path:
    """The folder of the newest PostgreSQL version installed on Debian."""
    folders = [folder for folder in POSTGRES.glob("*/bin") if (folder / "initdb").exists()]
    if not folders:
        pytest.fail(f"A cluster needs PostgreSQL: install your system's packages {PACKAGES}.")
    return max(folders, key=lambda folder: int(folder.parent.name))


def fill(name: str, values: Mapping[str, object]) -> str:
    """A file from `deploy/cluster` with its placeholders filled in."""
    return Template((FILES / name).read_text()).substitute(values)


def await_true(is_true: Callable[[], bool], seconds: float, said: Callable[[], str]) -> float:
    """Wait until the condition is true and return the seconds that it took."""
    began = time.monotonic()
    while not is_true():
        assert time.monotonic() - began < seconds, f"not within {seconds} s; {said()}"
        time.sleep(0.1)
    return time.monotonic() - began
