"""The next import of a source whose pages were moved or removed."""

from typing import Any

import pytest

from instep.transfer.imports.schemas import ImportReport
from instep.transfer.imports.tree.schemas import ImportedCollection, ImportedPage, ImportedRedirect, MovedPage
from tests.support.bringing import Importer
from tests.support.cast import Api, Cast, Client, Json
from tests.support.former_links import follow
from tests.support.http import create_article, ok
from tests.support.import_sources import page, tree
from tests.support.wording import like

TEXT = (
    "Open the settings of your workspace and choose the plan that you want to have from next month on.\n\n"
    "[Read more](../more.md) about what each of the plans contains, and about how to leave one again.\n"
)
OTHER = "Send the same request twice, and the second answer says that the export is being made already.\n"


async def articles(client: Client) -> dict[str, Json]:
    """All articles by id."""
    rows = ok(await client.get("/v1/articles?page_size=100"))["results"]
    return {row["id"]: row for row in rows}


async def id_of(client: Client, slug: str) -> str:
    return str(ok(await client.get(f"/v1/articles/{slug}"))["id"])


def moves(report: ImportReport) -> list[tuple[str, str]]:
    return [(row.before, row.after) for row in report.moved]


async def test_a_page_in_another_folder_is_the_same_article(
    importer: Importer, client: Client, api: Api, cast: Cast
) -> None:
    before = page("guides/plans.md", TEXT, address="/guides/plans", collection="guides")
    after = page(
        "billing/change.md", TEXT.replace("../", "/"), address="/billing/change", collection="billing"
    )
    guides, billing = ImportedCollection("guides", "Guides"), ImportedCollection("billing", "Billing")
    await importer.bring(tree(before, page("b.md", OTHER), collections=(guides,)))
    article_id = await id_of(client, "plans")

    report = await importer.bring(tree(after, page("b.md", OTHER), collections=(billing,)))

    assert moves(report) == [("guides/plans.md", "billing/change.md")]
    assert (report.pages.created, report.pages.absent, report.absent_pages) == (0, 0, [])
    article = ok(await client.get(f"/v1/articles/{article_id}"))
    collection = ok(await client.get(f"/v1/collections/{article['collectionId']}"))
    assert (article["slug"], collection["title"]) == ("plans", "Billing")
    for path in ("/guides/plans", "/billing/change"):
        assert await follow(api, cast, path) == (301, article["url"])
    again = await importer.bring(tree(after, page("b.md", OTHER), collections=(billing,)))
    assert again.changes_nothing
    assert len(await articles(client)) == 2


@pytest.mark.parametrize(
    "fields",
    [
        {"redirects": (ImportedRedirect("/guides/plans", "/billing"),)},
        {"redirects": (ImportedRedirect("/guides/*", "/new/*"), ImportedRedirect("/new/plans", "/billing"))},
    ],
)
async def test_a_page_with_another_text_is_known_by_the_redirects_of_the_source(
    importer: Importer, client: Client, fields: dict[str, Any]
) -> None:
    await importer.bring(tree(page("guides/plans.md", TEXT, address="/guides/plans")))
    article_id = await id_of(client, "plans")

    report = await importer.bring(tree(page("billing.md", OTHER, address="/billing"), **fields))

    assert moves(report) == [("guides/plans.md", "billing.md")]
    assert [*await articles(client)] == [article_id]
    assert ok(await client.get(f"/v1/articles/{article_id}"))["title"] == "Billing"


async def test_a_page_that_has_the_address_of_a_gone_one_is_the_same(
    importer: Importer, client: Client
) -> None:
    await importer.bring(tree(page("a.md", TEXT, address="/plans")))

    report = await importer.bring(tree(page("b.md", OTHER, address="/x", former_addresses=("/plans",))))

    assert moves(report) == [("a.md", "b.md")]
    assert len(await articles(client)) == 1


async def test_article_that_was_edited_here_moves_with_its_text(importer: Importer, client: Client) -> None:
    await importer.bring(tree(page("a.md", TEXT)))
    ok(await client.patch("/v1/articles/a", json={"contentMarkdown": f"Ours. {TEXT}"}))

    report = await importer.bring(tree(page("new/a.md", TEXT)))

    assert moves(report) == [("a.md", "new/a.md")]
    assert ok(await client.get("/v1/articles/a"))["contentMarkdown"].startswith("Ours.")
    assert len(await articles(client)) == 1


