"""The storages that tests use: PostgreSQL, and with `make test-files` also an S3 server and a folder."""

import urllib.request
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from fastapi import FastAPI
from moto.server import ThreadedMotoServer

from instep.content.files.storage import Storages, open_storages
from instep.platform.core.config import settings
from instep.platform.core.database import Database
from tests.support.cast import Api

BUCKET = "help-center"


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    """The URL of an S3 server with an empty bucket."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    address = f"http://127.0.0.1:{port}"
    request = urllib.request.Request(f"{address}/{BUCKET}", method="PUT")
    with urllib.request.urlopen(request) as answer:
        assert answer.status == 200
    yield address
    server.stop()


@pytest.fixture(
    params=[
        "database",
        pytest.param("bucket", marks=pytest.mark.files),
        pytest.param("folder", marks=pytest.mark.files),
    ]
)
def place(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def files_setting(
    place: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> str | None:
    """The value of `INSTEP_FILES` for this storage."""
    if place == "database":
        return None
    if place == "folder":
        return f"file://{tmp_path}/files"
    address: str = request.getfixturevalue("s3_server")
    for name, value in (
        ("AWS_ENDPOINT_URL", address),
        ("AWS_ACCESS_KEY_ID", "testing"),
        ("AWS_SECRET_ACCESS_KEY", "testing"),
        ("AWS_REGION", "us-east-1"),
    ):
        monkeypatch.setenv(name, value)
    return f"s3://{BUCKET}/{uuid4().hex}"


@pytest.fixture(autouse=True)
def storages(app: FastAPI, api: Api, database: Database, files_setting: str | None) -> Storages:
    """The storages of the application."""
    opened = open_storages(settings().model_copy(update={"files": files_setting}), database)
    app.state.storages = opened
    return opened
