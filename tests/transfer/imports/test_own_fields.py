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


@pytest.mark.parametrize(
    "line",
    [
        "visibility: [authenticated]",
        "visibility: {for: partners}",
        "visibility: []",
        "visibility:\n  - public\nslug: a: b",
        "Visibility: internal",
    ],
)
def test_a_visibility_that_is_none_of_the_two_words_hides_a_page_and_is_told(line: str) -> None:
    tree = tree_of_files(Files({"a.md": f"---\ntitle: A\n{line}\n---\nText.\n"}), None)

    assert tree.pages[0].visibility == "authenticated"
    assert told(tree)[-1] == like("a.md…visibility “…”, which is unknown…")


@pytest.mark.parametrize(
    ("line", "visibility"),
    [
        ("VISIBILITY: Authenticated", "authenticated"),
        ("Visibility: authenticated\nvisibility: public", "authenticated"),
        ("visibility: Public", "public"),
        ("visibility: ~", None),
        ("visibility: null", None),
        ("visibility:", None),
    ],
)
def test_a_visibility_counts_in_any_case_and_null_is_none(line: str, visibility: str | None) -> None:
    tree = tree_of_files(Files({"a.md": f"---\ntitle: A\n{line}\n---\nText.\n"}), None)

    assert tree.pages[0].visibility == visibility
    assert told(tree) == []


def test_a_list_in_toml_is_no_visibility() -> None:
    files = Files({"a.md": '+++\ntitle = "A"\nvisibility = ["authenticated"]\n+++\nText.\n'})

    tree = tree_of_files(files, None)

    assert tree.pages[0].visibility == "authenticated"
    assert told(tree) == [like("a.md:3 visibility “[…]”…")]


def test_invalid_toml_hides_what_it_hides() -> None:
    files = Files({"a.md": '+++\ntitle = "A"\nvisibility = "authenticated"\ntags = [x\n+++\nText.\n'})

    tree = tree_of_files(files, None)

    assert (tree.pages[0].title, tree.pages[0].visibility) == ("A", "authenticated")
    assert told(tree) == [like("a.md:1 front matter that is not valid TOML…line by line")]


def test_a_list_of_versions_or_collections_is_told() -> None:
    tree = tree_of_files(
        Files({"a.md": "---\ntitle: A\nsince: [v1]\ncollection: [partners]\n---\nText.\n"}), None
    )

    assert told(tree) == [
        like("a.md:3 `since`, which is not a single value"),
        like("a.md:4 `collection`, which is not a single value"),
    ]


@pytest.mark.parametrize(
    ("line", "status", "loss"),
    [
        ("status: Draft", "draft", None),
        ("status: in_review", "draft", None),
        ("status: ARCHIVED", "archived", None),
        ("status: ~", "published", None),
        ("status: wip", "published", "a.md:3 status “wip”, which articles don't have: it is published"),
        ("status: [draft]", "published", "a.md:3 status “[…]”, which articles don't have: it is published"),
        ("status: wip\ndraft: true", "draft", "a.md:3 status “wip”, … it is not published"),
    ],
)
def test_a_status_counts_in_any_case_and_another_one_is_told(
    line: str, status: str, loss: str | None
) -> None:
    tree = tree_of_files(Files({"a.md": f"---\ntitle: A\n{line}\n---\nText.\n"}), None)

    assert tree.pages[0].status == status
    assert told(tree) == ([like(loss)] if loss else [])


def test_a_collection_without_a_title_has_that_of_its_folder() -> None:
    files = dedented(
        {
            "02-for_partners/_collection.md": "---\nvisibility: authenticated\n---\nAbout them.\n",
            "02-for_partners/a.md": "---\ntitle: A\n---\nText.\n",
            "b.md": "---\ntitle: B\n---\nText.\n",
        }
    )

    tree = tree_of_files(files, None)

    assert sorted(outline(tree)) == ["B", "For partners > A"]
    assert [(row.title, row.visibility) for row in tree.collections] == [("For partners", "authenticated")]
    assert told(tree) == [like("02-for_partners/_collection.md: text of a collection…")]


def test_a_file_at_the_top_without_a_title_hides_all_pages() -> None:
    files = dedented(
        {
            "_collection.md": "---\nvisibility: internal\n---\n",
            "a.md": "---\ntitle: A\n---\nText.\n",
            "b/c.md": "---\ntitle: C\n---\nText.\n",
        }
    )

    tree = tree_of_files(files, None)

    assert {page.title: page.visibility for page in tree.pages} == dict.fromkeys("AC", "authenticated")
    assert told(tree) == [like("_collection.md:2 visibility “internal”…")]


def test_the_collection_of_a_hidden_folder_is_hidden_too_if_its_file_is_no_page() -> None:
    """Docusaurus ignores files whose names begin with an underscore."""
    root, frame = SITES["docusaurus"]
    hidden = "---\ntitle: Partners\nvisibility: authenticated\n---\n"
    files = dedented(
        {
            f"{root}p/_collection.md": hidden,
            f"{root}p/q/_collection.md": "---\ntitle: Prices\nvisibility: staff\n---\n",
            f"{root}p/q/a.md": "---\ntitle: A\n---\nText.\n",
            f"{root}open/b.md": "---\ntitle: B\n---\nText.\n",
        }
        | frame
    )

    tree = tree_of_files(files, None)

    assert sorted(outline(tree)) == ["Open > B", "Partners > Prices > A"]
    assert {row.title: row.visibility for row in tree.collections} == {
        "Open": "public",
        "Partners": "authenticated",
        "Prices": "authenticated",
    }
    assert told(tree) == [like("docs/p/q/_collection.md:3 visibility “staff”…")]


def test_since_of_another_generator_restricts_nothing() -> None:
    root, frame = SITES["mkdocs"]
    since = "---\ntitle: A\nsince: '2.0'\n---\nText.\n"
    pages = {f"{root}open/a.md": since, f"{root}open/keys.md": "# K\n", f"{root}partners/b.md": "# B\n"}

    foreign = tree_of_files(dedented(pages | frame), None)
    ours = tree_of_files(dedented(pages | frame | {f"{root}open/keys.md": MEMBERS}), None)

    assert page_at(foreign, f"{root}open/a.md").since is None
    assert told(foreign) == [like("docs/open/a.md: `since: 2.0`…")]
    assert page_at(ours, f"{root}open/a.md").since == "2.0"
    assert told(ours) == []


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
