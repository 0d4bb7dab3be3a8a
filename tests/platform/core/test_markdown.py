"""Markdown becomes safe HTML: what is kept, what is always removed, and how much it may cost."""

import re
import time
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from instep.platform.core.errors import InvalidRequest
from instep.platform.core.markdown import ATTRIBUTES, TAGS, render, render_bounded
from instep.platform.core.readable import ADDED_ATTRIBUTES
from tests.support.limits import SetLimit

SCHEMES = {"http", "https", "mailto"}
# How browsers parse a URL: characters they skip before and inside a scheme, and a scheme's syntax.
SKIPPED = re.compile(r"^[\0-\x20]+|[\t\n\r]")
SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
# The sanitizer adds `rel` and the attributes that disable a task's checkbox; the rest is for readers.
ADDED = {**ADDED_ATTRIBUTES, "input": {"type", "disabled", "aria-label"}}
# Values of these attributes that no author can write.
ADDED_VALUES = {
    "role": {"region", "group"},
    "tabindex": {"0"},
    "loading": {"lazy"},
    "referrerpolicy": {"no-referrer"},
}

KEPT = {
    "a **b** *c* ~~d~~ `e`": "<p>a <strong>b</strong> <em>c</em> <del>d</del> <code>e</code></p>\n",
    "[a](https://a.test 'b')": '<a href="https://a.test" title="b" rel="noopener noreferrer nofollow">a</a>',
    "[a](/articles/b)": 'href="/articles/b"',
    "[a](mailto:a@b.test)": 'href="mailto:a@b.test"',
    "https://a.test/b": '<a href="https://a.test/b"',
    "b ![a](https://a.test/b.png 'c')": '<img src="https://a.test/b.png" alt="a" title="c" loading="lazy" '
    'referrerpolicy="no-referrer">',
    "<img src='b.png' alt='' width='10' height='20'>": '<img src="b.png" alt="" width="10" height="20" '
    'loading="lazy" referrerpolicy="no-referrer">',
    "3. a\n4. b": '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>',
    "a  \nb": "<br>",
    "> a": "<blockquote>\n<p>a</p>\n</blockquote>",
    "---": "<hr>",
    "<details><summary>a</summary>b</details>": "<details><summary>a</summary>b</details>",
    "H<sub>2</sub>O<sup>+</sup> <kbd>Esc</kbd>": "H<sub>2</sub>O<sup>+</sup> <kbd>Esc</kbd>",
    "| a | b |\n|:-:|--:|\n| 1 | 2 |": '<th align="center">a</th>\n<th align="right">b</th>',
    "- [x] a\n- [ ] b": '<input type="checkbox" checked="" disabled="" aria-label="a"> a',
    "```python\na < b\n```": '<pre tabindex="0" role="group" aria-label="Code">'
    '<code class="language-python">a &lt; b\n</code></pre>',
    "    a\n": '<pre tabindex="0" role="group" aria-label="Code"><code>a\n</code></pre>',
    "> [!WARNING]\n> a": '<div class="markdown-alert markdown-alert-warning">',
    "a[^1]\n\n[^1]: b": '<sup class="footnote-ref"><a href="#fn-1" id="fnref-1"',
    "AT&T &copy; 1 < 2": "<p>AT&amp;T © 1 &lt; 2</p>",
    "\\*a\\*": "<p>*a*</p>",
    "日本語 **強調**": "<strong>強調</strong>",
}

