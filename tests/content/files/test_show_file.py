"""Serving files: access, byte ranges, validators and caching."""

from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI

from instep.platform.core.database import Database, Tx
from instep.platform.identity.scopes import Role
from tests.support.articles import put_into_review, save_copy
from tests.support.cast import Api, Cast, Client, Json
from tests.support.file_samples import PDF, picture
from tests.support.http import Response, create_article, create_collection, created, ok
from tests.support.limits import SetSetting
from tests.support.sign_in import browser, sign_up
from tests.support.uploads import open_file, show_in_article, upload
from tests.support.visitor_tokens import claims, now, secret_of, sign
from tests.support.visitors import open_to

TEXT = b"0123456789" * 60_000


async def is_shown(app: FastAPI, file: Json) -> bool:
    status = (await open_file(app, file)).status_code
    assert status in (200, 404)
    return status == 200


async def test_a_file_that_no_text_shows_is_404(app: FastAPI, api: Api, cast: Cast) -> None:
    file = await upload(api(cast.acme.write_key))

    assert not await is_shown(app, file)


async def test_a_file_of_a_live_article_is_shown_until_the_article_is_no_longer_live(
    app: FastAPI, api: Api, cast: Cast
) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)
    article = await create_article(client, contentMarkdown=f"![]({file['url']})")
    path = f"/v1/articles/{article['id']}"
    assert not await is_shown(app, file)

    await client.post(f"{path}/publish")
    assert await is_shown(app, file)
    await client.post(f"{path}/unpublish")
    assert not await is_shown(app, file)
    await client.post(f"{path}/publish")
    await client.delete(path)
    assert not await is_shown(app, file)


@pytest.mark.parametrize("text", ["Words.\n\n<!-- ![]({url}) -->", "Words.\n\n[unused]: {url}"])
async def test_a_file_that_a_reader_does_not_see_in_the_text_is_404(
    app: FastAPI, api: Api, cast: Cast, text: str
) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)
    article = await create_article(client, contentMarkdown=text.format(url=file["url"]))
    await client.post(f"/v1/articles/{article['id']}/publish")

    assert not await is_shown(app, file)


async def make_private(client: Client, article: Json) -> None:
    ok(await client.patch(f"/v1/articles/{article['id']}", json={"visibility": "authenticated"}))


async def make_collection_private(client: Client, article: Json) -> None:
    collection = await create_collection(client, visibility="authenticated")
    ok(await client.patch(f"/v1/articles/{article['id']}", json={"collectionId": collection["id"]}))


async def test_a_file_of_a_protected_article_is_shown_with_the_token_that_opens_the_article(
    app: FastAPI, api: Api, cast: Cast, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)
    await make_private(client, await show_in_article(client, file))
    secret = await secret_of(owner, cast.acme)

    async def answer_to(token: str) -> Response:
        return await open_file(app, file, visitor_token=token, If_None_Match=f'"{file["sha256"]}"')

    shown = await answer_to(sign(secret, claims()))
    # The browser revalidates its copy each time, and gets nothing without a token.
    assert (shown.status_code, shown.headers["Cache-Control"]) == (304, "private, no-cache")
    assert (await answer_to(sign(secret, claims(exp=now() - 3600)))).status_code == 404
    assert (await answer_to(sign(await secret_of(owner, cast.globex), claims()))).status_code == 404
    assert (await open_file(app, file, visitor_token=sign(secret, claims()))).status_code == 200


async def test_pages_of_allowed_origins_may_send_the_token(
    app: FastAPI, api: Api, cast: Cast, owner: Tx
) -> None:
    file = await upload(api(cast.acme.write_key))
    await open_to(owner, cast.acme, "https://app.acme.example")

    allowed = await open_file(app, file, "OPTIONS", origin="https://app.acme.example")
    assert allowed.status_code == 204
    assert allowed.headers["Access-Control-Allow-Headers"] == "Visitor-Token"
    assert allowed.headers["Allow"] == "GET, HEAD, OPTIONS"
    assert (await open_file(app, file, "OPTIONS", origin="https://foreign.example")).status_code == 403


