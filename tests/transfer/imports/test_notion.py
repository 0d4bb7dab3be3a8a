"""Notion: Markdown & CSV, HTML, databases, ids in links."""

from instep.transfer.imports.readers.notion import READER
from tests.support.import_product_files import page_of, told
from tests.support.import_sources import Files, read_tree
from tests.support.wording import like

GUIDE, SETUP, USAGE, BASE, ROW = (character * 32 for character in "abcde")
ROOT = "Export-1/Private & Shared"
MARKDOWN = {
    f"{ROOT}/Guide {GUIDE}.md": f"""# Guide

First read [Usage](Guide%20{GUIDE}/Usage%20{USAGE}.md), then
[Set up](https://www.notion.so/acme/Set-up-{SETUP}?pvs=4#x).

<aside>
💡 A hint with **words**

and more

</aside>

<aside>
⚠️ Careful

</aside>

![screen](Guide%20{GUIDE}/screen.png)
""",
    f"{ROOT}/Guide {GUIDE}/Usage {USAGE}.md": "# Usage\n\nUse it.\n",
    f"{ROOT}/Guide {GUIDE}/Set up {SETUP}.md": f"# Set up: now\n\nSee [Guide](../Guide%20{GUIDE}.md).\n",
    f"{ROOT}/Guide {GUIDE}/screen.png": b"png",
    f"{ROOT}/Guide {GUIDE}/Questions {BASE}.csv": "Name,Status\nHow?,Done\n",
    f"{ROOT}/Guide {GUIDE}/Questions {BASE}_all.csv": "\ufeffName,Status,Answer\nHow?,Done,\n"
    "Why?,Open,Because\n,,\n",
    f"{ROOT}/Guide {GUIDE}/Questions {BASE}/How {ROW}.md": "# How?\n\nStatus: Done\n"
    "Owner: Ada\n\nLike this.\n",
}


def test_pages_have_their_ids_as_keys_and_stand_in_the_order_of_the_links() -> None:
    tree = read_tree(READER, MARKDOWN)
    assert [(page.key, page.title, page.collection) for page in tree.pages] == [
        (GUIDE, "Guide", GUIDE),
        (USAGE, "Usage", GUIDE),
        (SETUP, "Set up: now", GUIDE),
        (f"{BASE}/Why?", "Why?", BASE),
        (ROW, "How?", BASE),
    ]
    assert [(each.key, each.title, each.parent) for each in tree.collections] == [
        (GUIDE, "Guide", None),
        (BASE, "Questions", GUIDE),
    ]


def test_links_callouts_and_properties_become_plain_markdown() -> None:
    tree = read_tree(READER, MARKDOWN)
    assert page_of(tree, GUIDE).markdown == (
        f"First read [Usage](Guide%20{GUIDE}/Usage%20{USAGE}.md), then\n"
        f"[Set up](Guide%20{GUIDE}/Set%20up%20{SETUP}.md).\n\n"
        "> [!TIP]\n> A hint with **words**\n>\n> and more\n\n"
        "> [!WARNING]\n> Careful\n\n"
        f"![screen](Guide%20{GUIDE}/screen.png)\n"
    )
    assert page_of(tree, ROW).markdown == "- **Status**: Done\n- **Owner**: Ada\n\nLike this.\n"


def test_a_row_without_a_page_is_an_article_and_told() -> None:
    tree = read_tree(READER, MARKDOWN)
    row = page_of(tree, f"{BASE}/Why?")
    assert row.markdown == "- **Status**: Open\n- **Answer**: Because\n"
    assert told(tree) == [(row.path, like("row…“Questions”…: Why?"))]


def test_the_html_export_keeps_toggles_callouts_tasks_and_captions() -> None:
    body = f"""<html><body><article id="x" class="page sans"><header><h1 class="page-title">Guide</h1>
      <p class="page-description">In short</p>
      <table class="properties"><tbody><tr><th>Status</th><td>Done</td></tr></tbody></table></header>
      <div class="page-body">
      <figure class="callout" style="x"><div><span class="icon">⚠️</span></div>
      <div><p>Careful</p></div></figure>
      <ul class="toggle"><li><details open=""><summary>More</summary><p>Inside</p></details></li></ul>
      <ul class="to-do-list"><li><div class="checkbox checkbox-on"></div> <span>Done</span></li></ul>
      <ul class="to-do-list"><li><div class="checkbox checkbox-off"></div> <span>Open</span></li></ul>
      <ol class="numbered-list" start="1"><li>one</li></ol>
      <ol class="numbered-list" start="2"><li>two</li></ol>
      <h2 id="{SETUP}">Part</h2>
      <figure class="image"><a href="Guide/a.png"><img src="Guide/a.png"/></a>
      <figcaption>A cat</figcaption></figure>
      <p><a href="Guide%20{GUIDE}/Usage%20{USAGE}.html">Usage</a></p></div></article></body></html>"""
    contents = {f"Guide {GUIDE}.html": body, f"Guide {GUIDE}/Usage {USAGE}.html": "<p>Use it</p>"}
    page = page_of(read_tree(READER, contents), GUIDE)
    assert page.markdown == (
        "In short\n\n- **Status**: Done\n\n> [!WARNING]\n> Careful\n\n"
        "<details><summary>More</summary>\n\nInside\n\n</details>\n\n- [x] Done\n- [ ] Open\n\n"
        "1. one\n2. two\n\n## Part\n\n[![](Guide/a.png)](Guide/a.png)\n\n*A cat*\n\n"
        f"[Usage](Guide%20{GUIDE}/Usage%20{USAGE}.html)\n"
    )
    assert page.heading_ids == ((SETUP, 0),)


def test_other_files_are_not_notions() -> None:
    assert not READER.recognises(Files({"guide.md": "# Guide", "docs/a b.md": "x"}))


def test_cells_without_a_name_do_not_end_the_import() -> None:
    table = f"{ROOT}/Guide {GUIDE}/Questions {BASE}_all.csv"
    for rows in ("\nHow?,Done\n", "Name\nWhy?,Open,Because\n"):
        assert page_of(read_tree(READER, MARKDOWN | {table: rows}), USAGE).title == "Usage"


def test_links_whose_address_notion_has_left_out_are_words_and_told() -> None:
    text = "# A\n\n[b](https://www.notion.soundefined) and [c](https://www.notion.soundefined)\n"

    tree = READER.read(Files({f"A {'ab' * 16}.md": text}))

    assert tree.pages[0].markdown == "b and c\n"
    assert [what.partition(" whose")[0] for _, what in told(tree)] == ["2 links"]
