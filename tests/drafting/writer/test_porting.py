"""A change's own documentation edits are carried over to articles with the same text."""

from time import thread_time

import pytest

from instep.drafting.writer import Article, Change, Report, write
from instep.platform.core import limits
from tests.drafting.writer.conftest import Ask, diff_of

TEXT = """\
# Backups

Copies are made at night.

## Where they go

Backups go to the disk of the server.
They stay there for a week.

## Restore

Run `acme restore` and name the day.
"""
EDITED = TEXT.replace("for a week", "for 30 days").replace(
    "name the day.\n", "name the day.\n\nA restore needs a pause of the service.\n"
)


def file_diff(path: str, before: str, after: str) -> str:
    """The diff of a file, which may be missing on one side."""
    diff = diff_of(path, before, after)
    header, rest = diff.split("\n", 1)
    mode = "" if before and after else "deleted file mode 100644\n" if before else "new file mode 100644\n"
    return f"{header}\n{mode}{rest}"


def port(before: str, after: str, *articles: Article, path: str = "docs/backups.md") -> Report:
    return write(Change("Keep backups longer", None, file_diff(path, before, after)), articles)


def test_the_words_of_the_change_become_those_of_the_article(ask: Ask) -> None:
    [draft] = ask({"docs/backups.md": (TEXT, EDITED)}, TEXT, name="Backups").proposals
    assert (draft.article_id, draft.text) == ("guide", EDITED)
    assert "in 2 places (docs/backups.md, line 8)" in draft.reason
    assert [(each.file, each.start_line, each.end_line) for each in draft.evidence] == [
        ("docs/backups.md", 8, 8),
        ("docs/backups.md", 13, 14),
    ]
    assert "+They stay there for 30 days." in draft.evidence[0].excerpt


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("docs/a.rst", "Limits\n======\n\nUp to ``10`` users.\n\n.. note:: Ask us.\n", "``25``"),
        ("site/a.mdx", "Willkommen bei Acme.\n\nHöchstens 10 Nutzer.\n\nFragen Sie uns.\n", "25"),
        ("README.adoc", "= Acme\n\nユーザーは10人まで。\n\nお問い合わせください。\n", "25"),
    ],
)
def test_each_markup_and_language_is_carried_over(ask: Ask, path: str, before: str, after: str) -> None:
    edited = before.replace("``10``" if "``" in after else "10", after)
    [draft] = ask({path: (before, edited)}, before).proposals
    assert draft.text == edited


def test_an_article_that_was_edited_here_keeps_its_own_words() -> None:
    own = "We back up what you write.\n\n" + TEXT.removeprefix("# Backups\n\n").replace(
        "## Restore\n", "## Bring it back\n\nWrite to us first.\n"
    )
    [draft] = port(TEXT, EDITED, Article("a", "Backups", own)).proposals
    assert draft.text == own.replace("for a week", "for 30 days").replace(
        "name the day.\n", "name the day.\n\nA restore needs a pause of the service.\n"
    )


def test_line_breaks_of_the_article_stay() -> None:
    [draft] = port(TEXT, EDITED, Article("a", "Backups", TEXT.replace("\n", "\r\n"))).proposals
    assert draft.text == EDITED.replace("\n", "\r\n")


def test_article_with_other_words_leaves_an_edit_to_a_person() -> None:
    own = TEXT.replace("They stay there for a week.", "We keep them seven days.")
    report = port(TEXT, EDITED, Article("a", "Backups", own))
    [draft] = report.proposals
    assert "We keep them seven days." in draft.text
    assert "A restore needs a pause of the service." in draft.text
    assert "by hand" in report.reviewed[0].reason


def test_an_article_without_any_place_for_the_text_is_concerned_and_told_the_text() -> None:
    before = (
        "# Backups\n\nCopies are made at night.\n\nThey stay for a week.\n\nOne command restores a copy.\n"
    )
    after = before.replace("They stay for a week.", "They stay for 30 days.")
    own = before.replace("They stay for a week.", "We keep each of them for seven days.")
    report = port(before, after, Article("a", "Backups", own))
    assert report.proposals == ()
    verdict = report.reviewed[0]
    assert (verdict.article_id, verdict.verdict) == ("a", "concerned")
    [evidence] = verdict.evidence
    assert "+They stay for 30 days." in evidence.excerpt


def test_an_article_that_has_the_new_words_already_gets_no_draft() -> None:
    report = port(TEXT, EDITED, Article("a", "Backups", EDITED))
    assert report.proposals == ()


def test_the_same_lines_in_two_articles_go_by_the_name_of_the_file() -> None:
    field = "## Options\n\n| name | meaning |\n|---|---|\n| hidden | Not shown. |\n"
    edited = field + "| width | In pixels. |\n"
    articles = [Article(name, f"{name.title()} field", field) for name in ("text", "upload", "date")]
    [draft] = port(field, edited, *articles, path="docs/fields/upload.md").proposals
    assert (draft.article_id, draft.text) == ("upload", edited)


def test_a_new_title_is_the_title_of_the_article() -> None:
    settings = "---\ntitle: Backups\n---\n\nCopies are made at night.\n"
    article = Article("a", "Backups", "Copies are made at night.\n")
    [draft] = port(settings, settings.replace("Backups", "Backup and restore"), article).proposals
    assert (draft.title, draft.text) == ("Backup and restore", article.text)


def test_documentation_is_never_read_as_code(ask: Ask) -> None:
    before = "```python\nclient = connect(max_jobs=10)\n```\n\n`page_size = 20`\n"
    after = before.replace("max_jobs", "worker_count").replace("20", "50")
    files = {
        "docs/settings/other.md": (before, after),
        "CHANGELOG.md": ("", after),
        "HISTORY.rst": (before, after),
    }
    report = ask(files, "# Pool\n\nSet `max_jobs` to 10.\n\n`page_size` is 20 by default.\n")
    assert [draft for draft in report.proposals if draft.article_id] == []
    assert report.stale_mentions == ()


