"""Parts and variables over REST, and the articles that contain them."""

from typing import Any

from instep.platform.core.database import Database, Tx
from tests.support.cast import Api, Cast, Client, Json, RunJobs
from tests.support.changelog_entries import publish_entry
from tests.support.events import forget, kinds
from tests.support.exported_library import texts_of
from tests.support.file_samples import picture
from tests.support.http import create_article, created, error, ok
from tests.support.mcp import ask as ask_docs
from tests.support.questions import ask
from tests.support.site_pages import publish, visit
from tests.support.uploads import upload
from tests.support.webhook_endpoints import create_webhook

NOTE = "Invoices are sent by {{variable.courier}} on the first day of the month."
SOURCE = "## Billing\n\n{{part.billing-note}}\n\n```sh\nbill --by {{variable.courier}}\n```\n"


async def add(client: Client, name: str, text: str, kind: str = "part", **fields: Any) -> Json:
    body = {"kind": kind, "name": name, "text": text, **fields}
    return created(await client.post("/v1/parts", json=body))


async def two_parts(client: Client) -> tuple[Json, Json]:
    courier = await add(client, "courier", "kestrel", "variable")
    return courier, await add(client, "billing-note", NOTE)


async def doors(api: Api, cast: Cast, article: Json) -> dict[str, str]:
    """The texts of the article, its changelog entry and the answer on every interface that readers use."""
    slug, visitor, reader = cast.acme.slug, api(None), api(cast.acme.read_key)
    paths = [f"articles/{article['slug']}", f"articles/{article['slug']}.md", "llms-full.txt"]
    paths += ["changelog", "changelog.xml", "changelog.atom", "changelog.json"]
    seen = {path: (await visit(api, f"{slug}/{path}")).text for path in paths}
    question = "Who sends invoices on the first day?"
    seen["answer"] = str(await ask(visitor, cast.acme, question))
    for tool, sent in (
        ("ask_docs", {"question": question}),
        ("search_docs", {"query": "invoices", "includeText": True}),
    ):
        seen[tool] = str(await ask_docs(visitor, cast.acme, tool, sent))
    seen["search"] = str(ok(await reader.get("/v1/articles/search", params={"q": "invoices"})))
    seen["html"] = str(ok(await reader.get(f"/v1/articles/{article['id']}", params={"format": "html"})))
    return seen


async def test_readers_see_the_text_behind_every_door_and_editors_see_the_reference(
    client: Client, api: Api, cast: Cast, database: Database, owner: Tx, run_jobs: RunJobs
) -> None:
    await create_webhook(client)
    courier, note = await two_parts(client)
    article = await publish(client, "Billing", SOURCE)
    await publish_entry(client, "Couriers", contentMarkdown="Now by {{variable.courier}}.")

    for door, text in (await doors(api, cast, article)).items():
        assert "kestrel" in text, door
        assert "{{" not in text or door == "search", door
    assert ok(await client.get(f"/v1/articles/{article['id']}"))["contentMarkdown"] == SOURCE
    exported = await texts_of(database, cast.acme)
    assert any(SOURCE in text for text in exported.values())

    changed = ok(await client.patch(f"/v1/parts/{courier['id']}", json={"text": "goshawk"}))
    assert (changed["version"], changed["uses"]) == (2, 2)
    uses = ok(await client.get(f"/v1/parts/{courier['id']}/uses"))
    assert {use["title"] for use in uses["uses"]} == {"Billing", "Couriers"}
    await forget(owner, cast.acme)
    await run_jobs()
    assert await kinds(owner, cast.acme) == ["article.updated"]

    for door, text in (await doors(api, cast, article)).items():
        assert "goshawk" in text, door
        assert "kestrel" not in text, door
    after = ok(await client.get(f"/v1/articles/{article['id']}"))
    assert (after["version"], after["contentMarkdown"]) == (article["version"], SOURCE)
    assert after["updatedAt"] > article["updatedAt"]
    assert note["reference"] == "{{part.billing-note}}"


