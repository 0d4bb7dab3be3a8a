"""HTML as products generate it becomes Markdown as people write it."""

import pytest

from instep.platform.core.markdown import render
from instep.transfer.imports.html.convert import to_markdown
from tests.support.wording import like

CASES = {
    "a callout with a title": (
        '<div class="callout callout--warning"><h4 class="callout__title">Heads up</h4>'
        "<p>Careful.</p></div><p>x</p>",
        "> [!WARNING] Heads up\n> Careful.\n\nx\n",
    ),
    "a callout of one paragraph": ('<p class="note">Mind <b>this</b></p>', "> [!NOTE]\n> Mind **this**\n"),
    "an empty callout takes nothing in": ('<div class="tip"></div><p>x</p>', "> [!TIP]\n\nx\n"),
    "a folded part": (
        "<details><summary>What is <code>x_y</code> &amp; z?</summary>An <a href='/a'>answer</a></details>",
        "<details><summary>What is <code>x_y</code> &amp; z?</summary>\n\nAn [answer](/a)\n\n</details>\n",
    ),
    "an accordion": (
        '<div class="accordion__section"><h3 class="accordion__title">Why?</h3><div><p>So.</p></div></div>',
        "<details><summary>Why?</summary>\n\nSo.\n\n</details>\n",
    ),
    "a table with alignment, lists in cells and pipes": (
        '<table><tbody><tr><td style="text-align: right"><p>A</p></td><td>B</td></tr>'
        '<tr><td style="text-align:right">1</td><td><ul><li>x|y</li><li>z</li></ul></td></tr></table>',
        "| A | B |\n| --: | --- |\n| 1 | • x\\|y<br>• z |\n",
    ),
    "cells over several rows and columns": (
        "<table><tr><td rowspan=2>a</td><td>b</td></tr><tr><td>c</td></tr>"
        "<tr><td colspan=2>d</td></tr></table>",
        "| a | b |\n| --- | --- |\n|  | c |\n| d |  |\n",
    ),
    "a table that only lays out": ("<table><tr><td><h2>Box</h2><p>x</p></td></tr></table>", "## Box\n\nx\n"),
    "code with its language": (
        '<pre class="lang-js">const a = 1;<br>b &lt; c</pre>'
        '<pre><code class="hljs language-python"><b>x</b>\n</code></pre>',
        "```js\nconst a = 1;\nb < c\n```\n\n```python\nx\n```\n",
    ),
    "a link in code": ('<p><code><a href="/x">y_z</a></code></p>', "[`y_z`](/x)\n"),
    "videos": (
        '<p>See</p><iframe src="//www.youtube.com/embed/abc?rel=0"></iframe>'
        '<p><iframe src="https://player.vimeo.com/video/99" title="How to"></iframe></p>',
        "See\n\n:::video\n\n<https://www.youtube.com/watch?v=abc>\n\n:::\n\n"
        ":::video\n\n[How to](https://vimeo.com/99)\n\n:::\n",
    ),
    "a video in a cell": (
        '<table><tr><td>a</td><td><iframe src="https://player.vimeo.com/video/99"></iframe></td></tr></table>',
        "| a | <https://vimeo.com/99> |\n| --- | --- |\n",
    ),
    "lists that every item has for itself": (
        "<ul><li><p>a</p></li></ul><ul><li><p>b</p><ul><li><p>c</p></li></ul></li></ul>"
        '<ol start="1"><li>x</li></ol><ol start="2"><li>y</li></ol>',
        "- a\n- b\n  - c\n\n1. x\n2. y\n",
    ),
    "a list directly in a list": ("<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>", "- a\n  - b\n- c\n"),
    "breaks between paragraphs": (
        "<p>a<br><br>- b<br></p><ul><li>x<br><br>y</li></ul><blockquote>q<br><br>r</blockquote>",
        "a\n\n\\- b\n\n- x\n\n  y\n\n> q\n>\n> r\n",
    ),
    "emphasis next to words and punctuation": (
        "<p><b>“x”</b>y <b>word, </b>next <b>a</b><b>b</b> 中文<strong>\uff08粗\uff09</strong>字"
        " <i><br></i>Wow!<a href=u>l</a></p>",
        "**“x**”y **word,** next **ab** 中文\uff08**粗**\uff09字\\\nWow\\![l](u)\n",
    ),
    "bold by style": (
        '<p><span style="font-weight:700">B</span> <b style="font-weight:normal">n</b></p>',
        "**B** n\n",
    ),
    "what needs no backslash has none": (
        "<p>2 * 3, snake_case, [note] (x), a &lt; b, #1, 1. x and https://a.test/c_d.</p>",
        "2 * 3, snake_case, [note] (x), a < b, #1, 1. x and <https://a.test/c_d>.\n",
    ),
    "what would be Markdown keeps its backslash": (
        "<p># a</p><p>1. b</p><p>*c* [d](e) `f`</p>",
        "\\# a\n\n1\\. b\n\n\\*c\\* \\[d\\](e) \\`f\\`\n",
    ),
    "small tags that pages may have": (
        "<p>H<sub>2</sub>O x<sup>2</sup> <kbd>Ctrl</kbd></p>",
        "H<sub>2</sub>O x<sup>2</sup> <kbd>Ctrl</kbd>\n",
    ),
    "a picture with a caption": (
        '<figure><img src="a b.png" alt="A" width=3><figcaption>Cap</figcaption></figure>',
        '<img src="a%20b.png" alt="A" width="3">\n\n*Cap*\n',
    ),
    "definitions": ("<dl><dt>Term</dt><dd>Meaning</dd></dl>", "**Term**\n\nMeaning\n"),
    "no-break spaces of editors": (
        "<p>a&nbsp;b &nbsp;c</p><p>&nbsp;</p><p>Bon&nbsp;!</p>",
        "a b c\n\nBon !\n",
    ),
    "a card that is a link": ('<a href="/x"><div><h3>Card</h3><p>text</p></div></a>', "[Card text](/x)\n"),
}


