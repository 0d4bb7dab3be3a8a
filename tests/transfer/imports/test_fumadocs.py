"""Fumadocs: `meta.json` files, folders in parentheses, and includes."""

import json

import pytest

from instep.transfer.imports.readers.fumadocs import READER
from instep.transfer.imports.tree.schemas import UnreadableSource
from tests.support.import_sources import dedented
from tests.support.import_trees import addresses, outline, told
from tests.support.wording import like

FILES = {
    "content/docs/meta.json": json.dumps(
        {"pages": ["(start)", "---[Icon]Features---", "...", "!internal", "lost"]}
    ),
    "content/docs/(start)/meta.json": json.dumps({"title": "Start here", "pages": ["index", "...more"]}),
    "content/docs/(start)/index.mdx": "---\ntitle: Welcome\n---\n<include>./.shared.mdx</include>\n",
    "content/docs/(start)/.shared.mdx": "Shared words.\n",
    "content/docs/(start)/more/b.mdx": """
        ---
        title: B
        ---
        <include cwd meta='title="x.ts"'>lib/x.ts#part</include>
        """,
    "content/docs/alpha.mdx": "---\ntitle: Alpha\n---\n",
    "content/docs/folder/index.mdx": "---\ntitle: The folder\n---\n",
    "content/docs/folder/one.mdx": "---\ntitle: One\n---\n",
    "content/docs/internal.mdx": "---\ntitle: Internal\n---\n",
    "lib/source.ts": "export const source = loader({ baseUrl: '/help', source: docs.toSource() })",
    "lib/x.ts": "let a\n// #region part\nlet b\n// #endregion part\n",
}


def test_navigation_addresses_and_includes() -> None:
    tree = READER.read(dedented(FILES))

    assert outline(tree) == [
        "Start here > Welcome",
        "Start here > B",
        "Features > Alpha",
        "Features > The folder > The folder",
        "Features > The folder > One",
        "Features > Internal",
    ]
    assert addresses(tree) == {
        "content/docs/(start)/index.mdx": "/help",
        "content/docs/(start)/more/b.mdx": "/help/more/b",
        "content/docs/alpha.mdx": "/help/alpha",
        "content/docs/folder/index.mdx": "/help/folder",
        "content/docs/folder/one.mdx": "/help/folder/one",
        "content/docs/internal.mdx": "/help/internal",
    }
    assert tree.pages[0].markdown == "Shared words.\n"
    assert tree.pages[1].markdown == "**x.ts**\n\n```ts\nlet b\n```\n"
    assert told(tree) == [
        like("content/docs/meta.json:…navigation…: lost"),
        like("content/docs/internal.mdx:…navigation:…others"),
    ]


def test_a_folder_with_nothing_but_its_own_page_is_an_article() -> None:
    pages = {f"content/docs/{name}/index.mdx": f"---\ntitle: {name}\n---\n" for name in ("demo", "guides")}

    tree = READER.read(dedented({**pages, "content/docs/guides/a.mdx": "---\ntitle: A\n---\n"}))

    assert outline(tree) == ["demo", "guides > guides", "guides > A"]


def test_a_wrong_meta_file_says_what_to_do() -> None:
    with pytest.raises(UnreadableSource, match=r"^content/docs/meta\.json"):
        READER.read(dedented({"content/docs/meta.json": '{"pages": [', "content/docs/a.mdx": ""}))
