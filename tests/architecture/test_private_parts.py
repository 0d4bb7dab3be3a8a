"""Undocumented parts of libraries: these tests fail if an upgrade changes one.

Each part is listed with its signature and the module of ours that uses it.
"""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from fastapi.dependencies.models import Dependant
from fastapi.dependencies.utils import request_params_to_args
from psycopg_pool import AsyncConnectionPool
from psycopg_pool.pool_async import AddConnection, MaintenanceTask
from starlette.formparsers import MultiPartParser
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.supervisors.multiprocess import Multiprocess

# `platform.web.protocol` limits what a connection may do.
PROTOCOL = {
    HttpToolsProtocol.connection_made: ["transport"],
    HttpToolsProtocol.connection_lost: ["exc"],
    HttpToolsProtocol.data_received: ["data"],
    HttpToolsProtocol.on_message_begin: [],
    HttpToolsProtocol.on_header: ["name", "value"],
    HttpToolsProtocol.on_headers_complete: [],
    HttpToolsProtocol.on_body: ["body"],
    HttpToolsProtocol.on_message_complete: [],
    HttpToolsProtocol.send_400_response: ["msg"],
    HttpToolsProtocol.on_response_complete: [],
    HttpToolsProtocol.pause_writing: [],
    HttpToolsProtocol.resume_writing: [],
    HttpToolsProtocol.shutdown: [],
}
OTHERS = {
    # `platform.web.serving` closes sockets before it stops processes.
    Multiprocess.terminate_all: [],
    # `platform.core.database_connections` reconnects quickly.
    AsyncConnectionPool.schedule_task: ["task", "delay"],
    # `platform.web.direct_calls` validates parameters as the framework does.
    request_params_to_args: ["fields", "received_params"],
    # `platform.web.forms` parses forms with limits.
    MultiPartParser: ["headers", "stream", "max_files", "max_fields", "max_part_size"],
}
ATTRIBUTES = {
    HttpToolsProtocol: {"cycle", "flow", "headers", "parser", "pipeline", "transport", "url", "loop"},
    RequestResponseCycle: {
        *("disconnected", "keep_alive", "message_event", "more_body"),
        *("response_complete", "response_started"),
    },
    Dependant: {
        *("dependencies", "path_params", "query_params", "header_params", "body_params", "cookie_params"),
        *("request_param_name", "websocket_param_name", "http_connection_param_name", "response_param_name"),
        *("background_tasks_param_name", "security_scopes_param_name", "name", "call"),
    },
}


@pytest.mark.parametrize(("function", "parameters"), [*PROTOCOL.items(), *OTHERS.items()])
def test_private_functions_have_the_parameters_that_we_pass(
    function: Callable[..., Any], parameters: list[str]
) -> None:
    assert [name for name in inspect.signature(function).parameters if name != "self"] == parameters


@pytest.mark.parametrize(("kind", "names"), ATTRIBUTES.items())
def test_private_classes_have_the_attributes_that_we_read(kind: type, names: set[str]) -> None:
    source = inspect.getsource(kind)

    assert {name for name in names if f"{name}:" not in source and f"self.{name} " not in source} == set()


def test_private_constants_have_the_values_that_we_expect() -> None:
    assert STATUS_LINE[400] == b"HTTP/1.1 400 Bad Request\r\n"
    assert issubclass(AddConnection, MaintenanceTask)
