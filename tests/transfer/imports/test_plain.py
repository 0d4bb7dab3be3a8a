"""Folders of Markdown files."""

import pytest

from instep.transfer.imports.readers.plain import READER
from tests.support.import_sources import read_tree
from tests.support.import_trees import outline, page_at, told
from tests.support.wording import like


def test_folders_are_collections_and_numbers_order_them() -> None:
    tree = read_tree(
        READER,
        {
            "README.md": "# Help\n\nWelcome",
            "02-billing/10-refunds.md": "# Refunds\n\nText",
            "02-billing/2-plans.md": "Text without a heading",
            "01-start/index.md": "---\ntitle: First steps\n---\nText",
            "01-start/install.md": "# Install it\n\nText",
            "01-start/deep/more.md": "# More\n\nText",
            "LICENSE.md": "No page",
            ".github/note.md": "No page",
        },
    )

    assert outline(tree) == [
        "Help",
        "First steps > First steps",
        "First steps > Deep > More",
        "First steps > Install it",
        "Billing > Plans",
        "Billing > Refunds",
    ]
    assert page_at(tree, "02-billing/2-plans.md").address == "/billing/plans"
    assert page_at(tree, "01-start/index.md").address == "/start"
    assert told(tree) == []


def test_a_number_in_front_matter_orders_a_page() -> None:
    texts = {
        "a.md": "---\norder: 3\n---\n# A",
        "02-b.md": "# B",
        "c.md": "---\norder: 1\n---\n# C",
    }

    assert outline(read_tree(READER, texts)) == ["C", "B", "A"]


def test_a_folder_comes_before_a_page_of_the_same_name() -> None:
    """Their order must not differ from run to run, or a second import would move articles."""
    texts = {f"{name}{ending}": "Text" for name in "abcd" for ending in (".md", "/page.md")}

    expected = [title for name in "ABCD" for title in (f"{name} > Page", name)]
    assert outline(read_tree(READER, texts)) == expected


def test_languages_in_folders_and_names_are_translations() -> None:
    by_folder = read_tree(READER, {"en/a/one.md": "# One", "de/a/one.md": "# Eins", "pt-br/a/one.md": "# Um"})
    by_name = read_tree(READER, {"one.md": "# One", "one.fr.md": "# Un", "v1.2.md": "# Version"})

    assert outline(by_folder)[0] == "A > One"
    assert [(page.locale, page.translation_of) for page in by_folder.pages] == [
        ("en", None),
        ("de", "en/a/one.md"),
        ("pt-BR", "en/a/one.md"),
    ]
    assert [(page.title, page.locale, page.translation_of) for page in by_name.pages] == [
        ("One", None, None),
        ("Version", None, None),
        ("Un", "fr", "one.md"),
    ]


def test_html_is_markdown_and_what_is_left_out_is_told() -> None:
    text = (
        '# T\n\n<div class="alert alert-warning">\n  <p>Take <b>care</b> of <your-key></p>\n</div>\n\n'
        '<ul>\n  <li><a href="b.md">B</a></li>\n</ul>\n\n'
        "<details>\n<summary>More</summary>\nHidden *words*\n</details>\n\n"
        "<table><tr><th>A</th></tr><tr><td><p>1</p><p>2</p></td></tr></table>\n\n"
        '<p align="center"><img src="i.png" alt="Icon"></p>\n\n'
        '<iframe src="https://video.example/1"></iframe>\n\n<script>alert(1)</script>\n\n```html\n<div>code</div>\n```\n'
    )

    tree = read_tree(READER, {"a.md": text})

    assert page_at(tree, "a.md").markdown == (
        "> [!WARNING]\n> Take **care** of \\<your-key>\n\n- [B](b.md)\n\n"
        "<details>\n<summary>More</summary>\n\nHidden *words*\n\n</details>\n\n"
        "| A |\n| --- |\n| 1<br>2 |\n\n![Icon](i.png)\n\n"
        "<https://video.example/1>\n\n```html\n<div>code</div>\n```\n"
    )
    assert told(tree) == [like("a.md:22 <script>…"), like("a.md:20 embedded … https://video.example/1")]


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        (
            '<table><tr><th align="right">A</th></tr><tr><td align="right">1</td></tr></table>',
            "| A |\n| --: |\n| 1 |",
        ),
        (
            'See <iframe src="https://www.youtube.com/embed/abc" title="Tour"></iframe>',
            "See [Tour](https://www.youtube.com/watch?v=abc)",
        ),
        ('<div class="info-item"><p>Words</p></div>', "Words"),
        ('<div class="callout-warning">\n\nMind *this*\n\n</div>', "> [!WARNING]\n> Mind *this*"),
        ('<img src="a b.png" alt="A">', "![A](a%20b.png)"),
        (
            '- One\n\n  <iframe src="https://www.youtube.com/embed/abc" title="Tour"></iframe>\n\n- Two',
            "- One\n\n  :::video\n\n  [Tour](https://www.youtube.com/watch?v=abc)\n\n  :::\n\n- Two",
        ),
    ],
    ids=["alignment", "player", "layout", "callout", "blanks", "video"],
)
def test_html_in_a_page_is_read_as_in_pages_of_html(html: str, markdown: str) -> None:
    tree = read_tree(READER, {"a.md": f"# T\n\n{html}\n"})

    assert page_at(tree, "a.md").markdown == f"{markdown}\n"


