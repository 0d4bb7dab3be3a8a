"""Killed processes come back by themselves, and stopped ones leave nothing running."""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import httpx2
import pytest

from tests.support.installation import (
    READY_SECONDS,
    Installation,
    Process,
    Template,
    installed,
    kill,
    new_folder,
)

# The documented time for a process to end; starting takes two seconds on an idle machine.
BACK_SECONDS = 30
TEXT = {"title": "Install", "contentMarkdown": "Run it."}

StartWorker = Callable[[], Process]


@pytest.fixture(scope="module")
def template() -> Iterator[Template]:
    """The folder that an operator's first two commands create, made once."""
    with new_folder() as folder:
        installation = Installation(folder)
        installation.client()
        assert installation.key is not None
        yield Template(folder, installation.key)
        installation.end()


@pytest.fixture
def installation(template: Template) -> Iterator[Installation]:
    with installed(template) as new_installation:
        yield new_installation


@pytest.fixture(scope="module")
def serving(template: Template) -> Iterator[Installation]:
    """An installation whose server runs no jobs, so that workers do."""
    with installed(template) as new_installation:
        new_installation.serve("--no-jobs")
        yield new_installation


def test_a_killed_server_starts_again_with_everything_that_was_saved(installation: Installation) -> None:
    server = installation.serve()
    client = installation.client()
    assert client.post("/v1/articles", json=TEXT).status_code == 201
    kill(server.pid)
    server.wait()

    seconds, server = timed(installation.serve)

    assert seconds < BACK_SECONDS
    assert client.get("/v1/articles/install").json()["contentMarkdown"] == "Run it."
    assert client.patch("/v1/articles/install", json={"title": "Set up"}).status_code == 200
    kill(server.pid, installation.postmaster)
    server.wait()

    seconds, _ = timed(installation.serve)

    assert seconds < BACK_SECONDS
    assert client.get("/v1/articles/install").json()["title"] == "Set up"


def test_a_running_server_outlives_its_postgres(serving: Installation) -> None:
    client = serving.client()
    created = client.post("/v1/articles", json=TEXT)
    assert created.status_code == 201
    address = f"/v1/articles/{created.json()['id']}"
    before = serving.postmaster
    kill(before)

    meanwhile: list[httpx2.Response] = []

    def is_back() -> bool:
        meanwhile.append(client.get(address))
        return meanwhile[-1].status_code == 200 and has_new_postgres(serving, before)

    serving.until(is_back, BACK_SECONDS)

    assert {answer.status_code for answer in meanwhile} <= {200, 503}
    for answer in meanwhile:
        if answer.status_code == 503:
            assert answer.json()["code"] == "unavailable"
            assert int(answer.headers["Retry-After"]) >= 1
    assert client.patch(address, json={"title": "Set up"}).status_code == 200


def test_a_killed_worker_is_replaced_by_starting_another(
    serving: Installation, start_worker: StartWorker
) -> None:
    killed = start_worker()
    killed.kill()
    killed.wait()

    start_worker()

    assert finish_a_task(serving)
    assert serving.is_ready()


def test_a_worker_outlives_its_postgres(serving: Installation, start_worker: StartWorker) -> None:
    start_worker()
    before = serving.postmaster
    kill(before)
    serving.until(lambda: has_new_postgres(serving, before), BACK_SECONDS)

    assert finish_a_task(serving)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_is_told_to_stop_ends_with_success_and_leaves_nothing_behind(
    installation: Installation, number: signal.Signals
) -> None:
    server = installation.serve()
    assert installation.postgres

    server.send_signal(number)

    assert server.wait(BACK_SECONDS) == 0
    assert installation.postgres == []
    assert '"level": "error"' not in installation.last_words()


def test_a_worker_that_is_told_to_stop_leaves_the_server_its_database(
    serving: Installation, start_worker: StartWorker
) -> None:
    worker = start_worker()
    assert finish_a_task(serving)

    worker.send_signal(signal.SIGTERM)

    assert worker.wait(BACK_SECONDS) == 0
    assert serving.is_ready()
    assert serving.last_words().count("the worker has stopped") == 1
    assert "the worker is ready" in serving.last_words()


@pytest.fixture
def start_worker(serving: Installation) -> Iterator[StartWorker]:
    """Starts workers next to the server; they end with the test."""
    workers: list[Process] = []

    def start() -> Process:
        workers.append(serving.start("worker"))
        return workers[-1]

    yield start
    for worker in workers:
        worker.kill()
        worker.wait()


def timed(start: Callable[[], Process]) -> tuple[float, Process]:
    """The process and the seconds that it took to start."""
    began = time.monotonic()
    process = start()
    return time.monotonic() - began, process


def has_new_postgres(installation: Installation, before: int) -> bool:
    """True once a new postmaster runs: a killed PostgreSQL still answers for a moment, under the old pid."""
    with suppress(FileNotFoundError):
        return installation.postmaster != before and installation.is_ready()
    return False


def finish_a_task(installation: Installation) -> bool:
    """Send a task and wait until it is completed, which needs a running worker."""
    client = installation.client()
    answers: list[httpx2.Response] = []

    def is_taken() -> bool:
        answers.append(client.post("/v1/tasks", json={"change": {"kind": "pr", "title": "Rename it"}}))
        return answers[-1].status_code == 202

    def is_completed() -> bool:
        task = client.get(answers[-1].headers["Location"])
        return task.status_code == 200 and task.json()["status"] == "completed"

    return installation.until(is_taken, BACK_SECONDS) + installation.until(is_completed, READY_SECONDS) > 0
