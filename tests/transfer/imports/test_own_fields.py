"""Folders with Instep's own front matter and without `instep.json`: nothing restricted becomes public."""

import pytest

from instep.platform.core.database import Database
from instep.transfer.imports.source.formats import tree_of_files
from tests.support.bringing import Importer
from tests.support.cast import Api, Cast, Client
from tests.support.exported_library import export_zip, unpacked
from tests.support.http import created, ok
from tests.support.import_sources import Files, dedented
from tests.support.import_trees import outline, page_at, told
from tests.support.site_pages import publish
from tests.support.wording import like

MEMBERS = "---\ntitle: Keys\nvisibility: authenticated\n---\nText.\n"
INTERNAL = "---\ntitle: For partners\nvisibility: authenticated\n---\n"


async def test_a_folder_of_an_export_keeps_what_is_hidden_hidden(
    client: Client, api: Api, database: Database, cast: Cast
) -> None:
    created(await client.post("/v1/product-versions", json={"name": "1", "slug": "v1"}))
    outer = created(
        await client.post("/v1/collections", json={"title": "Guides & more", "description": "All."})
    )
    inner = {"title": "Partners", "visibility": "authenticated", "parentId": outer["id"]}
    inner = created(await client.post("/v1/collections", json=inner))
    await publish(client, "Welcome", "Text.", collectionId=outer["id"])
    await publish(client, "Members", "Text.", collectionId=outer["id"], visibility="authenticated")
    await publish(client, "Prices", "Text.", collectionId=inner["id"])
    await publish(client, "Old", "Text.", collectionId=outer["id"], untilVersion="v1")
    draft = {"title": "Soon", "contentMarkdown": "Text.", "collectionId": outer["id"]}
    created(await client.post("/v1/articles", json=draft))
    texts = unpacked(await export_zip(database, cast.acme))
    below = {path.partition("/")[2]: text for path, text in texts.items() if path.startswith("01-")}
    there, visitor = api(cast.globex.write_key), api(None)
    created(await there.post("/v1/product-versions", json={"name": "1", "slug": "v1"}))

    files = Files(below)
    report = await Importer(database, cast.globex).bring(tree_of_files(files, None), files)

    assert report.losses == []
    rows = {row["title"]: row for row in ok(await there.get("/v1/articles"))["results"]}
    assert {title: row["status"] for title, row in rows.items() if row["status"] != "published"} == {
        "Soon": "draft"
    }
    assert rows["Old"]["untilVersion"] == "v1"
    seen = {
        title: (await visitor.get(f"/help/{cast.globex.slug}/articles/{row['slug']}")).status_code
        for title, row in rows.items()
    }
    assert [title for title, status in sorted(seen.items()) if status == 200] == ["Old", "Welcome"]
    collections = ok(await there.get("/v1/collections"))["results"]
    facts = [(row["title"], row["description"], row["visibility"], row["slug"]) for row in collections]
    assert facts == [
        ("Guides & more", "All.", "public", "guides-more"),
        ("Partners", None, "authenticated", "partners"),
    ]


SITES = {
    "plain": ("", {}),
    "mkdocs": ("docs/", {"mkdocs.yml": "nav: [{All: [open/a.md, open/keys.md, partners/b.md]}]\n"}),
    "docusaurus": (
        "docs/",
        {"docusaurus.config.js": "module.exports = {presets: [['classic', {docs: {}}]]};"},
    ),
    "vitepress": ("", {".vitepress/config.ts": "export default {}"}),
    "hugo": ("content/", {"hugo.toml": "title = 'T'\n"}),
    "gitbook": ("", {"SUMMARY.md": "* [A](open/a.md)\n* [K](open/keys.md)\n* [B](partners/b.md)\n"}),
    "jekyll": ("", {"_config.yml": "title: T\n", "index.md": "---\ntitle: T\n---\nText.\n"}),
}


@pytest.mark.parametrize("format", SITES)
def test_hidden_pages_and_folders_stay_hidden_in_every_format(format: str) -> None:
    """A synced folder may also be the source of a site, whose navigation need not have its collections."""
    root, frame = SITES[format]
    pages = {
        "open/a.md": "---\ntitle: A\n---\nText.\n",
        "open/keys.md": MEMBERS,
        "open/soon.md": "---\ntitle: Soon\nstatus: draft\n---\nText.\n",
        "partners/_collection.md": INTERNAL,
        "partners/b.md": "---\ntitle: B\n---\nText.\n",
    }

    tree = tree_of_files(dedented({root + path: text for path, text in pages.items()} | frame), None)

    assert tree.format == format
    collections = {row.key: row.visibility for row in tree.collections}
    hidden = {
        page.title
        for page in tree.pages
        if "authenticated" in (page.visibility, collections.get(page.collection or ""))
    }
    assert hidden == {"Keys", "B"}
    assert page_at(tree, f"{root}open/soon.md").status == "draft"


def test_an_unknown_visibility_hides_a_page_and_is_told() -> None:
    tree = tree_of_files(
        dedented({"a.md": "---\ntitle: A\nvisibility: staff\nstatus: final\n---\nText.\n"}), None
    )

    assert (tree.pages[0].visibility, tree.pages[0].status) == ("authenticated", "published")
    assert told(tree) == [like("a.md:3 visibility “staff”…"), like("a.md:4 status “final”…")]


def test_a_page_is_in_the_collection_that_it_names() -> None:
    tree = tree_of_files(
        dedented(
            {
                "02-use/_collection.md": "---\ntitle: Use it\n---\n",
                "02-use/a.md": "---\ntitle: A\ncollection: partners\n---\nText.\n",
                "02-use/b.md": "---\ntitle: B\ncollection: /\n---\nText.\n",
                "02-use/c.md": "---\ntitle: C\ncollection: missing\n---\nText.\n",
                "01-partners/_collection.md": INTERNAL,
                "01-partners/d.md": "---\ntitle: D\n---\nText.\n",
            }
        ),
        None,
    )

    assert sorted(outline(tree)) == ["B", "For partners > A", "For partners > D", "Use it > C"]
    assert told(tree) == [like("02-use/c.md: collection “missing”…")]


async def test_a_version_that_is_missing_here_is_told(database: Database, cast: Cast) -> None:
    files = dedented({"a.md": "---\ntitle: A\nsince: v9\n---\nText.\n"})

    report = await Importer(database, cast.acme).bring(tree_of_files(files, None), files)

    assert [loss.what for loss in report.losses] == [like("versions of the page…no versions.")]