@pytest.mark.parametrize(
    ("before", "after", "video"),
    [
        ("- ", "", "- :::video\n\n  {}\n\n  :::"),
        ("> ", "", "> :::video\n>\n> {}\n>\n> :::"),
        ("> 1. ", "", "> 1. :::video\n>\n>    {}\n>\n>    :::"),
        ("- See ", " now", ""),
        ("| A |\n|---|\n| ", " |", ""),
    ],
)
def test_a_video_in_a_list_or_quote_plays_and_one_among_words_is_told(
    before: str, after: str, video: str
) -> None:
    html = f'{before}<iframe src="https://www.youtube.com/embed/abc" title="Tour"></iframe>{after}'
    link = "[Tour](https://www.youtube.com/watch?v=abc)"

    tree = read_tree(READER, {"a.md": f"# T\n\n{html}\n"})

    assert page_at(tree, "a.md").markdown.strip() == (video or f"{before}{{}}{after}").format(link)
    assert told(tree) == ([] if video else [like("a.md:… video inside a line…")])


def test_code_in_a_group_keeps_its_titles() -> None:
    code = '```sh [npm]\nnpm i\n```\n\n```sh title="yarn"\nyarn\n```\n'
    tree = read_tree(READER, {"a.md": f"# T\n\n::: code-group\n{code}:::\n\n```js [a.js]\nx\n```\n"})

    group = ":::code-group\n```sh [npm]\nnpm i\n```\n\n```sh [yarn]\nyarn\n```\n:::\n"
    assert page_at(tree, "a.md").markdown == f"{group}\n**a.js**\n\n```js\nx\n```\n"


@pytest.mark.parametrize("name", ["a.md", "a.mdx"])
@pytest.mark.parametrize(
    ("info", "language"),
    [("js [1, 2]", "js"), ("js {1,3}", "js"), ("{1,3}", ""), ("js {hl_lines=[a,2]}", "js"), ("[1]", "")],
)
def test_lines_in_an_info_string_are_no_title(name: str, info: str, language: str) -> None:
    tree = read_tree(READER, {name: f"# T\n\n```{info}\nx\n```\n"})

    assert page_at(tree, name).markdown == f"```{language}\nx\n```\n"


def test_front_matter_becomes_facts_of_the_page() -> None:
    tree = read_tree(
        READER,
        {"a.md": "---\ntitle: A\ndescription: About A\ndraft: true\nslug: the-a\n---\n## Part {#part}\n"},
    )

    page = page_at(tree, "a.md")
    assert (page.title, page.description, page.status, page.slug) == ("A", "About A", "draft", "the-a")
    assert (page.markdown, page.heading_ids) == ("## Part\n", (("part", 0),))


@pytest.mark.parametrize("label", ["sidebar_label: Short", "linkTitle: Short", "sidebar: {label: Short}"])
def test_a_label_other_than_the_title_is_told(label: str) -> None:
    tree = read_tree(READER, {"a.md": f"---\ntitle: A long title\n{label}\n---\nText\n"})

    assert told(tree) == [like("a.md: navigation label…(1 in total): such as “Short” for “A long title”")]


def test_marks_of_the_byte_order_are_no_text_wherever_files_were_joined() -> None:
    texts = {
        "two.md": "\ufeff\ufeff---\ntitle: Two\n---\ntext",
        "t.md": "---\ntitle: T\n---\n\n\ufeff# H\n\ntext",
    }

    tree = read_tree(READER, texts)

    assert [(page.title, page.markdown) for page in tree.pages] == [("T", "# H\n\ntext\n"), ("Two", "text\n")]


@pytest.mark.parametrize("title", ["[x]", "{y}", "&amp", "&amp more", "!bang", "!important note"])
def test_a_title_that_yaml_reads_as_no_text_is_kept(title: str) -> None:
    tree = read_tree(READER, {"a.md": f"---\ntitle: {title}\n---\nText"})

    assert tree.pages[0].title == title


def test_a_title_with_quotes_in_quotes_keeps_them() -> None:
    tree = read_tree(READER, {"a.md": '---\ntitle: "He said "hi""\n---\nText'})

    assert tree.pages[0].title == 'He said "hi"'


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("if a<b and c>d", "if a\\<b and c>d"),
        ("or <i have> x", "or \\<i have> x"),
        ("<a b c> and <code x>", "\\<a b c> and \\<code x>"),
        (
            "<details open><summary>S</summary>x</details>",
            "<details>\n<summary>S</summary>\n\nx\n\n</details>",
        ),
        ("<kbd>a</kbd> `a<b and c>d`", "<kbd>a</kbd> `a<b and c>d`"),
    ],
)
def test_words_in_angle_brackets_are_no_tags(text: str, markdown: str) -> None:
    for name in ("a.md", "guide/b.md"):
        tree = read_tree(READER, {name: f"# A\n\n{text}"})
        assert tree.pages[0].markdown == f"{markdown}\n"


def test_components_of_pages_without_a_known_site_keep_their_labels() -> None:
    text = """---
title: Install it
sidebar_position: 2
draft: true
---
import Note from "./_note.mdx"

<Note />

<Tabs>
  <Tab title="macOS">Drag it.</Tab>
  <Tab title="Linux">

```bash install.sh
sh install.sh
```

  </Tab>
</Tabs>
"""
    tree = read_tree(READER, {"install.mdx": text, "_note.mdx": "For admins.", "a.md": "# A"})

    page = page_at(tree, "install.mdx")
    assert (page.title, page.status) == ("Install it", "draft")
    assert page.markdown == (
        "For admins.\n\n::::tabs\n:::tab[macOS]\nDrag it.\n:::\n\n"
        ":::tab[Linux]\n\n**install.sh**\n\n```bash\nsh install.sh\n```\n:::\n::::\n"
    )
