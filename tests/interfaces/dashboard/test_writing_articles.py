"""The editor without scripts: forms save and publish, and nothing is lost when two people write."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from instep.platform.core.database import Database, Tx
from instep.platform.text.diff import compare_now
from tests.interfaces.dashboard.conftest import Desk
from tests.interfaces.dashboard.editor import fields_of, submit
from tests.support.articles import revisions_of, type_text
from tests.support.cast import Cast, Client, Json
from tests.support.file_samples import picture
from tests.support.http import at_once, create_article, create_collection, created, ok
from tests.support.sign_in import HERE

TEXTS = [
    "",
    "\n",
    "\n\nBegins late.\n",
    "No end",
    "a\r\nb\r\n",
    "a\r\nb\nc\rd\n",
    "Tab\t and \u2028 and 🙂\n",
]
PICTURE = picture()
SIDES = ("opened", "saved")
DOCS = sorted((Path(__file__).parents[3] / "docs" / "help").glob("*/*.md"))


async def article_of(client: Client, id: str) -> Json:
    return ok(await client.get(f"/v1/articles/{id}"))


async def test_a_new_article_is_a_draft_that_goes_on_being_written(desk: Desk, client: Client) -> None:
    answer = await submit(desk, "articles/new", title="Invite people", content="# One\r\n\r\nTwo.\r\n")

    assert answer.status_code == 303
    assert "Saved." in (await desk.follow(answer)).text
    article = await article_of(client, "invite-people")
    assert answer.headers["Location"] == desk.path(f"articles/{article['id']}/edit")
    assert (article["status"], article["contentMarkdown"]) == ("draft", "# One\n\nTwo.\n")


async def test_a_new_article_has_what_its_form_says(desk: Desk, client: Client) -> None:
    collection = await create_collection(client)
    answer = await submit(
        desk,
        "articles/new",
        "publish",
        title="Einladen",
        content="Zwei.",
        description="Wie man einlädt.",
        collection=collection["id"],
        visibility="authenticated",
        slug="einladen",
        locale="de",
    )

    assert answer.status_code == 303
    [article] = ok(await client.get("/v1/articles"))["results"]
    assert answer.headers["Location"] == desk.path(f"articles/{article['id']}")
    facts = ("status", "slug", "locale", "description", "collectionId", "visibility")
    assert [article[name] for name in facts] == [
        *("published", "einladen", "de", "Wie man einlädt.", collection["id"], "authenticated")
    ]


async def test_errors_are_shown_at_their_fields_and_the_text_stays(desk: Desk, client: Client) -> None:
    await create_article(client)

    for fields, sentence in (
        ({"title": " "}, "It is empty."),
        ({"title": "Other", "slug": "install"}, "in use"),
        ({"title": "Other", "slug": "Not a slug"}, "slug"),
        ({"title": "Other", "locale": "?"}, "en or pt-BR"),
    ):
        answer = await submit(desk, "articles/new", content="Long work.", **fields)
        assert answer.status_code == 400
        assert sentence in answer.text
        assert fields_of(answer)["content"] == "Long work."
    assert len(ok(await client.get("/v1/articles"))["results"]) == 1


@pytest.mark.parametrize("page", ["articles/new", "articles/{id}/edit"])
async def test_a_collection_deleted_meanwhile_is_reported_and_the_text_stays(
    desk: Desk, client: Client, page: str
) -> None:
    page = page.format(id=(await create_article(client))["id"])
    collection = await create_collection(client)
    fields = {**fields_of(await desk.get(page)), "title": "Other", "content": "Long work."}
    ok(await client.delete(f"/v1/collections/{collection['id']}"))
    answer = await desk.post(page, {**fields, "collection": collection["id"], "act": "save"})

    assert answer.status_code == 400
    assert "This collection does not exist." in answer.text
    assert fields_of(answer)["content"] == "Long work."
    assert fields_of(answer)["title"] == "Other"


@pytest.mark.parametrize("content", TEXTS)
async def test_opening_and_saving_changes_no_byte(desk: Desk, client: Client, content: str) -> None:
    article = await create_article(client, contentMarkdown=content, description="One.")

    answer = await submit(desk, f"articles/{article['id']}/edit")

    assert answer.status_code == 303
    assert await article_of(client, article["id"]) == article


async def test_every_article_of_our_own_help_center_comes_back_byte_for_byte(
    desk: Desk, client: Client, owner: Tx
) -> None:
    assert len(DOCS) > 40
    id = (await create_article(client))["id"]
    path = f"articles/{id}/edit"

    async def save(fields: Mapping[str, str]) -> str:
        assert (await desk.post(path, {**fields, "act": "save"})).status_code == 303
        content: str = await owner.value("select content_markdown from articles where id = %(id)s", id=id)
        return content

    for file in DOCS:
        text = file.read_bytes().decode()
        await owner.execute(
            "update articles set content_markdown = %(text)s where id = %(id)s", id=id, text=text
        )
        fields = fields_of(await desk.get(path))

        assert await save(fields) == text
        word = next(word for word in text.split() if text.count(word) == 1 and word.isalpha())
        diff = compare_now(
            text, await save({**fields, "content": fields["content"].replace(word, "so")}), SIDES
        )
        assert (diff.additions, diff.deletions) == (1, 1), file


async def test_a_live_text_waits_until_it_is_published(desk: Desk, client: Client) -> None:
    article = await create_article(client)
    ok(await client.post(f"/v1/articles/{article['id']}/publish"))
    path = f"articles/{article['id']}/edit"

    await submit(desk, path, content="Better.")
    waiting = await article_of(client, article["id"])
    assert (waiting["contentMarkdown"], waiting["hasUnpublishedChanges"]) == ("Run it.", True)
    page = await desk.get(path)
    assert fields_of(page)["content"] == "Better."
    assert "Unpublished changes" in page.text
    assert desk.user.email in page.text

    answer = await submit(desk, path, "publish")
    assert answer.headers["Location"] == desk.path(f"articles/{article['id']}")
    live = await article_of(client, article["id"])
    assert (live["contentMarkdown"], live["hasUnpublishedChanges"]) == ("Better.", False)


async def test_facts_that_were_not_touched_stay_what_somebody_else_made_them(
    desk: Desk, client: Client
) -> None:
    article = await create_article(client, description="One.")
    path = f"articles/{article['id']}/edit"
    fields = fields_of(await desk.get(path))
    ok(await client.patch(f"/v1/articles/{article['id']}", json={"visibility": "authenticated"}))

    answer = await desk.post(path, {**fields, "description": "", "slug": "begin", "act": "save"})

    assert answer.status_code == 303
    after = await article_of(client, article["id"])
    assert (after["visibility"], after["description"], after["slug"]) == ("authenticated", None, "begin")


async def test_the_second_of_two_writers_is_shown_both_texts(
    desk: Desk, editor: Desk, client: Client, cast: Cast
) -> None:
    article = await create_article(client, contentMarkdown="One.\n\nTwo.\n")
    path = f"articles/{article['id']}/edit"
    ours, theirs = [fields_of(await person.get(path)) for person in (desk, editor)]
    await editor.post(path, {**theirs, "content": "One.\r\n\r\nTheirs.\r\n", "act": "save"})

    refusal = await desk.post(
        path, {**ours, "content": "Ours.\r\n\r\nTwo.\r\n", "slug": "begin", "act": "publish"}
    )

    assert refusal.status_code == 409
    assert f"{editor.user.email} changed" in refusal.text
    assert "No newline" not in refusal.text
    assert '<del><span class="visually-hidden">Theirs: </span>Theirs.</del>' in refusal.text
    kept = fields_of(refusal)
    assert (kept["content"], kept["slug"]) == ("Ours.\r\n\r\nTwo.\r\n", "begin")
    unchanged = await article_of(client, article["id"])
    assert (unchanged["contentMarkdown"], unchanged["slug"]) == ("One.\n\nTheirs.\n", "install")

    answer = await desk.post(path, {**kept, "act": "save"})
    assert answer.status_code == 303
    assert (await article_of(client, article["id"]))["contentMarkdown"] == "Ours.\n\nTwo.\n"
    texts = [row["contentMarkdown"] for row in await revisions_of(client, article["id"])]
    assert texts == ["One.\n\nTheirs.\n", "One.\n\nTwo.\n"]


async def test_the_text_of_an_article_is_kept_as_somebody_types(desk: Desk, client: Client) -> None:
    article = await create_article(client)
    fields = fields_of(await desk.get(f"articles/{article['id']}/edit"))

    answer = await desk.post(f"articles/{article['id']}/autosave", {**fields, "content": "B"})

    state = ok(answer)
    assert (state["author"], state["version"] != fields["version"]) == (desk.user.email, True)
    assert fields_of(await desk.get(f"articles/{article['id']}/edit"))["version"] == state["version"]
    again = await desk.post(f"articles/{article['id']}/autosave", {**fields, "content": "B"})
    assert ok(again) == state
    refusal = await desk.post(f"articles/{article['id']}/autosave", {**fields, "content": "C"})
    assert (refusal.status_code, refusal.json()) == (409, state)
    nameless = await desk.post(f"articles/{article['id']}/autosave", {**fields, "title": ""})
    assert (nameless.status_code, nameless.json()) == (400, {"message": "`title`: it is empty."})
    assert not state["hasUnpublishedChanges"]


async def test_typing_in_a_published_article_says_that_it_has_unpublished_changes(
    desk: Desk, client: Client
) -> None:
    article = await create_article(client)
    ok(await client.post(f"/v1/articles/{article['id']}/publish"))
    page = await desk.get(f"articles/{article['id']}/edit")

    answer = await desk.post(f"articles/{article['id']}/autosave", {**fields_of(page), "content": "B"})

    assert ok(answer)["hasUnpublishedChanges"]
    assert '<span id="unpublished" hidden>' in page.text
    assert '<span id="unpublished">' in (await desk.get(f"articles/{article['id']}/edit")).text


async def test_a_text_that_is_too_complex_is_told_and_stays(desk: Desk, client: Client) -> None:
    article = await create_article(client)
    content = "> " * 40 + "deep"

    answer = await submit(desk, f"articles/{article['id']}/edit", content=content)

    assert answer.status_code == 400
    assert fields_of(answer)["content"] == content
    assert (await article_of(client, article["id"])) == article


async def test_a_large_text_is_saved(desk: Desk, client: Client) -> None:
    article = await create_article(client)
    content = "Größe und Breite.\n\n" * 10_000

    answer = await submit(desk, f"articles/{article['id']}/edit", content=content.replace("\n", "\r\n"))

    assert answer.status_code == 303
    assert (await article_of(client, article["id"]))["contentMarkdown"] == content


async def test_a_translation_is_written_beside_its_source(desk: Desk, client: Client) -> None:
    article = await create_article(client, contentMarkdown="Run **it**.")
    page = await desk.get(f"articles/new?translation-of={article['id']}&locale=de")
    assert "Run **it**." in page.text

    fields = fields_of(page)
    assert (fields["locale"], fields["translation-of"]) == ("de", article["id"])
    answer = await desk.post(
        "articles/new", {**fields, "title": "Einrichten", "content": "Los.", "act": "save"}
    )
    assert answer.status_code == 303
    [translation] = (await article_of(client, article["id"]))["translations"]
    assert translation["locale"] == "de"


async def test_a_translation_begins_with_the_readers_of_its_original_and_a_missing_language(
    desk: Desk, client: Client
) -> None:
    article = await create_article(client, visibility="authenticated")
    other = await create_article(client, "Plans")
    await create_article(client, "Tarife", translationOf=other["id"], locale="de")
    path = f"articles/new?translation-of={article['id']}"
    fields = fields_of(await desk.get(path))
    assert (fields["visibility"], fields["locale"]) == ("authenticated", "de")

    typed = {**fields, "title": "Einrichten", "locale": "en", "act": "publish"}
    refused = await desk.post("articles/new", typed)
    assert refused.status_code == 400
    assert '<details class="details" open>' in refused.text
    answer = await desk.post("articles/new", {**fields_of(refused), "locale": "de", "act": "publish"})
    assert answer.status_code == 303
    assert fields_of(await desk.get(path))["locale"] == ""


async def test_a_translation_shows_what_is_new_in_its_source(desk: Desk, client: Client) -> None:
    article = await create_article(client, contentMarkdown="One.\n\nTwo.\n")
    german = await create_article(client, "Einrichten", translationOf=article["id"], locale="de")
    path = f"articles/{german['id']}/edit"
    assert "New: " not in (await desk.get(path)).text

    for content in ("One.\n\n2.\n", "One.\n\n2.\n\nThree.\n"):
        ok(await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": content}))
    page = (await desk.get(path)).text
    assert page.count("New: ") == 2
    assert "New: </span>2.\n</ins>" in page
    assert "New: </span>Three.\n</ins>" in page

    await submit(desk, path, content="Eins.")
    assert "New: " not in (await desk.get(path)).text


async def test_links_are_offered_by_title_and_address(desk: Desk, client: Client) -> None:
    for title in ("Install", "Reinstall on a Mac", "Billing", "100% sure"):
        await create_article(client, title)
    await create_article(client, "Installieren", locale="de")

    async def offered(query: str) -> list[str]:
        return [link["title"] for link in ok(await desk.get(f"writing/links?{query}"))["offers"]]

    assert await offered("q=inst&locale=en") == ["Install", "Reinstall on a Mac"]
    assert await offered("q=100%25&locale=en") == ["100% sure"]
    assert await offered("q=inst&locale=de") == ["Installieren"]
    [link, *_] = ok(await desk.get("writing/links?q=Install"))["offers"]
    assert link["path"] == f"/help/{desk.slug}/articles/install"


async def test_parts_and_variables_are_offered_by_reference(desk: Desk, client: Client) -> None:
    long = "Invoices come by email. " * 20
    rows = [("billing-note", "part", long, "en"), ("billing-note", "part", "Rechnungen.", "de")]
    for name, kind, text, locale in (*rows, ("price", "variable", "9 euros", "en")):
        part = {"name": name, "kind": kind, "text": text, "locale": locale}
        created(await client.post("/v1/parts", json=part))

    async def offered(query: str) -> list[dict[str, str]]:
        return list(ok(await desk.get(f"writing/parts?{query}"))["offers"])

    assert await offered("q=var&locale=en") == [{"reference": "variable.price", "text": "9 euros"}]
    [note, _] = await offered("q=&locale=en")
    assert note["reference"] == "part.billing-note"
    assert len(note["text"]) < len(long)
    assert await offered("q=bill&locale=de") == [{"reference": "part.billing-note", "text": "Rechnungen."}]
    assert await offered("q=%25&locale=en") == []


async def test_the_preview_is_what_readers_see_with_the_lines_of_the_text(desk: Desk, client: Client) -> None:
    article = await create_article(client)
    fields = fields_of(await desk.get(f"articles/{article['id']}/edit"))

    text = "# One\r\n\r\nTwo <script>alert(1)</script> *three*.\r\n"
    text += "\n```mermaid\nflowchart LR\n  A --> B\n```\n"
    answer = await desk.post("writing/preview", {**fields, "content": text})
    assert "Diagram, as Mermaid source" in answer.text

    assert answer.status_code == 200
    assert '<h1 id="h-one" data-line="1">One' in answer.text
    assert '<p data-line="3">Two  <em data-line="3">three</em>.</p>' in answer.text
    assert "content-security-policy" in answer.headers


async def test_links_that_lead_nowhere_are_told_before_a_text_goes_live(desk: Desk, client: Client) -> None:
    target = await create_article(client, "Target", contentMarkdown="## Here\n")
    ok(await client.post(f"/v1/articles/{target['id']}/publish"))
    await create_article(client, "Waiting")
    article = await create_article(client)
    path = f"articles/{article['id']}/edit"
    home = f"/help/{desk.slug}/articles"
    good = f"[a]({home}/target) [b](target#here) [c](#own) [d](https://x.example/y)\n\n## Own\n"
    bad = f"[a]({home}/nothing)\n\n[b]({home}/target#there)\n\n[c](waiting)\n"

    answer = await submit(desk, path, "publish", content=good + bad)

    assert answer.status_code == 409
    assert "3 links lead nowhere." in answer.text
    assert "Line 8: The link “waiting”" in answer.text
    assert f"Line 4: The link “{home}/nothing”" in answer.text
    assert fields_of(answer)["content"] == (good + bad).replace("\n", "\r\n")
    assert await article_of(client, article["id"]) == article
    assert (await submit(desk, path, content=bad)).status_code == 303
    assert (await submit(desk, path, "publish-anyway", content=bad)).status_code == 303
    assert (await article_of(client, article["id"]))["status"] == "published"
    assert (await submit(desk, path, "publish", content=good)).status_code == 303
    new = await submit(desk, "articles/new", "publish", title="New", content=bad)
    assert (new.status_code, "lead nowhere" in new.text) == (409, True)


async def test_a_new_address_offers_edits_of_the_links_to_the_former_one(desk: Desk, client: Client) -> None:
    article = await create_article(client)
    home = f"/help/{desk.slug}/articles"
    text = f"[a]({home}/install#x) [b](install) [c]({home}/install-it)\n\n`install` and install.\n"
    await create_article(client, "Install it")
    linking = await create_article(client, "Links", contentMarkdown=text)
    path = f"articles/{article['id']}/edit"

    answer = await submit(desk, path, slug="set-up")

    assert answer.headers["Location"] == desk.path(f"{path}?renamed=install")
    assert "One article links" in (await desk.follow(answer)).text
    done = await desk.send(path, f"articles/{article['id']}/links", renamed="install")
    assert done.headers["Location"] == desk.path("review")
    [draft] = ok(await client.get("/v1/drafts"))["results"]
    detail = ok(await client.get(f"/v1/drafts/{draft['id']}"))
    assert draft["articleId"] == linking["id"]
    expected = text.replace("/install#x", "/set-up#x").replace("(install)", "(set-up)")
    assert detail["contentMarkdown"] == expected
    assert (await article_of(client, linking["id"]))["contentMarkdown"] == text
    # The edits of the links are already pending, so nothing is offered.
    page = await desk.get(f"{path}?renamed=install")
    assert (page.status_code, "to the old address" in page.text) == (200, False)
    assert (await submit(desk, path, slug="begin")).headers["Location"] == desk.path(path)


async def test_edits_of_links_are_proposed_once_however_often_they_are_asked_for(
    desk: Desk, client: Client
) -> None:
    article = await create_article(client)
    text = f"[a](/help/{desk.slug}/articles/install)\n"
    for title in ("One", "Two"):
        await create_article(client, title, contentMarkdown=text)
    path = f"articles/{article['id']}/edit"
    await submit(desk, path, slug="set-up")
    token = fields_of(await desk.get(path))["form-token"]
    form = {"form-token": token, "renamed": "install"}

    await at_once(4, lambda _: desk.post(f"articles/{article['id']}/links", form))
    drafts = ok(await client.get("/v1/drafts"))["results"]
    assert sorted(draft["articleTitle"] for draft in drafts) == ["One", "Two"]

    # A dismissed edit is proposed again; a pending one is not.
    ok(await client.post(f"/v1/drafts/{drafts[0]['id']}/dismiss"))
    answer = await desk.post(f"articles/{article['id']}/links", form)
    assert "One draft" in (await desk.follow(answer)).text
    assert len(ok(await client.get("/v1/drafts"))["results"]) == 2


async def test_a_file_is_taken_with_the_token_of_the_page_alone(desk: Desk, client: Client) -> None:
    token = fields_of(await desk.get("articles/new"))["form-token"]
    post = desk.visitor.client.post
    path, data = desk.path("writing/files"), {"form-token": token}
    picture, page = {"file": ("a.png", PICTURE)}, {"file": ("a.png", b"<!doctype html>")}

    assert (await post(path, files=picture, headers=HERE)).status_code == 403
    foreign = {"Sec-Fetch-Site": "cross-site"}
    assert (await post(path, data=data, files=picture, headers=foreign)).status_code == 403
    stored = ok(await post(path, data=data, files=picture, headers=HERE))
    [file] = ok(await client.get("/v1/files"))["results"]
    assert stored == {
        "url": file["url"].removeprefix("http://help.test"),
        "name": "a.png",
        "isPicture": True,
    }
    refusal = await post(path, data=data, files=page, headers=HERE)
    assert (refusal.status_code, "message" in refusal.json()) == (400, True)


async def test_editor_refuses_viewers_strangers_and_missing_form_tokens(
    desk: Desk, viewer: Desk, stranger: Desk, client: Client
) -> None:
    article = await create_article(client)
    edit, autosave = (f"articles/{article['id']}/{page}" for page in ("edit", "autosave"))
    fields = fields_of(await desk.get(edit))
    for path in ("articles/new", edit, "changelog/new", "writing/links", "writing/parts"):
        assert (await viewer.get(path)).status_code == 403
        assert (await stranger.get(path)).status_code == 404
        assert (await desk.visitor.client.get(desk.path(path))).status_code == 200
    for path in (
        "articles/new",
        edit,
        autosave,
        "changelog/new",
        "writing/preview",
        "writing/pasted",
        "writing/files",
    ):
        assert (await desk.post(path, {"title": "Mine"})).status_code == 403
        assert (await viewer.post(path, fields)).status_code == 403
    assert (await desk.get("articles/art_nothing/edit")).status_code == 404
    assert (await desk.post("articles/art_nothing/autosave", fields)).status_code == 404


async def test_somebody_elses_typing_is_told_by_name(
    desk: Desk, client: Client, cast: Cast, database: Database
) -> None:
    article = await create_article(client)
    fields = fields_of(await desk.get(f"articles/{article['id']}/edit"))
    await type_text(database, cast.acme, article["id"], fields["version"], "Theirs.", "Ada")

    answer = await desk.post(f"articles/{article['id']}/autosave", {**fields, "content": "Ours."})

    assert (answer.status_code, answer.json()["author"]) == (409, "Ada")
