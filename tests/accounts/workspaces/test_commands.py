"""The operator's commands, on a server's database."""

import json
import os
import shlex
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from fastapi import FastAPI

from instep.accounts.workspaces.schemas import BotRow, bot_out
from instep.cli.output import say_json_list
from instep.operations.ops.rotation import SEALED_TABLES
from instep.platform.core.database import Tx
from instep.platform.identity.keys import is_well_formed
from instep.platform.migrations import head
from tests.cli.test_printed_commands import command_of
from tests.support.cast import Api, Json
from tests.support.commands import Operator
from tests.support.installation import COMMAND, free_port
from tests.support.wording import like

ARTICLE = {"title": "Install", "contentMarkdown": "Run it."}


@pytest.fixture
async def workspace(operator: Operator) -> Json:
    return await operator.json("workspace", "create", "Acme")


@pytest.fixture
def mine(workspace: Json) -> tuple[str, str]:
    return "--workspace", workspace["id"]


async def ask(
    api: Api, key: str, method: str = "GET", path: str = "/v1/bots", body: Json | None = None
) -> int:
    return (await api(key).request(method, path, json=body)).status_code


async def test_a_workspace_is_deleted_once_it_is_paused(
    operator: Operator, api: Api, workspace: Json
) -> None:
    mine = workspace["id"]
    key = await operator.json("key", "create", "ci", "--scope", "content:read", "--workspace", mine)
    await operator.json("bot", "create", "Ends", "--workspace", mine)
    deletion = ("workspace", "delete", mine, "--yes-delete", "Acme")

    assert "pause" in await operator.refused(*deletion)
    await operator.json("workspace", "pause", mine)
    assert (await operator.json(*deletion))["id"] == mine

    assert mine not in await operator.text("workspace", "list")
    assert await ask(api, key["key"]) == 401


async def test_bots_and_keys_are_made_listed_and_revoked(
    operator: Operator, api: Api, workspace: Json, mine: tuple[str, str]
) -> None:
    name = f"First help {uuid4()}"
    bot = await operator.json("bot", "create", name, "--locale", "de", *mine)
    assert bot == {
        "id": bot["id"],
        "workspaceId": workspace["id"],
        "slug": name.lower().replace(" ", "-"),
        "name": name,
        "botKey": bot["botKey"],
        "locale": "de",
        "origins": [],
        "accent": None,
        "accentLight": None,
        "accentDark": None,
        "createdAt": bot["createdAt"],
    }
    assert bot["botKey"].startswith("pk_")

    key = await operator.json("key", "create", "CI", "--scope", "content:write", "--bot", bot["id"], *mine)
    assert is_well_formed(key["key"])
    secret = key.pop("key")
    assert key == {
        "id": key["id"],
        "workspaceId": workspace["id"],
        "name": "CI",
        "lastFour": secret[-4:],
        "scope": "content:write",
        "botIds": [bot["id"]],
        "defaultBotId": bot["id"],
        "createdAt": key["createdAt"],
        "lastUsedAt": None,
        "expiresAt": None,
        "revokedAt": None,
    }
    assert await ask(api, secret, "POST", "/v1/articles", ARTICLE) == 201

    text = await operator.text("key", "create", "All", "--scope", "content:read", *mine)
    fields = dict(line.split(": ", 1) for line in text.splitlines())
    assert await ask(api, fields["key"]) == 200
    assert await ask(api, fields["key"], "POST", "/v1/articles", ARTICLE) == 403

    bots, bot_lines = [await operator.run("bot", "list", *form, *mine) for form in (("--json",), ())]
    keys, key_lines = [await operator.run("key", "list", *form, *mine) for form in (("--json",), ())]
    assert bots.json["results"] == [bot]
    assert bot["id"] in bot_lines.text
    assert bot["botKey"] in bot_lines.text
    listed = keys.json["results"]
    assert [row["name"] for row in listed] == ["CI", "All"]
    assert listed[0].keys() == key.keys()
    assert listed[0]["lastUsedAt"]
    header, *key_rows = key_lines.text.splitlines()
    assert header.split() == ["ID", "SCOPE", "LAST", "FOUR", "REVOKED", "AT", "NAME"]
    assert [key["id"] in line for line in key_rows] == [True, False]
    assert not any(
        secret_text in out.text for secret_text in (secret, fields["key"]) for out in (keys, key_lines)
    )

    revoked = await operator.json("key", "revoke", key["id"], *mine)
    assert await ask(api, secret) == 401
    assert revoked.keys() == key.keys()
    assert revoked["revokedAt"]
    assert await operator.text("key", "revoke", fields["id"], *mine) == f"{fields['id']} was revoked.\n"
    assert await ask(api, fields["key"]) == 401


