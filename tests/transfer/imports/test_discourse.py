"""Discourse: saved API responses of a documentation category."""

from typing import Any

import pytest

from instep.transfer.imports.readers.discourse import READER
from instep.transfer.imports.tree.schemas import UnreadableSource
from tests.support.import_product_files import page_of, told
from tests.support.import_sources import Files, losses_of, planned, read_tree, text_of
from tests.support.import_trees import outline
from tests.support.wording import like

SITE = "https://forum.acme.example"


def topic(number: int, title: str, cooked: str, category: int = 12) -> dict[str, Any]:
    posts = [
        {"id": number * 10 + 2, "post_number": 2, "cooked": "<p>A reply</p>"},
        {"id": number * 10 + 1, "post_number": 1, "cooked": cooked},
    ]
    return {
        "id": number,
        "title": title,
        "slug": title.lower().replace(" ", "-"),
        "category_id": category,
        "post_stream": {"posts": posts},
    }


POST = (
    '<h2><a name="p-1-part-1" class="anchor" href="#p-1-part-1"></a>Part</h2>'
    '<div class="lightbox-wrapper"><a class="lightbox" href="/uploads/a.png">'
    '<img src="/uploads/a_690.png" alt="S">'
    '<div class="meta">S 690x388</div></a></div><p>See <a href="/t/use-it/3/2">use</a> '
    '<img class="emoji" alt=":smile:" src="/images/smile.png"></p>'
    '<pre><code class="lang-bash">run</code></pre><aside class="onebox"><header class="source">x</header>'
    '<article class="onebox-body"><h3><a href="https://x.example/y">Y page</a></h3>'
    "<p>about</p></article></aside>"
)
INDEX = (
    '<p>Welcome</p><h2>Begin</h2><ul><li><a href="/t/set-up/2">Set up</a><ul>'
    '<li><a href="/t/use-it/3">Use</a>'
    "</li></ul></li></ul><table><tr><th>Level</th><th>Path</th><th>Navlink</th></tr>"
    "<tr><td>1</td><td>ref</td><td>Reference</td></tr>"
    f'<tr><td>2</td><td>api</td><td><a href="{SITE}/t/the-api/4">API</a></td></tr></table>'
)
SAVED: dict[str, Any] = {
    "site.json": {
        "url": SITE,
        "categories": [{"id": 12, "name": "Docs", "position": 1}, {"id": 13, "name": "More"}],
    },
    "topics-1.json": {"topic_list": {"topics": [{"id": 1}, {"id": 2}, {"id": 9}]}},
    "topic-1.json": topic(1, "All docs", INDEX),
    "topic-2.json": topic(2, "Set up", POST),
    "topic-3.json": topic(3, "Use it", "<p>Words</p>"),
    "topic-4.json": topic(4, "The API", "<p>Words</p>"),
}


def test_the_index_topic_orders_the_articles() -> None:
    tree = read_tree(READER, SAVED)

    assert outline(tree) == ["All docs", "Begin > Set up", "Begin > Use it", "Reference > The API"]
    page = page_of(tree, "2")
    assert (page.address, page.former_addresses) == ("/t/set-up/2", ("/t/2", "/t/2/*", "/t/set-up/2/*"))
    assert page.markdown.split("\n\n") == [
        "## Part",
        "![S](/uploads/a_690.png)",
        "See [use](/t/use-it/3/2) :smile:",
        "```bash\nrun\n```",
        "[Y page](https://x.example/y)\n",
    ]
    assert ("topic 9", like("topic that is listed…")) in told(tree)


def test_links_to_topics_and_their_posts_lead_to_articles() -> None:
    files = Files(SAVED)
    plan = planned(READER.read(files), files)

    assert "/articles/use-it" in text_of(plan, "2")
    assert "/articles/the-api" in text_of(plan, "1")
    assert not [what for what in losses_of(plan) if "link" in what]


def test_without_an_index_the_categories_are_collections() -> None:
    tree = read_tree(
        READER,
        {
            "site.json": SAVED["site.json"],
            "a.json": topic(7, "Zoo", "<p>Z</p>"),
            "b.json": topic(8, "Ant", "<p>A</p>"),
            "c.json": topic(9, "Bee", "<p>B</p>", category=13),
        },
    )

    assert outline(tree) == ["Docs > Ant", "Docs > Zoo", "More > Bee"]


def test_lists_without_texts_say_what_is_missing() -> None:
    with pytest.raises(UnreadableSource, match="save each topic too"):
        READER.read(Files({"topics-1.json": SAVED["topics-1.json"]}))