HOSTILE = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.test/x.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<img src=x OnErRoR = 'alert(1)'>",
    "<a href='x' onclick=alert(1) onmouseover='alert(1)'>a</a>",
    "<details open ontoggle=alert(1)>a</details>",
    "<a href='javascript:alert(1)'>a</a>",
    "<a href=' &#106;avascript:alert(1)'>a</a>",
    "<a href='java\tscript:alert(1)'>a</a>",
    "<a href='\x01javascript:alert(1)'>a</a>",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](&#x6A;avascript:alert(1))",
    "[a](javascript&colon;alert(1))",
    "[a]: javascript:alert(1)\n\n[a]",
    "<javascript:alert(1)>",
    "[a](vbscript:x) [b](data:text/html;base64,PHNjcmlwdD4=) [c](file:///etc/passwd) [d](blob:x)",
    "![a](javascript:alert(1)) ![b](data:image/svg+xml;base64,PHN2Zz4=)",
    "<img src='data:text/html,<script>alert(1)</script>'>",
    "<svg onload=alert(1)><script>alert(1)</script></svg>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=x onerror=alert(1)&gt;'>",
    "<style>body{background:url(https://evil.test)}</style>",
    "<p style='position:fixed;inset:0' class='skip'>a</p>",
    "<div class='markdown-alert site' id='content'>a</div>",
    "<iframe src='https://evil.test' srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data='x'></object><embed src='x'><applet code='x'></applet>",
    "<div role='alert' tabindex='5' aria-label='x'>a</div><pre role='alert' tabindex='5'>a</pre>",
    "<img src=x loading=eager referrerpolicy=unsafe-url><table role='button' tabindex='5'><td>a</table>",
    "<form action='https://evil.test'><input type='password' formaction='x'><button>a</button></form>",
    "<input type='image' src='x' onerror=alert(1)><input type='text' autofocus onfocus=alert(1)>",
    "<base href='https://evil.test/'><meta http-equiv='refresh' content='0;url=https://evil.test'>",
    "<link rel='stylesheet' href='https://evil.test/x.css'>",
    "<a id='location' name='location'>a</a><img id='cookie' name='cookie'>",
    "<h1 id='content'>a</h1><li id='body'>b</li>",
    "<template><script>alert(1)</script></template><noscript><p title='</noscript><script>alert(1)//'>",
    "<!--><img src=x onerror=alert(1)>--> <![CDATA[<script>alert(1)</script>]]> <?php x ?>",
    "<a href='https://a.test' target='_blank' ping='https://evil.test' download>a</a>",
    "<video src=x onerror=alert(1)><source onerror=alert(1)></video><audio autoplay>",
    "<p><p><table><td><a href=x><table><td><script>alert(1)</script></table></a></table>",
    '```a" onmouseover="alert(1)\nx\n```',
    "```html\n<script>alert(1)</script>\n```",
    '# <script>alert(1)</script>" onclick="x',
    "[^<script>]: a\n\n[^<script>]",
    "| <script>alert(1)</script> |\n|---|\n| <img src=x onerror=alert(1)> |",
    '<a href="https://a.test\u2028" title="\'><script>alert(1)</script>">a</a>',
    "a\0<script\0>alert(1)</script>",
]


