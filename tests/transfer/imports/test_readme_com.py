"""Repositories that are synchronized with ReadMe."""

from datetime import UTC, datetime

import pytest

from instep.transfer.imports.readers.readme_com import READER
from instep.transfer.imports.source.formats import tree_of_files
from tests.support.import_sources import Files, dedented, read_tree
from tests.support.import_trees import outline, page_at, told
from tests.support.wording import like


def page_of(text: str) -> tuple[str, list[str]]:
    tree = read_tree(READER, {"docs/_order.yaml": "", "docs/a.md": f"---\ntitle: T\n---\n{text}"})
    return page_at(tree, "docs/a.md").markdown.strip(), told(tree)


def test_order_files_make_the_navigation_and_the_changelog_its_entries() -> None:
    tree = read_tree(
        READER,
        {
            "docs/_order.yaml": "- Second\n- First\n",
            "docs/First/_order.yaml": "- b\n- a\n",
            "docs/First/a.md": "---\ntitle: A\nexcerpt: About\nhidden: true\n---\n",
            "docs/First/b/index.md": "---\ntitle: B\n---\n",
            "docs/First/b/c.md": "---\ntitle: C\n---\n",
            "docs/Second/d.md": "---\ntitle: D\n---\n",
            "changelogs/one.md": "---\ntitle: One\npublished_at: 2024-05-01\n---\nNews",
        },
    )

    assert outline(tree) == ["Second > D", "First > B > B", "First > B > C", "First > A"]
    assert [page.address for page in tree.pages] == ["/docs/d", "/docs/b", "/docs/c", "/docs/a"]
    hidden = page_at(tree, "docs/First/a.md")
    assert (hidden.status, hidden.description) == ("draft", "About")
    [entry] = tree.entries
    assert (entry.title, entry.published_at) == ("One", datetime(2024, 5, 1, tzinfo=UTC))


def test_an_older_export_has_its_categories_at_the_top() -> None:
    block = '[block:code]\n{"codes": [{"code": "a"}]}\n[/block]'
    files = {
        "Guides/setup.md": f"---\ntitle: Set up\nslug: set-up\nhidden: false\n---\n{block}",
        "Guides/more/last.md": "---\ntitle: Last\n---\nText",
    }

    tree = tree_of_files(dedented(files), None)
    assert outline(tree) == ["Guides > More > Last", "Guides > Set up"]
    assert [page.address for page in tree.pages] == ["/docs/last", "/docs/set-up"]
    assert "[block:" not in page_at(tree, "Guides/setup.md").markdown


@pytest.mark.parametrize(
    ("source", "markdown"),
    [
        (
            '[block:callout]\n{"type": "danger", "title": "Stop", "body": "Now"}\n[/block]',
            "> [!CAUTION] Stop\n> Now",
        ),
        (
            '[block:code]\n{"codes": [{"code": "a `b`", "language": "py", "name": "x.py"}]}\n[/block]',
            "**x.py**\n\n```py\na `b`\n```",
        ),
        (
            '[block:image]\n{"images": [{"image": ["i.png", "A"], "caption": "B"}]}\n[/block]',
            "![A](i.png)\n\nB",
        ),
        (
            '[block:parameters]\n{"data": {"h-0": "A", "0-0": "b|c"}, "cols": 1, "rows": 1}\n[/block]',
            "| A |\n| --- |\n| b\\|c |",
        ),
        ('<Callout icon="!" theme="warn">\nMind\n</Callout>', "> [!WARNING]\n> Mind"),
        ('<Image src="i.png" alt="A" />', "![A](i.png)"),
        ('<Embed url="https://v.example" title="V" />', "[V](https://v.example)"),
        ("> 🚧 Mind\n>\n> This", "> [!WARNING] Mind\n>\n> This"),
    ],
)
def test_blocks_of_readme_are_plain(source: str, markdown: str) -> None:
    assert page_of(source) == (markdown, [])


def test_losses_are_reported() -> None:
    assert page_of("<Gallery>Words</Gallery> <<apiKey>>\n\n[block:callout]\n{oops\n[/block]") == (
        "Words apiKey\n\n```json\n{oops\n```",
        [
            like("docs/a.md:6…callout…:…source…"),
            "docs/a.md:4 component <Gallery>, reduced to its text",
            "docs/a.md:4 variable <<apiKey>>",
        ],
    )


def test_a_hidden_entry_of_the_changelog_becomes_a_draft() -> None:
    """Entries have no visibility: readers see all that are published."""
    hidden = "---\ntitle: T\nvisibility: authenticated\n---\nNews"
    files = {
        "docs/a.md": "---\ntitle: A\n---\nText",
        "docs/_order.yaml": "- a\n",
        "changelogs/one.md": hidden,
        "changelogs/old/_collection.md": hidden.replace("News", ""),
        "changelogs/old/two.md": "---\ntitle: Two\n---\nNews",
        "changelogs/three.md": "---\ntitle: Three\n---\nNews",
    }

    tree = tree_of_files(Files(files), None)

    statuses = {entry.path: entry.status for entry in tree.entries}
    assert tree.format == "readme_com"
    assert statuses["changelogs/one.md"] == statuses["changelogs/old/two.md"] == "draft"
    assert statuses["changelogs/three.md"] == "published"
    assert "changelogs/one.md:3 visibility of an entry of the changelog" in "".join(told(tree))
