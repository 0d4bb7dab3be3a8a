"""Docmost: exports of spaces in Markdown and HTML."""

import pytest

from instep.transfer.imports.readers.docmost import READER
from tests.support.file_samples import picture
from tests.support.import_product_files import page_of
from tests.support.import_sources import Files, planned, read_tree, text_of
from tests.support.import_trees import outline


def metadata(extension: str) -> dict[str, object]:
    rows = {
        f"Set%20up%3F{extension}": ("p2", "bbb", "a1", None),
        f"First{extension}": ("p1", "aaa", "a0", None),
        f"Set%20up%3F/Zebra{extension}": ("p3", "ccc", "a0", f"Set%20up%3F{extension}"),
        f"Set%20up%3F/Ant{extension}": ("p4", "ddd", "a0V", f"Set%20up%3F{extension}"),
    }
    pages = {
        path: {"pageId": id, "slugId": slug, "position": position, "parentPath": parent}
        for path, (id, slug, position, parent) in rows.items()
    }
    return {"source": "docmost", "version": "0.20", "pages": pages}


TEXTS = {
    ".md": "# {title}\n\n:::warning\nMind\n:::\n\n[to](Set%20up%3F/Zebra.md) ![](files/1/a.png)\n",
    ".html": "<html><head><title>{title}</title></head><body><h1>{title}</h1>"
    '<div data-type="callout" data-callout-type="warning"><p>Mind</p></div>'
    '<p><a href="Set%20up%3F/Zebra.html">to</a> <img src="files/1/a.png"></p></body></html>',
}


@pytest.mark.parametrize("extension", TEXTS)
def test_the_metadata_give_tree_order_and_addresses(extension: str) -> None:
    names = {"First": "First", "Set up?": "Set up?", "Set up?/Zebra": "Zebra", "Set up?/Ant": "Ant"}
    contents = {
        f"space/{name}{extension}": TEXTS[extension].format(title=title).encode()
        for name, title in names.items()
    }
    contents["space/files/1/a.png"] = picture()
    contents["space/Set up?/files/1/a.png"] = picture()
    sources = {**contents, "space/docmost-metadata.json": metadata(extension)}
    tree = read_tree(READER, sources)

    assert outline(tree) == ["First", "Set up? > Set up?", "Set up? > Zebra", "Set up? > Ant"]
    page = page_of(tree, "p1")
    assert (page.address, page.former_addresses) == ("/p/first-aaa", ("/p/aaa", "/share/p/first-aaa"))
    assert page.markdown.startswith("> [!WARNING]\n> Mind\n")
    plan = planned(tree, Files(sources))
    assert "/articles/zebra" in text_of(plan, "p1")
    assert "{space/files/1/a.png}" in text_of(plan, "p1")
