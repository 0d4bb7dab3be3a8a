"""Problems of an article, in its text and among others: reported where they are, and nowhere else."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

import pytest

from instep.visitors.insights.health.assessment import assess_article
from instep.visitors.insights.health.checks_help_center import HELP_CENTER_CHECKS
from instep.visitors.insights.health.checks_signals import SIGNAL_CHECKS
from instep.visitors.insights.health.checks_text import TEXT_CHECKS
from instep.visitors.insights.health.help_center import ArticleMeta, FormerSlug, HelpCenter
from instep.visitors.insights.health.problems import Code, Problem, score_of
from instep.visitors.insights.health.text_analysis import TOO_COMPLEX, analyze_text

HOME = "http://help.test/help/acme"
ENOUGH = (
    "Open the settings, choose the team that you want to change, and confirm the change with your password. "
    "After that everybody sees the new name."
)
ARTICLE = ArticleMeta("art_1", "one", "en", "One", "What one is.", "col_1", "published", 1, 100, None, 1)
TWO = replace(ARTICLE, id="art_2", slug="two", title="Two")


def found(text: str, title: str | None = None) -> list[tuple[str, int | None]]:
    """Problems of a text that is long enough: code and line."""
    return sorted(
        ((problem.code, problem.line) for problem in analyze_text(title, f"{text}\n\n{ENOUGH}\n").problems),
        key=lambda told: (told[1] or 0, told[0]),
    )


def codes(problems: Sequence[Problem]) -> set[str]:
    return {problem.code for problem in problems}


def shelved(text: str, article: ArticleMeta = ARTICLE, **help_center: Any) -> list[Problem]:
    """Problems of the article next to `two`, which is live and has a heading."""
    texts = {article.id: f"{text}\n\n{ENOUGH}\n", TWO.id: "## A place\n\nText.\n"}
    shelf = HelpCenter(
        home=HOME,
        locale="en",
        articles=[article, TWO],
        collections=frozenset({"guides"}),
        analyses={article_id: analyze_text(None, content) for article_id, content in texts.items()},
    )
    return list(assess_article(replace(shelf, **help_center), article).problems)


def test_every_code_has_one_check_and_stands_in_the_schema() -> None:
    found = [check.code for checks in (TEXT_CHECKS, HELP_CENTER_CHECKS, SIGNAL_CHECKS) for check in checks]

    assert sorted([*found, "style", TOO_COMPLEX.code]) == sorted(get_args(Code))


GOOD = f"""\
## Begin

