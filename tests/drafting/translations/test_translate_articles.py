"""Articles are translated on request: numbers and cost first, then a draft for each that a person applies."""

import pytest

from instep.platform.core.database import Database, Tx
from tests.support.cast import Client, Json
from tests.support.http import create_article, ok
from tests.support.limits import SetSetting
from tests.support.places import waiting
from tests.support.site_pages import collect
from tests.support.translations import ROOT, BlockTranslator, run_translations, saying


async def publish_root(client: Client, title: str = "Exports", **fields: object) -> Json:
    article = await create_article(client, title, contentMarkdown=ROOT, **fields)
    return ok(await client.post(f"/v1/articles/{article['id']}/publish"))


async def translate(client: Client, **fields: object) -> Json:
    return ok(await client.post("/v1/articles/translate", json={"locale": "fr", **fields}))


async def pending(client: Client) -> list[Json]:
    rows = ok(await client.get("/v1/drafts"))["results"]
    return [ok(await client.get(f"/v1/drafts/{row['id']}")) for row in rows]


async def test_each_article_becomes_a_draft_that_keeps_everything_but_the_words(
    client: Client, database: Database
) -> None:
    group = await collect(client, "Data")
    root = await publish_root(client, collectionId=group["id"], visibility="authenticated")
    plan = await translate(client)
    assert (plan["articles"], plan["translated"], plan["waiting"]) == (1, 0, 1)
    assert (await translate(client))["articles"] == 0
    await run_translations(database, saying({"Exports": "Exportations"}))

    [draft] = await pending(client)
    assert draft["title"] == "Exportations"
    assert draft["contentMarkdown"].endswith("```sh\nacme export --all\n```\n")
    assert "- Deutsch: Choose [Export](https://acme.test/export).\n" in draft["contentMarkdown"]
    article = ok(await client.get(f"/v1/articles/{draft['articleId']}"))
    assert (article["locale"], article["translationOf"], article["status"]) == ("fr", root["id"], "in_review")
    assert (article["collectionId"], article["visibility"]) == (group["id"], "authenticated")
    again = await translate(client)
    assert (again["articles"], again["translated"], again["waiting"]) == (0, 1, 0)

    ok(await client.post(f"/v1/drafts/{draft['id']}/apply", json={}))
    [row] = ok(await client.get(f"/v1/articles/{root['id']}"))["translations"]
    assert (row["status"], row["outdated"]) == ("published", False)


async def test_a_dry_run_counts_and_schedules_nothing(client: Client, database: Database) -> None:
    group = await collect(client, "Data")
    chosen = await publish_root(client, collectionId=group["id"])
    await publish_root(client, "Imports")
    await create_article(client, "Not published", contentMarkdown=ROOT)

    everything = await translate(client, dryRun=True)
    one = await translate(client, dryRun=True, articleId=chosen["slug"])
    collection = await translate(client, dryRun=True, collectionId="data")

    assert [plan["articles"] for plan in (everything, one, collection)] == [2, 1, 1]
    assert everything["waiting"] == 0
    model = saying({})
    await run_translations(database, model)
    assert model.prompts == []


async def test_a_long_article_is_translated_in_pieces(client: Client, database: Database) -> None:
    text = "\n\n".join(f"Paragraph {number}. " + "Words of it. " * 60 for number in range(30))
    root = await create_article(client, "Long", contentMarkdown=text)
    ok(await client.post(f"/v1/articles/{root['id']}/publish"))
    await translate(client)
    model = saying({})
    await run_translations(database, model)

    assert len(model.prompts) > 1
    [draft] = await pending(client)
    assert draft["contentMarkdown"].count("Deutsch: Paragraph") == 30


@pytest.mark.parametrize(
    ("model", "words"),
    [(None, "has no translation"), (BlockTranslator(lambda text: "https://evil.test/x"), "left out")],
)
async def test_without_a_usable_translation_the_original_gets_a_place_until_there_is_one(
    client: Client, database: Database, model: BlockTranslator | None, words: str
) -> None:
    root = await publish_root(client)
    await translate(client)
    await run_translations(database, model)

    [place] = await waiting(client)
    assert place["articleId"] == root["id"]
    assert words in place["reason"]
    assert await pending(client) == []

    await translate(client)
    await run_translations(database, saying({}))
    assert await waiting(client) == []
    assert len(await pending(client)) == 1


async def test_a_translation_waits_while_the_budget_of_the_day_is_used_up(
    client: Client, database: Database, owner: Tx, set_setting: SetSetting
) -> None:
    await publish_root(client)
    set_setting("INSTEP_MODEL_TOKENS_PER_DAY", "10")
    await translate(client)
    await run_translations(database, saying({}))
    assert (await translate(client, dryRun=True))["waiting"] == 1
    assert await waiting(client) == []

    set_setting("INSTEP_MODEL_TOKENS_PER_DAY", "1000000")
    await owner.execute("update jobs set run_at = now() where kind = 'translate_article'")
    await run_translations(database, saying({}))
    assert len(await pending(client)) == 1
