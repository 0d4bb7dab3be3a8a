"""Changing many articles at once, undoing it, and find and replace."""

import re
from html import unescape

import pytest
from playwright.async_api import Page, expect

from instep.platform.core import limits
from instep.platform.core.database import Database
from tests.interfaces.dashboard.conftest import Desk
from tests.interfaces.dashboard.test_articles import publish, titles
from tests.support.articles import put_into_review, save_copy, translate
from tests.support.cast import Cast, Client, Json
from tests.support.http import Response, create_article, create_collection, created, ok
from tests.support.limits import SetLimit

UNDO = re.compile(r'action="(/app/[^"]*/articles/bulk/[^"]*/undo)"')


async def change(desk: Desk, articles: list[Json], verb: str, **fields: str) -> Response:
    """Select articles in the list, press a button on the next page, and follow the redirect."""
    chosen = "&".join(f"id={article['id']}" for article in articles)
    ids = " ".join(article["id"] for article in articles)
    return await desk.follow(
        await desk.send(f"articles/bulk?{chosen}", "articles/bulk", ids=ids, verb=verb, here="", **fields)
    )


async def undo(desk: Desk, page: Response) -> Response:
    action = UNDO.search(page.text)
    assert action is not None, "the page offers no way back"
    below = action[1].removeprefix(desk.path(""))
    return await desk.follow(await desk.send("articles", below))


async def read(client: Client, article: Json) -> Json:
    return ok(await client.get(f"/v1/articles/{article['id']}"))


@pytest.mark.parametrize(
    ("verb", "field", "key"),
    [
        ("move", "collection", "collectionId"),
        ("owner", "owner", "owner"),
        ("visibility", "visibility", "visibility"),
        ("locale", "locale", "locale"),
        ("since", "since", "sinceVersion"),
        ("until", "until", "untilVersion"),
        ("publish", "", "status"),
        ("archive", "", "status"),
    ],
)
async def test_a_change_of_many_articles_is_undone_as_a_whole(
    desk: Desk, client: Client, verb: str, field: str, key: str
) -> None:
    articles = [await create_article(client, title) for title in ("First", "Second")]
    other = await create_article(client, "Other")
    collection = await create_collection(client, "Guides")
    for slug in ("1.x", "2.x"):
        created(await client.post("/v1/product-versions", json={"slug": slug}))
    value = {
        "since": "2.x",
        "until": "1.x",
        "move": collection["id"],
        "owner": desk.user.email,
        "visibility": "authenticated",
        "locale": "de",
    }.get(verb, "")
    before = [(await read(client, article))[key] for article in articles]

    page = await change(desk, articles, verb, **({field: value} if field else {}))
    after = [(await read(client, article))[key] for article in articles]

    assert all(new != old for new, old in zip(after, before, strict=True))
    assert (await read(client, other))[key] == other[key]
    assert "Undone for 2 articles" in (await undo(desk, page)).text
    assert [(await read(client, article))[key] for article in articles] == before


async def test_deleted_articles_come_back_published_with_their_translations(
    desk: Desk, client: Client
) -> None:
    article = await publish(client, await create_article(client, "First"))
    german = await publish(client, await translate(client, article, "Erster", "de"))

    page = await change(desk, [article], "delete")

    assert (await client.get(f"/v1/articles/{german['id']}")).status_code == 404
    await undo(desk, page)
    assert [(await read(client, text))["status"] for text in (article, german)] == ["published"] * 2


async def test_undoing_a_publication_keeps_the_published_text_as_unpublished_changes(
    desk: Desk, client: Client, cast: Cast, database: Database
) -> None:
    article = await publish(client, await create_article(client, "First", contentMarkdown="Old."))
    await save_copy(database, cast.acme, article["id"], content="New.")

    page = await change(desk, [article], "publish")
    assert (await read(client, article))["contentMarkdown"] == "New."
    await undo(desk, page)

    assert (await read(client, article))["contentMarkdown"] == "Old."
    assert "New." in (await desk.get(f"articles/{article['id']}/changes")).text


async def test_articles_that_refuse_stay_and_are_named(
    desk: Desk, client: Client, cast: Cast, database: Database
) -> None:
    fine = await create_article(client, "Fine")
    draft_id = await put_into_review(database, cast.acme)
    waiting = ok(
        await client.get(f"/v1/articles/{ok(await client.get(f'/v1/drafts/{draft_id}'))['articleId']}")
    )

    page = await change(desk, [fine, waiting], "delete")

    assert "Deleted 1 article" in page.text
    assert "1 stays" in page.text
    assert "Install" in page.text
    assert (await read(client, waiting))["status"] == "in_review"


