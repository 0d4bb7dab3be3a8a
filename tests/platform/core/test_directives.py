"""Directives: tabs, code groups, steps, cards, details and videos, on pages and as plain Markdown."""

import re

import pytest

from instep.platform.core import limits
from instep.platform.core.directives import mark_directives, plain_markdown
from instep.platform.core.markdown import render, render_checked
from instep.platform.text.blocks import read_blocks
from instep.search.index.passages import split_markdown


def shape(html: str) -> str:
    """A page's tags and words, with no attribute except `class`."""
    html = re.sub(r' (?!class=)[\w-]+="[^"]*"', "", html)
    return re.sub(r"\s+", " ", html.replace("markdown-", "")).strip()


TABS = """\
::::tabs
:::tab[macOS <b>]
Open **it**.
:::
:::tab[Windows]
- one
- two
:::
::::
After.
"""


def test_tabs_are_panels_with_titles() -> None:
    assert shape(render(TABS)) == (
        '<div class="tabs"> <div class="tab"><p class="title"><strong>macOS &lt;b&gt;</strong></p>'
        " <p>Open <strong>it</strong>.</p> </div>"
        ' <div class="tab"><p class="title"><strong>Windows</strong></p>'
        " <ul> <li>one</li> <li>two</li> </ul> </div> </div> <p>After.</p>"
    )
    assert plain_markdown(TABS) == "**macOS <b>**\n\nOpen **it**.\n\n**Windows**\n\n- one\n- two\n\nAfter.\n"


def test_code_in_a_group_has_the_title_of_its_info_string() -> None:
    text = (
        ':::code-group\n```sh [npm]\nnpm i\n```\n```js title="a b.js" {1}\n:::\n```\n~~~\nplain\n~~~\n:::\n'
    )
    html = render(text)

    assert re.findall(r"<strong>(.*?)</strong>", html) == ["npm", "a b.js", "Code"]
    assert re.findall(r"<code[^>]*>([^<]*)</code>", html) == ["npm i\n", ":::\n", "plain\n"]
    assert 'class="language-js"' in html
    assert "**npm**\n\n```sh [npm]\nnpm i\n```\n" in plain_markdown(text)


def test_directives_stand_in_list_items_and_quotes_and_end_with_them() -> None:
    item = "1. One\n\n   :::details[More]\n   Hidden\n   :::\n\n2. Two\n\n   :::card\n   Open\n\n"
    text = item + "After\n\n> :::card\n> Q\n"

    assert shape(render(text)) == (
        "<ol> <li> <p>One</p> <details><summary>More</summary> <p>Hidden</p> </details> </li> <li> <p>Two</p>"
        ' <div class="card"> <p>Open</p> </div></li> </ol> <p>After</p>'
        ' <blockquote> <div class="card"> <p>Q</p> </div></blockquote>'
    )
    assert "   **More**\n\n   Hidden\n" in plain_markdown(text)


def test_code_ends_with_its_own_quote_and_list_item() -> None:
    for text in (
        "```md\n> ```\n:::tabs[Word]\n:::\n```\n",
        "```md\n- ```\n:::tabs[Word]\n:::\n```\n",
        "- a\n\n  ```md\n  :::tabs[Word]\n  > ```\n  :::tabs[Word]\n  ```\n",
        "> - ```md\n>   :::tabs[Word]\n>   ```\n",
    ):
        assert plain_markdown(text) == text
    for code in (
        "1. ```\n   code\n2. two\n\n",
        "> ```\n> code\n\n",
        "> ```\n> code\n",
        "- ```\n  code\n\n",
        "1. a\n\n  ```\n code\n```\n",
        ">  ```\n>code\n>```\n\n",
        "- a\n  - b\n\n  ```\n  code\n  ```\n\n",
    ):
        assert "<summary>T</summary>" in render(f"{code}:::details[T]\nx\n:::\n"), code


def test_items_and_long_titles_stay_whole_in_plain_markdown() -> None:
    assert plain_markdown("- a\n- :::card\n  words\n  :::\n- c") == "- a\n\n-\n  words\n\n- c"
    nested = "- ::::tabs\n\n  :::tab[A]\n  words\n  :::\n  ::::\n"
    assert plain_markdown(nested) == "-\n  **A**\n\n  words\n"
    title = "Long " * 100 + "title"
    assert f"<summary>{title}</summary>" in render(f":::details[{title}]\nx\n:::\n")
    assert title in plain_markdown(f":::code-group\n```js [{title}]\nx\n```\n:::\n").split("```")[0]


@pytest.mark.parametrize(
    "text",
    [
        "```\n:::tabs\n:::\n```\n",
        "    :::tabs\n",
        "- a\n\n      :::tabs\n",
        ":::unknown\nx\n:::\n",
        ":::\n",
        ":::tabs and words\n",
        "a :::tabs b\n",
    ],
)
def test_other_lines_stay_text(text: str) -> None:
    assert re.sub(r"[`-]", "", text).split() == re.sub(r"<[^>]*>", "", render(text)).split()
    assert "markdown-" not in render(text)
    assert plain_markdown(text) == text


