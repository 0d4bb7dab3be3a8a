"""Parts and variables: a change lists the affected articles and is made after confirmation."""

import re
from html import unescape

from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Client
from tests.support.http import Response, create_article, created, ok

ETAG = re.compile(r'name="etag" value="([^"]*)"')


def etag_in(page: Response) -> str:
    found = ETAG.search(page.text)
    assert found is not None
    return unescape(found[1])


async def test_a_change_shows_its_articles_before_it_goes_live(
    desk: Desk, viewer: Desk, client: Client
) -> None:
    fields = {"kind": "variable", "name": "price", "locale": "en", "text": "12 €"}
    made = await desk.follow(await desk.send("parts/new", "parts/new", **fields))
    assert "Created {{variable.price}}." in unescape(made.text)
    [part] = ok(await client.get("/v1/parts"))["results"]
    path = f"parts/{part['id']}"
    await create_article(client, "Plans & prices", contentMarkdown="It costs {{variable.price}}.")
    etag = etag_in(await desk.get(path))

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


async def test_a_text_that_others_have_saved_meanwhile_is_not_overwritten(desk: Desk, client: Client) -> None:
    part = created(await client.post("/v1/parts", json={"kind": "variable", "name": "price", "text": "12 €"}))
    path = f"parts/{part['id']}"
    await create_article(client, "Plans & prices", contentMarkdown="It costs {{variable.price}}.")
    opened = etag_in(await desk.get(path))
    asked = await desk.send(path, path, text="63 €", etag=opened)
    ok(await client.patch(f"/v1/{path}", json={"text": "62 €"}))

    confirmed = await desk.send(path, path, text="63 €", etag=etag_in(asked), confirmed="yes")
    unasked = await desk.send(path, path, text="63 €", etag=opened)
    for answer in (confirmed, unasked):
        assert answer.status_code == 409
        assert ("63 €" in answer.text, "62 €" in answer.text) == (True, True)
    assert ok(await client.get(f"/v1/{path}"))["text"] == "62 €"

    both_seen = etag_in(unasked)
    asked = await desk.send(path, path, text="63 €", etag=both_seen)
    await desk.follow(await desk.send(path, path, text="63 €", etag=etag_in(asked), confirmed="yes"))
    assert ok(await client.get(f"/v1/{path}"))["text"] == "63 €"


async def test_another_language_begins_with_the_first_missing_one(desk: Desk, client: Client) -> None:
    fields = {"kind": "part", "name": "note", "text": "Read this."}
    part = created(await client.post("/v1/parts", json=fields))
    article = await create_article(client)
    await create_article(client, "Einrichten", translationOf=article["id"], locale="de")
    form = "parts/new?kind=part&name=note&locale="

    assert 'value="de" selected' in (await desk.get(form)).text
    taken = await desk.send(form, "parts/new", **fields, locale=part["locale"])
    assert taken.status_code == 400
    assert "already has a text in this language" in taken.text
    await desk.follow(await desk.send(form, "parts/new", **fields, locale="de"))
    assert "Choose a language" in (await desk.get(form)).text


async def test_the_list_shows_values_and_counts_the_parts_that_contain_a_variable(
    desk: Desk, client: Client
) -> None:
    for kind, name, text in (("variable", "price", "12 €"), ("part", "offer", "Only {{variable.price}}.")):
        created(await client.post("/v1/parts", json={"kind": kind, "name": name, "text": text}))

    rows = (await desk.get("parts")).text.split("<li data-row>")[1:]

    assert ["not used" in row for row in rows] == [True, False]
    assert "12 €" in rows[1]
    assert "1 part<" in rows[1]


async def test_refused_form_keeps_its_values_and_shows_the_reason(desk: Desk, client: Client) -> None:
    fields = {"kind": "part", "name": "Bad name", "locale": "en", "text": "Typed with {{part.none}}."}

    for name, reason in (("Bad name", "joined by hyphens"), ("note", "part.none")):
        answer = await desk.send("parts/new", "parts/new", **{**fields, "name": name})
        assert answer.status_code == 400
        assert reason in answer.text
        assert "Typed with {{part.none}}." in unescape(answer.text)