@pytest.mark.parametrize(("html", "markdown"), CASES.values(), ids=CASES.keys())
def test_markup_becomes_plain_markdown(html: str, markdown: str) -> None:
    assert to_markdown(html).markdown == markdown


def test_a_title_is_not_repeated_and_headings_begin_below_it() -> None:
    html = '<h1 id="top">The  title</h1><h1><a name="old"></a>One</h1><h3></h3><p id="here">x</p>'
    html += '<h2 id="two"><b>Two</b></h2>'
    text = to_markdown(f'{html}<p><a href="#here">j</a></p>', "The title")
    assert text.markdown == "## One\n\nx\n\n### Two\n\n[j](#here)\n"
    assert text.heading_ids == (("old", 0), ("here", 0), ("two", 1))


def test_the_numbers_of_headings_are_those_of_the_rendered_page() -> None:
    html = "<table><tr><td><h2 id=a>In a cell</h2></td><td>x</td></tr></table>"
    text = to_markdown(f"{html}<blockquote><h2 id=b>B</h2></blockquote><h2 id=c>C</h2>")
    assert text.heading_ids == (("b", 0), ("c", 1))
    assert render(text.markdown).count("<h2") == 2


def test_losses_are_reported() -> None:
    html = '<p><a href="javascript:x()">click</a> <img src="blob:x" alt="chart">'
    text = to_markdown(f'{html} <a href="tel:1">1</a></p><iframe src="https://e.test/f"></iframe>')
    assert text.markdown == "click chart 1\n\n<https://e.test/f>\n"
    assert text.losses == (
        like("image…(chart)"),
        like("embedded…: https://e.test/f"),
        like("link “click”…"),
        like("link “1”…"),
    )