{ENOUGH} See [how teams work](https://example.com) and [the end](#the-end).

![The settings](settings.png) [![Two arrows](x.png)](https://example.com/x)

| name | value |
|------|-------|
| a    | `x \\| y` |
| b    |       |

### Then

```md
# TODO [here]() ![](x.png)
| a | b |
|---|---|
| 1 |
```

    ```
    indented

> ```sh
> quoted
> ```

- item

  ~~~~
  ```
  ~~~~

## The end

Tick *to do* boxes. `TODO` is a name. [^note]

[^note]: A footnote with [its source](https://example.com).

<details><summary>More</summary><a name="spot"></a>Raw <b>HTML</b>.</details>
"""


def test_a_good_text_has_no_problems() -> None:
    assert analyze_text("Teams", GOOD).problems == ()
    assert analyze_text("Teams", GOOD.replace("\n", "\r\n")).problems == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("## A\n\n#### B", [("heading_jump", 3)]),
        ("### A", [("heading_jump", 1)]),
        ("> #### In a quote", [("heading_jump", 1)]),
        ("# A\n\ntext\n\nB\n===\n\n<h1>C</h1>", [("several_h1", 5), ("several_h1", 8)]),
        ("A ![](x.png)\nB\n![ ](y.png)", [("image_without_alt", 1), ("image_without_alt", 3)]),
        ('A\n\n<p>\n<img src="x.png">\n</p>', [("image_without_alt", 4)]),
        ("A\nsee [here](https://a.example).", [("vague_link", 2)]),
        ("[**Click** here!](https://a.example)", [("vague_link", 1)]),
        ("[hier](https://a.example) [aquí](https://a.example)", [("vague_link", 1)] * 2),
        ("| a |\n|---|\n| b |\n| [こちら](https://a.example) |", [("vague_link", 4)]),
        ("[here][1]\n\n[1]: https://a.example", [("vague_link", 1)]),
        ("A\n\n[B]()", [("empty_link", 3)]),
        ("[](https://a.example)", [("empty_link", 1)]),
        ("[B](javascript:alert(1))", [("empty_link", 1)]),
        ("[![](x.png)](https://a.example)", [("image_without_alt", 1)]),
        ("A\nB TODO: write\n\n- TBD", [("leftover", 2), ("leftover", 4)]),
        ("*Lorem ipsum* dolor", [("leftover", 1)]),
        ("## TODO", [("leftover", 1)]),
        ("Todo lists, todos, TODOS", []),
        ("- a\n\n  ```\n  b", [("unclosed_code", 3)]),
        ("> ~~~ sh\n> a\n> ```\n\nb", [("unclosed_code", 1)]),
        ("````\na\n```", [("unclosed_code", 1)]),
        ("a\n\n    ```  \n", []),
        ("````\na\n`````", []),
        ("| a | b |\n|---|---|\n| 1 |\n| 1 | 2 |\n| 1 | 2 | 3 |", [("uneven_table", 3), ("uneven_table", 5)]),
        ("> a | b\n> ---|---\n> 1 \\| 1 | 2\n> 1 | 2 | 3", [("uneven_table", 4)]),
        ("line\r\n\r\n[B]()", [("empty_link", 3)]),
        ("ü😀 [B](https://a.example) [C]()", [("empty_link", 1)]),
    ],
)
def test_a_problem_is_found_in_its_line(text: str, expected: list[tuple[str, int]]) -> None:
    unclosed = any(code == "unclosed_code" for code, _ in expected)
    problems = (
        analyze_text(None, text).problems if unclosed else analyze_text(None, f"{text}\n\n{ENOUGH}").problems
    )

    assert [(told.code, told.line) for told in problems if told.code != "short_text"] == expected


def test_a_heading_that_repeats_the_title_is_found() -> None:
    assert found("# Reset your  Password\n\n## B", "Reset your password") == [("repeated_title", 1)]
    assert found("# Another one", "Reset your password") == []
    assert found("## Reset your password", "Reset your password") == []


@pytest.mark.parametrize("text", ["", " \n\t\n"])
def test_an_empty_text_is_an_error(text: str) -> None:
    (problem,) = analyze_text("A", text).problems

    assert (problem.code, problem.severity, problem.line) == ("empty_text", "error", None)


def test_a_text_is_too_short_by_what_it_says() -> None:
    assert codes(analyze_text("A", "Run it.").problems) == {"short_text"}
    assert codes(analyze_text("A", "设" * 40).problems) == set()
    assert codes(analyze_text("A", "a " * 40).problems) == {"short_text"}


def test_a_long_text_needs_headings() -> None:
    long = f"{ENOUGH}\n\n" * 40

    assert codes(analyze_text("A", long).problems) == {"no_headings"}
    assert codes(analyze_text("A", f"{long}\n## B\n").problems) == set()
    assert codes(analyze_text("A", f"{ENOUGH}\n\n```\n{long}\n```\n").problems) == set()


@pytest.mark.parametrize(
    "href",
    [
        *("/help/acme/articles/gone", "gone", "../articles/gone", "articles/two", "de/articles/two", "two/"),
        *(
            f"{HOME}/articles/gone?x=1#y",
            "//help.test/help/acme/articles/gone",
            "/help/acme/collections/gone",
        ),
        *("/help/acme/de/articles/two", "<gone one>"),
    ],
)
def test_a_link_to_what_is_not_there_is_broken(href: str) -> None:
    (problem,) = shelved(f"A\n\nSee [the other]({href}).")

    assert (problem.code, problem.severity, problem.line) == ("broken_link", "error", 3)
    assert "does not exist" in problem.message


@pytest.mark.parametrize(
    "href",
    [
        *(
            "/help/acme/articles/two",
            "two",
            "../articles/two",
            f"{HOME}/articles/two?x",
            "/help/acme/en/articles/two",
        ),
        *("/help/acme/collections/guides", "/help/acme/", "..", "/help/globex/articles/gone", "/pricing"),
        *("https://example.com/help/acme/articles/gone", "mailto:a@example.com", "//[::1", "?x", "tw%6F"),
        *("one", "two#", "two#a-place", "two#h-a-place", "/help/acme/changelog"),
    ],
)
def test_a_link_that_leads_somewhere_is_no_problem(href: str) -> None:
    assert shelved(f"See [the other]({href}).") == []


def test_a_link_to_an_article_that_is_not_live_is_broken() -> None:
    draft = replace(TWO, id="art_3", slug="three", status="draft")

    (problem,) = shelved("See [the other](three).", articles=[ARTICLE, TWO, draft])

    assert "not live" in problem.message


def test_links_are_read_from_the_address_of_the_articles_language() -> None:
    german = replace(ARTICLE, locale="de")
    other = replace(TWO, id="art_3", slug="drei", locale="de")
    articles = [german, TWO, other]

    assert shelved("[Die andere](drei) und [Two](/help/acme/articles/two)", german, articles=articles) == []
    assert codes(shelved("[Two](two)", german, articles=articles)) == {"broken_link"}


def test_a_former_address_is_told_with_the_present_one() -> None:
    (problem,) = shelved(
        "[Two](zwei)", former_slugs=[FormerSlug("zwei", "en", "art_2"), FormerSlug("nil", "en", "art_9")]
    )

    assert (problem.code, problem.severity) == ("moved_link", "info")
    assert f"{HOME}/articles/two" in problem.message


# The public page adds a prefix to `#top`, as to all anchors.
@pytest.mark.parametrize("href", ["#top", "#gone", "one#gone", "two#gone", f"{HOME}/articles/two#gone"])
def test_an_anchor_that_is_not_there_is_broken(href: str) -> None:
    (problem,) = shelved(f"## A place\n\nSee [the place]({href}).")

    assert (problem.code, problem.line) == ("broken_anchor", 3)


def test_a_link_to_no_place_has_no_address() -> None:
    (problem,) = shelved("## A place\n\nSee [the place](#).")

    assert (problem.code, problem.line) == ("empty_link", 3)


def test_anchors_of_any_script_and_repeated_headings_are_there() -> None:
    assert (
        shelved("## Größe 大\n\n## Größe 大\n\n[Eins](#größe-大) [Zwei](#größe-大-1) note[^1]\n\n[^1]: N")
        == []
    )


def test_an_article_is_compared_with_its_fields() -> None:
    bare = replace(ARTICLE, description=None, collection_id=None, locale="de", translation_of=TWO.id)
    newer = replace(TWO, version=2)

    problems = shelved("", bare, articles=[bare, newer], waiting=frozenset({"art_1"}))

    told = {problem.code: problem.severity for problem in problems}

    assert told == {
        "missing_description": "warning",
        "no_collection": "info",
        "outdated_translation": "warning",
        "waiting_edit": "warning",
    }


def test_a_translation_of_the_same_age_or_of_what_is_gone_is_not_outdated() -> None:
    for root in (TWO.id, "art_9"):
        assert shelved("", replace(ARTICLE, locale="de", translation_of=root)) == []


def test_two_live_articles_of_one_title_and_language_are_told_of_each_other() -> None:
    namesake = replace(TWO, title=" one")
    told = shelved("", articles=[ARTICLE, namesake])
    assert [problem.code for problem in told] == ["duplicate_title"]
    assert "art_2" in told[0].message

    for other in (replace(namesake, locale="de"), replace(namesake, status="draft")):
        assert shelved("", articles=[ARTICLE, other]) == []


def test_articles_about_one_topic_for_different_versions_may_have_one_title() -> None:
    counterparts = [replace(ARTICLE, family="art_1"), replace(TWO, title=" one", family="art_1")]

    assert shelved("", counterparts[0], articles=counterparts) == []


WORDS = [f"word{number * number % 9973}" for number in range(400)]


def alike(one: list[str], other: list[str], second: ArticleMeta = TWO) -> set[str]:
    articles = [ARTICLE, second]
    analyses = {"art_1": analyze_text(None, " ".join(one)), "art_2": analyze_text(None, " ".join(other))}
    help_center = HelpCenter(home=HOME, locale="en", articles=articles, analyses=analyses)
    told = codes(assess_article(help_center, articles[0]).problems)
    if second is TWO:
        assert ("duplicate_content" in codes(assess_article(help_center, articles[1]).problems)) is (
            "duplicate_content" in told
        )
    return told & {"duplicate_content"}


def test_texts_that_say_nearly_the_same_are_told() -> None:
    changed = [word if number % 80 else "new" for number, word in enumerate(WORDS)]

    assert alike(WORDS, WORDS) == {"duplicate_content"}
    assert alike(WORDS, changed) == {"duplicate_content"}
    assert alike(["设" + word for word in WORDS], ["设" + word for word in changed]) == {"duplicate_content"}
    assert alike(WORDS[:60], WORDS[:60]) == {"duplicate_content"}


def test_texts_that_share_a_part_or_are_none_of_their_readers_are_not_told() -> None:
    assert alike(WORDS, WORDS[:200] + [word[::-1] for word in WORDS]) == set()
    assert alike(WORDS, WORDS, replace(TWO, locale="de")) == set()
    assert alike(WORDS, WORDS, replace(TWO, status="draft")) == set()
    assert alike(WORDS[:30], WORDS[:30]) == set()


def test_each_of_many_copies_is_told() -> None:
    articles = [replace(ARTICLE, id=f"art_{number:02}", slug=str(number)) for number in range(40)]
    analysis = analyze_text(None, " ".join(WORDS))
    help_center = HelpCenter(
        home=HOME, locale="en", articles=articles, analyses={article.id: analysis for article in articles}
    )

    assert all(
        "duplicate_content" in codes(assess_article(help_center, article).problems) for article in articles
    )


def test_the_score_falls_with_severity_and_never_below_zero() -> None:
    error = Problem("broken_link", "error", "", None)
    warning, info = replace(error, severity="warning"), replace(error, severity="info")

    assert [score_of(told) for told in ([], [info], [warning], [error])] == [100, 98, 92, 80]
    assert score_of([error, warning, info]) == 70
    assert score_of([error] * 3) == score_of([error] * 20) == 40
    assert score_of([replace(error, code=code) for code in get_args(Code)]) == 0


def test_number_of_problems_of_one_code_is_limited() -> None:
    problems = analyze_text(None, "[here](https://a.example)\n\n" * 500).problems

    assert [problem.line for problem in problems] == list(range(1, 41, 2))


def test_customers_words_stand_shortened_on_one_line_of_a_message() -> None:
    (problem,) = shelved(f"[a\nb](two#{'x' * 500}{{what}}%s)")

    assert len(problem.message) < 200
    assert "\n" not in problem.message


@pytest.mark.parametrize(
    "piece",
    [
        "[](",
        "![](x)",
        "<a href=x>",
        "<",
        "`",
        "|",
        "> ",
        "- ",
        "*a ",
        "[^1]",
        "&lt;",
        "<!--",
        "\\",
        "TODO ",
        "n",
        "\n",
    ],
)
def test_no_text_is_too_odd_to_be_read(piece: str) -> None:
    analysis = analyze_text("A", piece * 3_000)

    assert all(problem.line is None or problem.line >= 1 for problem in analysis.problems)


def test_a_place_that_an_author_writes_into_the_html_leads_nobody_astray() -> None:
    text = '<img data-sourcepos="999999:1-999999:1" src="x">\n<a data-sourcepos="0:0-0:0" href="">x</a>\n'

    assert all(1 <= (problem.line or 1) <= 5 for problem in analyze_text(None, text).problems)
