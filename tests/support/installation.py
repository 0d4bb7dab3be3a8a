"""A whole installation in its own processes: a data folder, servers, and workers that can be killed."""

import json
import os
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path

import httpx2

from instep.cli import main
from instep.platform.core.embedded import processes
from tests.support.cast import Json

COMMAND = Path(sys.executable).with_name("instep")
READY_SECONDS = 60

# Importing Instep takes most of a start's processor time, so one process does it for all servers.
FORKS = ForkServerContext()
FORKS.set_forkserver_preload(["instep.app", "instep.worker", "instep.platform.migrations", __name__])


class Process(ForkServerProcess):
    """A running command `instep` with these arguments.

    It runs in the folder; the paths of its input and output files are relative to it.
    """

    def __init__(
        self,
        folder: Path,
        environment: Mapping[str, str],
        *arguments: str,
        stdin: str = os.devnull,
        stdout: str = "log",
        stderr: str = "log",
    ) -> None:
        super().__init__(target=run_forked, args=(folder, environment, arguments, stdin, stdout, stderr))
        self.start()

    @property
    def pid(self) -> int:
        assert self.ident is not None, "it has started"
        return self.ident

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def wait(self, seconds: float | None = None) -> int | None:
        """Wait for the process and return its exit code."""
        self.join(seconds)
        return self.exitcode


def run_forked(
    folder: Path,
    environment: Mapping[str, str],
    arguments: tuple[str, ...],
    stdin: str,
    stdout: str,
    stderr: str,
) -> None:
    """Turn this process into the command, with its output appended to files."""
    os.chdir(folder)
    with Path(stdin).open() as typed, Path(stdout).open("ab") as out, Path(stderr).open("ab") as err:
        for number, file in enumerate((typed, out, err)):
            os.dup2(file.fileno(), number)
    sys.stdin = os.fdopen(0)
    if "LD_PRELOAD" in environment:
        os.execve(COMMAND, ["instep", *arguments], environment)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["instep", *arguments]
    main()


def loaded_modules() -> set[str]:
    """The modules that are loaded when a server or worker starts."""
    names, child = FORKS.Pipe(duplex=False)
    process = FORKS.Process(target=send_loaded_modules, args=(child,))
    process.start()
    loaded: set[str] = names.recv()
    process.join()
    return loaded


def send_loaded_modules(names: Connection) -> None:
    names.send(set(sys.modules))


class Installation:
    """An operator's installation: a data folder, an address, and the command `instep`."""

    def __init__(self, folder: Path, key: str | None = None, /, **settings: str) -> None:
        self.folder = folder
        self.key = key
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        ours = {
            "INSTEP_DATA_DIR": str(folder),
            "INSTEP_SITE_URL": self.url,
            "INSTEP_REQUESTS_PER_MINUTE": "100000",
            # Servers that compute embeddings would keep the test machine busy.
            "INSTEP_EMBEDDINGS": "off",
        }
        others = {name: value for name, value in os.environ.items() if not name.startswith("INSTEP_")}
        self.environment = others | ours | settings
        self.running: list[Process] = []
        self.clients: list[httpx2.Client] = []

    def start(self, *arguments: str) -> Process:
        (self.folder / "log").touch()
        self.running.append(Process(self.folder, self.environment, *arguments))
        return self.running[-1]

    def serve(self, *arguments: str) -> Process:
        """Start a server, with one process by default, and wait until it is ready."""
        workers = () if "--workers" in arguments else ("--workers", "1")
        server = self.start("serve", "--port", str(self.port), *workers, *arguments)
        self.until(self.is_ready, READY_SECONDS)
        return server

    def run(self, *arguments: str, typed: str = "") -> Json:
        """Run a command with this text as standard input, and return its output."""
        with new_folder() as streams:
            stdin, stdout, stderr = (streams / name for name in ("stdin", "stdout", "stderr"))
            stdin.write_text(typed)
            process = Process(
                self.folder,
                self.environment,
                *arguments,
                "--json",
                stdin=str(stdin),
                stdout=str(stdout),
                stderr=str(stderr),
            )
            assert process.wait() == 0, stderr.read_text()
            printed: Json = json.loads(stdout.read_text())
        return printed

    def client(self) -> httpx2.Client:
        """A client with write access to the installation's only bot."""
        if self.key is None:
            self.run("bot", "create", "Acme")
            self.key = self.run("key", "create", "writer", "--scope", "content:write")["key"]
        headers = {"Authorization": f"Bearer {self.key}"}
        self.clients.append(httpx2.Client(base_url=self.url, headers=headers, timeout=30, verify=False))
        return self.clients[-1]

    def is_ready(self) -> bool:
        try:
            # Without certificates, which take more processor time to load than the server needs.
            return httpx2.get(f"{self.url}/readyz", timeout=10, verify=False).status_code == 200
        except httpx2.TransportError:
            return False

    def until(self, is_true: Callable[[], bool], seconds: float) -> float:
        """Wait until the condition is true and return the seconds that it took."""
        began = time.monotonic()
        while not is_true():
            assert time.monotonic() - began < seconds, (
                f"not within {seconds} s; the log ends:\n{self.last_words()}"
            )
            time.sleep(0.05)
        return time.monotonic() - began

    def last_words(self) -> str:
        return (self.folder / "log").read_text()[-20_000:]

    @property
    def postgres(self) -> list[int]:
        """The process ids of the embedded PostgreSQL."""
        pgdata = self.folder / "postgres"
        return processes.running_in(pgdata) if pgdata.exists() else []

    @property
    def postmaster(self) -> int:
        return int((self.folder / "postgres" / "postmaster.pid").read_text().split()[0])

    def end(self) -> None:
        for client in self.clients:
            client.close()
        for process in self.running:
            process.kill()
            process.wait()
        while pids := self.postgres:
            processes.send(pids, signal.SIGKILL)
            time.sleep(0.01)


@dataclass(frozen=True, slots=True)
class Template:
    """The data folder of a stopped installation with one bot, and a key with write access to it."""

    folder: Path
    key: str


@contextmanager
def installed(template: Template | None = None, /, **settings: str) -> Iterator[Installation]:
    """Run an installation in its own folder, new or copied; every process is stopped in the end."""
    with new_folder() as folder:
        if template is not None:
            shutil.copytree(template.folder / "postgres", folder / "postgres")
        installation = Installation(folder, template.key if template else None, **settings)
        try:
            yield installation
        finally:
            installation.end()


@contextmanager
def new_folder() -> Iterator[Path]:
    """A folder that PostgreSQL's user may enter."""
    folder = Path(tempfile.mkdtemp(prefix="instep-test-", dir="/tmp"))
    folder.chmod(0o711)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port


def kill(*pids: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
