"""Places with the old text but another meaning, and inputs that must not break any step."""

import pytest

from instep.drafting.writer import Article, Change, write
from tests.drafting.writer.conftest import Ask


@pytest.mark.parametrize(
    "article",
    [
        "Set `send_mail` to true to turn it on.\n",
        "If `send_mail` is true, people get mail.\n",
        "```yaml\nsend_mail: true\n```\n",
    ],
)
def test_a_choice_of_the_reader_stays_when_the_default_changes(ask: Ask, article: str) -> None:
    assert ask({"a.py": ("send_mail = True\n", "send_mail = False\n")}, article).proposals == ()


def test_words_of_two_blocks_are_no_label(ask: Ask) -> None:
    files = {f"{n}.json": ('"a": "Page Size",\n', '"a": "Sheet Size",\n') for n in range(3)}
    report = ask(files, "# Choose a Page\n\nSize matters.\n", "Rename Page Size to Sheet Size")
    assert report.proposals == ()


@pytest.mark.parametrize(
    "text",
    [
        "See [the option][old_name].\n\n[old_name]: https://acme.example/p\n",
        "See [the option](https://other.example/#old_name).\n",
        "Shows {{ old_name }}.\n",
        "<!-- see old_name -->\n",
        "```diff\n-read(old_name)\n+read(other_name)\n```\n",
        "See [the option](/help/acme/articles/settings#old_name).\n",
        'See <a href="/help/acme/articles/settings#old_name">the option</a>.\n',
    ],
)
def test_names_in_links_variables_comments_and_diffs_stay(ask: Ask, text: str) -> None:
    files = {f"{n}.py": ("old_name = 1\n", "new_name = 1\n") for n in range(3)}
    assert ask(files, text, "Rename old_name to new_name").proposals == ()


@pytest.mark.parametrize(
    ("heading", "expected"), [("`old_name`", "settings#new_name"), ("Names", "settings#old_name")]
)
def test_the_fragment_of_a_link_follows_the_heading_of_the_other_article(heading: str, expected: str) -> None:
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-old_name = 1\n+new_name = 1\n"
    guide = "Set `old_name`, see [settings](/help/acme/articles/settings#old_name).\n"
    report = write(
        Change("Rename old_name to new_name", None, diff),
        [
            Article("guide", "Guide", guide, "/help/acme/articles/guide"),
            Article("s", "S", f"## {heading}\n\nIs `old_name`.\n", "/help/acme/articles/settings"),
        ],
    )
    text = next(row.text for row in report.proposals if row.article_id == "guide")
    assert text == f"Set `new_name`, see [settings](/help/acme/articles/{expected}).\n"


@pytest.mark.parametrize("new", ["www.evil.example pay", "Write to evil@evil.example", "Sheet [Size][x] now"])
def test_a_label_brings_in_no_host_and_no_link(ask: Ask, new: str) -> None:
    files = {f"{n}.json": ('"a": "Page Size Menu",\n', f'"a": "{new}",\n') for n in range(3)}
    assert ask(files, "Open **Page Size Menu**.\n", "Reword a label").proposals == ()


def test_many_release_notes_among_the_nearest_articles_are_passed_over() -> None:
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-rate_limit = 10\n+rate_limit = 20\n"
    notes = [Article(f"n{n}", f"Release notes 1.{n}", "The rate limit changed.\n") for n in range(30)]
    others = [Article(f"o{n}", f"Guide {n}", "Exports and more.\n") for n in range(15)]
    report = write(Change("Raise the rate limit", None, diff), [*notes, *others])
    assert len(report.ranking) == 45


@pytest.mark.parametrize(
    ("old", "new"),
    [("'²²'", "'³³'"), (f"timedelta(minutes=1{'0' * 40})", f"timedelta(minutes=2{'0' * 40})")],
)
def test_odd_numbers_are_no_values(ask: Ask, old: str, new: str) -> None:
    report = ask({"a.py": (f"page_size = {old}\n", f"page_size = {new}\n")}, "The `page_size` is 20.\n")
    assert report.proposals == ()
