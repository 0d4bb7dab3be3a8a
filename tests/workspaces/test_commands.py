"""The commands of an operator, as processes of their own beside a server that runs on their data folder."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import httpx2
import pytest

from instep.cli import routes, say_list
from instep.identity.keys import is_well_formed
from instep.workspaces.schemas import BotRow, bot_out
from tests.cast import Json

if sys.platform == "win32":
    pytest.skip("no embedded PostgreSQL on Windows", allow_module_level=True)

INSTEP = Path(sys.executable).with_name("instep")
SECONDS = 60
ARTICLE = {"title": "Install", "contentMarkdown": "Run it."}

Done = subprocess.CompletedProcess[str]


@dataclass(frozen=True)
class Installation:
    """A data folder, the server that runs on it, and what was made in it at the beginning."""

    folder: Path
    url: str
    migrated: Json
    bot: Json
    second_workspace: Json

    def run(self, *arguments: str, **settings: str) -> Done:
        return run(self.folder, *arguments, **settings)

    def json(self, *arguments: str) -> Json:
        return parsed(self.run(*arguments, "--json"))

    def text(self, *arguments: str) -> str:
        done = self.run(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def refused(self, *arguments: str, **settings: str) -> str:
        """The one sentence on standard error of a command that ends with exit code 1."""
        done = self.run(*arguments, **settings)
        assert (done.returncode, done.stdout) == (1, "")
        [line] = done.stderr.splitlines()
        assert line.startswith("instep: ")
        return line

    def at_once(self, *commands: tuple[str, ...]) -> list[Done]:
        with ThreadPoolExecutor(len(commands)) as threads:
            return list(threads.map(lambda arguments: self.run(*arguments), commands))

    def ask(self, key: str, method: str = "GET", path: str = "/v1/bots", body: Json | None = None) -> int:
        headers = {"Authorization": f"Bearer {key}"}
        with httpx2.Client(base_url=self.url, headers=headers, timeout=SECONDS) as client:
            return client.request(method, path, json=body).status_code


def run(folder: Path, *arguments: str, **settings: str) -> Done:
    return subprocess.run(
        [INSTEP, *arguments],
        env=environment(folder) | settings,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("INSTEP_")}
    return {**kept, "INSTEP_DATA_DIR": str(folder)}


def parsed(done: Done) -> Json:
    assert done.returncode == 0, done.stderr
    answer: Json = json.loads(done.stdout)
    assert done.stdout.count("\n") == 1
    return answer


@pytest.fixture(scope="module")
def installation() -> Iterator[Installation]:
    with tempfile.TemporaryDirectory(prefix="instep-test-", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o711)
        migrated = parsed(run(folder, "migrate", "--json"))
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        with (folder / "serve.log").open("w") as log:
            server = subprocess.Popen(
                [INSTEP, "serve", "--port", str(port)], env=environment(folder), cwd=folder, stderr=log
            )
            try:
                wait_until_ready(url, server)
                bot = parsed(run(folder, "bot", "create", "First help", "--locale", "de", "--json"))
                second = parsed(run(folder, "workspace", "create", "Second", "--json"))
                yield Installation(folder, url, migrated, bot, second)
            finally:
                server.send_signal(signal.SIGTERM)
                try:
                    server.wait(SECONDS)
                finally:
                    server.kill()
                    server.wait()


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port: int = bound.getsockname()[1]
        return port


def wait_until_ready(url: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        assert server.poll() is None, "the server has ended"
        try:
            if httpx2.get(f"{url}/readyz", timeout=SECONDS).status_code == 200:
                return
        except httpx2.TransportError:
            time.sleep(0.05)
    raise AssertionError("the server is not ready in time")


def test_bots_and_keys_are_made_listed_and_revoked(installation: Installation) -> None:
    bot = installation.bot
    workspace = bot["workspaceId"]
    mine = ("--workspace", workspace)
    assert bot == {
        "id": bot["id"],
        "workspaceId": workspace,
        "slug": "first-help",
        "name": "First help",
        "botKey": bot["botKey"],
        "locale": "de",
        "origins": [],
        "createdAt": bot["createdAt"],
    }
    assert bot["botKey"].startswith("pk_")

    key = installation.json("key", "create", "CI", "--scope", "content:write", "--bot", bot["id"], *mine)
    assert is_well_formed(key["key"])
    secret = key.pop("key")
    assert key == {
        "id": key["id"],
        "workspaceId": workspace,
        "name": "CI",
        "lastFour": secret[-4:],
        "scope": "content:write",
        "botIds": [bot["id"]],
        "createdAt": key["createdAt"],
        "lastUsedAt": None,
        "expiresAt": None,
        "revokedAt": None,
    }
    assert installation.ask(secret, "POST", "/v1/articles", ARTICLE) == 201

    text = installation.text("key", "create", "All", "--scope", "content:read", *mine)
    shown = dict(line.split(": ", 1) for line in text.splitlines())
    assert installation.ask(shown["key"]) == 200
    assert installation.ask(shown["key"], "POST", "/v1/articles", ARTICLE) == 403

    bots, bot_lines, keys, key_lines = installation.at_once(
        ("bot", "list", "--json", *mine),
        ("bot", "list", *mine),
        ("key", "list", "--json", *mine),
        ("key", "list", *mine),
    )
    assert parsed(bots)["results"] == [{**bot, "createdAt": parsed(bots)["results"][0]["createdAt"]}]
    assert bot["id"] in bot_lines.stdout
    assert bot["botKey"] in bot_lines.stdout
    listed = parsed(keys)["results"]
    assert [row["name"] for row in listed] == ["CI", "All"]
    assert listed[0].keys() == key.keys()
    assert listed[0]["lastUsedAt"]
    assert [key["id"] in line for line in key_lines.stdout.splitlines()] == [True, False]
    assert not any(kept in out.stdout for kept in (secret, shown["key"]) for out in (keys, key_lines))

    revoked = installation.json("key", "revoke", key["id"], *mine)
    assert installation.ask(secret) == 401
    assert revoked.keys() == key.keys()
    assert revoked["revokedAt"]
    assert installation.text("key", "revoke", shown["id"], *mine) == f"{shown['id']} is revoked.\n"
    assert installation.ask(shown["key"]) == 401


def test_the_visitor_secret_of_a_bot_stays_until_it_is_replaced(installation: Installation) -> None:
    mine = ("--workspace", installation.bot["workspaceId"])
    foreign = ("--workspace", installation.second_workspace["id"])
    bot = installation.bot["id"]

    first, again = [installation.json("bot", "visitor-secret", bot, *mine) for _ in range(2)]
    replaced = installation.json("bot", "visitor-secret", bot, "--rotate", *mine)

    assert first == again == {"botId": bot, "visitorSecret": first["visitorSecret"]}
    assert replaced["visitorSecret"] not in (first["visitorSecret"], "")
    assert installation.text("bot", "visitor-secret", bot, *mine) == replaced["visitorSecret"] + "\n"
    assert "bot list" in installation.refused("bot", "visitor-secret", bot, *foreign)


def test_the_origins_of_a_bot_are_set_and_changed(installation: Installation) -> None:
    mine = ("--workspace", installation.second_workspace["id"])
    given = ("--origin", "https://Shop.example", "--origin", "http://localhost:3000")
    made = installation.json("bot", "create", "Shop help", *given, *mine)
    assert made["origins"] == ["https://shop.example", "http://localhost:3000"]

    changed = installation.json(
        *(
            "bot",
            "origins",
            made["id"],
            "--add",
            "https://app.example:443",
            "--remove",
            "http://localhost:3000",
        ),
        *mine,
    )
    assert changed == made | {
        "origins": ["https://shop.example", "https://app.example"],
        "createdAt": changed["createdAt"],
    }

    shown = installation.text("bot", "origins", made["id"], *mine)
    assert "origins: https://shop.example, https://app.example\n" in shown
    wrong = installation.refused("bot", "origins", made["id"], "--add", "shop.example", *mine)
    assert "https://example.com" in wrong
    assert "bot list" in installation.refused("bot", "origins", installation.bot["id"], *mine)


def test_lists_write_timestamps_as_the_api_does(capsys: pytest.CaptureFixture[str]) -> None:
    now = datetime.now(UTC)
    made = bot_out(BotRow(uuid4(), "ws", "slug", "name", "pk_", "en", [], now))

    say_list([made], ("id",), as_json=True)

    [listed] = json.loads(capsys.readouterr().out)["results"]
    assert listed == json.loads(made.model_dump_json(by_alias=True))


def test_a_workspace_is_paused_and_resumed(installation: Installation) -> None:
    second = installation.second_workspace
    made = second["id"]
    assert second == {"id": made, "name": "Second", "pausedAt": None, "createdAt": second["createdAt"]}
    bot, key = installation.at_once(
        ("bot", "create", "Paused help", "--workspace", made),
        ("key", "create", "all", "--scope", "content:write", "--workspace", made, "--json"),
    )
    assert "slug: paused-help\n" in bot.stdout
    assert "botKey: pk_" in bot.stdout
    secret = parsed(key)["key"]
    assert parsed(key)["botIds"] is None

    paused = installation.json("workspace", "pause", made)
    assert paused["pausedAt"]
    assert paused == second | {"pausedAt": paused["pausedAt"]}
    articles = f"/v1/articles?bot_id={bot.stdout.partition('id: ')[2].split()[0]}"
    assert installation.ask(secret, "POST", articles, ARTICLE) == 402
    assert installation.ask(secret, "GET", articles) == 200

    assert installation.text("workspace", "resume", made) == f"{made} takes writes again.\n"
    assert installation.ask(secret, "POST", articles, ARTICLE) == 201


def test_what_an_operator_gets_wrong_ends_in_one_sentence(installation: Installation) -> None:
    second = installation.second_workspace["id"]
    mine = ("--workspace", second)
    assert second in installation.refused("bot", "create", "Which one?")
    assert "choose another" in installation.refused("bot", "create", "X", "--slug", "first-help", *mine)
    assert "INSTEP_COLOUR" in installation.refused("doctor", INSTEP_COLOUR="red")
    assert "SSL_CERT_FILE" in installation.refused("serve", SSL_CERT_FILE="/nowhere.pem")


def test_migrate_names_the_revision(installation: Installation) -> None:
    revision = installation.migrated["revision"]

    assert installation.migrated.keys() == {"revision"}
    assert installation.text("migrate") == f"The schema is at revision {revision}.\n"


def test_doctor_finds_no_problem_and_tells_no_secret(installation: Installation) -> None:
    secret = "not to be told" * 4
    lines, report = [
        installation.run("doctor", *form, INSTEP_SECRET_KEY=secret) for form in ((), ("--json",))
    ]

    assert (lines.returncode, parsed(report)["problems"]) == (0, [])
    assert "No problems found." in lines.stdout
    assert parsed(report)["revision"] == installation.migrated["revision"]
    assert parsed(report)["counts"]["workspaces"] >= 2
    assert parsed(report)["settings"]["INSTEP_DATA_DIR"] == str(installation.folder)
    assert parsed(report)["settings"]["INSTEP_SECRET_KEY"] == "(set)"
    assert secret not in lines.stdout + report.stdout


def test_routes_say_who_may_call_them(installation: Installation, capsys: pytest.CaptureFixture[str]) -> None:
    rows = installation.json("routes")["results"]

    access = {(row["method"], row["path"]): row["access"] for row in rows}
    assert access["GET", "/v1/articles"] == "content:read"
    assert access["POST", "/v1/articles"] == "content:write"
    assert access["GET", "/v1/bots"] == "any key"
    assert access["GET", "/healthz"] == "public"
    assert all((Path(__file__).parents[2] / row["file"]).exists() for row in rows)
    routes()
    assert len(capsys.readouterr().out.splitlines()) == len(rows)