async def test_the_visitor_secret_of_a_bot_stays_until_it_is_replaced(
    operator: Operator, mine: tuple[str, str]
) -> None:
    bot = (await operator.json("bot", "create", "Help", *mine))["id"]
    foreign = ("--workspace", (await operator.json("workspace", "create", "Globex"))["id"])

    first, again = [await operator.json("bot", "visitor-secret", bot, *mine) for _ in range(2)]
    replaced = await operator.json("bot", "visitor-secret", bot, "--rotate", *mine)

    assert first == again == {"botId": bot, "visitorSecret": first["visitorSecret"]}
    assert replaced["visitorSecret"] not in (first["visitorSecret"], "")
    assert await operator.text("bot", "visitor-secret", bot, *mine) == replaced["visitorSecret"] + "\n"
    assert "bot list" in await operator.refused("bot", "visitor-secret", bot, *foreign)


async def test_the_origins_of_a_bot_are_set_and_changed(operator: Operator, mine: tuple[str, str]) -> None:
    origins = ("--origin", "https://Shop.example", "--origin", "http://localhost:3000")
    bot = await operator.json("bot", "create", "Shop help", *origins, *mine)
    assert bot["origins"] == ["https://shop.example", "http://localhost:3000"]

    options = ("--add", "https://app.example:443", "--remove", "http://localhost:3000")
    changed = await operator.json("bot", "origins", bot["id"], *options, *mine)
    assert changed == bot | {"origins": ["https://shop.example", "https://app.example"]}

    listing = await operator.text("bot", "origins", bot["id"], *mine)
    assert "origins: https://shop.example, https://app.example\n" in listing
    wrong = await operator.refused("bot", "origins", bot["id"], "--add", "shop.example", *mine)
    assert "https://example.com" in wrong
    for unknown in (str(uuid4()), "nowhere"):
        assert "bot list" in await operator.refused("bot", "origins", unknown, *mine)


async def test_the_accent_of_a_bot_is_set_shown_and_removed(
    operator: Operator, mine: tuple[str, str]
) -> None:
    bot = await operator.json("bot", "create", "Lemon help", *mine)

    changed = await operator.json("bot", "accent", bot["slug"], "--set", "Lemonchiffon", *mine)
    shown = await operator.text("bot", "accent", bot["id"], *mine)

    light, dark = changed["accentLight"], changed["accentDark"]
    assert changed == bot | {"accent": "Lemonchiffon", "accentLight": light, "accentDark": dark}
    assert (dark, light < dark) == ("#fffacd", True)
    assert f"accent: Lemonchiffon\naccentLight: {light}\naccentDark: {dark}\n" in shown
    assert await operator.json("bot", "accent", bot["id"], "--remove", *mine) == bot


async def test_an_accent_that_is_no_colour_is_refused_in_one_sentence(
    operator: Operator, mine: tuple[str, str]
) -> None:
    bot = (await operator.json("bot", "create", "Grey help", *mine))["slug"]

    for colour in ("bluish", "rgb(0 0 0 / 50%)", "#0b5cad; } body { display: none", "url(//example.com)", ""):
        refusal = await operator.refused("bot", "accent", bot, "--set", colour, *mine)
        assert "such as #0b5cad" in refusal
    assert "at most 100 characters" in await operator.refused(
        "bot", "accent", bot, "--set", f"rgb({'0' * 100} 0 0)", *mine
    )
    assert "not both" in await operator.refused("bot", "accent", bot, "--set", "red", "--remove", *mine)
    assert "bot list" in await operator.refused("bot", "accent", "nowhere", "--set", "red", *mine)
    shown = await operator.json("bot", "accent", bot, *mine)
    assert (shown["accent"], shown["accentLight"], shown["accentDark"]) == (None, None, None)


def test_lists_write_timestamps_as_the_api_does(capsys: pytest.CaptureFixture[str]) -> None:
    now = datetime.now(UTC)
    bot = bot_out(BotRow(uuid4(), "ws", "slug", "name", "pk_", "en", [], now))

    say_json_list([bot])

    [listed] = json.loads(capsys.readouterr().out)["results"]
    assert listed == json.loads(bot.model_dump_json(by_alias=True))


async def test_an_empty_list_names_the_command_for_the_first_one(
    operator: Operator, mine: tuple[str, str]
) -> None:
    for area in ("alert", "bot", "key", "trust", "user"):
        shown = await operator.text(area, "list", *mine)

        assert shown.startswith("None yet.")
        command, words = command_of(shlex.split(shown.partition("instep ")[2]))
        assert command.make_context("instep", words).params


