"""retrieve(): the passages that answer a question, and its confidence in them."""

from typing import Any

import pytest

from instep.platform.identity.schemas import Ctx
from instep.search import queries
from instep.search.retrieve import retrieve
from tests.support.cast import Api, Cast
from tests.support.http import at_once, create_article, create_collection, ok
from tests.support.search import publish, titles_of

TEAM = """Who works with you.

## Roles

There are owners and members.

### Invite *people*

Open **Settings** and choose [Team](/team). Then invite people by their address. They get a mail.

## Leave

Whoever leaves loses all roles.
"""


async def test_the_passage_that_answers_comes_first_with_its_heading_and_best_sentence(
    api: Api, cast: Cast, ctx: Ctx
) -> None:
    article = await publish(api(cast.acme.write_key), "Your team", TEAM)
    await publish(api(cast.acme.write_key), "Invoices", "They come by mail.")

    best = (await retrieve(ctx, "How can I invite people?")).passages[0]

    assert (best.article_id, best.title, best.locale) == (article["id"], "Your team", "en")
    assert best.headings == ("Roles", "Invite people")
    assert best.anchor == "h-invite-people"
    assert best.url == f"{article['url']}#h-invite-people"
    assert best.markdown.startswith("Open **Settings** and choose [Team](/team).")
    assert best.text.startswith("Open Settings and choose Team.")
    assert best.text[slice(*best.best)] == "Then invite people by their address."
    assert "invite people by their address" in best.excerpt


async def test_the_anchor_is_that_of_the_page(api: Api, cast: Cast, ctx: Ctx) -> None:
    text = "## Set up\n\nApples.\n\n## Set up\n\nPears.\n\n```\n## Set up\n```\n\nSet up\n------\n\nPlums."
    article = await publish(api(cast.acme.write_key), "Fruit", text)
    page = await api(None).get(f"/help/{cast.acme.slug}/articles/{article['slug']}")

    for fruit, anchor in (("apples", "h-set-up"), ("pears", "h-set-up-1"), ("plums", "h-set-up-2")):
        [best, *_] = (await retrieve(ctx, fruit)).passages
        assert best.anchor == anchor
        assert f'id="{anchor}"' in page.text


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("remove a member", "Delete people"),
        ("webhok signatures", "Webhooks"),
        ("kofiguration of SSO", "Single sign-on"),
        ("what does pageSize do", "Lists"),
        ("size of a page", "Lists"),
        ("/articles/{id}/publish", "Publishing"),
        ("publish", "Publishing"),
        ("dry-run", "Trying out"),
    ],
)
async def test_other_words_typing_errors_and_names_in_parts_are_understood(
    api: Api, cast: Cast, ctx: Ctx, question: str, title: str
) -> None:
    client = api(cast.acme.write_key)
    for name, text in {
        "Delete people": "Take somebody out of the team.",
        "Webhooks": "Each webhook has a signature.",
        "Single sign-on": "The konfiguration of SSO.",
        "Lists": "Set `page_size` to see more.",
        "Publishing": "Send `POST /v1/articles/{id}/publish`.",
        "Trying out": "The flag `--dry-run` changes nothing.",
        "Empty": "",
    }.items():
        await publish(client, name, text)

    assert (await titles_of(ctx, question))[0] == title


async def test_confidence_is_higher_if_the_articles_have_an_answer(api: Api, cast: Cast, ctx: Ctx) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Your team", TEAM)
    for number in range(20):
        await publish(client, f"Article {number}", f"About thing {number}, and some people.")

    answered = (await retrieve(ctx, "Where do I invite people to the team?")).signals
    unanswered = (await retrieve(ctx, "Where do people feed the penguins of the zookeeper?")).signals

    assert answered.confidence > unanswered.confidence + 0.2
    assert answered.signs["coverage"] > 0.8 > unanswered.signs["coverage"]
    assert answered.signs["proximity"] > unanswered.signs["proximity"]
    assert answered.signs["unknown"] == 0
    assert unanswered.signs["unknown"] > 0.5


@pytest.mark.parametrize("question", ["", "  ", "the", "?!", "🚀", "\ufeff", "x" * 2_000, "a " * 1_000])
async def test_any_question_may_be_asked(api: Api, cast: Cast, ctx: Ctx, question: str) -> None:
    empty = await retrieve(ctx, question)
    await publish(api(cast.acme.write_key))

    again = await retrieve(ctx, question)

    assert empty.passages == again.passages == []
    assert again.signals.confidence == 0


