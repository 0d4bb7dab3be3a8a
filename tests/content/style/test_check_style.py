"""`check_style`: each rule and its fix, and texts that it must ignore."""

from typing import Any

import pytest

from instep.content.style.schemas import Style
from instep.content.style.style_checks import check_style, fix_style
from instep.platform.core import limits

TERMS = [
    {"term": "sign in", "neverSay": ["log in", "login"]},
    {"term": "GitHub", "neverSay": ["GH"]},
    {"term": "Help Center"},
    {"term": "C++", "neverSay": ["cpp"]},
    {"term": "anmelden", "neverSay": ["einloggen"], "locale": "de"},
    {"term": "ログイン", "neverSay": ["サインイン"]},
]
SENTENCE_CASE: dict[str, Any] = {"terms": TERMS, "headingCase": "sentence"}
# A text without prose, in which the check must find nothing.
UNREAD = """---
title: github
---
Run `github` or ``log in``, see [GitHub](https://github.com/github "github") and <github@example.com>.

[GitHub]: ./github
![Sign in](github.png) <a href="github">GitHub</a> <!-- github --> {{github}} https://github.com/log
github.com docs/github/log.md --github @github blog in relogin log-in-page

```sh
github
```

    github log in

> ~~~
> github
> ~~~
"""


def style(**fields: Any) -> Style:
    return Style.model_validate(fields)


def rules(text: str, fields: dict[str, Any], locale: str = "en") -> list[tuple[int, str, str | None]]:
    return [(row.line, row.rule, row.replacement) for row in check_style(text, style(**fields), locale)]


def fixed(text: str, locale: str = "en", **fields: Any) -> str:
    return fix_style(text, check_style(text, style(**fields), locale))


def test_words_that_a_term_replaces_and_capital_letters_are_found_and_fixed() -> None:
    text = "Log in to github,\nthen login\nto the help center: **log\nin** with cpp (gh's)."

    assert rules(text, {"terms": TERMS}) == [
        (1, "term", "Sign in"),
        (1, "capital letters", "GitHub"),
        (2, "term", "sign in"),
        (3, "capital letters", "Help Center"),
        (3, "term", "sign in"),
        (4, "term", "C++"),
        (4, "term", "GitHub"),
    ]
    assert fixed(text, terms=TERMS) == (
        "Sign in to GitHub,\nthen sign in\nto the Help Center: **sign in** with C++ (GitHub's)."
    )


def test_code_addresses_front_matter_and_parts_of_names_are_not_read() -> None:
    fields = {"terms": TERMS, "avoidWords": ["page"], "headingCase": "sentence", "maxSentenceWords": 30}

    assert rules(UNREAD, fields) == []
    assert rules(UNREAD.replace("\n", "\r\n"), fields) == []


@pytest.mark.parametrize(
    ("text", "locale", "replacement"),
    [
        ("Sie können sich einloggen.", "de-AT", "anmelden"),
        ("Sie können sich einloggen.", "en", None),
        ("ここでサインインする。", "ja", "ログイン"),
    ],
)
def test_a_term_is_for_its_language_and_for_scripts_without_spaces(
    text: str, locale: str, replacement: str | None
) -> None:
    found = rules(text, {"terms": TERMS}, locale)

    assert found == ([(1, "term", replacement)] if replacement else [])


@pytest.mark.parametrize(
    ("case", "heading", "expected"),
    [
        (
            "sentence",
            "## Getting Started With `Set Up` On GitHub",
            "## Getting started with `Set Up` on GitHub",
        ),
        ("sentence", "# Plans: What They Cost ##", "# Plans: What they cost ##"),
        ("sentence", "Your Own Domain\n===", "Your own domain\n==="),
        ("sentence", "- ## The API, macOS and B", None),
        ("sentence", "# Connect to Slack\n\nMessages arrive in Slack.", None),
        ("sentence", "**Not A Heading**", None),
        (
            "title",
            "## how to get started with the API",
            "## How to Get Started with the API",
        ),
        ("title", "# 2. (Optional) what it's for", "# 2. (Optional) What It's For"),
    ],
)
def test_headings_have_one_case_and_names_keep_theirs(case: str, heading: str, expected: str | None) -> None:
    assert fixed(heading, terms=TERMS, headingCase=case) == (expected or heading)


def test_german_headings_and_titles_in_other_languages_are_not_checked() -> None:
    assert rules("# Mit Der Arbeit Beginnen", SENTENCE_CASE, "de") == []
    assert rules("# comment commencer", {"headingCase": "title"}, "fr") == []


def test_long_sentences_passives_and_words_to_avoid_are_found_without_a_fix() -> None:
    text = (
        "- One two three four five six seven `eight words are one here` [nine](https://example.com/a-b).\n"
        "- One two three four. Five six seven eight nine.\n"
        "- The name should not be changed, simply.\n"
    )
    fields = {"maxSentenceWords": 8, "avoidPassiveShould": True, "avoidWords": ["simply"]}

    assert rules(text, fields) == [
        (1, "sentence length", None),
        (3, "passive", None),
        (3, "avoided word", None),
    ]
    assert rules(text, {"avoidPassiveShould": True}, "fr") == []


def test_the_first_violations_of_a_long_text_are_returned() -> None:
    found = check_style("github log in. " * 500, style(terms=TERMS), "en")

    assert [row.start for row in found] == sorted(row.start for row in found)
    assert (len(found), found[0].start) == (limits.MAX_STYLE_VIOLATIONS, 0)


@pytest.mark.parametrize(
    "piece", ["](", "`", "<!--", "<a ", "[a]:", "# A: ", ":", "a. B ", "- ", "log ", "{", "\n"]
)
def test_hostile_texts_take_linear_time(piece: str) -> None:
    """A quadratic check would not finish with this much text."""
    fields = {**SENTENCE_CASE, "maxSentenceWords": 8, "avoidPassiveShould": True}

    assert len(rules(piece * (20_000 // len(piece)), fields)) <= limits.MAX_STYLE_VIOLATIONS
