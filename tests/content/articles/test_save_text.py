"""The working copy: the text that the dashboard's editor saves next to the published one."""

from dataclasses import replace

import pytest

from instep.accounts.workspaces.actions import pause_workspace
from instep.content.articles.body_schemas import TextEdit
from instep.content.articles.editing import EditedMeanwhile, autosave_text
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import InsufficientScope, NotFound, PlanInactive
from tests.support.articles import acting, delete, restore, revisions_of, save_copy, type_text
from tests.support.cast import Cast, Client, Json
from tests.support.http import at_once, create_article, created, ok

INSTALL = "/v1/articles/install"


async def test_the_live_text_stays_until_it_is_published(
    client: Client, visitor: Client, cast: Cast, database: Database
) -> None:
    live = await write_live(client)

    await save_copy(database, cast.acme, "install", content="Better.")

    article = ok(await client.get(INSTALL))
    assert article["updatedAt"] > live["updatedAt"]
    assert article == {**live, "hasUnpublishedChanges": True, "updatedAt": article["updatedAt"]}
    assert ok(await client.get("/v1/articles"))["results"] == [article]
    assert "Better." not in (await visitor.get(live["url"])).text
    assert await revisions_of(client, "install") == []


async def test_publishing_makes_it_live_under_its_authors_name(
    client: Client, visitor: Client, cast: Cast, database: Database
) -> None:
    live = await write_live(client)
    await save_copy(database, cast.acme, "install", title="Set up", content="*Better.*")

    published = ok(await client.post(f"{INSTALL}/publish"))

    text = {"title": "Set up", "contentMarkdown": "*Better.*", "version": 2}
    assert published == live | text | {"updatedAt": published["updatedAt"]}
    assert "<em>Better.</em>" in (await visitor.get(live["url"])).text
    assert ok(await client.post(f"{INSTALL}/publish")) == published
    await client.patch(INSTALL, json={"contentMarkdown": "Three."})
    [second, first] = await revisions_of(client, "install")
    assert (first["contentMarkdown"], first["origin"]) == ("Run it.", "create")
    assert (second["contentMarkdown"], second["origin"]) == ("*Better.*", "publish")
    assert second["author"] == {"type": "command", "name": "Edda"}


async def test_saving_goes_on_from_what_was_saved(client: Client, cast: Cast, database: Database) -> None:
    await write_live(client)

    await save_copy(database, cast.acme, "install", content="Better.")
    await save_copy(database, cast.acme, "install", title="Set up")

    published = ok(await client.post(f"{INSTALL}/publish"))
    assert (published["title"], published["contentMarkdown"], published["version"]) == (
        "Set up",
        "Better.",
        2,
    )


async def test_saving_the_same_again_leaves_no_trace(client: Client, cast: Cast, database: Database) -> None:
    live = await write_live(client)

    await save_copy(database, cast.acme, "install", content="Run it.")
    assert ok(await client.get(INSTALL)) == live

    copy = await save_copy(database, cast.acme, "install", content="Better.")
    again = await save_copy(database, cast.acme, "install", content="Better.")
    assert again == copy


async def test_going_back_to_the_live_text_leaves_nothing_to_publish(
    client: Client, cast: Cast, database: Database
) -> None:
    live = await write_live(client)
    await save_copy(database, cast.acme, "install", content="Better.")

    await save_copy(database, cast.acme, "install", content="Run it.")

    article = ok(await client.get(INSTALL))
    assert article == {**live, "updatedAt": article["updatedAt"]}
    assert ok(await client.post(f"{INSTALL}/publish")) == article


async def test_the_text_of_a_draft_is_saved_directly(client: Client, cast: Cast, database: Database) -> None:
    draft = await create_article(client)

    await save_copy(database, cast.acme, "install", content="Better.")

    article_after = ok(await client.get(INSTALL))
    text = {"contentMarkdown": "Better.", "version": 2, "updatedAt": article_after["updatedAt"]}
    assert article_after == {**draft, **text, "hasUnpublishedChanges": False}
    [revision] = await revisions_of(client, "install")
    assert revision["contentMarkdown"] == "Run it."


async def test_a_patched_text_drops_it_but_keeps_it_as_a_revision(
    client: Client, visitor: Client, cast: Cast, database: Database
) -> None:
    await write_live(client)
    await save_copy(database, cast.acme, "install", title="Set up", content="Better.")

    patched = ok(await client.patch(INSTALL, json={"contentMarkdown": "Patched."}))

    assert patched["hasUnpublishedChanges"] is False
    assert (patched["title"], patched["contentMarkdown"]) == ("Install", "Patched.")
    assert await history(client) == [
        (3, "Install", "Patched.", None),
        (2, "Set up", "Better.", "update"),
        (1, "Install", "Run it.", "create"),
    ]
    revision = (await revisions_of(client, "install"))[0]
    assert revision["author"] == {"type": "command", "name": "Edda"}
    assert "Patched." in (await visitor.get(patched["url"])).text
    assert ok(await client.post(f"{INSTALL}/publish")) == patched


