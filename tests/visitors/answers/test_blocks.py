"""A passage is split into sentences, steps, rows and code, none of which contains a working link."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instep.platform.core.markdown import render
from instep.visitors.answers.answer_blocks import read_answer_blocks
from instep.visitors.answers.citing import has_no_active_markup, render_with_citations

FRAGMENTS = [
    *(
        "\n",
        "\n\n",
        "  ",
        "    ",
        "\t",
        "- a",
        "1. b",
        "> ",
        "| c |",
        "\n|---|\n",
        "# d",
        "---",
        "```",
        "[!NOTE]",
    ),
    *("<p>", "</p>", "<!--", "[^1]", "\n[^1]: e", "[f](http://evil.test)", "http://evil.test", "g.", "\r"),
]


def cited(markdown: str) -> str:
    return "\n\n".join(render_with_citations(read_answer_blocks(markdown), 1))


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("See {ref}`the guide <guide-label>` first.", "See the guide [1] first."),
        ("Run {command}`make all` first.", "Run make all first."),
        ("\\<Note>\n\nKeep it.\n\n\\</Note>", "Keep it."),
        ('Pick one \\<Icon name="star" /> now.', "Pick one now."),
        (r"A \[draft\] is new.", r"A \[draft\] is new."),
        (r"A \< B", r"A \< B"),
    ],
)
def test_the_syntax_of_other_tools_is_not_shown(markdown: str, text: str) -> None:
    assert cited(markdown).replace(" [1]", "").strip() == text.replace(" [1]", "")


def inactive(markdown: str) -> str:
    """The answer as a visitor gets it, without blocks that contain active markup."""
    blocks = render_with_citations(read_answer_blocks(markdown), 1)
    return "\n\n".join(block for block in blocks if has_no_active_markup(block))


@pytest.mark.parametrize(
    ("markdown", "answer"),
    [
        ("One. Two!\nThree?", "One [1]. Two [1]! Three [1]?"),
        ("Use e.g. Windows. It works.", "Use e.g. Windows [1]. It works [1]."),
        ("**Bold** and `a.b. C`.", "**Bold** and `a.b. C` [1]."),
        ("**Note: one. Two.**", "Note: one [1]. Two [1]."),
        (
            'He said "Go." Then (she too.) **Went.** Now.',
            'He said "Go [1]." Then (she too [1].) **Went.** [1] Now [1].',
        ),
        ("See the **guide**", "See the **guide** [1]"),
        ("これは一つ。これは二つ。", "これは一つ [1]。 これは二つ [1]。"),
        ("- a\n- b\n  more\n", "- a [1]\n- b more [1]"),
        ("1. a\n   - b\n\n2. c", "1. a [1]\n   - b [1]\n2. c [1]"),
        ("- [x] done\n- [ ] open", "- done [1]\n- open [1]"),
        ("Do:\n\n```sh\nrun [1] # x\n```", "Do [1]:\n\n```\nrun [1] # x\n```"),
        ("```\na\n```", "```\na\n```\n\n[1]"),
        ("~~~\n```\n~~~", "````\n```\n````\n\n[1]"),
        ("    indented", "```\nindented\n```\n\n[1]"),
        ("- a\n    - b\n\n      c", "- a [1]\n  - b [1]\n    c [1]"),
        ("   - b\n     - c\n- d", "- b [1]\n  - c [1]\n- d [1]"),
        (
            "    run\n    ```\n\n    Then:\n\n2. a\n\n        b",
            "```\nrun\n```\n\n[1]\n\nThen [1]:\n\n2. a [1]\n   \n   ```\n    b\n   ```",
        ),
        ("1. a\n\n  b\n\n2. c", "1. a [1]\n   b [1]\n2. c [1]"),
        ("1. a\n\nb\n\n2. c", "1. a [1]\n\nb [1]\n\n2. c [1]"),
        ("- a\n\n  | b |\n  |---|\n  | c |\n\n  - d", "- a [1]\n\n| b |\n|---|\n| c [1] |\n\n- d [1]"),
        ("1. a:\n\n   ```\n   run\n   ```\n2. b", "1. a [1]:\n   \n   ```\n   run\n   ```\n2. b [1]"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "| a | b |\n|---|---|\n| 1 | 2 [1] |"),
        ("> [!NOTE]\n> Take care.", "Take care [1]."),
        ("> [!INFO]\n> One.\n>\n> - two", "One [1].\n\n- two [1]"),
        ("> [!WARNING] Take care.\n> It bites.", "Take care [1].\n\nIt bites [1]."),
        ("> [!INFO] Take care.", "Take care [1]."),
        ("1. a\n\n   > [!TIP] b\n\n2. c", "1. a [1]\n   b [1]\n2. c [1]"),
        ("One.[^1]\n\n[^1]: Two.\n\n    Three.\n\nFour.", "One [1].\n\nFour [1]."),
        (
            "<details>\n<summary>More</summary>\n\nOne.\n\n<p>Two.</p>\n\n<!-- a\n\nb -->\n</details>",
            "**More** [1]\n\nOne [1].\n\nTwo [1].",
        ),
        ("<details><summary>More <b>?</b></summary>One.</details>", "**More ?** [1]\n\nOne [1]."),
        ("Write to <ann@acme.test>.", "Write to `ann@acme.test` [1]."),
        ("See <https://acme.test/a?b=c_d> now.", "See `https://acme.test/a?b=c_d` now [1]."),
        ("See http://acme.test/a_(b).", "See `http://acme.test/a_(b)` [1]."),
        ("Open it (at http://acme.test/a) first.", "Open it (at `http://acme.test/a`) first [1]."),
        ("One.\n\n<!-- a\n\n# b", "One [1]."),
        ("run\n```\n\nThen:\n\n```\nstop\n```", "```\nrun\n```\n\n[1]\n\nThen [1]:\n\n```\nstop\n```"),
        ("# Heading\n\nText.\n\n---\n\n[a]: http://x.test", "Text [1]."),
        ("As [1] and a[0] say.", "As \\[1\\] and a\\[0\\] say [1]."),
        ("The `a[1]` is code.", "The `a[1]` is code [1]."),
        ("Press <kbd>Ctrl</kbd> &amp; **<i class='x'></i> Save**.", "Press Ctrl & **Save** [1]."),
        ("", ""),
        ("![only](a.png)", ""),
    ],
    ids=lambda text: ascii(text)[:40],
)
def test_each_part_has_its_number(markdown: str, answer: str) -> None:
    assert cited(markdown) == answer


@pytest.mark.parametrize(
    "markdown",
    [
        "[a](http://evil.test)",
        "[a](http://evil.test 'b')",
        "[a](<http://evil.test/b c>)",
        "[a][b]\n\n[b]: http://evil.test",
        "[![a](http://evil.test/a.png)](http://evil.test)",
        "![a](http://evil.test/a.png)",
        "<http://evil.test>",
        "<eve@evil.test> <mailto:eve@evil.test> <javascript:alert(1)>",
        "http://evil.test/(a)[b](http://evil.test/(c)",
        "http://evil.test/a?b=[c](d)",
        "www.evil.test",
        "HTTPS://EVIL.TEST",
        "ftp://evil.test mailto:eve@evil.test eve@evil.test",
        "javascript://evil.test/%0aalert(1)",
        "<a href=http://evil.test>a</a>",
        "<a\nhref=http://evil.test>a",
        "<img src=http://evil.test/a.png onerror=alert(1)//",
        "<script>alert(1)</script>",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "&#91;a&#93;(http://evil.test)",
        "\\[a](http://evil.test)",
        "[a\\](http://evil.test)",
        "`a[b`](http://evil.test)",
        "- [a](http://evil.test)\n- http://evil.test",
        "| [a](http://evil.test) |\n|---|\n| <b>http://evil.test</b> |",
        "> [a](http://evil.test)",
        "a[^1]\n\n[^1]: http://evil.test",
        "[!NOTE]```- a\n\n    [f](http://evil.test)",
        "[!NOTE] ~~~ a\n\n    [f](http://evil.test)",
        "g.\n|---|\n[^1]```\n\t# d",
    ],
    ids=lambda text: ascii(text)[:40],
)
def test_inactive_markdown_has_no_links(markdown: str) -> None:
    answer = inactive(markdown)

    assert has_no_active_markup(answer)
    assert not re.search("<a |<img|<script|href", render(answer))


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=20).map("".join))
def test_any_passage_is_read_and_leads_nowhere(markdown: str) -> None:
    answer = inactive(markdown)

    assert not re.search("<a |<img|<script|href", render(answer))


@pytest.mark.parametrize(
    "sign",
    [
        "`",
        "[",
        "](",
        "<",
        "![",
        "*",
        "> ",
        "- ",
        "|",
        "[a](",
        "<a ",
        "1. ",
        "(",
        "http://",
        "http://a(",
        "<a:",
        "<summary>",
        "\\",
        "a@",
    ],
)
def test_long_odd_passages_are_read_in_time(sign: str) -> None:
    """A passage has up to about 3,000 characters."""
    start = time.thread_time()

    cited(sign * (3_000 // len(sign)))

    assert time.thread_time() - start < 0.5


def test_code_without_a_line_is_no_block() -> None:
    assert [block.kind for block in read_answer_blocks("Run it:\n\n```sh\n\n```\n\nThen wait.")] == [
        "prose",
        "prose",
    ]
