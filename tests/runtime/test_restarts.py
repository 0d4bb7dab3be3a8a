"""What dies comes back without a person, and what is told to stop leaves nothing behind."""

import signal
import time
from collections.abc import Iterator

import httpx2
import pytest

from tests.runtime.installation import Installation, Process, installed, kill

BACK_SECONDS = 10
TEXT = {"title": "Install", "contentMarkdown": "Run it."}


@pytest.fixture
def installation() -> Iterator[Installation]:
    with installed() as made:
        yield made


def test_a_killed_server_starts_again_with_everything_that_was_saved(installation: Installation) -> None:
    server = installation.serve()
    client = installation.client()
    assert client.post("/v1/articles", json=TEXT).status_code == 201
    kill_and_wait(server)

    began = time.monotonic()
    installation.serve()

    assert time.monotonic() - began < BACK_SECONDS
    assert client.get("/v1/articles/install").json()["contentMarkdown"] == "Run it."


def test_a_server_starts_again_when_its_postgres_was_killed_with_it(installation: Installation) -> None:
    server = installation.serve()
    client = installation.client()
    assert client.post("/v1/articles", json=TEXT).status_code == 201
    kill(server.pid, installation.postmaster)
    server.wait()

    began = time.monotonic()
    installation.serve()

    assert time.monotonic() - began < BACK_SECONDS
    assert client.get("/v1/articles/install").status_code == 200


def test_a_running_server_outlives_its_postgres(installation: Installation) -> None:
    installation.serve()
    client = installation.client()
    assert client.post("/v1/articles", json=TEXT).status_code == 201
    before = installation.postmaster
    kill(before)

    meanwhile: list[httpx2.Response] = []

    def is_back() -> bool:
        meanwhile.append(client.get("/v1/articles/install"))
        return (
            meanwhile[-1].status_code == 200 and installation.is_ready() and installation.postmaster != before
        )

    installation.until(is_back, BACK_SECONDS)

    assert {answer.status_code for answer in meanwhile} <= {200, 503}
    for answer in meanwhile:
        if answer.status_code == 503:
            assert answer.json()["code"] == "unavailable"
            assert int(answer.headers["Retry-After"]) >= 1
    assert client.patch("/v1/articles/install", json={"title": "Set up"}).status_code == 200


def test_a_killed_worker_is_replaced_by_starting_another(installation: Installation) -> None:
    installation.serve("--no-jobs")
    client = installation.client()
    kill_and_wait(installation.start("worker"))

    installation.start("worker")

    finish_a_task(installation, client)
    assert installation.is_ready()


def test_a_worker_outlives_its_postgres(installation: Installation) -> None:
    installation.serve("--no-jobs")
    client = installation.client()
    installation.start("worker")
    kill(installation.postmaster)
    installation.until(installation.is_ready, BACK_SECONDS)

    finish_a_task(installation, client)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_is_told_to_stop_leaves_nothing_behind(
    installation: Installation, number: signal.Signals
) -> None:
    server = installation.serve()
    assert installation.postgres

    server.send_signal(number)

    server.wait(BACK_SECONDS)
    assert installation.postgres == []


def test_a_server_stopped_by_its_supervisor_ends_with_success(installation: Installation) -> None:
    server = installation.serve()

    server.send_signal(signal.SIGTERM)

    assert server.wait(BACK_SECONDS) == 0


def test_a_worker_that_is_told_to_stop_leaves_the_server_its_database(installation: Installation) -> None:
    server = installation.serve("--no-jobs")
    client = installation.client()
    worker = installation.start("worker")
    finish_a_task(installation, client)

    worker.send_signal(signal.SIGTERM)
    assert worker.wait(BACK_SECONDS) == 0
    assert installation.is_ready()

    server.send_signal(signal.SIGTERM)
    server.wait(BACK_SECONDS)
    assert installation.postgres == []


def finish_a_task(installation: Installation, client: httpx2.Client) -> None:
    """A worker runs, since what is sent comes to its end."""
    path = client.post("/v1/tasks", json={"change": {"kind": "pr", "title": "Rename it"}}).headers["Location"]
    installation.until(lambda: bool(client.get(path).json()["status"] == "completed"), BACK_SECONDS)


def kill_and_wait(process: Process) -> None:
    process.kill()
    process.wait()
