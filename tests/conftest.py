"""Fixtures for all tests: one PostgreSQL per run, one database per process, new companies per test."""

import asyncio
import gc
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from types import ModuleType

import httpx2
import pytest
from argon2 import PasswordHasher
from fastapi import FastAPI
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

from instep.accounts.people import actions as people_actions
from instep.accounts.people import passwords
from instep.app import create_app, put_into
from instep.platform.core import limits, sandbox
from instep.platform.core.config import settings
from instep.platform.core.database import Database, Tx
from instep.platform.core.embedded import EmbeddedPostgres
from instep.platform.core.outbound.client import OutboundClient
from instep.runtime import Runtime, worker_of
from tests.support.cast import Api, Cast, Client, assemble
from tests.support.commands import Operator
from tests.support.databases import create_database
from tests.support.limits import SetLimit, SetSetting
from tests.support.mail_server import MailServer, mail_serving
from tests.support.scheduling import ServersOnce, slow_first
from tests.support.sign_in import PASSWORD

FOLDER = "TEST_CLUSTER_FOLDER"


def pytest_configure(config: pytest.Config) -> None:
    for name in [name for name in os.environ if name.startswith("INSTEP_")]:
        del os.environ[name]
    os.environ["INSTEP_SITE_URL"] = "http://help.test"
    # Tests of embeddings turn them on themselves: the bundled model takes half a second to load.
    os.environ["INSTEP_EMBEDDINGS"] = "off"
    os.environ["INSTEP_SECRET_KEY"] = "what seals secrets while tests run"
    # Tests start dozens of servers and commands; without cached bytecode each would compile all of Instep.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    # The test transport tries to import sniffio for each request; this entry avoids a search in sys.path.
    sys.modules.setdefault("sniffio", None)  # type: ignore[arg-type]
    # The product already logs every request, so the client's log adds nothing.
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    # Tests that need randomness seed their own generators; resetting all of them takes as long as a test.
    config.option.randomly_reset_seed = False
    if not hasattr(config, "workerinput"):
        # Not in pytest's own folder: if root runs the tests, PostgreSQL's user can't enter that.
        os.environ[FOLDER] = tempfile.mkdtemp(prefix="instep-tests-")
        Path(os.environ[FOLDER]).chmod(0o711)
        # Tests that set no data folder use this one instead of the one of this machine's user.
        os.environ["XDG_DATA_HOME"] = os.environ[FOLDER]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> ServersOnce:
    # By default the scheduler runs files with few tests last, and those are the slow ones.
    config.option.loadscopereorder = False
    return ServersOnce(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Turn off garbage collection: collected tests live until the end of the run."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=slow_first)


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ[FOLDER], ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def cheap_passwords() -> Iterator[None]:
    """Make password hashing cheap: most dashboard tests start by signing someone in."""

    def refuse_weak(password: str, *guessable: str) -> None:
        if password != PASSWORD:
            passwords.refuse_weak(password, *guessable)

    with pytest.MonkeyPatch.context() as patches:
        # Estimating the strength of the test password, which is strong, takes 5 ms each time.
        patches.setattr(people_actions, "refuse_weak", refuse_weak)
        patches.setattr(passwords, "HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        yield


@pytest.fixture(scope="session", autouse=True)
async def shared_processes() -> AsyncIterator[None]:
    """Share one process pool among the event loops of all commands: starting a process takes a second."""
    loop, run_here = asyncio.get_running_loop(), sandbox.run_in_living_process

    async def run_there(function: Callable[..., object], *arguments: object, seconds: float) -> object:
        work = run_here(function, *arguments, seconds=seconds)
        if asyncio.get_running_loop() is loop or not loop.is_running():
            return await work
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, loop))

    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(sandbox, "run_in_living_process", run_there)
        yield


@pytest.fixture(scope="session")
def cluster() -> Iterator[EmbeddedPostgres]:
    speed = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
    with EmbeddedPostgres.attach(Path(os.environ[FOLDER]), settings=speed) as embedded:
        yield embedded


@pytest.fixture(scope="session")
def database_url(cluster: EmbeddedPostgres) -> str:
    """The URL of this test process's own database."""
    return create_database(cluster, f"test_{os.getpid()}")


@pytest.fixture(scope="session")
def new_url(cluster: EmbeddedPostgres) -> str:
    """The URL of a database for tests that depend on the complete set of workspaces."""
    return create_database(cluster, f"new_{os.getpid()}")


