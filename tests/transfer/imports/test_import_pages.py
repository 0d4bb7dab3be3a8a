"""Importing a tree of pages, and what the next import of the same source leaves unchanged."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from instep.content.articles.actions import move_article
from instep.platform.core import limits
from instep.platform.core.database import Tx
from instep.platform.core.errors import AppError, Conflict, InvalidState, NotFound
from instep.platform.core.slug_rules import SlugTaken
from instep.platform.identity.job_context import job_context
from instep.platform.identity.schemas import Ctx
from instep.transfer.imports.schemas import ImportReport, Outcome, Plan, PlannedPage
from instep.transfer.imports.tree.schemas import (
    ImportedCollection,
    ImportedEntry,
    ImportedPage,
    ImportedRedirect,
    Tree,
)
from instep.transfer.imports.write import batch_writing
from instep.transfer.imports.write.page_writing import write_page
from instep.transfer.imports.write.running import run_plan
from tests.support.bringing import IMPORTER, Importer
from tests.support.cast import Api, Cast, Client, Json
from tests.support.changelog_entries import publish_entry
from tests.support.file_samples import picture
from tests.support.former_links import follow
from tests.support.http import ok
from tests.support.import_sources import Files, page, tree
from tests.support.limits import SetLimit
from tests.support.wording import like

FILES = Files({"img/a.png": picture(), "img/broken.png": picture()[:40]})
DOCS = tree(
    page(
        "guides/install.md",
        "![A](../img/a.png)\n\n[Use it](use.md#first-steps)\n",
        address="/guides/install/",
        collection="guides",
        description="How to begin.",
    ),
    page(
        "guides/use.md",
        "## First steps\n\nText.\n",
        address="/guides/use/",
        collection="deep",
        former_addresses=("/use", "/hc/*/articles/12*"),
    ),
    page("guides/notes.md", collection="guides", status="draft", visibility="authenticated"),
    page(
        "de/install.md",
        "[Nutzen](../guides/use.md)\n",
        locale="de",
        title="Einrichten",
        translation_of="guides/install.md",
    ),
    collections=(
        ImportedCollection("guides", "Guides", description="Where to begin."),
        ImportedCollection("deep", "Deeper", "guides"),
    ),
    redirects=(
        ImportedRedirect("/old/*", "/guides/use/"),
        ImportedRedirect("/away", "https://elsewhere.example/a"),
        ImportedRedirect("/first/*", "/"),
    ),
    entries=(ImportedEntry("v1", "changes.md", "Version 1", "New: [use](guides/use.md).\n"),),
)


async def articles(client: Client) -> dict[str, Json]:
    rows = ok(await client.get("/v1/articles?page_size=100"))["results"]
    return {
        f"{row['locale']}/{row['slug']}": ok(await client.get(f"/v1/articles/{row['id']}")) for row in rows
    }


async def writes(owner: Tx, cast: Cast) -> str:
    """The state that any write to the bot changes."""
    state: str = await owner.value(
        """
        select (b.changed_at, (select count(*) from audit_entries where bot_id = b.id),
            (select count(*) from revisions where bot_id = b.id),
            (select count(*) from drafts where bot_id = b.id),
            (select count(*) from files where bot_id = b.id))::text
        from bots b where b.id = %(bot)s
        """,
        bot=cast.acme.bot_id,
    )
    return state


def with_page(source: Tree, key: str, **changes: Any) -> Tree:
    pages: list[ImportedPage] = []
    for row in source.pages:
        pages.append(replace(row, **changes) if row.key == key else row)
    return replace(source, pages=tuple(pages))


def outcomes(report: ImportReport) -> dict[str, int]:
    names = ("created", "updated", "unchanged", "draft", "deleted_here", "absent", "failed")
    return {name: number for name in names if (number := getattr(report.pages, name))}


async def test_pages_collections_links_and_redirects_are_imported(
    importer: Importer, client: Client, api: Api, cast: Cast
) -> None:
    report = await importer.bring(DOCS, FILES)

    assert outcomes(report) == {"created": 4}
    assert report.losses == []
    collections = ok(await client.get("/v1/collections"))["results"]
    assert [(row["title"], row["description"]) for row in collections] == [
        ("Guides", "Where to begin."),
        ("Deeper", None),
    ]
    assert collections[1]["parentId"] == collections[0]["id"]
    rows = await articles(client)
    install, use, notes, german = (rows[key] for key in ("en/install", "en/use", "en/notes", "de/einrichten"))
    [file] = ok(await client.get("/v1/files"))["results"]
    assert install["contentMarkdown"] == (
        f"![A]({file['url'].removeprefix('http://help.test')})\n\n"
        f"[Use it](/help/{cast.acme.slug}/articles/use#h-first-steps)\n"
    )
    assert (install["status"], install["description"], install["collectionId"]) == (
        "published",
        "How to begin.",
        collections[0]["id"],
    )
    assert (install["position"], notes["position"]) == (0, 1)
    assert (notes["status"], notes["visibility"]) == ("draft", "authenticated")
    assert german["translationOf"] == install["id"]
    assert german["contentMarkdown"] == f"[Nutzen](/help/{cast.acme.slug}/articles/use)\n"
    assert use["collectionId"] == collections[1]["id"]
    [entry] = ok(await client.get("/v1/changelog/entries"))["results"]
    assert (entry["title"], entry["status"]) == ("Version 1", "published")
    site = f"http://help.test/help/{cast.acme.slug}/articles"
    for path in ("/guides/use", "/guides/use/", "/use", "/hc/en-us/articles/12-how-to-use", "/old/anything"):
        assert await follow(api, cast, path) == (301, f"{site}/use")
    assert await follow(api, cast, "/guides/install/") == (301, f"{site}/install")
    assert await follow(api, cast, "/away") == (301, "https://elsewhere.example/a")


async def test_a_former_changelog_is_shown_until_there_is_another(
    importer: Importer, client: Client, api: Api, cast: Cast
) -> None:
    report = await importer.bring(tree(page("changelog.md", "# 1.0\n\nFirst.\n", address="/changelog/")))

    assert report.losses == []
    assert await follow(api, cast, "/changelog") == (
        301,
        f"http://help.test/help/{cast.acme.slug}/articles/changelog",
    )
    await publish_entry(client, "New", contentMarkdown="Here.")
    assert await follow(api, cast, "/changelog") == (200, None)


async def test_the_same_source_again_writes_nothing(
    importer: Importer, client: Client, owner: Tx, cast: Cast
) -> None:
    await importer.bring(DOCS, FILES)
    before = await writes(owner, cast)

    report = await importer.bring(DOCS, FILES)

    assert (outcomes(report), report.changes_nothing) == ({"unchanged": 4}, True)
    assert await writes(owner, cast) == before


async def test_an_article_renamed_here_is_no_change_and_links_still_lead_to_it(
    importer: Importer, client: Client, owner: Tx, cast: Cast, api: Api
) -> None:
    await importer.bring(DOCS, FILES)
    use = (await articles(client))["en/use"]
    ok(await client.patch(f"/v1/articles/{use['id']}", json={"slug": "use-it-well"}))
    before = await writes(owner, cast)

    assert (await importer.bring(DOCS, FILES)).changes_nothing
    assert await writes(owner, cast) == before
    assert (await follow(api, cast, "/articles/use"))[
        1
    ] == f"http://help.test/help/{cast.acme.slug}/articles/use-it-well"


async def test_change_at_the_source_is_imported_and_the_status_stays(
    importer: Importer, client: Client
) -> None:
    await importer.bring(DOCS, FILES)
    use = (await articles(client))["en/use"]
    ok(await client.post(f"/v1/articles/{use['id']}/unpublish"))
    changed = with_page(
        DOCS,
        "guides/use.md",
        markdown="## First steps\n\nOther text.\n",
        description="New.",
        collection="guides",
    )

    report = await importer.bring(changed, FILES)

    assert outcomes(report) == {"updated": 1, "unchanged": 3}
    after = (await articles(client))["en/use"]
    assert after["contentMarkdown"] == "## First steps\n\nOther text.\n"
    assert (after["status"], after["description"], after["version"]) == ("draft", "New.", use["version"] + 1)
    assert after["collectionId"] != use["collectionId"]
    [revision] = ok(await client.get(f"/v1/articles/{use['id']}/revisions"))["results"]
    assert revision["origin"] == "import"


async def test_a_picture_that_changed_under_its_name_is_a_change(importer: Importer, client: Client) -> None:
    await importer.bring(DOCS, FILES)

    report = await importer.bring(DOCS, Files({"img/a.png": picture(shade=10)}))

    assert outcomes(report) == {"updated": 1, "unchanged": 3}
    files = ok(await client.get("/v1/files"))["results"]
    assert files[0]["sha256"] in (await articles(client))["en/install"]["contentMarkdown"]


async def test_change_on_both_sides_is_a_draft_and_both_texts_stay(
    importer: Importer, client: Client, owner: Tx, cast: Cast
) -> None:
    await importer.bring(DOCS, FILES)
    use = (await articles(client))["en/use"]
    ours = "## First steps\n\nOur text.\n"
    ok(await client.patch(f"/v1/articles/{use['id']}", json={"contentMarkdown": ours}))
    changed = with_page(DOCS, "guides/use.md", markdown="## First steps\n\nTheir text.\n")

    report = await importer.bring(changed, FILES)

    assert outcomes(report) == {"draft": 1, "unchanged": 3}
    assert (await articles(client))["en/use"]["contentMarkdown"] == ours
    [draft] = ok(await client.get("/v1/drafts"))["results"]
    detail = ok(await client.get(f"/v1/drafts/{draft['id']}"))
    assert (draft["conflict"], detail["contentMarkdown"]) == (True, "## First steps\n\nTheir text.\n")
    assert "+Their text." in detail["diff"]
    before = await writes(owner, cast)
    assert (await importer.bring(changed, FILES)).changes_nothing
    assert await writes(owner, cast) == before


async def test_changes_on_both_sides_in_other_lines_merge_when_the_draft_is_applied(
    importer: Importer, client: Client
) -> None:
    lines = ["One.", "Two.", "Three.", "Four.", "Five."]
    source = tree(page("a.md", "\n\n".join(lines) + "\n"))
    await importer.bring(source)
    [article] = (await articles(client)).values()
    ours, theirs = list(lines), list(lines)
    ours[0], theirs[4] = "One, ours.", "Five, theirs."
    body = {"contentMarkdown": "\n\n".join(ours) + "\n"}
    ok(await client.patch(f"/v1/articles/{article['id']}", json=body))

    await importer.bring(with_page(source, "a.md", markdown="\n\n".join(theirs) + "\n"))
    [draft] = ok(await client.get("/v1/drafts"))["results"]
    ok(await client.post(f"/v1/drafts/{draft['id']}/apply", json={}))

    [article] = (await articles(client)).values()
    assert article["contentMarkdown"] == "One, ours.\n\nTwo.\n\nThree.\n\nFour.\n\nFive, theirs.\n"


async def test_article_that_was_moved_here_stays_in_its_collection(
    importer: Importer, client: Client
) -> None:
    await importer.bring(DOCS, FILES)
    use = (await articles(client))["en/use"]
    ok(await client.patch(f"/v1/articles/{use['id']}", json={"collectionId": None, "description": "Ours."}))

    await importer.bring(with_page(DOCS, "guides/use.md", collection="guides", description="Theirs."), FILES)

    after = (await articles(client))["en/use"]
    assert (after["collectionId"], after["description"]) == (None, "Ours.")


async def test_an_article_between_others_changes_none_of_them(
    importer: Importer, client: Client, owner: Tx, cast: Cast
) -> None:
    names = ["a", "b", "c", "d"]
    await importer.bring(in_order(names))
    before = await versions(owner, cast)

    report = await importer.bring(in_order(["new", "a", "between", *names[1:]]))

    assert outcomes(report) == {"created": 2, "unchanged": 4}
    assert report.collections.unchanged == 1
    assert await shown_order(client) == ["new", "a", "between", "b", "c", "d"]
    assert {slug: row for slug, row in (await versions(owner, cast)).items() if slug in before} == before
    assert (await importer.bring(in_order(["new", "a", "between", *names[1:]]))).changes_nothing


async def test_files_that_get_other_numbers_are_the_same_pages(importer: Importer, client: Client) -> None:
    def numbered(folder: str, *names: str) -> Tree:
        paths = [f"{folder}/{number:02}-{name}.md" for number, name in enumerate(names, 1)]
        pages = [page(path, title=path[-6:], collection=folder) for path in paths]
        path, original = f"{paths[-1][:-3]}.de.md", paths[-1]
        german = page(path, title="Nutzen", locale="de", translation_of=original, collection=folder)
        return tree(*pages, german, collections=(ImportedCollection(folder, "Guides"),))

    await importer.bring(numbered("01-guides", "install", "use"))
    report = await importer.bring(numbered("02-guides", "install", "update", "use"))

    assert outcomes(report) == {"created": 1, "unchanged": 3}
    assert (report.collections.created, report.collections.unchanged) == (0, 1)
    assert len(await articles(client)) == 4


async def test_files_that_differ_only_in_their_numbers_are_separate_pages(
    importer: Importer, client: Client
) -> None:
    await importer.bring(tree(page("1-step.md", "One.\n"), page("2-step.md", "Two.\n")))

    report = await importer.bring(tree(page("2-step.md", "Two.\n"), page("3-step.md", "Three.\n")))

    assert outcomes(report) == {"created": 1, "unchanged": 1, "absent": 1}


async def test_an_order_that_changed_at_the_source_is_taken_and_what_was_moved_here_stays(
    importer: Importer, client: Client
) -> None:
    await importer.bring(in_order(["a", "b", "c", "d"]))
    moved_here = (await articles(client))["en/d"]
    for _ in range(3):
        await move_up(importer, moved_here["id"])
    assert await shown_order(client) == ["d", "a", "b", "c"]

    report = await importer.bring(in_order(["c", "a", "b", "d"]))

    assert (report.collections.updated, outcomes(report)) == (1, {"unchanged": 4})
    assert await shown_order(client) == ["c", "d", "a", "b"]
    assert (await importer.bring(in_order(["c", "a", "b", "d"]))).changes_nothing


def in_order(names: list[str]) -> Tree:
    """A tree with one collection and pages with these names, in this order."""
    return tree(
        *(page(f"{name}.md", f"Text of {name}.\n", collection="all") for name in names),
        collections=(ImportedCollection("all", "All"),),
    )


async def shown_order(client: Client) -> list[str]:
    rows = ok(await client.get("/v1/articles"))["results"]
    return [row["slug"] for row in sorted(rows, key=lambda row: row["position"])]


async def versions(owner: Tx, cast: Cast) -> dict[str, list[int]]:
    """The version and the number of revisions of each article."""
    rows: dict[str, list[int]] = await owner.value(
        """
        select jsonb_object_agg(slug, jsonb_build_array(version,
            (select count(*) from revisions r where r.bot_id = a.bot_id and r.article_id = a.id)))
        from articles a where bot_id = %(bot)s
        """,
        bot=cast.acme.bot_id,
    )
    return rows


async def move_up(importer: Importer, article_id: str) -> None:
    async with job_context(importer.database, importer.payload, IMPORTER) as ctx, ctx.tx.transaction():
        await move_article(ctx, article_id, "up")


async def test_page_removed_at_the_source_is_kept_and_reported(importer: Importer, client: Client) -> None:
    await importer.bring(DOCS, FILES)

    report = await importer.bring(replace(DOCS, pages=DOCS.pages[:2] + DOCS.pages[3:]), FILES)

    assert outcomes(report) == {"unchanged": 3, "absent": 1}
    assert [loss.what for loss in report.losses] == [like("…source…: “notes” is kept")]
    assert "en/notes" in await articles(client)


async def test_article_deleted_here_does_not_come_back_and_is_reported(
    importer: Importer, client: Client
) -> None:
    await importer.bring(DOCS, FILES)
    notes = (await articles(client))["en/notes"]
    ok(await client.delete(f"/v1/articles/{notes['id']}"))

    report = await importer.bring(with_page(DOCS, "guides/notes.md", markdown="New.\n"), FILES)

    assert outcomes(report) == {"unchanged": 3, "deleted_here": 1}
    assert "restore “Notes” from Recently deleted" in report.losses[0].what
    assert "en/notes" not in await articles(client)


async def test_a_file_that_can_not_be_read_is_told_and_the_page_comes(
    importer: Importer, client: Client
) -> None:
    report = await importer.bring(tree(page("a.md", "![x](img/broken.png) ![y](img/a.png)\n")), FILES)

    [article] = (await articles(client)).values()
    assert article["contentMarkdown"].startswith("![x](img/broken.png) ![y](/files/")
    [loss] = report.losses
    assert (loss.path, "can't be stored" in loss.what) == ("img/broken.png", True)
    assert (report.files.stored, report.files.listed) == (1, 1)


async def test_a_page_that_can_not_be_shown_is_told_and_the_others_come(
    importer: Importer, client: Client
) -> None:
    report = await importer.bring(tree(page("a.md", "> " * 100 + "deep\n"), page("b.md")))

    assert outcomes(report) == {"created": 1, "failed": 1}
    assert list(await articles(client)) == ["en/b"]
    assert report.losses[0].path == "a.md"


@pytest.mark.parametrize("refusal", [Conflict, InvalidState, NotFound, SlugTaken])
async def test_a_refused_page_is_a_loss(
    importer: Importer, client: Client, monkeypatch: pytest.MonkeyPatch, refusal: type[AppError]
) -> None:
    async def write_other_pages(ctx: Ctx, plan: Plan, planned: PlannedPage, *others: Any) -> Outcome:
        if planned.page.key == "a.md":
            raise refusal()
        return await write_page(ctx, plan, planned, *others)

    monkeypatch.setattr(batch_writing, "write_page", write_other_pages)

    report = await importer.bring(tree(page("a.md"), page("b.md")))

    assert outcomes(report) == {"created": 1, "failed": 1}
    assert list(await articles(client)) == ["en/b"]
    assert [loss.path for loss in report.losses] == ["a.md"]


async def test_an_entry_that_can_not_be_shown_is_counted_as_failed(importer: Importer) -> None:
    deep = ImportedEntry("v1", "v1.md", "Version 1", "> " * 100 + "deep\n")
    short = ImportedEntry("v2", "v2.md", "Version 2", "New.\n")

    report = await importer.bring(tree(page("a.md"), entries=(deep, short)))

    assert (report.entries.created, report.entries.failed) == (1, 1)
    assert [loss.path for loss in report.losses] == ["v1.md"]


async def test_an_import_that_was_killed_goes_on_and_doubles_nothing(
    importer: Importer, client: Client, owner: Tx, set_limit: SetLimit
) -> None:
    set_limit("IMPORT_BATCH_ARTICLES", 2)
    planned = await importer.plan(DOCS, FILES)
    run = await importer.begin(planned, FILES)

    def die(done: int, total: int) -> None:
        if done >= 3:
            raise asyncio.CancelledError

    run.tell = die
    with pytest.raises(asyncio.CancelledError):
        await run_plan(run)
    assert 0 < len(await articles(client)) < 4

    report = await importer.bring(DOCS, FILES)

    assert sorted(await articles(client)) == ["de/einrichten", "en/install", "en/notes", "en/use"]
    assert outcomes(report)["created"] < 4
    count = await owner.value(
        "select count(*) from imports where bot_id = %(bot)s", bot=importer.company.bot_id
    )
    assert count == 1


async def test_another_bot_sees_nothing_of_an_import(importer: Importer, globex: Client) -> None:
    await importer.bring(DOCS, FILES)

    assert ok(await globex.get("/v1/articles"))["results"] == []


async def test_many_articles_come_in_batches(
    importer: Importer, client: Client, owner: Tx, cast: Cast
) -> None:
    pages = [
        page(f"{number}.md", f"# Step\n\n[next]({(number + 1) % 120}.md)\n", address=f"/docs/{number}")
        for number in range(120)
    ]

    report = await importer.bring(tree(*pages))

    assert outcomes(report) == {"created": 120}
    assert report.redirects.created == 120
    assert limits.IMPORT_BATCH_ARTICLES < 120


async def test_a_collection_that_is_refused_leaves_its_pages_where_it_would_stand(
    client: Client, importer: Importer
) -> None:
    source = tree(
        page("a.md", collection="deep"),
        page("b.md", collection="icon"),
        page("c.md", collection="last"),
        collections=(
            ImportedCollection("first", "First"),
            ImportedCollection("deep", "Deeper", "first", icon="no icon, but a sentence " * 20),
            ImportedCollection("icon", "Icon", icon="no icon, but a sentence " * 20),
            ImportedCollection("last", "Last", "deep"),
        ),
    )

    report = await importer.bring(source)

    collections = {row["title"]: row for row in ok(await client.get("/v1/collections"))["results"]}
    assert collections.keys() == {"First", "Last"}
    assert collections["Last"]["parentId"] == collections["First"]["id"]
    homes = {article["slug"]: article["collectionId"] for article in (await articles(client)).values()}
    assert homes == {"a": collections["First"]["id"], "b": None, "c": collections["Last"]["id"]}
    assert [(loss.path, loss.what.partition(",")[0]) for loss in report.losses] == [
        ("deep", "collection “Deeper”"),
        ("icon", "collection “Icon”"),
    ]
    assert (report.collections.created, report.collections.failed) == (2, 2)