async def test_undo_leaves_what_has_changed_since_and_works_once(desk: Desk, client: Client) -> None:
    first, second = [await create_article(client, title) for title in ("First", "Second")]
    page = await change(desk, [first, second], "publish")
    ok(await client.post(f"/v1/articles/{second['id']}/unpublish"))

    undone = await undo(desk, page)

    assert "Undone for 1 article." in undone.text
    assert "Second" in undone.text
    assert [(await read(client, article))["status"] for article in (first, second)] == ["draft", "draft"]
    action = UNDO.search(page.text)
    assert action is not None
    again = await desk.send("articles", action[1].removeprefix(desk.path("")))
    assert again.status_code == 400


async def test_a_change_can_be_undone_from_the_list_later(desk: Desk, viewer: Desk, client: Client) -> None:
    articles = [await create_article(client, title) for title in ("First", "Second")]
    await change(desk, articles, "archive")
    await desk.get("tasks")

    later = await desk.get("articles")
    assert "2 articles were changed at once" in later.text
    assert "changed at once" not in (await viewer.get("articles")).text
    assert "Undone for 2 articles" in (await undo(desk, later)).text
    assert [(await read(client, article))["status"] for article in articles] == ["draft", "draft"]
    assert "changed at once" not in (await desk.get("articles")).text


async def test_deleting_many_articles_asks_once(
    signed_in_tab: Page, development_server: str, client: Client, cast: Cast
) -> None:
    tab, article = signed_in_tab, await create_article(client, "First")
    await tab.goto(f"{development_server}/app/{cast.acme.slug}/articles/bulk?id={article['id']}")
    await tab.get_by_role("button", name="Delete").click()
    question = tab.get_by_role("dialog", name="Delete 1 article?")
    await question.get_by_role("button", name="Cancel").click()
    assert (await read(client, article))["status"] == "draft"
    await tab.get_by_role("button", name="Delete").click()
    await question.get_by_role("button", name="Delete").click()

    await expect(tab.get_by_text("Deleted 1 article.")).to_be_visible()
    assert (await client.get(f"/v1/articles/{article['id']}")).status_code == 404


async def test_all_articles_that_match_can_be_changed(desk: Desk, client: Client) -> None:
    for number in range(3):
        await create_article(client, f"Export {number}")
    await create_article(client, "Other")

    page = await desk.get("articles/bulk?all=yes&q=export")

    assert "Change 3 articles" in page.text
    assert sorted(titles(page)) == ["Export 0", "Export 1", "Export 2"]


async def test_bad_selections_change_nothing(desk: Desk, client: Client, viewer: Desk) -> None:
    article = await create_article(client, "First")
    page = f"articles/bulk?id={article['id']}"

    assert (await desk.send(page, "articles/bulk", ids=article["id"], verb="explode")).status_code == 400
    assert (await desk.send(page, "articles/bulk", ids="", verb="delete")).status_code == 400
    many = " ".join([article["id"]] * (limits.MAX_BULK_ARTICLES + 1))
    assert (await desk.send(page, "articles/bulk", ids=many, verb="delete")).status_code == 400
    assert (await desk.get("articles/bulk")).status_code == 303
    assert (await viewer.get(page)).status_code == 403
    assert "1 stays" in (await change(desk, [article], "locale", locale="no language")).text


async def test_articles_of_others_can_not_be_selected(desk: Desk, globex: Client) -> None:
    foreign = await create_article(globex, "Theirs")

    page = await change(desk, [foreign], "delete")

    assert "Deleted 0 articles" in page.text
    assert (await globex.get(f"/v1/articles/{foreign['id']}")).status_code == 200


async def test_the_list_is_narrowed_by_age(desk: Desk, client: Client) -> None:
    await create_article(client, "New")

    assert titles(await desk.get("articles?age=90")) == []
    assert titles(await desk.get("articles?age=no-age")) == ["New"]


async def test_many_matches_are_a_number_that_people_can_read(desk: Desk, client: Client) -> None:
    await create_article(client, "Long", contentMarkdown="Acme is fast.\n\n" * 1_200)

    assert (
        "1,200 matches in 1 article" in (await desk.get("articles/replace?find=Acme&replacement=Nova")).text
    )


