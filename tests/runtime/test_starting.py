"""Output of a starting server: text at a terminal, JSON elsewhere, and the reasons for not starting."""

import errno
import json
import os
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from instep.platform.web.listening import CanNotListen, listen
from tests.runtime.terminal import Terminal, at_terminal
from tests.support.installation import COMMAND, READY_SECONDS, Installation, installed, kill
from tests.support.wording import like

HEALTH_CHECKS = re.compile(
    r'^instep_http_requests_total\{method="GET",route="/healthz",status="2xx"\} (.+)$', re.MULTILINE
)


@pytest.fixture
def installation() -> Iterator[Installation]:
    with installed() as new_installation:
        del new_installation.environment["INSTEP_SITE_URL"]
        yield new_installation


def until(installation: Installation, terminal: Terminal, words: str) -> None:
    installation.until(lambda: words in terminal.text, READY_SECONDS)


def test_a_first_start_at_a_terminal_tells_its_steps_and_then_where_instep_is(
    installation: Installation,
) -> None:
    port, url = str(installation.port), installation.url
    environment = installation.environment | {"NO_COLOR": "1"}
    with at_terminal(installation.folder, environment, "serve", "--port", port) as terminal:
        until(installation, terminal, "API reference")
        httpx2.get(f"{url}/help/%1b[31mred/")
        until(installation, terminal, "red/ 404")
        assert terminal.end() == 0

    steps = [
        f"Creating the database in {installation.folder} …",
        "Starting the embedded PostgreSQL …",
        r"Applying \d+ migrations? …",
        rf"Instep is ready: {url} \(help center {url}/, API reference {url}/docs/api\)",
    ]
    assert re.search(r"(?s)" + ".*".join(steps), terminal.text), terminal.text
    # A terminal obeys escape sequences, so a caller must not be able to send any.
    assert "\x1b" not in terminal.text
    assert re.search(
        r"(?m)^\d\d:\d\d:\d\d info +GET /help/\\x1b\[31mred/ 404 in [\d.]+ ms …\w{8}$", terminal.text
    )

    # On the second start nothing is created, and a help center exists.
    bot = installation.run("bot", "create", "Acme")
    with at_terminal(installation.folder, installation.environment, "serve", "--port", port) as terminal:
        until(installation, terminal, f"help center {url}/help/{bot['slug']}/,")
    assert "Creating" not in terminal.text
    assert "Applying" not in terminal.text
    assert "\x1b[2m" in terminal.text


def test_elsewhere_the_addresses_are_one_json_line_for_several_processes_which_end_with_a_killed_server(
    installation: Installation,
) -> None:
    server = installation.start("serve", "--port", str(installation.port), "--workers", "2")
    installation.until(lambda: "Instep is ready" in installation.last_words(), READY_SECONDS)
    for _ in range(5):
        assert httpx2.get(f"{installation.url}/healthz").status_code == 200
    # Either process reports the counts of both.
    metrics = [httpx2.get(f"{installation.url}/metrics").text for _ in range(4)]
    assert [HEALTH_CHECKS.findall(text) for text in metrics] == [["5.0"]] * 4
    child = server_processes(server.pid)[0]
    kill(child)
    installation.until(lambda: f'"pid": {child}, "signal": "SIGKILL"' in installation.last_words(), 10)
    kill(server.pid)
    server.wait()
    installation.until(lambda: is_refused(installation.port), READY_SECONDS)

    lines = [json.loads(line) for line in installation.last_words().splitlines()]
    [ready] = [line for line in lines if line["event"] == "Instep is ready"]
    url = installation.url
    assert (
        ready.items()
        >= {
            "url": url,
            "listening": url,
            "help_center": f"{url}/",
            "api_reference": f"{url}/docs/api",
            "level": "info",
        }.items()
    )


def server_processes(supervisor: int) -> list[int]:
    """The processes that serve; others are PostgreSQL and the resource tracker of the standard library."""
    children = map(int, Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split())
    return [pid for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def is_refused(port: int) -> bool:
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == errno.ECONNREFUSED


@pytest.fixture
def taken_port() -> Iterator[str]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield str(listener.getsockname()[1])


def refusal_of(installation: Installation, *arguments: str) -> str:
    """The single line printed by a server that refuses to start."""
    assert installation.start(*arguments).wait(READY_SECONDS) == 1
    [line] = installation.last_words().splitlines()
    # The refusal came before anything was started.
    assert not (installation.folder / "postgres").exists()
    return line


@pytest.mark.parametrize("command", [["serve"], ["serve", "--workers", "2"], ["demo"]])
def test_a_port_that_is_taken_is_told_before_anything_starts(
    installation: Installation, taken_port: str, command: list[str]
) -> None:
    other = int(taken_port) + 1 if taken_port != "65535" else 65534

    line = refusal_of(installation, *command, "--port", taken_port)

    assert line == like(f"instep: Port {taken_port}…`--port {other}`.")


def test_a_port_that_there_is_not_is_refused(installation: Installation) -> None:
    line = refusal_of(installation, "serve", "--port", "99999")

    assert line == like("instep: `--port` is 99999…65535.")


@pytest.mark.parametrize("port", [65_536, 0, -1])
def test_nothing_listens_on_a_port_that_there_is_not(port: int) -> None:
    with pytest.raises(CanNotListen, match=f"is {port}: .* 65535"):
        listen("127.0.0.1", port)


def test_an_address_of_another_machine_is_refused(installation: Installation) -> None:
    line = refusal_of(installation, "serve", "--host", "192.0.2.1", "--port", str(installation.port))

    assert "`--host` is 192.0.2.1" in line


def test_the_address_of_the_site_is_refused_before_anything_starts(installation: Installation) -> None:
    installation.environment["INSTEP_SITE_URL"] = "help.example.com"

    line = refusal_of(installation, "serve", "--port", str(installation.port))

    assert line.startswith("instep: INSTEP_SITE_URL: it")


def test_a_model_that_is_not_there_is_told_before_anything_starts(installation: Installation) -> None:
    installation.environment["INSTEP_EMBEDDINGS"] = "local:/nowhere/at/all"

    line = refusal_of(installation, "serve", "--port", str(installation.port))

    assert line.startswith("instep: INSTEP_EMBEDDINGS names")


def test_the_demo_at_a_terminal_keeps_its_instructions_in_sight(installation: Installation) -> None:
    environment = os.environ | {"NO_COLOR": "1"}
    port = str(installation.port)
    with at_terminal(installation.folder, environment, "demo", "--port", port) as terminal:
        until(installation, terminal, "Paste these lines")
        assert httpx2.get(installation.url, follow_redirects=True).status_code == 200
        assert terminal.end() == 0

    instructions = terminal.text.partition("Instep serves")[2]
    assert "curl" in instructions
    assert " info " not in terminal.text


def test_the_version_is_told() -> None:
    process = subprocess.run([COMMAND, "--version"], capture_output=True, text=True, check=True)

    assert re.fullmatch(r"instep \d+\.\d+\.\d+\n", process.stdout)
