"""Wikis of GitHub and GitLab repositories."""

from instep.transfer.imports.readers.wiki import READER
from tests.support.import_sources import read_tree
from tests.support.import_trees import outline, page_at, told
from tests.support.wording import like


def test_links_by_names_lead_to_pages_and_the_side_bar_orders_them() -> None:
    tree = read_tree(
        READER,
        {
            "Home.md": (
                "# The wiki\n\n[[getting started]], [[how to|Deep Page#part]], [[None]] and `[[code]]`\n\n"
                "[[i.png]]"
            ),
            "Getting-started.md": "# Start\n\n[b](https://github.com/acme/it/wiki/Deep-Page)",
            "sub/Deep-Page.md": "## Part\n\n[[Home]]",
            "Apart.md": "Words",
            "_Sidebar.md": "* [First](Home)\n* Guides\n  * [[Getting Started]]\n  * [Deep](deep-page)\n",
            "_Footer.md": "Footer",
        },
    )

    assert outline(tree) == ["The wiki", "Guides > Start", "Guides > Deep Page", "Apart"]
    assert [page.address for page in tree.pages] == ["/", "/Getting-started", "/Deep-Page", "/Apart"]
    assert page_at(tree, "Home.md").markdown == (
        "[getting started](Getting-started.md), [how to](sub/Deep-Page.md#part), None and `[[code]]`\n\n"
        "![](i.png)\n"
    )
    assert page_at(tree, "sub/Deep-Page.md").markdown.endswith("[Home](../Home.md)\n")
    assert tree.sites == ("https://github.com/acme/it/wiki",)
    assert told(tree) == [
        like("Home.md:3…exist: [[None]]"),
        like("Home.md: navigation label…(3 in total): such as “First” for “The wiki”"),
    ]