async def test_replacing_words_makes_drafts_and_changes_no_text(desk: Desk, client: Client) -> None:
    text = "Open Acme (not Acmex or acme).\n\n`Acme` is fast. $1 \\n\n"
    article = await publish(client, await create_article(client, "Use Acme", contentMarkdown=text))
    await create_article(client, "Other", contentMarkdown="Only acmex here.")
    words = {"find": "Acme", "replacement": r"Nova \1", "case": "yes", "words": "yes"}
    query = "&".join(f"{name}={value}" for name, value in words.items()).replace(" ", "+")

    preview = await desk.get(f"articles/replace?{query}")
    assert "3 matches in 1 article" in preview.text
    assert "Open <del>Acme</del> (not Acmex or acme)." in preview.text
    assert r"`<ins>Nova \1</ins>` is fast." in preview.text
    page = await desk.follow(await desk.send(f"articles/replace?{query}", "articles/replace", **words))

    assert "1 draft is waiting" in page.text
    assert (await read(client, article))["contentMarkdown"] == text
    [draft] = ok(await client.get("/v1/drafts"))["results"]
    detail = ok(await client.get(f"/v1/drafts/{draft['id']}"))
    assert detail["contentMarkdown"] == text.replace("Acme (", r"Nova \1 (").replace("`Acme`", r"`Nova \1`")
    assert "already waiting" in (await desk.get(f"articles/replace?{query}")).text


async def replace_in_three(desk: Desk, client: Client) -> tuple[list[Json], Response]:
    """Three articles, and the page with drafts that replace a word in them."""
    articles = [
        await create_article(client, f"Article {number}", contentMarkdown="Use Acme.") for number in range(3)
    ]
    source = await desk.send(
        "articles/replace?find=Acme", "articles/replace", find="Acme", replacement="Nova"
    )
    return articles, await desk.follow(source)


def shown_drafts(page: Response) -> dict[str, str]:
    return {"drafts": re.findall(r'name="drafts" value="([^"]*)"', page.text)[0]}


def id_of(shown_draft: str) -> str:
    """The id of the first draft in a list of ids and states."""
    return shown_draft.partition(" ")[0]


@pytest.mark.parametrize(("act", "verb"), [("apply-all", "Applied"), ("dismiss-all", "Dismissed")])
async def test_only_shown_drafts_that_are_pending_are_decided_at_once(
    desk: Desk, client: Client, act: str, verb: str
) -> None:
    _, page = await replace_in_three(desk, client)
    fields = shown_drafts(page)
    first, second, third = fields["drafts"].split(",")
    path = f"review/{id_of(third)}/{act}"

    for drafts in ("", "drf_0000000000000000000000000x 1,nothing", f"{id_of(third)} 1"):
        none = await desk.follow(await desk.send("review", path, **{**fields, "drafts": drafts}))
        assert f"{verb} 0 drafts." in none.text
        assert ("attention" in none.text) is (third[:20] in drafts)
    ok(await client.post(f"/v1/drafts/{id_of(first)}/apply", json={}))
    some = await desk.follow(await desk.send("review", path, **{**fields, "drafts": f"{first},{second}"}))

    assert f"{verb} 1 draft." in some.text
    waiting = ok(await client.get("/v1/drafts?status=pending"))["results"]
    assert [draft["id"] for draft in waiting] == [id_of(third)]


async def test_drafts_of_a_replacement_are_applied_or_dismissed_at_once(desk: Desk, client: Client) -> None:
    articles, page = await replace_in_three(desk, client)
    fields = shown_drafts(page)
    here = f"review/{id_of(fields['drafts'])}"
    assert "Apply all (3)" in page.text
    assert "Approve" not in page.text
    assert 'value="release"' not in (await desk.get(here)).text

    changed = articles[1]
    ok(await client.patch(f"/v1/articles/{changed['id']}", json={"contentMarkdown": "Try Acme."}))
    applied = await desk.follow(await desk.send(f"{here}/source", f"{here}/apply-all", **fields))
    assert "Applied 2 drafts. One more needs your attention" in applied.text
    texts = [(await read(client, article))["contentMarkdown"].strip() for article in articles]
    assert texts == ["Use Nova.", "Try Acme.", "Use Nova."]

    [draft] = ok(await client.get("/v1/drafts?status=pending"))["results"]
    ok(await client.patch(f"/v1/drafts/{draft['id']}", json={"contentMarkdown": "Try Nova."}))
    kept = await desk.follow(await desk.send(f"{here}/source", f"{here}/dismiss-all", **fields))
    assert "Dismissed 0 drafts. One more needs your attention" in kept.text
    fields = shown_drafts(await desk.get(f"{here}/source"))
    dismissed = await desk.follow(await desk.send(f"{here}/source", f"{here}/dismiss-all", **fields))
    assert "Dismissed 1 draft." in dismissed.text
    assert ok(await client.get("/v1/drafts?status=pending"))["results"] == []