async def test_an_applied_edit_drops_it_likewise(client: Client, cast: Cast, database: Database) -> None:
    await write_live(client)
    draft = created(await client.post(f"{INSTALL}/drafts", json={"contentMarkdown": "Applied."}))
    await save_copy(database, cast.acme, "install", content="Better.")

    ok(await client.post(f"/v1/drafts/{draft['id']}/apply", json={}))

    assert [text for _, _, text, _ in await history(client)] == ["Applied.", "Better.", "Run it."]
    assert ok(await client.get(INSTALL))["hasUnpublishedChanges"] is False


async def test_a_restored_revision_drops_it_likewise(client: Client, cast: Cast, database: Database) -> None:
    await write_live(client)
    await client.patch(INSTALL, json={"contentMarkdown": "Two."})
    [revision] = await revisions_of(client, "install")
    await save_copy(database, cast.acme, "install", content="Better.")

    restored = ok(await client.post(f"{INSTALL}/revisions/{revision['id']}/restore"))

    assert restored["hasUnpublishedChanges"] is False
    assert await history(client) == [
        (4, "Install", "Run it.", None),
        (3, "Install", "Better.", "update"),
        (2, "Install", "Two.", "update"),
        (1, "Install", "Run it.", "create"),
    ]


async def test_a_patch_with_its_very_text_keeps_no_second_one(
    client: Client, cast: Cast, database: Database
) -> None:
    await write_live(client)
    await save_copy(database, cast.acme, "install", content="Better.")

    ok(await client.patch(INSTALL, json={"contentMarkdown": "Better."}))

    assert [text for _, _, text, _ in await history(client)] == ["Better.", "Run it."]


async def test_a_patch_of_other_fields_leaves_it(client: Client, cast: Cast, database: Database) -> None:
    await write_live(client)
    await save_copy(database, cast.acme, "install", content="Better.")

    same = {"description": "How to.", "title": "Install", "contentMarkdown": "Run it."}
    patched = ok(await client.patch(INSTALL, json=same))

    assert patched["hasUnpublishedChanges"] is True
    assert ok(await client.post(f"{INSTALL}/publish"))["contentMarkdown"] == "Better."


async def test_unpublishing_keeps_it_until_the_next_publishing(
    client: Client, cast: Cast, database: Database
) -> None:
    await write_live(client)
    await save_copy(database, cast.acme, "install", content="Better.")

    draft = ok(await client.post(f"{INSTALL}/unpublish"))

    assert (draft["contentMarkdown"], draft["hasUnpublishedChanges"]) == ("Run it.", True)
    published = ok(await client.post(f"{INSTALL}/publish"))
    assert (published["contentMarkdown"], published["hasUnpublishedChanges"]) == ("Better.", False)
    assert [text for _, _, text, _ in await history(client)] == ["Better.", "Run it."]


async def test_in_an_unpublished_article_saving_goes_on_from_it(
    client: Client, cast: Cast, database: Database
) -> None:
    await write_live(client)
    await save_copy(database, cast.acme, "install", content="Better.")
    await client.post(f"{INSTALL}/unpublish")

    await save_copy(database, cast.acme, "install", title="Set up")

    article = ok(await client.get(INSTALL))
    assert (article["title"], article["contentMarkdown"]) == ("Set up", "Better.")
    assert article["hasUnpublishedChanges"] is False


async def test_working_copy_comes_back_with_its_restored_article(
    client: Client, cast: Cast, database: Database
) -> None:
    await write_live(client)
    await save_copy(database, cast.acme, "install", content="Better.")
    await delete(client, "install")

    assert (await restore(client, "install"))["hasUnpublishedChanges"] is True
    assert ok(await client.post(f"{INSTALL}/publish"))["contentMarkdown"] == "Better."


async def test_a_version_that_somebody_has_replaced_is_refused_and_names_them(
    client: Client, cast: Cast, database: Database
) -> None:
    live = await write_live(client)
    opened = await save_copy(database, cast.acme, "install")
    theirs = await type_text(database, cast.acme, "install", opened.version, "Theirs.", "Ada")

    with pytest.raises(EditedMeanwhile) as refusal:
        await type_text(database, cast.acme, "install", opened.version, "Mine.")
    current = refusal.value.current
    assert (current.author_name, current.content, current.version) == ("Ada", "Theirs.", theirs.version)
    await type_text(database, cast.acme, "install", theirs.version, "Mine.")
    assert ok(await client.post(f"{INSTALL}/publish"))["contentMarkdown"] == "Mine."
    assert live["contentMarkdown"] == "Run it."


