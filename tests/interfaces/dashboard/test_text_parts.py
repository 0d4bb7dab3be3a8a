"""Parts and variables: a change shows the articles that it touches, and is made after a yes."""

import re
from html import unescape

from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Client
from tests.support.http import create_article, ok

ETAG = re.compile(r'name="etag" value="([^"]*)"')


async def test_a_change_shows_its_articles_before_it_goes_live(
    desk: Desk, viewer: Desk, client: Client
) -> None:
    fields = {"kind": "variable", "name": "price", "locale": "en", "text": "12 €"}
    made = await desk.follow(await desk.send("parts/new", "parts/new", **fields))
    assert "Created {{variable.price}}." in unescape(made.text)
    [part] = ok(await client.get("/v1/parts"))["results"]
    path = f"parts/{part['id']}"
    await create_article(client, "Plans & prices", contentMarkdown="It costs {{variable.price}}.")
    etag = unescape((ETAG.search((await desk.get(path)).text) or [""] * 2)[1])

    asked = await desk.send(path, path, text="14 €", etag=etag)
    assert "Plans &amp; prices" in asked.text
    assert 'name="confirmed"' in asked.text
    assert ok(await client.get(f"/v1/{path}"))["text"] == "12 €"

    await desk.follow(await desk.send(path, path, text="14 €", etag=etag, confirmed="yes"))
    assert ok(await client.get(f"/v1/{path}"))["text"] == "14 €"
    assert "12 €" in (await viewer.get(path)).text

    late = await desk.send(path, path, text="15 €", etag=etag, confirmed="yes")
    assert late.status_code == 409
    assert "15 €" in late.text
    kept = await desk.send(path, f"{path}/delete")
    assert kept.status_code == 400
    assert "Plans &amp; prices" in kept.text


async def test_what_is_refused_stays_in_the_form_with_the_reason(desk: Desk, client: Client) -> None:
    fields = {"kind": "part", "name": "Bad name", "locale": "en", "text": "Typed with {{part.none}}."}

    for name, reason in (("Bad name", "joined by hyphens"), ("note", "part.none")):
        answer = await desk.send("parts/new", "parts/new", **{**fields, "name": name})
        assert answer.status_code == 400
        assert reason in answer.text
        assert "Typed with {{part.none}}." in unescape(answer.text)
