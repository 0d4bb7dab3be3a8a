"""Deleting files, and the uses that prevent it."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI

from instep.platform.core.database import Database, Tx
from tests.support.articles import save_copy
from tests.support.cast import Api, Cast, Client, Json
from tests.support.file_samples import picture
from tests.support.http import at_once, body_of, create_article, created, error, ok
from tests.support.uploads import FILES, count_objects, open_file, send, show_in_article, upload


async def test_a_deleted_file_is_gone(app: FastAPI, api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)

    assert ok(await client.delete(f"{FILES}/{file['id']}")) == {"id": file["id"], "deleted": True}

    assert error(await client.get(f"{FILES}/{file['id']}")) == (404, "not_found")
    assert error(await client.delete(f"{FILES}/{file['id']}")) == (404, "not_found")
    assert ok(await client.get(FILES))["results"] == []


async def in_live_text(client: Client, file: Json, cast: Cast, database: Database) -> None:
    await show_in_article(client, file, "Install it")


async def in_draft_article(client: Client, file: Json, cast: Cast, database: Database) -> None:
    await create_article(client, "Install it", contentMarkdown=f"![]({file['url']})")


async def in_working_copy(client: Client, file: Json, cast: Cast, database: Database) -> None:
    article = await create_article(client, "Install it")
    ok(await client.post(f"/v1/articles/{article['id']}/publish"))
    await save_copy(database, cast.acme, article["id"], content=f"![]({file['url']})")


async def in_pending_draft(client: Client, file: Json, cast: Cast, database: Database) -> None:
    article = await create_article(client, "Install it")
    body = {"contentMarkdown": f"![]({file['url']})"}
    created(await client.post(f"/v1/articles/{article['id']}/drafts", json=body))


async def in_changelog_entry(client: Client, file: Json, cast: Cast, database: Database) -> None:
    body = {"title": "Install it", "contentMarkdown": f"![]({file['url']})"}
    created(await client.post("/v1/changelog/entries", json=body))


@pytest.mark.parametrize(
    "use", [in_live_text, in_draft_article, in_working_copy, in_pending_draft, in_changelog_entry]
)
async def test_a_file_in_use_is_deleted_only_by_force(
    app: FastAPI, api: Api, cast: Cast, database: Database, use: Callable[..., Any]
) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)
    await use(client, file, cast, database)

    refused = await client.delete(f"{FILES}/{file['id']}")

    assert error(refused) == (400, "file_in_use")
    assert "“Install it”" in body_of(refused)["error"]
    ok(await client.delete(f"{FILES}/{file['id']}", params={"force": "true"}))
    assert (await open_file(app, file)).status_code == 404


async def test_a_former_text_does_not_hold_a_file(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)
    article = await show_in_article(client, file)
    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": "None."})

    ok(await client.delete(f"{FILES}/{file['id']}"))


async def test_the_refusal_names_a_few_articles(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)
    for number in range(7):
        await create_article(client, f"Step {number}", contentMarkdown=f"![]({file['url']})")

    sentence = body_of(await client.delete(f"{FILES}/{file['id']}"))["error"]

    assert "“Step 4”" in sentence
    assert "“Step 5”" not in sentence
    assert "and more" in sentence


async def test_parallel_deletions_succeed_once(api: Api, cast: Cast, owner: Tx) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)

    answers = await at_once(5, lambda _: client.delete(f"{FILES}/{file['id']}"))

    assert sorted(answer.status_code for answer in answers) == [200, 404, 404, 404, 404]


async def test_a_file_is_deleted_or_shown_but_never_both(app: FastAPI, api: Api, cast: Cast) -> None:
    """If a text that refers to the file is saved while the file is deleted, the first request wins."""
    client = api(cast.acme.write_key)
    for shade in range(5):
        file = await upload(client, picture(shade=shade))
        body = {"title": "Install", "contentMarkdown": f"![]({file['url']})"}
        deletion, _ = await asyncio.gather(
            client.delete(f"{FILES}/{file['id']}"), client.post("/v1/articles", json=body)
        )
        assert deletion.status_code in (200, 400)
        gone = (await client.get(f"{FILES}/{file['id']}")).status_code == 404
        assert gone is (deletion.status_code == 200)


async def test_the_same_bytes_come_back_at_the_same_address(app: FastAPI, api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)
    await show_in_article(client, file)
    await client.delete(f"{FILES}/{file['id']}", params={"force": "true"})

    again = await upload(client)

    assert again["id"] != file["id"]
    assert again["url"] == file["url"]
    assert (await open_file(app, again)).status_code == 200


async def test_files_of_another_help_center_are_not_found(api: Api, cast: Cast, owner: Tx) -> None:
    file = await upload(api(cast.acme.write_key))
    stranger = api(cast.globex.write_key)

    for method in ("GET", "DELETE"):
        assert error(await stranger.request(method, f"{FILES}/{file['id']}")) == (404, "not_found")
    assert ok(await stranger.get(FILES))["results"] == []
    assert (await send(api(cast.acme.write_key), b"Hello", "a.txt")).status_code == 201
    assert await count_objects(owner, file) == 2
