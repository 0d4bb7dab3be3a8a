"""Clones a branch to the local disk for the duration of one check of the articles.

git itself connects to the code host, under the rules of the outbound guard (docs/decisions/0009): only to
addresses vetted by the guard, without redirects, proxies, local configuration or programs from the
repository.
"""

import asyncio
import base64
import fcntl
import os
import re
import shutil
import signal
import ssl
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp

from instep.client.ci.git import Git
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.disk import MIN_FREE_BYTES, free_space_at
from instep.platform.core.outbound.client import NotConnected, OutboundClient
from instep.platform.core.outbound.networks import Address
from instep.platform.core.outbound.urls import Url, parse_url
from instep.platform.text.characters import in_one_line, shorten
from instep.transfer.repositories.hosts.host_requests import HostBusy, HostFailed, HostRefused

FOLDER = "clones"
BRANCH = "refs/heads/clone"
# System programs need these variables; no others are passed on.
PASSED_VARIABLES = ("PATH", "LD_LIBRARY_PATH")
# The first version that can connect to given addresses (`http.curloptResolve`).
MIN_GIT = (2, 37)
GIT_VERSION = re.compile(r"git version (\d+)\.(\d+)")
WATCH_SECONDS = 0.2
MAX_MESSAGE_BYTES = 4_096
GIB = 1024**3
INSTEAD = "Run `instep drift` in a checkout or in CI instead."
NO_GIT = (
    f"The server needs git {MIN_GIT[0]}.{MIN_GIT[1]} or newer to read the history. The operator can"
    f" install it. {INSTEAD}"
)
TOO_LARGE = f"The repository's history is larger than {limits.MAX_CLONE_BYTES // GIB} GB. {INSTEAD}"
TOO_SLOW = (
    f"The repository's history could not be fetched within {limits.CLONE_SECONDS // 60} minutes. {INSTEAD}"
)
NO_SPACE = "The server has too little free disk space for the repository's history."
ERROR_STATUS = re.compile(r"returned error: (\d{3})")
# git treats larger files as binary, which bounds the memory for comparing them.
BIG_FILES = str(limits.MAX_DRIFT_FILE_BYTES)
# A connection below this speed, in bytes per second, for this long, in seconds, is closed.
MIN_BYTES_PER_SECOND, MAX_SLOW_SECONDS = "1000", "60"


@dataclass(frozen=True, slots=True)
class Origin:
    """The branch to clone; `credentials` are `user:password`, `host_name` is the host's name in messages."""

    host_name: str
    url: str
    branch: str
    credentials: str = field(repr=False)


@asynccontextmanager
async def cloned(client: OutboundClient, origin: Origin) -> AsyncIterator[Git]:
    """A bare repository with the history of a branch as `BRANCH`, which is deleted at the end.

    Raises `HostRefused`, `HostBusy` and `HostFailed`.
    """
    await require_git()
    target = parse_url(origin.url)
    try:
        addresses = await client.vet(target)
    except NotConnected as failure:
        raise HostFailed(f"{origin.host_name} can't be reached: {failure.message}") from None
    with new_folder(settings().data_dir / FOLDER) as folder:
        configuration = {**pinned(target, addresses), **authorization(origin.credentials), **BOUNDS}
        variables = git_variables(folder, configuration, target.scheme)
        await run_git(folder, variables, "init", "--bare", "--quiet", "--template=", "repository")
        fetch = ("--git-dir=repository", "fetch", "--quiet", "--no-tags", "--no-write-fetch-head")
        depth, refspec = f"--depth={limits.MAX_CLONE_COMMITS}", f"+refs/heads/{origin.branch}:{BRANCH}"
        await run_git(folder, variables, *fetch, depth, "--", origin.url, refspec, origin=origin)
        yield Git(folder / "repository", git_variables(folder, BOUNDS, ""))


@contextmanager
def new_folder(parent: Path) -> Iterator[Path]:
    """A folder that is deleted at the end. First, folders of killed processes are deleted."""
    parent.mkdir(parents=True, exist_ok=True)
    with folder_lock(parent, fcntl.LOCK_EX):
        sweep(parent)
        folder = Path(mkdtemp(dir=parent))
        descriptor = os.open(folder, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def sweep(parent: Path) -> None:
    """Delete folders that no process has locked; the kernel releases the locks of killed processes."""
    for folder in parent.iterdir():
        with suppress(OSError), folder_lock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB):
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def folder_lock(folder: Path, kind: int) -> Iterator[None]:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, kind)
        yield
    finally:
        os.close(descriptor)


BOUNDS: Mapping[str, str] = {
    "core.bigFileThreshold": BIG_FILES,
    "core.hooksPath": os.devnull,
    # The reading process has little address space.
    "core.packedGitLimit": "256m",
    "core.packedGitWindowSize": "16m",
    "fetch.recurseSubmodules": "false",
    # Always one pack, even for few objects, so that its size can be monitored.
    "fetch.unpackLimit": "1",
    "gc.auto": "0",
    "http.followRedirects": "false",
    "http.lowSpeedLimit": MIN_BYTES_PER_SECOND,
    "http.lowSpeedTime": MAX_SLOW_SECONDS,
    "http.proxy": "",
    "maintenance.auto": "false",
    "pack.threads": "1",
}