async def test_other_pages_are_no_moved_ones(importer: Importer) -> None:
    stubs = [page(f"old/{name}.md", "Soon.\n") for name in ("one", "two")]
    await importer.bring(tree(page("a.md", TEXT), *stubs))

    report = await importer.bring(tree(page("b.md", OTHER), page("new/three.md", "Soon.\n")))

    assert (moves(report), report.pages.created, report.pages.absent) == ([], 2, 3)


def gone(client_rows: dict[str, Json]) -> dict[str, str]:
    return {row["slug"]: row["status"] for row in client_rows.values()}


KEPT = page("kept.md", OTHER)
GONE: tuple[ImportedPage, ...] = (
    page("plain.md", "Only here.\n", address="/plain"),
    page("ours.md", "Theirs.\n"),
    page("merged.md", "Was a page of its own.\n", address="/merged"),
    page("later.md", "A draft.\n", status="draft"),
)


async def test_pruning_archives_what_is_gone_but_nothing_that_someone_wrote_here(
    importer: Importer, client: Client, api: Api, cast: Cast
) -> None:
    await importer.bring(tree(KEPT, *GONE))
    ok(await client.patch("/v1/articles/ours", json={"contentMarkdown": "Our words.\n"}))
    own = await create_article(client, title="Own")
    rest = tree(KEPT, redirects=(ImportedRedirect("/merged", "/kept"),))

    listed = await importer.bring(rest)
    assert (listed.pages.absent, listed.pages.archived, listed.can_archive) == (4, 0, 3)
    assert gone(await articles(client))["plain"] == "published"

    report = await importer.bring(rest, prunes=True)

    assert (report.pages.absent, report.pages.archived) == (1, 3)
    assert gone(await articles(client)) == {
        **{"kept": "published", "ours": "published", own["slug"]: "draft"},
        **{"plain": "archived", "merged": "archived", "later": "archived"},
    }
    whats = [loss.what for loss in report.losses]
    assert like("…source…: “plain” is archived") in whats
    assert like("…source…: “ours”…") in whats
    again = await importer.bring(rest, prunes=True)
    assert (again.changes_nothing, again.pages.archived, again.pages.absent) == (True, 0, 1)


async def test_former_addresses_of_archived_articles_lead_to_where_the_source_leads(
    importer: Importer, client: Client, api: Api, cast: Cast
) -> None:
    kept = page("kept.md", OTHER, address="/kept")
    await importer.bring(tree(kept, *GONE))

    await importer.bring(tree(kept, redirects=(ImportedRedirect("/merged", "/kept"),)), prunes=True)

    url = ok(await client.get("/v1/articles/kept"))["url"]
    for path in ("/merged", "/articles/merged"):
        assert await follow(api, cast, path) == (301, url)
    assert await follow(api, cast, "/plain") == (404, None)


async def test_a_page_that_comes_back_is_published_again(importer: Importer, client: Client) -> None:
    await importer.bring(tree(KEPT, GONE[0]))
    await importer.bring(tree(KEPT), prunes=True)
    assert gone(await articles(client))["plain"] == "archived"

    report = await importer.bring(tree(KEPT, GONE[0]))

    assert report.pages.updated == 1
    assert gone(await articles(client)) == {"kept": "published", "plain": "published"}
    ok(await client.post("/v1/articles/plain/unpublish"))
    assert (await importer.bring(tree(KEPT, GONE[0]))).changes_nothing


async def test_twins_of_an_earlier_import_are_offered(importer: Importer, client: Client) -> None:
    new = page("new/plans.md", OTHER, address="/new/plans")
    await importer.bring(tree(page("plans.md", TEXT, address="/plans"), new))

    moved = tree(new, redirects=(ImportedRedirect("/plans", "/new/plans"),))
    report = (await importer.plan(moved)).report

    assert (moves(report), report.can_archive) == ([], 1)
    assert [(row.key, row.heir) for row in report.absent_pages] == [("plans.md", "new/plans.md")]
    assert MovedPage("plans.md", "new/plans.md") not in report.moved