async def test_a_part_has_texts_in_several_languages(
    client: Client, api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    await two_parts(client)
    article = await publish(client, "Billing", SOURCE)
    german = await publish(client, "Abrechnung", SOURCE, locale="de", translationOf=article["id"])
    path = f"{cast.acme.slug}/de/articles/{german['slug']}"
    assert "kestrel" in (await visit(api, path)).text

    falcon = await add(client, "courier", "Turmfalke", "variable", locale="de")
    await run_jobs()
    assert "Turmfalke" in (await visit(api, path)).text
    assert "kestrel" in (await visit(api, f"{cast.acme.slug}/articles/billing")).text

    ok(await client.delete(f"/v1/parts/{falcon['id']}"))
    await run_jobs()
    assert "kestrel" in (await visit(api, path)).text


async def test_a_part_in_use_stays_and_names_its_articles(client: Client) -> None:
    courier, note = await two_parts(client)
    article = await create_article(client, "Billing", contentMarkdown=SOURCE)

    for part in (courier, note):
        refusal = await client.delete(f"/v1/parts/{part['id']}")
        assert error(refusal) == (400, "invalid_state")
        assert "“Billing”" in refusal.json()["error"]

    ok(await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": "Words."}))
    assert "part.billing-note" in (await client.delete(f"/v1/parts/{courier['id']}")).json()["error"]
    ok(await client.delete(f"/v1/parts/{note['id']}"))
    ok(await client.delete(f"/v1/parts/{courier['id']}"))


async def test_missing_circular_and_huge_parts_are_refused_and_change_nothing(client: Client) -> None:
    missing = await client.post("/v1/articles", json={"title": "T", "contentMarkdown": "{{part.none}}"})
    assert error(missing) == (400, "invalid_request")
    assert "part.none" in missing.json()["error"]
    note = await add(client, "a", "x" * 20_000)
    outer = await add(client, "b", "{{part.a}}" * 45)

    for text in ("{{part.b}}", "{{part.a}}", "{{part.none}}"):
        refusal = await client.patch(f"/v1/parts/{note['id']}", json={"text": text})
        assert error(refusal) == (400, "invalid_request"), text
    assert error(await client.post("/v1/parts", json={"name": "c", "text": "{{part.b}}{{part.b}}"}))[0] == 400
    assert (
        error(await client.post("/v1/parts", json={"name": "v", "kind": "variable", "text": "a\nb"}))[0]
        == 400
    )
    assert error(await client.post("/v1/parts", json={"name": "a", "text": ""})) == (400, "slug_taken")
    repeated = await client.post("/v1/parts", json={"name": "a", "text": ""})
    assert "already has a text in this language" in repeated.json()["error"]
    assert ok(await client.get(f"/v1/parts/{note['id']}"))["version"] == 1
    assert ok(await client.get(f"/v1/parts/{outer['id']}"))["version"] == 1


async def test_markup_that_only_parts_together_make_is_as_harmless_as_in_an_article(
    client: Client, api: Api, cast: Cast
) -> None:
    await add(client, "open", "<scr", "variable")
    await add(client, "close", "ipt>alert(1)</scr", "variable")
    await add(client, "link", "javascript:alert(1)", "variable")
    await publish(client, "Evil", "{{variable.open}}{{variable.close}}ipt> [x]({{variable.link}})")

    html = (await visit(api, f"{cast.acme.slug}/articles/evil")).text

    assert "alert(1)</script>" not in html
    assert 'href="javascript:' not in html


async def test_a_stale_change_of_a_part_is_refused(client: Client) -> None:
    part = await add(client, "a", "one")
    etag = (await client.get(f"/v1/parts/{part['id']}")).headers["etag"]
    ok(await client.patch(f"/v1/parts/{part['id']}", json={"text": "two"}))

    refusal = await client.patch(
        f"/v1/parts/{part['id']}", json={"text": "three"}, headers={"If-Match": etag}
    )

    assert error(refusal) == (400, "conflict")


async def test_a_file_in_a_part_is_served_and_kept(client: Client, api: Api, cast: Cast, owner: Tx) -> None:
    file = await upload(client, picture(shade=9), "A.png")
    await add(client, "figure", f"![It]({file['url']})")
    await publish(client, "Figures", "{{part.figure}}")

    assert (await api(None).get(file["url"])).status_code == 200
    sources = await owner.column(
        """
        select source from file_references
        where bot_id = %(bot)s and strpos(%(url)s, sha256) > 0 order by source
        """,
        bot=cast.acme.bot_id,
        url=file["url"],
    )
    assert sources == ["article", "part"]


async def test_parts_of_another_workspace_do_not_exist(client: Client, api: Api, cast: Cast) -> None:
    part = await add(client, "a", "secret")
    other = api(cast.globex.write_key)

    assert error(await other.get(f"/v1/parts/{part['id']}")) == (404, "not_found")
    assert error(await other.delete(f"/v1/parts/{part['id']}")) == (404, "not_found")
    refusal = await other.post("/v1/articles", json={"title": "T", "contentMarkdown": "{{part.a}}"})
    assert error(refusal) == (400, "invalid_request")


async def test_a_text_in_a_language_stays_if_parts_would_then_contain_themselves(client: Client) -> None:
    outer = await add(client, "b", "plain")
    german = await add(client, "b", "eben", locale="de")
    await add(client, "c", "one")
    await add(client, "c", "{{part.b}}", locale="de")
    ok(await client.patch(f"/v1/parts/{outer['id']}", json={"text": "{{part.c}}"}))
    refusal = await client.delete(f"/v1/parts/{german['id']}")

    assert error(refusal) == (400, "invalid_request")
    assert "part.b → part.c → part.b" in refusal.json()["error"]