def pinned(target: Url, addresses: Sequence[Address]) -> dict[str, str]:
    """The setting with which git connects to these addresses without DNS."""
    if target.address is not None:
        return {}
    names = ",".join(f"[{address}]" if address.version == 6 else str(address) for address in addresses)
    return {"http.curloptResolve": f"{target.host}:{target.port}:{names}"}


def authorization(credentials: str) -> dict[str, str]:
    value = base64.b64encode(credentials.encode()).decode()
    return {"http.extraHeader": f"Authorization: Basic {value}"}


def git_variables(folder: Path, configuration: Mapping[str, str], scheme: str) -> dict[str, str]:
    """The environment of git: no system or user configuration, and only this protocol, or none."""
    passed = {name: os.environ[name] for name in PASSED_VARIABLES if name in os.environ}
    fixed = {
        "HOME": str(folder),
        "LC_ALL": "C",
        "GIT_ALLOW_PROTOCOL": scheme,
        "GIT_CONFIG_COUNT": str(len(configuration)),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
    }
    # The system's certificates or those in `SSL_CERT_FILE`, as elsewhere.
    certificates = ssl.get_default_verify_paths().cafile
    trust = {"GIT_SSL_CAINFO": certificates} if certificates else {}
    numbered = dict[str, str]()
    for number, (name, value) in enumerate(configuration.items()):
        numbered |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return passed | fixed | trust | numbered


async def require_git() -> None:
    try:
        process = await asyncio.create_subprocess_exec(
            "git", "version", stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL, env=git_variables(Path(), {}, "")
        )
    except OSError:
        raise HostRefused(NO_GIT) from None
    output, _ = await process.communicate()
    version = GIT_VERSION.match(output.decode("utf-8", "replace"))
    if version is None or (int(version[1]), int(version[2])) < MIN_GIT:
        raise HostRefused(NO_GIT)


async def run_git(
    folder: Path, variables: Mapping[str, str], *arguments: str, origin: Origin | None = None
) -> None:
    """Run git until it ends, or stop it and its children if it uses too much time or disk."""
    allowed_bytes = min(limits.MAX_CLONE_BYTES, free_space_at(folder).free - MIN_FREE_BYTES)
    if allowed_bytes <= 0:
        raise HostRefused(NO_SPACE)
    # Messages from the host also go to a file, so that they count toward the limit.
    message = folder / "message"
    with message.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            *("git", *arguments),
            cwd=folder,
            env=variables,
            stdin=DEVNULL,
            stdout=DEVNULL,
            stderr=stderr,
            start_new_session=True,
        )
    try:
        async with asyncio.timeout(limits.CLONE_SECONDS):
            await watch(process, folder, allowed_bytes)
    except TimeoutError:
        raise HostRefused(TOO_SLOW) from None
    finally:
        await end(process)
    if process.returncode:
        raise failure_of(origin, last_words(message))


async def watch(process: Process, folder: Path, allowed_bytes: int) -> None:
    while process.returncode is None:
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), WATCH_SECONDS)
        if size_of(folder) > allowed_bytes:
            raise HostRefused(TOO_LARGE if allowed_bytes == limits.MAX_CLONE_BYTES else NO_SPACE)


async def end(process: Process) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


def size_of(folder: Path) -> int:
    """The size in bytes of a folder's files, which may change meanwhile."""
    size = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                size += os.stat(os.path.join(parent, name)).st_size
    return size


def last_words(message: Path) -> str:
    """The last lines of git's output, which say why it ended, without the URL."""
    with message.open("rb") as file:
        file.seek(max(0, message.stat().st_size - MAX_MESSAGE_BYTES))
        lines = file.read().decode("utf-8", "replace").splitlines()
    return in_one_line(" ".join(line for line in lines if line.startswith(("fatal:", "error:"))))


def failure_of(origin: Origin | None, words: str) -> Exception:
    """The error for people, based on git's output, without the token."""
    if origin is None:
        return HostFailed(f"git failed: {shorten(words, 200)}")
    status = ERROR_STATUS.search(words)
    number = int(status[1]) if status else 0
    if number == 429:
        return HostBusy(limits.CODE_HOST_DELAY)
    if 300 <= number < 400:
        return HostRefused(
            f"{origin.host_name} redirects git to another address, to which Instep sends no token."
        )
    if number in (401, 403) or "could not read Username" in words or "Authentication failed" in words:
        return HostRefused(f"{origin.host_name} does not allow the token to read the code with git.", 403)
    if "not found" in words or number == 404:
        return HostRefused(
            f"{origin.host_name} reports to git that the repository does not exist, or hides it.", 404
        )
    if "find remote ref" in words:
        return HostRefused(f"The repository has no branch {origin.branch}.")
    return HostFailed(f"{origin.host_name} did not send the code: {shorten(words, 200)}")
