"""Outline: JSON exports of collections."""

from typing import Any

from instep.transfer.imports.readers.outline_export import READER
from tests.support.file_samples import picture
from tests.support.import_product_files import page_of, told
from tests.support.import_sources import Files, losses_of, planned, read_tree, text_of
from tests.support.import_trees import outline
from tests.support.wording import like

OTHER = "123e4567-e89b-12d3-a456-426614174000"


def words(value: str, *marks: dict[str, Any]) -> dict[str, Any]:
    return {"type": "text", "text": value, "marks": list(marks)}


def block(kind: str, *content: dict[str, Any], **attributes: Any) -> dict[str, Any]:
    return {"type": kind, "attrs": attributes, "content": list(content)}


def link_to(href: str) -> dict[str, Any]:
    return {"type": "link", "attrs": {"href": href}}


TEXT = block(
    "doc",
    block("heading", words("Set it up!"), level=2),
    block(
        "container_notice", block("paragraph", words("Mind "), words("this", {"type": "strong"})), style="tip"
    ),
    block("paragraph", words("b", link_to("/doc/other-thing-Abcdefgh12#h-set-it-up")), words("<c>")),
    block("paragraph", block("image", src="/api/attachments.redirect?id=f1", alt="Shot")),
    block("checkbox_list", block("checkbox_item", block("paragraph", words("done")), checked=True)),
    block("container_toggle", block("paragraph", words("More")), block("paragraph", words("inside"))),
    block("code_fence", words("a < b"), language="python"),
    block("table", block("tr", block("th", block("paragraph", words("H")))), block("tr", block("td"))),
    block(
        "paragraph",
        block("mention", type="document", label="Other", modelId=OTHER),
        words(" "),
        words("end"),
    ),
    block("math_block", words("x^2")),
)
EXPORT: dict[str, Any] = {
    "collection": {
        "id": "c1",
        "urlId": "cccccccccc",
        "name": "Handbook",
        "data": block("doc", block("paragraph", words("All of it"))),
        "documentStructure": [
            {
                "id": "d1",
                "url": "/doc/start-Zbcdefgh12",
                "children": [{"id": OTHER, "url": "/doc/other-Abcdefgh12"}],
            }
        ],
    },
    "documents": {
        OTHER: {
            "id": OTHER,
            "urlId": "Abcdefgh12",
            "title": "Other",
            "data": TEXT,
            "publishedAt": None,
        },
        "d1": {"id": "d1", "urlId": "Zbcdefgh12", "title": "Start", "data": TEXT, "publishedAt": "2026"},
        "d3": {"id": "d3", "urlId": "Ybcdefgh12", "title": "Apart", "data": None, "publishedAt": "2026"},
    },
    "attachments": {"f1": {"id": "f1", "key": "uploads/u/f1/shot.png"}},
}
FILES = {"Handbook.json": EXPORT, "metadata.json": {"exportVersion": 1}, "uploads/u/f1/shot.png": picture()}


def test_documents_keep_order_texts_and_addresses() -> None:
    tree = read_tree(READER, FILES)

    assert outline(tree) == ["Handbook > Start > Start", "Handbook > Start > Other", "Handbook > Apart"]
    assert tree.collections[0].description == "All of it"
    start = page_of(tree, "d1")
    assert (start.address, start.status) == ("/doc/start-Zbcdefgh12", "published")
    assert page_of(tree, OTHER).status == "draft"
    assert start.markdown.split("\n\n") == [
        "## Set it up!\n> [!TIP]\n> Mind **this**",
        "[b](/doc/Abcdefgh12#h-set-it-up)\\<c>",
        "![Shot](uploads/u/f1/shot.png)",
        "- [x] done",
        "<details><summary>More</summary>",
        "inside",
        "</details>",
        "```python\na < b\n```",
        "| H |\n| --- |\n|  |",
        f"[Other](/doc/{OTHER}) end",
        "`x^2`\n",
    ]
    assert ("Handbook.json", like("formula…(in “Start”)")) in told(tree)
    assert ("Handbook.json", like("…order: Apart")) in told(tree)


def test_links_mentions_and_attachments_lead_to_articles_and_files() -> None:
    files = Files(FILES)
    plan = planned(READER.read(files), files)

    assert text_of(plan, "d1").count("/articles/other") == 2
    assert "{uploads/u/f1/shot.png}" in text_of(plan, "d1")
    assert not [what for what in losses_of(plan) if "link" in what]


def test_a_document_that_nests_endlessly_is_cut() -> None:
    node = block("paragraph", words("deep"))
    for _ in range(200):
        node = block("blockquote", node)
    export = {**EXPORT, "documents": {"d1": {"id": "d1", "title": "Deep", "data": block("doc", node)}}}

    assert any("nested" in what for _, what in told(read_tree(READER, {"a.json": export})))