@pytest.fixture
async def new_owner(new_url: str) -> AsyncIterator[Tx]:
    """The database owner's connection to a new installation without workspaces."""
    async with await AsyncConnection.connect(new_url, autocommit=True) as connection:
        await connection.execute("truncate workspaces cascade")
        yield Tx(connection)


@pytest.fixture(scope="session")
def built_app() -> FastAPI:
    return create_app()


@pytest.fixture(scope="session")
async def pooled(database_url: str) -> AsyncIterator[Database]:
    opened = Database(database_url, size=10)
    await opened.open()
    yield opened
    await opened.close()


@pytest.fixture(scope="session")
async def pooled_owner(database_url: str) -> AsyncIterator[AsyncConnectionPool]:
    options = {"autocommit": True}
    async with AsyncConnectionPool(database_url, min_size=1, max_size=1, kwargs=options) as pool:
        yield pool


@pytest.fixture
def database(pooled: Database) -> Database:
    """The database that requests and jobs use; its connections serve one test after another."""
    return pooled


@pytest.fixture
async def owner(pooled_owner: AsyncConnectionPool) -> AsyncIterator[Tx]:
    """A connection as the database's owner, which bypasses row-level security."""
    async with pooled_owner.connection() as connection:
        # Tests without this fixture may have left jobs.
        await connection.execute("delete from jobs")
        yield Tx(connection)
        await connection.execute("delete from jobs")


@pytest.fixture
def operator(database_url: str) -> Operator:
    return Operator(database_url)


@pytest.fixture
async def cast(owner: Tx) -> Cast:
    return await assemble(owner)


@pytest.fixture
def app(built_app: FastAPI, database: Database) -> FastAPI:
    """The application with the test settings, whatever the previous test changed."""
    put_into(built_app, Runtime(settings(), database, b"a key for the cursors of the tests"))
    return built_app


@pytest.fixture
async def api(app: FastAPI) -> AsyncIterator[Api]:
    """A factory of clients with an API key, or with none."""
    clients: list[httpx2.AsyncClient] = []

    def client_for(key: str | None) -> httpx2.AsyncClient:
        headers = {"Authorization": f"Bearer {key}"} if key is not None else {}
        transport = httpx2.ASGITransport(app)
        client = httpx2.AsyncClient(transport=transport, base_url=settings().base_url, headers=headers)
        clients.append(client)
        return client

    yield client_for
    for client in clients:
        await client.aclose()


@pytest.fixture
async def new_api(app: FastAPI, api: Api, new_owner: Tx, new_url: str) -> AsyncIterator[Api]:
    """Clients of an application that uses the database of a new installation."""
    database = Database(new_url, size=2)
    await database.open()
    put_into(app, Runtime(settings(), database, b"a key for the cursors of the tests"))
    yield api
    await database.close()


@pytest.fixture
def client(api: Api, cast: Cast) -> Client:
    """A client with Acme's write key."""
    return api(cast.acme.write_key)


@pytest.fixture
def reader(api: Api, cast: Cast) -> Client:
    """A client with Acme's read key."""
    return api(cast.acme.read_key)


@pytest.fixture
def wide(api: Api, cast: Cast) -> Client:
    """A client with a write key for both of Acme's bots."""
    return api(cast.wide_key)


@pytest.fixture
def globex(api: Api, cast: Cast) -> Client:
    """A client with Globex's write key; it must see nothing of Acme."""
    return api(cast.globex.write_key)


@pytest.fixture
def visitor(api: Api) -> Client:
    """A client without a key."""
    return api(None)


@pytest.fixture
def set_limit(monkeypatch: pytest.MonkeyPatch) -> SetLimit:
    def set_for_this_test(name: str, value: float, module: ModuleType = limits) -> None:
        monkeypatch.setattr(module, name, value)

    return set_for_this_test


@pytest.fixture
def set_setting() -> Iterator[SetSetting]:
    with pytest.MonkeyPatch.context() as environment:

        def set_for_this_test(name: str, value: str) -> None:
            environment.setenv(name, value)
            settings.cache_clear()

        yield set_for_this_test
    settings.cache_clear()


@pytest.fixture
async def mail(set_setting: SetSetting) -> AsyncIterator[MailServer]:
    """An SMTP server that this installation sends its email through."""
    async with mail_serving() as server:
        set_setting("INSTEP_EMAIL_FROM", "Acme Help <help@acme.example>")
        set_setting("INSTEP_SMTP_URL", f"smtp://127.0.0.1:{server.port}")
        yield server


@pytest.fixture
def run_jobs(database: Database) -> Callable[[], Awaitable[int]]:
    """Run all jobs that are due, as a worker would."""
    return worker_of(database, OutboundClient(settings().allow_list)).run_due
