"""HTML of other products is data: it is never executed and never keeps the server busy."""

import time

import pytest

from instep.platform.core.markdown import render
from instep.platform.core.markdown_cost import refuse_costly_markdown
from instep.transfer.imports.html.convert import to_markdown
from tests.support.wording import like

# CPU time; the largest input below takes about a second on a slow machine.
MAX_SECONDS = 20
ATTACKS = (
    "<script>alert(1)</script>x",
    "<scr<script>ipt>alert(1)</scr</script>ipt>x",
    "<img src=x onerror=alert(1)>x",
    "<svg/onload=alert(1)><style>*{x:expression(alert(1))}</style>x</svg>x",
    '<a href="javascript:alert(1)">x</a>',
    '<a href=" java\tscript:alert(1)">x</a>',
    '<a href="JaVaScRiPt&colon;alert(1)">x</a>',
    '<a href="data:text/html,<script>alert(1)</script>">x</a>',
    '<a href="vbscript:alert(1)">x</a>',
    '<img src="data:image/svg+xml,<svg onload=alert(1)>" alt="x">',
    '<iframe src="javascript:alert(1)"></iframe>x',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>x',
    '<object data="javascript:alert(1)">x</object>x',
    "<p>&lt;script&gt;alert(1)&lt;/script&gt; &lt;img src=y onerror=alert(1)&gt; x</p>",
    "<p>[x](javascript:alert(1)) ![x](javascript:alert(1)) &lt;javascript:alert(1)&gt;</p>",
    '<a href="https://a.test/)[x](javascript:alert(1)">x</a>',
    "<pre><code class='language-x\"onload=alert(1)'>```\n\n<script>alert(1)</script> x</code></pre>",
    "<details><summary><img src=y onerror=alert(1)>&lt;script&gt;alert(1)</summary>x</details>",
    '<div class="note"><p class="title">&lt;img src=y onerror=alert(1)&gt;</p>x</div>',
    "<p>\ufdd00\ufdd1 \ufdd2 \ufdd3-- x</p>",
    "<table><tr><td>x | <script>alert(1)</script></td><td onclick='alert(1)'>y</td></tr></table>",
)
LARGE = {
    "deep divs": "<div>" * 10_000 + "<p>x</p>" + "</div>" * 10_000,
    "deep emphasis": "<b>" * 10_000 + "x",
    "deep lists": "<ul><li>" * 5_000 + "x",
    "deep quotes": "<blockquote>" * 10_000 + "x",
    "a table of more cells than a page may have": "<table>"
    + ("<tr>" + "<td>cell <b>x</b></td>" * 10 + "</tr>") * 6_000
    + "</table>",
    "many attributes": "<p " + " ".join(f"a{number}=1" for number in range(50_000)) + ">x</p>",
    "many breaks": "<br>" * 50_000 + "x",
    "many marks": "<p>" + "*_`[" * 50_000 + "x</p>",
    "many comments": "x" + "<!--" * 50_000,
    "many links": '<a href="u">x</a> ' * 10_000,
    "a list that begins with a number that Python does not read": "<ol><li>x</ol>"
    + f'<ol start="{"9" * 5_000}"><li>x</ol>',
}


@pytest.mark.parametrize("html", ATTACKS)
def test_nothing_of_an_attack_reaches_the_markdown_as_markup(html: str) -> None:
    markdown = to_markdown(html, "Title").markdown
    page = render(markdown)
    assert "x" in markdown
    assert "<script" not in page
    assert "<iframe" not in page
    assert 'href="javascript' not in page.lower()
    assert 'src="' not in page or 'src="x"' in page
    for tag in page.split("<")[1:]:
        assert " on" not in tag.partition(">")[0].lower().replace(" only", "")


@pytest.mark.parametrize("html", LARGE.values(), ids=LARGE.keys())
def test_large_and_deep_html_keeps_its_words_and_takes_seconds(html: str) -> None:
    began = time.thread_time()
    text = to_markdown(html)
    assert time.thread_time() - began < MAX_SECONDS
    assert "x" in text.markdown
    refuse_costly_markdown(text.markdown)


def test_html_that_is_too_deep_keeps_its_words_and_is_reported() -> None:
    text = to_markdown("<div>" * 10_000 + "<p>One</p><p>Two &lt;b&gt;</p>")
    assert text.markdown == "One\n\nTwo \\<b>\n"
    assert text.losses == (like("HTML…nested…"),)