async def test_a_workspace_is_paused_and_resumed(
    operator: Operator, api: Api, workspace: Json, mine: tuple[str, str]
) -> None:
    workspace_id = workspace["id"]
    assert workspace == {
        "id": workspace_id,
        "name": "Acme",
        "pausedAt": None,
        "pausedBy": None,
        "createdAt": workspace["createdAt"],
    }
    bot = await operator.text("bot", "create", "Paused help", *mine)
    assert "slug: paused-help" in bot
    assert "botKey: pk_" in bot
    key = await operator.json("key", "create", "all", "--scope", "content:write", *mine)
    assert key["botIds"] is None

    paused = await operator.json("workspace", "pause", workspace_id)
    assert paused["pausedAt"]
    assert paused == workspace | {"pausedAt": paused["pausedAt"], "pausedBy": "operator"}
    articles = f"/v1/articles?bot_id={bot.partition('id: ')[2].split()[0]}"
    assert await ask(api, key["key"], "POST", articles, ARTICLE) == 402
    assert await ask(api, key["key"], "GET", articles) == 200

    assert await operator.text("workspace", "resume", workspace_id) == f"{workspace_id} is resumed.\n"
    assert await ask(api, key["key"], "POST", articles, ARTICLE) == 201


async def test_a_bot_and_a_workspace_may_be_named_in_words(operator: Operator, api: Api) -> None:
    name = f"Umbrella {uuid4()}"
    where = ("--workspace", name)
    await operator.json("workspace", "create", name)
    bot = await operator.json("bot", "create", name, *where)
    slug = bot["slug"]

    key = await operator.json("key", "create", "CI", "--scope", "content:read", "--bot", slug, *where)
    secret = await operator.json("bot", "visitor-secret", slug, *where)
    opened = await operator.json("bot", "origins", slug, "--add", "https://a.example", *where)
    paused = await operator.json("workspace", "pause", name)

    assert key["botIds"] == [secret["botId"]] == [opened["id"]] == [bot["id"]]
    assert paused["name"] == name
    assert "No workspace has the id or name nobody" in await operator.refused(
        "bot", "list", "--workspace", "nobody"
    )
    await operator.json("workspace", "create", name)
    assert "Several workspaces" in await operator.refused("bot", "list", *where)


async def test_mistakes_of_an_operator_end_in_one_sentence(
    operator: Operator, workspace: Json, mine: tuple[str, str]
) -> None:
    slug = (await operator.json("bot", "create", "Help", *mine))["slug"]
    await operator.json("workspace", "create", "Globex")

    assert workspace["id"] in await operator.refused("bot", "create", "Which one?")
    assert "choose another" in await operator.refused("bot", "create", "X", "--slug", slug, *mine)
    assert "INSTEP_COLOUR" in await operator.refused("doctor", INSTEP_COLOUR="red")


def test_a_server_that_cant_start_says_why_in_one_sentence(tmp_path: Path) -> None:
    environment = os.environ | {"SSL_CERT_FILE": "/nowhere.pem", "INSTEP_DATA_DIR": str(tmp_path)}

    process = subprocess.run(
        [COMMAND, "serve", "--port", str(free_port())],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (process.returncode, process.stdout) == (1, "")
    [line] = process.stderr.splitlines()
    assert line.startswith("instep: SSL_CERT_FILE")


async def test_migrate_names_the_revision(operator: Operator) -> None:
    assert await operator.json("migrate") == {"revision": head()}
    assert await operator.text("migrate") == like(f"…revision {head()}.\n")


async def test_doctor_finds_no_problem_and_tells_no_secret(
    operator: Operator, workspace: Json, owner: Tx, tmp_path: Path
) -> None:
    # Secrets that other tests sealed with another key would count as problems.
    await owner.execute("truncate repositories cascade")
    # So would files at another address in the articles of other tests.
    await owner.execute("delete from file_references")
    for table in SEALED_TABLES:
        await owner.execute(f"delete from {table}")
    secret = "not to be told" * 4
    lines, report = [
        await operator.run("doctor", *form, INSTEP_SECRET_KEY=secret, INSTEP_DATA_DIR=str(tmp_path))
        for form in ((), ("--json",))
    ]

    assert report.json["problems"] == []
    assert "No problems found." in lines.text
    assert report.json["revision"] == head()
    assert report.json["counts"]["workspaces"] >= 2
    assert report.json["settings"]["INSTEP_DATA_DIR"] == str(tmp_path)
    assert report.json["settings"]["INSTEP_SECRET_KEY"] == "(set)"
    assert report.json["settings"]["INSTEP_SECRET_KEY_PREVIOUS"] == "not set"
    assert not any(
        secret_text in out.text
        for secret_text in (secret, operator.settings["INSTEP_DATABASE_URL"])
        for out in (lines, report)
    )


async def test_routes_say_who_may_call_them(
    operator: Operator, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = (await operator.json("routes"))["results"]

    access = {(row["method"], row["path"]): row["access"] for row in rows}
    assert access["GET", "/v1/articles"] == "content:read"
    assert access["POST", "/v1/articles"] == "content:write"
    assert access["GET", "/v1/bots"] == "any key"
    assert access["GET", "/healthz"] == "public"
    assert all((Path(__file__).parents[3] / row["file"]).exists() for row in rows)
    monkeypatch.setattr("instep.app.create_app", lambda: app)
    assert len((await operator.text("routes")).splitlines()) == len(rows) + 1