async def take_out(client: Client, article: Json) -> None:
    ok(await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": "No picture."}))


@pytest.mark.parametrize("change", [make_private, make_collection_private, take_out])
async def test_a_file_is_404_at_once_when_its_article_becomes_private(
    app: FastAPI, api: Api, cast: Cast, change: Callable[[Client, Json], Any]
) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)
    article = await show_in_article(client, file)
    shown = await open_file(app, file)
    # Browsers keep the file for a year, and shared caches revalidate it after five minutes.
    assert shown.headers["Cache-Control"] == "public, max-age=31536000, s-maxage=300, immutable"
    assert "CDN-Cache-Control" not in shown.headers

    await change(client, article)

    assert not await is_shown(app, file)
    for headers in ({"If_None_Match": shown.headers["ETag"]}, {"Range": "bytes=0-3"}):
        assert (await open_file(app, file, **headers)).status_code == 404
    hidden = await open_file(app, file, "HEAD")
    assert hidden.status_code == 404
    assert "immutable" not in hidden.headers["Cache-Control"]


async def test_a_cdn_that_a_webhook_purges_keeps_public_files_as_long_as_pages(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, set_setting: SetSetting
) -> None:
    set_setting("INSTEP_CDN_SECONDS", "3600")
    client = api(cast.acme.write_key)
    public, hidden = await upload(client), await upload(client, picture(shade=1))
    await show_in_article(client, public)
    user = await sign_up(owner, cast.acme.workspace_id, Role.VIEWER)

    headers = (await open_file(app, public)).headers
    async with browser(app) as member:
        await member.sign_in(user.email)
        for_members = (await member.get(hidden["url"])).headers

    assert headers["CDN-Cache-Control"] == "public, max-age=3600"
    assert headers["Cache-Tag"] == str(cast.acme.bot_id)
    assert "CDN-Cache-Control" not in for_members


async def test_working_copies_drafts_and_revisions_show_nothing_to_the_public(
    app: FastAPI, api: Api, cast: Cast, database: Database
) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)
    text = f"![]({file['url']})"
    article = await show_in_article(client, await upload(client, picture(shade=1)))

    await save_copy(database, cast.acme, article["id"], content=text)
    assert not await is_shown(app, file)
    created(await client.post(f"/v1/articles/{article['id']}/drafts", json={"contentMarkdown": text}))
    assert not await is_shown(app, file)
    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": text})
    assert await is_shown(app, file)
    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": "None."})
    assert not await is_shown(app, file)


async def test_a_file_of_a_changelog_entry_is_shown_while_the_entry_is_published(
    app: FastAPI, api: Api, cast: Cast
) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)
    body = {"title": "News", "contentMarkdown": f"![]({file['url']})"}
    path = f"/v1/changelog/entries/{created(await client.post('/v1/changelog/entries', json=body))['id']}"
    assert not await is_shown(app, file)

    await client.post(f"{path}/publish")
    assert await is_shown(app, file)
    await client.post(f"{path}/unpublish")
    assert not await is_shown(app, file)


async def test_members_of_the_workspace_see_every_file_of_it_and_nobody_elses(
    app: FastAPI, api: Api, cast: Cast, owner: Tx
) -> None:
    file = await upload(api(cast.acme.write_key))
    foreign = await upload(api(cast.globex.write_key))
    user = await sign_up(owner, cast.acme.workspace_id, Role.VIEWER)

    async with browser(app) as member:
        await member.sign_in(user.email)
        shown = await member.get(file["url"])
        hidden = await member.get(foreign["url"])

    assert shown.status_code == 200
    assert shown.headers["Cache-Control"] == "private, no-cache"
    assert hidden.status_code == 404


async def test_a_file_is_not_at_the_address_of_another_help_center(
    app: FastAPI, api: Api, cast: Cast
) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)
    await show_in_article(client, file)
    names = [
        file["url"].replace(cast.acme.slug, cast.globex.slug),
        file["url"].replace(cast.acme.slug, "nobody"),
        file["url"].replace(".png", ".jpg"),
        file["url"].replace(".png", ".html"),
        file["url"].replace(".png", ""),
        file["url"].replace(file["sha256"], "0" * 64),
        file["url"].replace(file["sha256"], file["sha256"].upper()),
        file["url"] + "/",
        file["url"].replace(".png", "%00.png"),
    ]

    for url in names:
        assert (await open_file(app, {"url": url})).status_code == 404, url


