"""API references that follow an OpenAPI document at a URL."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import InvalidRequest, NotFound
from instep.platform.core.outbound.allowed import read_allow_list
from instep.platform.core.outbound.client import OutboundClient
from instep.runtime import worker_of
from instep.transfer.api_references import actions
from instep.transfer.api_references.schemas import ApiReference
from tests.support.articles import acting
from tests.support.cast import Cast, Client
from tests.support.connected_repositories import LOOPBACK
from tests.support.http import create_article, created, ok
from tests.support.limits import SetLimit, SetSetting
from tests.transfer.imports.api_server import Answer, ApiServer, serving


def document(default: int = 20) -> dict[str, Any]:
    parameter = {"name": "max_page_size", "in": "query", "schema": {"type": "integer", "default": default}}
    operation = {"summary": "List orders", "parameters": [parameter], "responses": {}}
    return {"openapi": "3.1.0", "info": {"title": "Acme API"}, "paths": {"/orders": {"get": operation}}}


@dataclass
class Followed:
    """An OpenAPI document that a help center follows; `work` runs its update job now."""

    database: Database
    owner: Tx
    cast: Cast
    server: ApiServer
    client: OutboundClient

    @property
    def url(self) -> str:
        return f"{self.server.url}/openapi.json"

    def serve(self, value: Any) -> None:
        self.server.answers["/openapi.json"] = Answer(value)

    async def work(self) -> None:
        await self.owner.execute(
            "update jobs set run_at = now() where kind = 'update_api_reference' and workspace_id = %(id)s",
            id=self.cast.acme.workspace_id,
        )
        await worker_of(self.database, self.client).run_due()

    async def only(self) -> ApiReference:
        async with acting(self.database, self.cast.acme) as ctx:
            [reference] = await actions.list_all_api_references(ctx)
        return reference


@pytest.fixture
async def followed(
    database: Database, owner: Tx, cast: Cast, set_setting: SetSetting
) -> AsyncIterator[Followed]:
    set_setting(*LOOPBACK)
    client = OutboundClient(read_allow_list("127.0.0.0/8"))
    async with serving(ApiServer()) as server:
        yield Followed(database, owner, cast, server, client)
    await client.aclose()


async def test_pages_follow_the_document_and_articles_get_drafts(followed: Followed, client: Client) -> None:
    await create_article(client, "Paging", contentMarkdown="`max_page_size` is 20 by default.\n")
    followed.serve(document())
    async with acting(followed.database, followed.cast.acme) as ctx:
        await actions.follow_api_description(ctx, followed.url)
    await followed.work()

    page = ok(await client.get("/v1/articles/list-orders"))
    assert page["status"] == "published"
    assert "Default: `20`." in page["contentMarkdown"]
    assert ok(await client.get("/v1/tasks"))["results"] == []

    followed.serve(document(default=50))
    await followed.work()

    page = ok(await client.get("/v1/articles/list-orders"))
    assert "Default: `50`." in page["contentMarkdown"]
    [task] = ok(await client.get("/v1/tasks"))["results"]
    assert task["change"]["url"] == followed.url
    [draft] = ok(await client.get("/v1/drafts"))["results"]
    assert (draft["articleTitle"], draft["taskId"]) == ("Paging", task["id"])


async def test_an_unchanged_document_writes_nothing_and_a_failure_is_shown(
    followed: Followed, client: Client
) -> None:
    followed.serve(document())
    async with acting(followed.database, followed.cast.acme) as ctx:
        await actions.follow_api_description(ctx, followed.url)
    await followed.work()
    first = await followed.only()
    await followed.work()
    assert (await followed.only()).changed_at == first.changed_at

    followed.serve(document() | {"servers": [{"url": "https://new.acme.example"}]})
    await followed.work()
    page = ok(await client.get("/v1/articles/list-orders"))
    assert "https://new.acme.example/orders" in page["contentMarkdown"]
    assert ok(await client.get("/v1/tasks"))["results"] == []

    followed.server.answers.clear()
    await followed.work()
    assert "404" in str((await followed.only()).error)
    followed.serve({"openapi": "3.1.0", "paths": {}, "info": {"title": "Acme API", "description": "Words"}})
    await followed.work()
    assert (await followed.only()).error is None
    assert ok(await client.get("/v1/articles/list-orders"))["status"] == "archived"


async def test_documents_that_differ_in_the_query_of_their_addresses_keep_their_pages(
    followed: Followed, client: Client
) -> None:
    for name in ("a", "b"):
        parameter = f"/openapi.json?service={name}"
        followed.server.answers[parameter] = Answer(document() | {"info": {"title": f"API {name}"}})
        async with acting(followed.database, followed.cast.acme) as ctx:
            await actions.follow_api_description(ctx, f"{followed.server.url}{parameter}")
    for _ in range(2):
        await followed.work()

    rows = ok(await client.get("/v1/articles?page_size=100"))["results"]
    assert sorted((row["title"], row["status"]) for row in rows) == [
        ("List orders", "published"),
        ("List orders", "published"),
    ]


async def test_a_paused_workspace_is_updated_after_it_resumes(followed: Followed, owner: Tx) -> None:
    followed.serve(document())
    async with acting(followed.database, followed.cast.acme) as ctx:
        await actions.follow_api_description(ctx, followed.url)
    workspace = {"id": followed.cast.acme.workspace_id}
    await owner.execute(
        "update workspaces set paused_at = now(), paused_by = 'operator' where id = %(id)s", **workspace
    )
    await followed.work()
    assert (await followed.only()).checked_at is None
    await owner.execute(
        "update workspaces set paused_at = null, paused_by = null where id = %(id)s", **workspace
    )
    await followed.work()
    assert (await followed.only()).checked_at is not None


async def test_another_help_center_can_not_update_a_reference(followed: Followed) -> None:
    async with acting(followed.database, followed.cast.acme) as ctx:
        reference_id = (await actions.follow_api_description(ctx, followed.url)).id
    async with acting(followed.database, followed.cast.globex) as ctx:
        with pytest.raises(NotFound):
            await actions.update_api_reference_now(ctx, reference_id)


async def test_addresses_are_checked_and_counted(followed: Followed, set_limit: SetLimit) -> None:
    set_limit("MAX_API_REFERENCES", 1)
    async with acting(followed.database, followed.cast.acme) as ctx:
        with pytest.raises(InvalidRequest):
            await actions.follow_api_description(ctx, "not an address")
        reference_id = (await actions.follow_api_description(ctx, followed.url)).id
        for url in (followed.url, f"{followed.url}2"):
            with pytest.raises(InvalidRequest):
                await actions.follow_api_description(ctx, url)
        await actions.unfollow_api_description(ctx, reference_id)
        assert await actions.list_all_api_references(ctx) == []


async def test_programs_follow_addresses_too(followed: Followed, client: Client) -> None:
    followed.serve(document())
    made = created(await client.post("/v1/api-references", json={"url": followed.url}))
    assert (made["url"], made["checkedAt"], made["error"]) == (followed.url, None, None)
    await followed.work()

    [listed] = ok(await client.get("/v1/api-references"))["results"]
    assert (listed["id"], listed["error"]) == (made["id"], None)
    assert listed["changedAt"] == listed["checkedAt"] is not None
    path = f"/v1/api-references/{made['id']}"
    assert (await client.post(f"{path}/update")).status_code == 202
    assert ok(await client.delete(path)) == {"id": made["id"], "deleted": True}
    assert (await client.post(f"{path}/update")).status_code == 404
    assert (await client.post("/v1/api-references", json={"url": "ftp://a"})).status_code == 400


async def test_an_address_that_webhooks_refuse_is_refused_at_once(client: Client) -> None:
    for url in ("http://127.0.0.1:8123/openapi.json", "https://localhost/openapi.json"):
        as_webhook = await client.post("/v1/webhooks", json={"url": url, "events": ["*"]})
        answer = await client.post("/v1/api-references", json={"url": url})
        assert (answer.status_code, as_webhook.status_code) == (400, 400)
        reason = as_webhook.json()["error"].partition(": ")[2]
        assert "INSTEP_WEBHOOK_ALLOW" in reason
        assert answer.json()["error"].endswith(reason)
    assert ok(await client.get("/v1/api-references"))["results"] == []


async def test_parallel_requests_follow_an_address_once(followed: Followed, client: Client) -> None:
    requests = (client.post("/v1/api-references", json={"url": followed.url}) for _ in range(4))

    answers = await asyncio.gather(*requests)

    assert sorted(answer.status_code for answer in answers) == [201, 400, 400, 400]
    assert len(ok(await client.get("/v1/api-references"))["results"]) == 1