class Reader(HTMLParser):
    """Parses rendered HTML and collects violations of the allow-list."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS:
            self.faults.append(tag)
        for name, value in attrs:
            if name not in ATTRIBUTES.get(tag, set()) | ADDED.get(tag, set()):
                self.faults.append(f"{tag} {name}")
            self.check_value(tag, name, value or "")

    def check_value(self, tag: str, name: str, value: str) -> None:
        if name in ADDED_VALUES and value not in ADDED_VALUES[name]:
            self.faults.append(f"{tag} {name}={value}")
        scheme = SCHEME.match(SKIPPED.sub("", value))
        if name in ("href", "src") and scheme and scheme[1].lower() not in SCHEMES:
            self.faults.append(f"{tag} {name}={value}")
        if name == "id" and not value.startswith(("h-", "fn-", "fnref-")):
            self.faults.append(f"{tag} id={value}")
        if name == "type" and value != "checkbox":
            self.faults.append(f"{tag} type={value}")

    def handle_comment(self, data: str) -> None:
        self.faults.append(f"comment {data}")

    def handle_decl(self, decl: str) -> None:
        self.faults.append(f"declaration {decl}")

    def unknown_decl(self, data: str) -> None:
        self.faults.append(f"declaration {data}")

    def handle_pi(self, data: str) -> None:
        self.faults.append(f"instruction {data}")


@pytest.mark.parametrize(("text", "html"), KEPT.items(), ids=str)
def test_markdown_of_authors_is_shown(text: str, html: str) -> None:
    assert html in render(text)
    assert Reader(render(text)).faults == []


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_outside_the_allow_list_comes_through(text: str) -> None:
    for around in ("{}", "a {} b", "- {}", "> {}", "<details>{}</details>", "<div>\n\n{}\n\n</div>"):
        html = render(around.replace("{}", text))

        assert Reader(html).faults == [], around
        assert "<script" not in html.lower(), around


def test_the_same_text_always_gives_the_same_html() -> None:
    text = "- [x] a\n- [ ] b\n\n<input checked='>' type=text>\n\n[a](https://a.test 'b') ![c](d 'e')"

    assert len({render(text) for _ in range(50)}) == 1
    assert render(text).count("<input") == 3


def test_headings_have_anchors_with_a_prefix_of_our_own() -> None:
    html = render("# First steps\n\n## First steps\n\n[there](#first-steps)")

    assert 'id="h-first-steps"' in html
    assert 'id="h-first-steps-1"' in html
    assert html.count('href="#h-first-steps"') == 2


def test_headings_of_signs_alone_have_ids_too() -> None:
    html = render("## 👍\n\n## 🎉\n\n## 0")

    ids = re.findall(r'<h2 id="([^"]+)">', html)
    assert ids == ["h--0", "h--1", "h-0"]
    assert re.findall(r'href="#([^"]+)"', html) == ids


def test_a_link_within_a_text_leads_to_its_heading() -> None:
    assert 'href="#h-a"' in render("[a](#a)\n\n# a")
    assert 'href="#h-a"' in render("[a](#h-a)\n\n# a")


@given(
    st.text(alphabet=st.sampled_from("ab<>/\"'=&;:#!-[]()`*_|\\\n\t script onerror javascript"), max_size=200)
)
@settings(deadline=None)
def test_no_text_breaks_out(text: str) -> None:
    assert Reader(render(text)).faults == []


@given(
    st.lists(
        st.sampled_from(["<p>", "</p>", "<a href=x>", "<table>", "<td>", "<li>", "<h1>", "x", "</a>"]),
        max_size=12,
    )
)
@settings(deadline=None)
def test_rendered_html_stays_as_it_is(parts: list[str]) -> None:
    """Rendering the same text again gives the same HTML, without violations."""
    html = render("".join(parts))

    assert Reader(html).faults == []
    assert render("".join(parts)) == html


COSTLY = {
    "quotes": ">" * 60_000,
    "quotes with spaces": "> " * 30_000,
    "equal headings": "# a\n" * 15_000,
    "equal underlined headings": "a\n=\n" * 15_000,
    "tags": "<div>" * 12_000,
    "footnotes": "[^1]: [^1]" * 6_000,
    "brackets": "[" * 60_000,
    "images": "![" * 30_000,
    "stars": "*a " * 20_000,
    "backticks": "".join("`" * number + " " for number in range(340)),
    "table": "|" + "a|" * 200 + "\n|" + "-|" * 200 + "\n" + "|\n" * 20_000,
    "lists": "".join("  " * number + "- a\n" for number in range(240)),
    "links": "[a](" * 15_000,
    "references": "".join(f"[{number}]: /x\n" for number in range(4_000)),
}


@pytest.mark.parametrize("text", COSTLY.values(), ids=COSTLY)
async def test_an_odd_text_neither_takes_long_nor_stops_others(text: str, set_limit: SetLimit) -> None:
    set_limit("MAX_RENDER_SECONDS", 0.2)
    began = time.thread_time()
    try:
        html = await render_bounded(text)
    except InvalidRequest as refusal:
        html = refusal.message
    # CPU time of this thread, in which the process could serve no one else.
    assert time.thread_time() - began < 1
    assert Reader(html[:100_000]).faults == []


async def test_a_long_plain_text_is_rendered() -> None:
    text = "Some words of an article.\n\n" * 37_000

    assert (await render_bounded(text)).count("<p>") == 37_000


async def test_bounded_and_plain_rendering_agree() -> None:
    text = "".join(f"# Step {number}\n\n- b\n- c\n\n" for number in range(5_000))

    assert await render_bounded(text) == render(text)


async def test_a_text_that_takes_too_long_is_refused_in_words(set_limit: SetLimit) -> None:
    set_limit("MAX_RENDER_SECONDS", 0.05)

    with pytest.raises(InvalidRequest, match="to render") as refusal:
        await render_bounded("*_" * 100_000 + "a" + "_*" * 100_000)

    assert refusal.value.details[0][0] == "contentMarkdown"
