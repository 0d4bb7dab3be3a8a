"""GET /widget/{botId}/articles/{articleId}."""

import pytest

from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Client, Json
from tests.support.http import create_article, ok
from tests.support.visitor_tokens import claims, secret_of, sign
from tests.support.visitors import named_fields

TEXT = "A file may be up to 50 MB large.\n"


async def live_article(client: Client, **fields: str) -> Json:
    article = await create_article(client, title="Files", contentMarkdown=TEXT, **fields)
    ok(await client.post(f"/v1/articles/{article['id']}/publish"))
    return article


async def test_a_visitor_reads_a_public_article(client: Client, api: Api, cast: Cast) -> None:
    article = await live_article(client)

    answer = await api(None).get(
        f"/widget/{cast.acme.bot_id}/articles/{article['id']}", params={"botKey": cast.acme.bot_key}
    )

    assert ok(answer) == {
        "id": article["id"],
        "title": "Files",
        "locale": "en",
        "url": f"http://help.test/help/{cast.acme.slug}/articles/files",
        "contentMarkdown": TEXT,
    }


async def test_notes_of_its_authors_in_comments_are_left_out(client: Client, api: Api, cast: Cast) -> None:
    article = await create_article(client, title="Files", contentMarkdown="<!-- secret -->\n\nWords.\n")
    ok(await client.post(f"/v1/articles/{article['id']}/publish"))

    answer = await api(None).get(
        f"/widget/{cast.acme.bot_id}/articles/{article['id']}", params={"botKey": cast.acme.bot_key}
    )

    assert ok(answer)["contentMarkdown"].strip() == "Words."


async def test_notes_in_definitions_that_no_link_uses_are_left_out(
    client: Client, api: Api, cast: Cast
) -> None:
    text = "[Words][a].\n\n[//]: # (secret)\n\n```md\n[//]: # (shown)\n```\n\n[a]: https://acme.test\n"
    article = await create_article(client, title="Files", contentMarkdown=text)
    ok(await client.post(f"/v1/articles/{article['id']}/publish"))

    answer = await api(None).get(
        f"/widget/{cast.acme.bot_id}/articles/{article['id']}", params={"botKey": cast.acme.bot_key}
    )

    assert ok(answer)["contentMarkdown"] == text.replace("[//]: # (secret)", "")


async def test_a_signed_in_visitor_reads_what_is_meant_for_them(
    client: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    article = await live_article(client, visibility="authenticated")
    path, key = f"/widget/{cast.acme.bot_id}/articles/{article['id']}", {"botKey": cast.acme.bot_key}
    token = sign(await secret_of(owner, cast.acme), claims())

    answer = await api(None).get(path, params=key, headers={"Visitor-Token": token})
    forged = await api(None).get(path, params=key, headers={"Visitor-Token": token + "x"})

    assert ok(answer)["title"] == "Files"
    assert named_fields(forged) == ["visitorToken"]


@pytest.mark.parametrize("hide", ["for signed-in visitors", "unpublished", "another bot's"])
async def test_articles_that_are_not_public_get_404(
    client: Client, globex: Client, api: Api, cast: Cast, hide: str
) -> None:
    owner_of_text = globex if hide == "another bot's" else client
    fields = {"visibility": "authenticated"} if hide == "for signed-in visitors" else {}
    article = await live_article(owner_of_text, **fields)
    if hide == "unpublished":
        ok(await client.post(f"/v1/articles/{article['id']}/unpublish"))

    answer = await api(None).get(
        f"/widget/{cast.acme.bot_id}/articles/{article['id']}", params={"botKey": cast.acme.bot_key}
    )

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
