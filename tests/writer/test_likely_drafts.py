"""New headings of functions and new articles: drafts for changes that surely need documentation."""

import pytest

from instep.writer import Article, Change, Report, parse_diff, write
from instep.writer.articles.corpus import corpus_of
from instep.writer.diffs.change_set import reviewed_files
from instep.writer.new_articles.pages import announced_pages
from tests.writer.conftest import Ask, diff_of

GUIDE = "# Exports\n\nHow to export.\n\n## Formats\n\nCSV and JSON.\n\n## See also\n\nThe API.\n"


def test_a_heading_with_the_whole_call_gets_the_new_parameter(ask: Ask) -> None:
    files = {"app/hooks.py": ("def register_routes():\n", "def register_routes(datasette):\n")}
    text = "Hooks\n=====\n\nregister_routes()\n-----------------\n\nCall ``register_routes()`` as before.\n"
    (draft,) = ask(files, text).proposals
    assert draft.text == text.replace(
        "register_routes()\n-----------------", "register_routes(datasette)\n--------------------------"
    )
    assert draft.reason.startswith("Writes `register_routes()`; with the change it is")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("for r in register_routes():\n", "for r in register_routes(datasette=self):\n"),
        ("def register_routes(a, b):\n", "def register_routes(b, c):\n"),
    ],
)
def test_calls_and_other_parameters_leave_headings_alone(ask: Ask, before: str, after: str) -> None:
    text = "## register_routes()\n\n## register_routes(a, b)\n"
    assert ask({"app/hooks.py": (before, after)}, text).proposals == ()


MENU = '<a slug="exports" title="Exports">\n<a slug="imports" title="Imports">\n'
REPORTS = (
    'def read_report():\n    """Show a report to a reader."""\n\n\n'
    'def send_report():\n    """Send a report to each reader."""\n'
)
ARTICLES = (
    Article("docs/exports.md", "Exports", GUIDE),
    Article("docs/imports.md", "Imports", "How to import.\n"),
)


def test_a_menu_entry_without_an_article_announces_one() -> None:
    diff = diff_of("app/menu.html", MENU, f'{MENU}<a slug="weekly_reports" title="Weekly reports">\n')
    (page,) = announced_pages(reviewed_files(parse_diff(diff)), corpus_of(ARTICLES))
    assert (page.slug, page.title, page.source.line) == ("weekly_reports", "Weekly reports", 3)
    diff += diff_of("app/reports.py", "", REPORTS)
    report = write(Change("Tidy up", None, diff), ARTICLES)
    (draft,) = report.proposals
    assert (draft.type, draft.article_id, draft.title) == ("new_article", None, "Weekly reports")
    assert draft.text == (
        "- `read_report`: Show a report to a reader.\n- `send_report`: Send a report to each reader.\n"
    )
    assert draft.warnings
    assert draft.evidence[0].file == "app/menu.html"


def test_an_announced_page_that_the_code_does_not_describe_is_told_and_not_drafted() -> None:
    diff = diff_of("app/menu.html", MENU, f'{MENU}<a slug="weekly_reports" title="Weekly reports">\n')
    report = write(Change("Tidy up", None, diff), ARTICLES)
    assert report.proposals == ()
    assert "The change links to a page `weekly_reports` that is not an article yet." in report.summary


def test_an_address_of_the_help_center_without_an_article_announces_one() -> None:
    links = "# https://help.acme.test/exports\n# https://help.acme.test/imports\n"
    added = f"{links}# https://help.acme.test/weekly-reports\n# https://other.test/some-thing\n"
    pages = announced_pages(reviewed_files(parse_diff(diff_of("a.py", links, added))), corpus_of(ARTICLES))
    assert [page.slug for page in pages] == ["weekly-reports"]


def test_menus_of_known_pages_and_other_lists_announce_nothing() -> None:
    swapped = "\n".join(reversed(MENU.splitlines())) + "\n"
    assert (
        announced_pages(reviewed_files(parse_diff(diff_of("m.html", MENU, swapped))), corpus_of(ARTICLES))
        == []
    )
    pets = '<a pet="cat">\n<a pet="dog">\n'
    diff = diff_of("m.html", pets, f'{pets}<a pet="horse">\n')
    assert announced_pages(reviewed_files(parse_diff(diff)), corpus_of(ARTICLES)) == []


def large(title: str) -> Report:
    code = "".join(
        f'def report_{n}():\n    """Send report {n} to every reader."""\n    return {n}\n' for n in range(40)
    )
    diff = diff_of("app/reports.py", "", code) + diff_of(
        "tests/test_reports.py", "", "assert report_0() == 0\n"
    )
    return write(Change(title, None, diff), ARTICLES)


def test_much_that_is_new_and_near_no_article_is_told_and_not_drafted() -> None:
    report = large("Add a weekly reports option")
    assert report.proposals == ()
    assert "The change adds something large that no article stands out for." in report.summary


def test_much_that_only_moves_misses_no_article() -> None:
    report = large("Refactor the reports")
    assert report.proposals == ()
    assert "something large" not in report.summary


@pytest.mark.parametrize(
    "title",
    ["Add the `weekly_reports` option to exports", "Exports: new weekly reports and their settings"],
)
def test_what_has_been_applied_is_not_proposed_again(title: str) -> None:
    files = {
        "app/settings.py": ("daily = 1\n", "daily = 1\nweekly_reports = 2\n"),
        "tests/test_a.py": ("", "ok = 1\n"),
    }
    diff = "".join(diff_of(path, *sides) for path, sides in files.items())
    change = Change(title, None, diff)
    articles = {article.id: article for article in (*ARTICLES, Article("p", "Pets", "Cats.\n"))}
    for draft in write(change, list(articles.values())).proposals:
        edited = Article(draft.article_id or "new", draft.title, draft.text)
        articles[edited.id] = edited
    again = write(change, list(articles.values()))
    assert again.proposals == ()