async def test_parts_with_the_words_change_on_their_page_which_names_their_texts(
    desk: Desk, client: Client
) -> None:
    part = created(await client.post("/v1/parts", json={"name": "note", "text": "Acme bills.\n\nAcme pays."}))
    await create_article(client, "Bills", contentMarkdown="{{part.note}}\n")

    query = "articles/replace?find=Acme&replacement=Nova&case=yes&words=yes"
    page = (await desk.get(query)).text
    form = page.partition(f'action="/app/{desk.slug}/parts/{part["id"]}"')[2].partition("</form>")[0]
    [etag], [text] = re.findall(r'"etag" value="([^"]*)"', form), re.findall(r">\n([^<]*)</textarea>", form)
    fields = {"etag": unescape(etag), "text": unescape(text)}
    question = await desk.send(query, f"parts/{part['id']}", **fields)
    assert "changes 1 text" in question.text
    assert ok(await client.get(f"/v1/parts/{part['id']}"))["text"] == part["text"]
    await desk.send(query, f"parts/{part['id']}", **fields, confirmed="yes")

    assert ok(await client.get(f"/v1/parts/{part['id']}"))["text"] == "Nova bills.\n\nNova pays."


async def test_parts_are_cut_after_the_search_and_the_page_says_so(
    desk: Desk, client: Client, set_limit: SetLimit
) -> None:
    set_limit("MAX_REPLACED_PARTS", 1)
    for name, text in (("a", "acme"), ("b", "Acme pays."), ("c", "Acme bills.")):
        created(await client.post("/v1/parts", json={"name": name, "text": text}))

    page = await desk.get("articles/replace?find=Acme&replacement=Nova&case=yes")
    one = await desk.get("articles/replace?find=Acme+bills&replacement=Nova&case=yes")

    assert [f"{{{{part.{name}}}}}" in page.text for name in "abc"] == [False, True, False]
    assert "first of more parts" in page.text
    assert "part.c" in one.text
    assert "first of more" not in one.text


async def test_a_replacement_that_is_too_large_says_that_there_is_more(
    desk: Desk, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_REPLACED_CHARACTERS", 10)
    for number in range(3):
        await create_article(client, f"Article {number}", contentMarkdown="Use Acme.")

    page = await desk.get("articles/replace?find=Acme&replacement=Nova")

    assert "2 matches in 2 articles" in page.text
    assert "first of more" in page.text


@pytest.mark.parametrize(
    "query", ["find=", "find=a&replacement=a", f"find={'x' * (limits.MAX_SOUGHT_CHARACTERS + 1)}", "find=%00"]
)
async def test_words_that_can_not_be_replaced_are_refused(desk: Desk, query: str) -> None:
    assert (await desk.get(f"articles/replace?{query}")).status_code == 400


async def test_undo_keeps_an_article_out_of_a_version_that_is_gone(desk: Desk, client: Client) -> None:
    for slug in ("1.x", "2.x"):
        created(await client.post("/v1/product-versions", json={"slug": slug}))
    article = await create_article(client, "First", sinceVersion="2.x")
    page = await change(desk, [article], "since", since="")
    ok(await client.delete("/v1/product-versions/2.x"))

    undone = await undo(desk, page)

    assert "1 stays as before" in undone.text
    assert (await read(client, article))["sinceVersion"] is None


async def test_undo_keeps_translations_in_the_versions_of_their_original(desk: Desk, client: Client) -> None:
    for slug in ("1.x", "2.x"):
        created(await client.post("/v1/product-versions", json={"slug": slug}))
    article = await create_article(client, "First")
    page = await change(desk, [article], "since", since="2.x")
    german = await translate(client, article, "Erster", "de")

    await undo(desk, page)

    assert [(await read(client, text))["sinceVersion"] for text in (article, german)] == [None, None]
