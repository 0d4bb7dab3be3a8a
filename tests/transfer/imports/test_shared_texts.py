"""Snippets that several pages include become parts, in each format that supports them."""

import json

import pytest

from instep.platform.core import limits
from instep.platform.core.database import Database
from instep.transfer.imports.source.formats import tree_of_files
from tests.support.bringing import Importer
from tests.support.cast import Api, Cast, Client, RunJobs
from tests.support.http import created, ok
from tests.support.import_sources import Files
from tests.support.site_pages import visit

NOTE = "Invoices are sent on the **first** day.\n\n- By email\n- By post\n"
SOURCES = {
    "mintlify": {
        "docs.json": json.dumps({"name": "D", "navigation": {"pages": ["a", "b", "c"]}}),
        "a.mdx": "---\ntitle: A\n---\nimport Note from '/snippets/note.mdx'\n\nRead.\n\n<Note />\n\nEnd.\n",
        "b.mdx": '---\ntitle: B\n---\n<Snippet file="note.mdx" />\n',
        "c.mdx": '---\ntitle: C\n---\n<Snippet file="once.mdx" />\n',
        "snippets/note.mdx": NOTE,
        "snippets/once.mdx": "Only here.\n",
    },
    "docusaurus": {
        "docusaurus.config.js": "module.exports = {title: 'D', presets: [['classic', {docs: {}}]]}",
        "docs/a.md": "# A\n\nimport Note from './_note.mdx'\n\nRead.\n\n<Note />\n\nEnd.\n",
        "docs/b.md": "# B\n\nimport Note from './_note.mdx'\n\n<Note />\n",
        "docs/c.md": "# C\n\nimport Once from './_once.mdx'\n\n<Once />\n",
        "docs/_note.mdx": NOTE,
        "docs/_once.mdx": "Only here.\n",
    },
    "gitbook": {
        "SUMMARY.md": "# Summary\n\n* [A](a.md)\n* [B](b.md)\n* [C](c.md)\n",
        "a.md": '# A\n\nRead.\n\n{% include ".gitbook/includes/note.md" %}\n\nEnd.\n',
        "b.md": '# B\n\n{% include ".gitbook/includes/note.md" %}\n',
        "c.md": '# C\n\n{% include ".gitbook/includes/once.md" %}\n',
        ".gitbook/includes/note.md": NOTE,
        ".gitbook/includes/once.md": "Only here.\n",
    },
    "mkdocs": {
        "mkdocs.yml": "site_name: D\nmarkdown_extensions:\n  - pymdownx.snippets\n",
        "docs/a.md": '# A\n\nRead.\n\n--8<-- "includes/note.md"\n\nEnd.\n',
        "docs/b.md": '# B\n\n--8<-- "includes/note.md"\n',
        "docs/c.md": '# C\n\n--8<-- "includes/once.md"\n',
        "includes/note.md": NOTE,
        "includes/once.md": "Only here.\n",
    },
}


@pytest.mark.parametrize("name", SOURCES)
def test_a_snippet_that_two_pages_include_is_a_part(name: str) -> None:
    tree = tree_of_files(Files(SOURCES[name]), name)

    [part] = tree.parts
    assert (part.reference, part.text.strip()) == ("part.note", NOTE.strip())
    texts = {page.title: page.markdown.strip() for page in tree.pages}
    assert texts["A"] == "Read.\n\n{{part.note}}\n\nEnd."
    assert texts["B"] == "{{part.note}}"
    assert texts["C"] == "Only here."


# Settings of a site that lists one page, and the line that includes another page in it.
SITES = {
    "gitbook": ({"docs/SUMMARY.md": "* [T](index.md)\n"}, '{{% include "{}.md" %}}'),
    "mkdocs": ({"mkdocs.yml": "nav: [index.md]\n"}, '--8<-- "docs/{}.md"'),
    "mintlify": (
        {"docs.json": '{"navigation": {"pages": ["docs/index"]}}'},
        '<Snippet file="../docs/{}.md" />',
    ),
}


