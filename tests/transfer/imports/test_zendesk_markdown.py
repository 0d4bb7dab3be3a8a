"""Markdown sources of Zendesk help centers."""

from instep.transfer.imports.readers.zendesk_markdown import READER
from tests.support.import_sources import read_tree
from tests.support.import_trees import outline, page_at, told
from tests.support.wording import like


def article(title: str, number: str, text: str = "") -> str:
    return f'---\ntitle: "{title}"\nid: {number}\n---\n\n{text}'


def test_ids_are_keys_and_addresses() -> None:
    tree = read_tree(
        READER,
        {
            "content/Cloud & more/First steps/A.md": article(
                "A", "360019355679", "## 1. Part {#part}\n\nText{.note}"
            ),
            "content/Cloud & more/b.md": article(
                "B", "4407830972050", "[a](https://support.example.com/hc/en-us/articles/360019355679-A#part)"
            ),
            "content/Store/c.md": article("C", "4407830972050"),
        },
    )

    assert outline(tree) == ["Cloud & more > First steps > A", "Cloud & more > B", "Store > C"]
    assert [page.key for page in tree.pages] == ["360019355679", "4407830972050", "content/Store/c.md"]
    first = page_at(tree, "content/Cloud & more/First steps/A.md")
    assert (first.address, *first.former_addresses) == (
        "/hc/*/articles/360019355679",
        "/hc/*/articles/360019355679-*",
    )
    assert (first.markdown, first.heading_ids) == ("## 1. Part\n\nText\n", (("part", 0),))
    assert tree.sites == ("https://support.example.com",)
    assert told(tree) == [like("content/Store/c.md: id 4407830972050…content/Cloud & more/b.md…")]


def test_a_card_under_a_link_is_the_link() -> None:
    card = '<div class="card">\n  <a href="/hc/en-us/articles/1"></a>\n  <p>Create <b>one</b></p>\n</div>'

    tree = read_tree(READER, {"a.md": article("A", "360019355679", card)})

    assert page_at(tree, "a.md").markdown == "[Create **one**](/hc/en-us/articles/1)\n"