async def test_the_same_text_may_arrive_twice(client: Client, cast: Cast, database: Database) -> None:
    """The response to the first request may have been lost."""
    await write_live(client)
    opened = await save_copy(database, cast.acme, "install")

    first = await type_text(database, cast.acme, "install", opened.version, "Mine.")
    assert await type_text(database, cast.acme, "install", opened.version, "Mine.") == first


async def test_typed_text_is_no_revision_until_it_is_saved(
    client: Client, cast: Cast, database: Database
) -> None:
    draft = await create_article(client)
    opened = await save_copy(database, cast.acme, "install")

    for content in ("B.", "Be.", "Bet."):
        opened = await type_text(database, cast.acme, "install", opened.version, content)
    article = ok(await client.get(INSTALL))
    assert article == draft | {"hasUnpublishedChanges": True, "updatedAt": article["updatedAt"]}

    saved = await save_copy(database, cast.acme, "install")
    assert (saved.content, saved.article.has_unpublished_changes) == ("Bet.", False)
    assert [text for _, _, text, _ in await history(client)] == ["Bet.", "Run it."]


async def test_two_at_once_never_write_over_each_other(
    client: Client, cast: Cast, database: Database
) -> None:
    await write_live(client)
    opened = await save_copy(database, cast.acme, "install")
    refused: list[str] = []

    async def write(number: int) -> None:
        try:
            await type_text(database, cast.acme, "install", opened.version, f"Text {number}.")
        except EditedMeanwhile as refusal:
            refused.append(refusal.current.content)

    await at_once(10, write)

    text = ok(await client.post(f"{INSTALL}/publish"))["contentMarkdown"]
    assert refused == [text] * 9


async def test_parallel_writers_leave_no_missing_or_duplicate_version(
    client: Client, cast: Cast, database: Database
) -> None:
    await write_live(client)

    async def write(number: int) -> None:
        if number % 3 == 0:
            await save_copy(database, cast.acme, "install", content=f"Saved {number}.")
        elif number % 3 == 1:
            ok(await client.patch(INSTALL, json={"contentMarkdown": f"Patched {number}."}))
        else:
            ok(await client.post(f"{INSTALL}/publish"))

    await at_once(40, write)

    versions = [version for version, *_ in await history(client)]
    assert versions == list(range(len(versions), 0, -1))


async def test_only_the_newest_50_revisions_are_kept_with_it(
    client: Client, cast: Cast, database: Database
) -> None:
    await write_live(client)
    for number in range(27):
        await save_copy(database, cast.acme, "install", content=f"Saved {number}.")
        ok(await client.patch(INSTALL, json={"contentMarkdown": f"Patched {number}."}))

    assert [version for version, *_ in await history(client)] == list(range(55, 4, -1))


async def test_an_article_of_somebody_else_is_not_found(
    globex: Client, cast: Cast, database: Database
) -> None:
    theirs = await create_article(globex)

    with pytest.raises(NotFound):
        await save_copy(database, cast.acme, theirs["id"], content="Ours.")


async def test_neither_a_reader_nor_a_paused_workspace_saves(
    cast: Cast, database: Database, owner: Tx
) -> None:
    await pause_workspace(owner, cast.paused.workspace_id)
    async with acting(database, cast.paused) as ctx:
        with pytest.raises(PlanInactive):
            await autosave_text(ctx, "install", TextEdit(title="Mine", content=""), "")
    async with acting(database, cast.acme) as ctx:
        reader = replace(ctx, actor=replace(ctx.actor, can_write=False))
        with pytest.raises(InsufficientScope):
            await autosave_text(reader, "install", TextEdit(title="Mine", content=""), "")


async def write_live(client: Client) -> Json:
    await create_article(client)
    return ok(await client.post(f"{INSTALL}/publish"))


async def history(client: Client) -> list[tuple[int, str, str, str | None]]:
    """Version, title, text and origin of all texts, newest first; the current one's origin is unknown."""
    now = ok(await client.get(INSTALL))
    revisions = await revisions_of(client, "install")
    return [
        (now["version"], now["title"], now["contentMarkdown"], None),
        *((row["version"], row["title"], row["contentMarkdown"], row["origin"]) for row in revisions),
    ]
