"""All outbound calls go through the guard, and a single function in the guard opens connections."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.source_code import PACKAGE, REPOSITORY, product_modules

GUARD = "platform/core/outbound"
LIBRARIES = {
    *(
        "aiodns",
        "aiohttp",
        "aiosmtplib",
        "ftplib",
        "h11",
        "http.client",
        "httpcore2",
        "httpx",
        "httpx2",
    ),
    *("imaplib", "poplib", "pycares", "requests", "smtplib", "socket", "socketserver", "urllib.request"),
    *("urllib3", "websockets", "xmlrpc"),
}
CALLS = {
    *("connect_ssl", "connect_tcp", "connect_unix", "create_connection", "create_datagram_endpoint"),
    *("getaddrinfo", "open_connection", "open_unix_connection", "sock_connect", "sock_sendto", "urlopen"),
}
ELSEWHERE = {
    ("platform/email/smtp", "aiosmtplib"): "calls the SMTP server that the operator has set",
    ("client/ci/transport", "http.client"): "names an error of the library below",
    (
        "client/ci/transport",
        "urllib.request",
    ): "a command of a CI, which calls the server that its owner names",
    ("platform/core/embedded/wire", "socket"): "knocks at the Unix socket of our own PostgreSQL",
    ("platform/core/jobs/worker", "socket"): "asks for the name of this machine",
    ("demo/command", "socket"): "names the kind of a listening socket",
    ("platform/web/listening", "getaddrinfo"): "reads the address that the operator has it listen on",
    ("platform/web/listening", "socket"): "listens, and sends nothing",
    ("platform/web/loop", "socket"): "accepts the connections that wait when a server stops",
    ("platform/web/protocol", "socket"): "sets an option of a connection that came in",
    ("platform/web/ready", "http.client"): "asks its own listening socket whether the server answers",
    ("platform/web/ready", "socket"): "names the kind of the socket that it asks",
    ("platform/web/serving", "socket"): "names the kind of the sockets that it is given",
    ("notifications/webhooks/listen", "socket"): "receives, and sends nothing",
}


def test_only_the_guard_opens_connections() -> None:
    uses = {
        (module, means)
        for module, tree in modules(PACKAGE)
        if not module.startswith(GUARD)
        for means in means_of(tree)
    }

    assert uses == set(ELSEWHERE)


def test_in_the_guard_one_module_connects_and_all_else_is_given_its_sockets() -> None:
    guard = dict(modules(PACKAGE / GUARD))

    assert {module for module, tree in guard.items() if "sock_connect" in means_of(tree)} == {
        "happy_eyeballs"
    }
    others = means_of(guard["client"]) | means_of(guard["streams"]) | means_of(guard["happy_eyeballs"])
    assert others & CALLS == {"open_connection", "sock_connect"}
    for tree in guard.values():
        for call in calls_of(tree, "open_connection"):
            assert not call.args
            assert "sock" in {keyword.arg for keyword in call.keywords}
        for call in calls_of(tree, "AsyncHTTP11Connection"):
            assert len(call.args) == 2


@pytest.mark.parametrize(
    ("source", "means"),
    [
        ("import urllib.request", "urllib.request"),
        ("from urllib import request", "urllib.request"),
        ("from http import client as c", "http.client"),
        ("import requests.sessions", "requests"),
        ("import asyncio\nasyncio.open_connection('a', 1)", "open_connection"),
        ("from anyio import connect_tcp as go", "connect_tcp"),
        ("loop.create_connection(f, 'a', 1)", "create_connection"),
    ],
)
def test_every_way_of_calling_out_is_seen(source: str, means: str) -> None:
    assert means in means_of(ast.parse(source))


def test_imports_that_only_parse_addresses_are_allowed() -> None:
    source = "from urllib.parse import quote\nimport http\nimport asyncio, ssl\nasyncio.start_server(f)"

    assert means_of(ast.parse(source)) == set()


def modules(folder: Path) -> Iterator[tuple[str, ast.Module]]:
    for module in product_modules():
        file = REPOSITORY / module.file
        if file.is_relative_to(folder):
            yield file.relative_to(folder).with_suffix("").as_posix(), module.tree


def means_of(tree: ast.Module) -> set[str]:
    """The imported libraries and named functions that can make outbound calls."""
    imports, names = set[str](), set[str]()
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                imports |= {alias.name for alias in node.names}
            case ast.ImportFrom():
                imports |= {f"{node.module}.{alias.name}" for alias in node.names}
                names |= {alias.name for alias in node.names}
            case ast.Attribute(attr=name) | ast.Name(id=name):
                names.add(name)
    begun = {".".join(path.split(".")[:length]) for path in imports for length in (1, 2)}
    return (begun & LIBRARIES) | (names & CALLS)


def calls_of(tree: ast.Module, name: str) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr=called) | ast.Name(id=called)) if called == name:
                yield node
