"""Articles are translated on request: counts and cost first, then one draft each for a person to apply."""

import pytest

from instep.platform.core.database import Database, Tx
from instep.platform.llm.protocol import Completion, CompletionError, Model, OnText, Prompt, PromptRejected
from tests.support.cast import Client, Json
from tests.support.http import create_article, named_fields, ok
from tests.support.limits import SetSetting
from tests.support.mcp import use
from tests.support.places import waiting
from tests.support.site_pages import collect
from tests.support.translations import ROOT, BlockTranslator, change_root, run_translations, saying

LONG = "\n\n".join(f"Paragraph {number}. " + "Words of it. " * 60 for number in range(30))


class FailingModel(BlockTranslator):
    """A model that translates a few prompts and then always fails."""

    def __init__(self, error: CompletionError, after: int = 0) -> None:
        super().__init__("Deutsch: {}".format)
        self.error, self.after = error, after

    async def complete(self, prompt: Prompt, on_text: OnText | None = None) -> Completion:
        if len(self.prompts) == self.after:
            raise self.error
        return await super().complete(prompt, on_text)


class UnreadableTranslator(BlockTranslator):
    """A model whose replies do not have the requested format."""

    async def complete(self, prompt: Prompt, on_text: OnText | None = None) -> Completion:
        return Completion("Bonjour", 700, 50)


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
    lead = "Take your articles to https://acme.test."
    fields = {"collectionId": group["id"], "visibility": "authenticated", "description": lead}
    root = await publish_root(client, **fields)
    plan = await translate(client)
    assert (plan["articles"], plan["translated"], plan["waiting"]) == (1, 0, 1)
    assert (await translate(client))["articles"] == 0
    await run_translations(
        database, saying({"Exports": "Exportations", lead: "Emportez vos articles à https://acme.test."})
    )

    [draft] = await pending(client)
    assert draft["title"] == "Exportations"
    assert draft["contentMarkdown"].endswith("```sh\nacme export --all\n```\n")
    assert "- Deutsch: Choose [Export](https://acme.test/export).\n" in draft["contentMarkdown"]
    article = ok(await client.get(f"/v1/articles/{draft['articleId']}"))
    assert (article["locale"], article["translationOf"], article["status"]) == ("fr", root["id"], "in_review")
    assert (article["collectionId"], article["visibility"]) == (group["id"], "authenticated")
    assert article["description"] == "Emportez vos articles à https://acme.test."
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
    root = await create_article(client, "Long", contentMarkdown=LONG)
    ok(await client.post(f"/v1/articles/{root['id']}/publish"))
    await translate(client)
    model = saying({})
    await run_translations(database, model)

    assert len(model.prompts) > 1
    [draft] = await pending(client)
    assert draft["contentMarkdown"].count("Deutsch: Paragraph") == 30


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (None, "has no translation"),
        (BlockTranslator(lambda text: "https://evil.test/x"), "left out"),
        (FailingModel(PromptRejected("It is too long.", 0)), "did not translate"),
        (UnreadableTranslator(lambda text: text), "left out"),
    ],
)
async def test_without_a_usable_translation_the_original_gets_a_place_until_there_is_one(
    client: Client, database: Database, model: Model | None, words: str
) -> None:
    root = await publish_root(client)
    await translate(client)
    await run_translations(database, model)

    [place] = await waiting(client)
    assert place["articleId"] == root["id"]
    assert words in place["reason"]
    assert await pending(client) == []

    # A refused text is not paid for again until a request names the article or its text changes.
    plan = await translate(client, dryRun=True)
    assert (plan["articles"], plan["waiting"]) == ((0, 1) if model else (1, 0))
    await translate(client, articleId=root["id"])
    await run_translations(database, saying({}))
    assert await waiting(client) == []
    assert len(await pending(client)) == 1


async def test_a_changed_original_is_translated_after_a_refusal(client: Client, database: Database) -> None:
    root = await publish_root(client)
    await translate(client)
    await run_translations(database, BlockTranslator(lambda text: "https://evil.test/x"))
    assert (await translate(client))["articles"] == 0

    await change_root(client, root, "Wait 5 minutes.", "Wait 10 minutes.")
    assert (await translate(client))["articles"] == 1


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


async def test_an_outage_of_the_model_delays_a_translation_and_loses_no_piece_of_it(
    client: Client, database: Database, owner: Tx
) -> None:
    root = await create_article(client, "Long", contentMarkdown=LONG)
    ok(await client.post(f"/v1/articles/{root['id']}/publish"))
    await translate(client)
    broken = FailingModel(CompletionError("The provider does not answer.", 0), after=1)
    await run_translations(database, broken)
    assert (await translate(client, dryRun=True))["waiting"] == 1
    assert await waiting(client) == []

    await owner.execute("update jobs set run_at = now() where kind = 'translate_article'")
    model = saying({})
    await run_translations(database, model)
    assert len(await pending(client)) == 1
    assert broken.prompts[0] not in model.prompts


async def test_an_outage_that_does_not_end_leaves_a_place(
    client: Client, database: Database, owner: Tx
) -> None:
    await publish_root(client)
    await translate(client)
    await owner.execute(
        """
        update jobs set payload = payload || jsonb_build_object('until', now() - interval '1 second')
        where kind = 'translate_article'
        """
    )
    await run_translations(database, FailingModel(CompletionError("The provider does not answer.", 0)))
    [place] = await waiting(client)
    assert "did not translate" in place["reason"]


@pytest.mark.parametrize("field", ["articleId", "collectionId"])
async def test_an_unknown_part_of_the_help_center_is_an_invalid_value(client: Client, field: str) -> None:
    refusal = await client.post("/v1/articles/translate", json={"locale": "fr", field: "nothing"})

    assert named_fields(refusal) == [field]


async def test_an_ai_client_counts_first_and_then_asks(client: Client, database: Database) -> None:
    await publish_root(client)

    plan = await use(client, "translate_articles", {"locale": "fr", "dryRun": True})
    assert (plan["articles"], plan["model"]) == (1, None)
    assert (await use(client, "translate_articles", {"locale": "fr"}))["articles"] == 1
    assert (await use(client, "translate_articles", {"locale": "fr"}))["waiting"] == 1