async def test_a_text_of_another_help_center_shows_no_file_of_this_one(
    app: FastAPI, api: Api, cast: Cast
) -> None:
    file = await upload(api(cast.acme.write_key))
    await show_in_article(api(cast.globex.write_key), file)

    assert not await is_shown(app, file)


@pytest.mark.parametrize(
    ("header", "status", "start", "end"),
    [
        ("bytes=0-99", 206, 0, 100),
        ("bytes=262140-262150", 206, 262_140, 262_151),
        ("bytes=599990-", 206, 599_990, 600_000),
        ("bytes=-5", 206, 599_995, 600_000),
        ("bytes=-9999999", 200, 0, 600_000),
        ("bytes=10-9999999", 206, 10, 600_000),
        ("bytes=0-", 200, 0, 600_000),
        ("bytes=5-2", 200, 0, 600_000),
        ("bytes=0-1,5-6", 200, 0, 600_000),
        ("bytes=-", 200, 0, 600_000),
        ("lines=0-1", 200, 0, 600_000),
        ("nonsense", 200, 0, 600_000),
    ],
)
async def test_byte_ranges(
    app: FastAPI, api: Api, cast: Cast, header: str, status: int, start: int, end: int
) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client, TEXT, "numbers.txt")
    await show_in_article(client, file)

    answer = await open_file(app, file, Range=header)
    head = await open_file(app, file, "HEAD", Range=header)

    assert (answer.status_code, answer.content) == (status, TEXT[start:end])
    assert answer.headers["Content-Length"] == head.headers["Content-Length"] == str(end - start)
    assert answer.headers["Accept-Ranges"] == "bytes"
    assert (head.status_code, head.content) == (status, b"")
    expected = f"bytes {start}-{end - 1}/600000" if status == 206 else None
    assert answer.headers.get("Content-Range") == expected


@pytest.mark.parametrize("header", ["bytes=600000-", "bytes=999999999999-", "bytes=-0"])
async def test_a_range_behind_the_end_is_refused(app: FastAPI, api: Api, cast: Cast, header: str) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client, TEXT, "numbers.txt")
    await show_in_article(client, file)

    answer = await open_file(app, file, Range=header)

    assert answer.status_code == 416
    assert answer.headers["Content-Range"] == "bytes */600000"


async def test_validators(app: FastAPI, api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client, TEXT, "numbers.txt")
    await show_in_article(client, file)
    etag = f'"{file["sha256"]}"'

    for condition in (etag, f'"other", {etag}', f"W/{etag}", "*"):
        answer = await open_file(app, file, If_None_Match=condition)
        assert (answer.status_code, answer.content, answer.headers["ETag"]) == (304, b"", etag)
    assert (await open_file(app, file, If_None_Match='"other"')).status_code == 200
    assert (await open_file(app, file, Range="bytes=0-1", If_Range=etag)).status_code == 206
    for condition in ('"other"', f"W/{etag}", "Sun, 22 Nov 2026 09:00:00 GMT"):
        assert (await open_file(app, file, Range="bytes=0-1", If_Range=condition)).status_code == 200


async def test_files_served_in_ranges_are_not_compressed(app: FastAPI, api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client, TEXT, "numbers.txt")
    await show_in_article(client, file)

    answer = await open_file(app, file, Accept_Encoding="gzip")

    assert "Content-Encoding" not in answer.headers
    assert answer.headers["Content-Length"] == str(len(TEXT))


async def test_pages_of_other_origins_may_show_a_file(app: FastAPI, api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)
    await show_in_article(client, file)

    assert (await open_file(app, file)).headers["Cross-Origin-Resource-Policy"] == "cross-origin"


async def test_other_methods_are_not_allowed(app: FastAPI, api: Api, cast: Cast) -> None:
    file = await upload(api(cast.acme.write_key), PDF, "manual.pdf")

    assert (await open_file(app, file, "POST")).status_code == 405


async def test_an_article_that_waits_for_review_shows_nothing(
    app: FastAPI, api: Api, cast: Cast, database: Database
) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)
    draft = await put_into_review(database, cast.acme)
    path = f"/v1/drafts/{draft}"
    ok(await client.patch(path, json={"contentMarkdown": f"![]({file['url']})"}))
    assert not await is_shown(app, file)

    ok(await client.post(f"{path}/apply", json={}))
    assert await is_shown(app, file)