def test_one_end_closes_the_innermost_with_as_many_colons_and_all_within() -> None:
    same = ":::tabs\n:::tab[A]\na\n:::\n:::\nAfter\n"
    open_inside = "::::tabs\n:::tab[A]\na\n::::\nAfter\n"

    for text in (same, open_inside):
        assert re.sub("[ \n]", "", shape(render(text))).endswith("<p>a</p></div></div><p>After</p>")


def test_lines_and_blocks_stay_where_they_are() -> None:
    text = "One\n\n::::tabs\n:::tab[A]\nTwo\n:::\n::::\n\n```python\nx\n```\n"

    assert mark_directives(text).text.count("\n") == text.count("\n")
    assert re.findall(r'<(?:p|pre) data-line="(\d+)"', render_checked(text, has_lines=True)) == [
        "1",
        "5",
        "9",
    ]
    blocks = [(block.kind, block.first_line) for block in read_blocks(text).blocks]
    assert blocks == [("paragraph", 1), ("paragraph", 5), ("code", 9)]


def test_only_directives_of_this_text_become_tags() -> None:
    """An author can't write the renderer's own markers."""
    for sign in ("\ufdd0", "&#xFDD0;", "&#64976;"):
        tries = f"{sign}99 <?{sign}1?> {sign}{'0' * 16}-0"
        text = f":::card[Secret]\n{tries}\n:::\n:::code-group\n```js{sign}44\nx\n```\n:::\n"
        html = render_checked(text)
        assert html.count("Secret") == html.count("markdown-card") == 1
        assert html.count("<strong>") == html.count("<pre") + 1 == 2
        assert html == render(text)

    hostile = (
        ':::tab["><script>alert(1)</script>]{onclick=alert(1)}\n:::\n'
        ":::card\n[x](javascript:alert(1))\n:::\n:::video\n<iframe src=https://evil.example></iframe>\n:::\n"
        "<!--\n:::tab[secret]\nwords\n:::\n-->\n"
    )
    html = render_checked(hostile)
    assert not re.search(r"<script|<iframe|onclick|href=\"javascript|words", html)


@pytest.mark.parametrize(
    "text",
    [
        ":::tabs\n" * 3_000,
        ":::tabs\n:::\n" * 3_000,
        "".join(":" * count + "tabs\n" for count in range(400, 2, -1)),
        "> " * 20 + ":::tabs\n",
        ":::code-group\n" + "```js\n```\n" * 3_000,
    ],
)
def test_many_and_deep_directives_stay_text(text: str) -> None:
    html = render_checked(text)

    assert html.count("<div") <= limits.MAX_DIRECTIVES + 1
    depth = deepest = 0
    for tag in re.findall(r"</?div", html):
        depth += -1 if tag == "</div" else 1
        deepest = max(deepest, depth)
    assert deepest <= limits.MAX_DIRECTIVE_LEVELS + 1


def test_a_picture_with_a_title_has_a_caption() -> None:
    html = render('![A cat](/cat.png "Our *cat*, asleep")\n\nWords ![A cat](/cat.png "Asleep")\n')

    assert shape(html).startswith("<figure><img><figcaption>Our *cat*, asleep</figcaption></figure>")
    assert html.count("<figure>") == 1


def test_passages_are_plain_markdown() -> None:
    passages = split_markdown(plain_markdown("# A\n\n" + TABS))
    assert [":::" in passage.markdown for passage in passages] == [False]


def test_formulas_are_drawn_and_prices_are_text() -> None:
    html = render_checked("It costs $5 and $10. $`\\frac{a}{b}`$\n\n```math\nx^2\n```\n")

    assert "$5 and $10." in html
    assert "<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac>" in html
    assert '<math display="block">' in html
    assert "<math" in render_checked("$`\\left\\{ \\hat{x}'' \\right\\} \\le \\text{a \\{ b}`$")


@pytest.mark.parametrize(
    "formula",
    [
        "\\frac",
        "\\frac{a",
        "\\frac{a}",
        "\\unknown{x}",
        "a}",
        "{{{",
        "x" * (limits.MAX_FORMULA_CHARACTERS + 1),
    ],
)
def test_invalid_formulas_stay_code(formula: str) -> None:
    assert f"<code>{formula}</code>" in render_checked(f"$`{formula}`$")


def test_formulas_hold_no_scripts_links_and_styles() -> None:
    formula = r"\text{<script>alert(1)</script>}\href{javascript:alert(1)}{x}\style{color:red}{y}"
    html = render_checked(f"$`{formula}`$")
    assert not re.search("<script|javascript|style|href", html)
    assert "<mtext>&lt;script&gt;alert(1)&lt;/script&gt;</mtext>" in html


def test_signs_in_the_words_of_a_formula_are_text() -> None:
    html = render_checked("```math\nx < y \\quad \\text{if a<b & c>d}\n```\n\nAfter it.\n")

    assert "<mtext>if&nbsp;a&lt;b&nbsp;&amp;&nbsp;c&gt;d</mtext>" in html
    assert "<mi>x</mi><mo>&lt;</mo><mi>y</mi>" in html
    assert html.endswith("</math>\n<p>After it.</p>\n")