def test_documented_change_gets_no_second_wording(ask: Ask) -> None:
    code = ("retention = 7\n", "retention = 30\npause = True  # Whether a restore pauses the service.\n")
    report = ask({"docs/backups.md": (TEXT, EDITED), "app/settings.py": code}, TEXT, "Add pause", "Backups")
    assert [draft.text for draft in report.proposals] == [EDITED]


def test_a_new_page_is_a_draft_with_its_text() -> None:
    page = (
        '---\ntitle: "Single sign-on"\n---\n\n# Single sign-on\n\n'
        + "Staff sign in with the accounts they have.\n" * 3
    )
    report = port("", page, Article("a", "Backups", TEXT), path="docs/sso.md")
    [draft] = report.proposals
    assert (draft.type, draft.title) == ("new_article", "Single sign-on")
    assert draft.text == "Staff sign in with the accounts they have.\n" * 3
    assert draft.evidence[0].file == "docs/sso.md"


@pytest.mark.parametrize("title", ['title: ""', "title: ''", "title: ", "title: ` `"])
def test_a_new_page_without_a_title_is_called_as_its_heading_or_its_file(title: str) -> None:
    text = "Staff sign in with the accounts they have.\n" * 3
    article = Article("a", "Backups", TEXT)
    by_heading = port("", f"---\n{title}\n---\n\n# Sign in\n\n{text}", article, path="docs/single-sign-on.md")
    by_file = port("", f"---\n{title}\n---\n\n{text}", article, path="docs/single-sign-on.md")
    by_empty_heading = port("", f"# \n\n{text}", article, path="docs/single-sign-on.md")

    titles = [report.proposals[0].title for report in (by_heading, by_file, by_empty_heading)]
    assert titles == ["Sign in", "Single sign on", "Single sign on"]


@pytest.mark.parametrize(
    "path",
    ["docs/CHANGELOG.md", "docs/decisions/0004-queue.md", "tests/docs/page.md", "notes.md", "docs/de/sso.md"],
)
def test_no_page_is_made_of_other_documents(path: str) -> None:
    page = "# Single sign-on\n\n" + "Staff sign in with the accounts that they have.\n" * 3
    diff = file_diff(path, "", page) + file_diff("docs/en/sso.md", "", page)
    report = write(Change("Tidy up", None, diff), [Article("a", "Backups", TEXT)])
    assert [draft.evidence[0].file for draft in report.proposals] == ["docs/en/sso.md"]


def test_a_deleted_page_is_told_of_and_not_edited() -> None:
    report = port(TEXT, "", Article("a", "Backups", TEXT))
    assert report.proposals == ()
    assert "which this change deletes" in report.reviewed[0].reason


def test_links_lead_to_articles_and_others_are_warned_of() -> None:
    edited = TEXT.replace(
        "for a week.",
        "for a week: see [Quotas](../limits/quotas.md#disk), [the code](../src/a.py), ![a](img/a.png).",
    )
    articles = (
        Article("a", "Backups", TEXT),
        Article("b", "Quotas", "None.\n", "https://help.test/articles/quotas"),
    )
    [draft] = port(TEXT, edited, *articles).proposals
    assert "[Quotas](https://help.test/articles/quotas#disk)" in draft.text
    assert "[the code](../src/a.py)" in draft.text
    assert [warning for warning in draft.warnings if "`../src/a.py`" in warning]
    assert [warning for warning in draft.warnings if "picture `img/a.png`" in warning]


def test_markup_that_readers_would_see_is_warned_of() -> None:
    edited = TEXT.replace(
        "## Restore\n", "<Callout>Ask first.</Callout>\n\n:::tip\nAsk.\n:::\n\n## Restore\n"
    )
    [draft] = port(TEXT, edited, Article("a", "Backups", TEXT)).proposals
    assert draft.text == edited
    assert len([warning for warning in draft.warnings if "<Callout>" in warning or ":::" in warning]) == 2


def test_hidden_characters_are_taken_out() -> None:
    edited = TEXT.replace("a week", "a w\u202ee\u200bek")
    [draft] = port(
        TEXT.replace("a week", "a day"), edited, Article("a", "Backups", TEXT.replace("a week", "a day"))
    ).proposals
    assert draft.text == TEXT
    assert any("Hidden characters" in warning for warning in draft.warnings)


def test_no_article_grows_over_the_limit() -> None:
    large = TEXT + "word " * (limits.MAX_CONTENT_CHARACTERS // 5 - 200) + "\n"
    edited = TEXT.replace("## Restore", "More of it.\n" * 200 + "## Restore")
    assert port(TEXT, edited, Article("a", "Backups", large)).proposals == ()


def test_documentation_without_a_place_takes_seconds_however_much_there_is() -> None:
    text = "# Log\n\n" + "".join(f"Entry {number} of the log.\n" for number in range(2_500))
    articles = [Article(f"log-{number}", f"Log {number}", text) for number in range(8)]
    hunks = "".join(
        f"@@ -{line},2 +{line},3 @@\n Entry {line} of another.\n+Text {line} that is new.\n Entry {line}.\n"
        for line in range(10, 2_000, 10)
    )
    paths = [f"docs/log-{number}.md" for number in range(8)]
    diff = "".join(f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n{hunks}" for path in paths)
    start = thread_time()
    write(Change("Edit the logs", None, diff), articles)
    assert thread_time() - start < 40