async def test_only_articles_that_the_audience_may_read_are_retrieved(api: Api, cast: Cast, ctx: Ctx) -> None:
    client = api(cast.acme.write_key)
    staff = await create_collection(client, "Staff", visibility="authenticated")
    await create_article(client, "A draft", contentMarkdown="canary")
    await publish(client, "Public", "canary")
    await publish(client, "Signed in", "canary", visibility="authenticated")
    await publish(client, "In a collection", "canary", collectionId=staff["id"])
    await publish(api(cast.globex.write_key), "Of others", "canary")

    assert await titles_of(ctx, "canary") == ["Public"]
    assert set(await titles_of(ctx, "canary", audience="authenticated")) == {
        *("Public", "Signed in", "In a collection")
    }
    ok(await client.patch(f"/v1/collections/{staff['id']}", json={"visibility": "public"}))
    assert set(await titles_of(ctx, "canary")) == {"Public", "In a collection"}


async def test_the_language_can_be_chosen(api: Api, cast: Cast, ctx: Ctx) -> None:
    client = api(cast.acme.write_key)
    root = await publish(client, "Invoices", "Invoices come by mail.")
    await publish(client, "Rechnungen", "Die Rechnung kommt.", locale="de", translationOf=root["id"])

    assert await titles_of(ctx, "rechnungen", "de") == ["Rechnungen"]
    assert await titles_of(ctx, "invoice", "en") == ["Invoices"]
    assert await titles_of(ctx, "invoice", "de") == []
    [german] = (await retrieve(ctx, "Rechnung")).passages
    assert german.url.endswith("/de/articles/rechnungen")


async def test_a_change_is_retrieved_at_once(api: Api, cast: Cast, ctx: Ctx) -> None:
    client = api(cast.acme.write_key)
    path = f"/v1/articles/{(await publish(client, 'Alpha', 'kiwi'))['id']}"

    assert await titles_of(ctx, "kiwi") == ["Alpha"]
    ok(await client.patch(path, json={"contentMarkdown": "melon"}))
    assert await titles_of(ctx, "kiwi") == []
    assert await titles_of(ctx, "melon") == ["Alpha"]
    ok(await client.patch(path, json={"visibility": "authenticated"}))
    assert await titles_of(ctx, "melon") == []
    ok(await client.patch(path, json={"visibility": "public"}))
    ok(await client.post(f"{path}/unpublish"))
    assert await titles_of(ctx, "melon") == []
    ok(await client.post(f"{path}/publish"))
    assert await titles_of(ctx, "melon") == ["Alpha"]
    ok(await client.delete(path))
    assert await titles_of(ctx, "melon") == []


async def test_changes_that_are_rolled_back_are_never_retrieved(api: Api, cast: Cast, ctx: Ctx) -> None:
    article = await publish(api(cast.acme.write_key), "Alpha", "kiwi")
    assert await titles_of(ctx, "kiwi") == ["Alpha"]

    async def change_and_fail() -> None:
        async with ctx.tx.transaction():
            await ctx.tx.execute(
                "update articles set content_markdown = 'melon' where id = %(id)s", id=article["id"]
            )
            assert await titles_of(ctx, "melon") == ["Alpha"]
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await change_and_fail()

    assert await titles_of(ctx, "melon") == []
    assert await titles_of(ctx, "kiwi") == ["Alpha"]


async def test_changes_and_questions_at_once_end_with_the_last_text(api: Api, cast: Cast, ctx: Ctx) -> None:
    client = api(cast.acme.write_key)
    articles = [await publish(client, f"Article {number}", "kiwi") for number in range(6)]

    async def step(number: int) -> None:
        path = f"/v1/articles/{articles[number % 6]['id']}"
        ok(await client.patch(path, json={"contentMarkdown": f"melon {number}"}))
        ok(await client.get("/v1/articles/search", params={"q": "melon"}))

    await at_once(18, step)

    assert await titles_of(ctx, "kiwi") == []
    assert len(await titles_of(ctx, "melon")) == 6


async def test_a_help_center_that_shows_only_translations_reads_no_articles_for_others(
    api: Api, cast: Cast, ctx: Ctx
) -> None:
    await publish(api(cast.acme.write_key), "Invoices", "They come by mail.")
    await publish(api(cast.acme.write_key), "Factures", "Par la poste.", locale="fr")
    statement = queries.ask_for_untranslated(ctx, "fr", "public").statement
    sql = f"explain (analyze, format json) {statement.sql}"
    [plan] = await ctx.value(sql, **statement.params)
    assert loops_of(plan["Plan"], "articles") == 0


def loops_of(step: dict[str, Any], table: str) -> float:
    """The number of times that a plan reads a table."""
    loops: float = step["Actual Loops"] if step.get("Relation Name") == table else 0
    return loops + sum(loops_of(inner, table) for inner in step.get("Plans", ()))
