"""POST /v1/articles/{id}/verify."""

from tests.support.cast import Client
from tests.support.changes import publish
from tests.support.http import all_pages, create_article, error, named_fields, ok

PATH = "/v1/articles/install/verify"


async def test_verification_changes_only_the_freshness(client: Client) -> None:
    article = await publish(client, "Install", "Run it.")

    verified = ok(await client.post(PATH, json={"commit": "4b825dc"}))

    shown = verified["freshness"]
    assert (shown["state"], shown["reason"], shown["verifiedBy"]) == ("verified", None, "person")
    assert shown["verifiedCommit"] == "4b825dc"
    assert verified | {"freshness": None} == article
    assert await all_pages(client, "/v1/articles/install/revisions") == []
    assert ok(await client.post(PATH))["freshness"]["verifiedCommit"] is None


async def test_only_published_articles_are_verified(client: Client) -> None:
    await create_article(client)

    assert error(await client.post(PATH)) == (400, "invalid_state")
    assert error(await client.post("/v1/articles/no-such/verify")) == (404, "not_found")


async def test_bad_input_is_refused(client: Client) -> None:
    await publish(client, "Install", "Run it.")

    for commit in ("4b825d", "HEAD", 7, "4B825DC"):
        assert named_fields(await client.post(PATH, json={"commit": commit})) == ["commit"]


async def test_readers_and_other_companies_may_not(client: Client, reader: Client, globex: Client) -> None:
    await publish(client, "Install", "Run it.")

    assert error(await reader.post(PATH)) == (403, "insufficient_scope")
    assert error(await globex.post(PATH)) == (404, "not_found")
