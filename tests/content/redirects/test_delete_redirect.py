"""DELETE /v1/redirects/{id}."""

from tests.support.cast import Api, Cast
from tests.support.former_links import REDIRECTS, follow, redirect
from tests.support.http import all_pages, at_once, error, ok


async def test_path_of_a_deleted_redirect_gets_404_and_is_free(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    row = await redirect(client, "/old")
    assert (await follow(api, cast, "/old"))[0] == 301

    assert ok(await client.delete(f"{REDIRECTS}/{row['id']}")) == {"id": row["id"], "deleted": True}

    assert await follow(api, cast, "/old") == (404, None)
    assert error(await client.delete(f"{REDIRECTS}/{row['id']}")) == (404, "not_found")
    await redirect(client, "/old")


async def test_ten_parallel_deletions_succeed_once(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    row = await redirect(client, "/old")

    answers = await at_once(10, lambda _: client.delete(f"{REDIRECTS}/{row['id']}"))

    assert sorted(answer.status_code for answer in answers) == [200] + [404] * 9


async def test_redirect_of_another_company_gets_the_404_of_an_unknown_one(api: Api, cast: Cast) -> None:
    globex = api(cast.globex.write_key)
    theirs = await redirect(globex, "/old")
    client = api(cast.acme.write_key)

    refused = await client.delete(f"{REDIRECTS}/{theirs['id']}")

    assert error(refused) == (404, "not_found")
    assert refused.content == (await client.delete(f"{REDIRECTS}/nothing")).content
    assert await all_pages(globex, REDIRECTS) == [theirs]