@pytest.mark.parametrize("name", SITES)
def test_a_page_at_the_end_of_a_long_chain_stays_an_article(name: str) -> None:
    settings, line = SITES[name]
    pages = {"docs/index.md": line.format(0), "docs/12.md": "Words 12."}
    pages |= {f"docs/{place}.md": f"Words {place}.\n\n{line.format(place + 1)}" for place in range(12)}

    tree = tree_of_files(Files({**settings, **pages}), name)

    texts = "".join(page.markdown for page in tree.pages)
    assert [place for place in range(13) if f"Words {place}." not in texts] == []
    assert "docs/4.md" not in {page.path for page in tree.pages}
    assert any("each other too deeply" in loss.what for loss in tree.losses)


@pytest.mark.parametrize("name", SITES)
def test_a_page_that_others_include_only_in_comments_stays_an_article(name: str) -> None:
    settings, line = SITES[name]
    index = f"<!--\n{line.format('a')}\n-->\n\n{line.format('c')}"
    pages = {"index": index, "a": line.format("b"), "b": "Text b.", "c": "Text c."}

    tree = tree_of_files(Files({**settings, **{f"docs/{key}.md": text for key, text in pages.items()}}), name)

    assert [page.path for page in tree.pages] == ["docs/index.md", "docs/a.md"]
    assert tree.pages[1].markdown == "Text b.\n"


async def test_a_second_import_writes_nothing_and_keeps_what_people_changed(
    client: Client, api: Api, cast: Cast, database: Database
) -> None:
    source = {**SOURCES["mintlify"], "a.mdx": SOURCES["mintlify"]["a.mdx"] + "\n`{{part.number}}`\n"}
    tree = tree_of_files(Files(source), "mintlify")
    importer = Importer(database, cast.acme)

    report = await importer.bring(tree)

    assert (report.parts.created, report.pages.created, report.losses) == (1, 3, [])
    page = (await visit(api, f"{cast.acme.slug}/articles/a")).text
    assert "<strong>first</strong>" in page
    assert "{{part.number}}" in page
    assert (await importer.plan(tree)).report.changes_nothing

    [part] = ok(await client.get("/v1/parts"))["results"]
    ok(await client.patch(f"/v1/parts/{part['id']}", json={"text": "Ours."}))
    changed = tree_of_files(Files({**source, "snippets/note.mdx": "Theirs.\n"}), "mintlify")
    assert (await importer.bring(changed)).parts.kept_here == 1
    assert ok(await client.get(f"/v1/parts/{part['id']}"))["text"] == "Ours."


async def test_a_part_from_elsewhere_keeps_its_text_and_the_snippet_takes_a_free_name(
    client: Client, api: Api, cast: Cast, database: Database, run_jobs: RunJobs
) -> None:
    own = created(await client.post("/v1/parts", json={"name": "note", "text": "Ours."}))
    importer = Importer(database, cast.acme)
    tree = tree_of_files(Files(SOURCES["mintlify"]), "mintlify")

    await importer.bring(tree)
    assert (await importer.plan(tree)).report.changes_nothing
    changed = {**SOURCES["mintlify"], "snippets/note.mdx": "Theirs.\n"}
    await importer.bring(tree_of_files(Files(changed), "mintlify"))

    parts = {part["name"]: part["text"] for part in ok(await client.get("/v1/parts"))["results"]}
    assert parts == {own["name"]: "Ours.", "note-2": "Theirs."}
    await run_jobs()
    assert "Theirs." in (await visit(api, f"{cast.acme.slug}/articles/a")).text


async def test_the_text_of_a_part_that_cannot_be_kept_stays_in_its_pages(
    client: Client, api: Api, cast: Cast, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_PARTS", 0)

    report = await Importer(database, cast.acme).bring(tree_of_files(Files(SOURCES["mintlify"]), "mintlify"))

    assert (report.parts.failed, report.pages.created) == (1, 3)
    assert ["part.note" in loss.what for loss in report.losses] == [True]
    page = (await visit(api, f"{cast.acme.slug}/articles/a")).text
    assert "<strong>first</strong>" in page
    assert "part.note" not in page
