"""Notes, new headings of functions and new articles: drafts for changes that surely need documentation."""

import pytest

from instep.writer import Article, Change, Report, parse_diff, write
from instep.writer.articles.corpus import corpus_of
from instep.writer.diffs.change_set import reviewed_files
from instep.writer.inserting.notes import note_for
from instep.writer.new_articles.pages import announced_pages
from tests.writer.conftest import Ask, diff_of

GUIDE = "# Exports\n\nHow to export.\n\n## Formats\n\nCSV and JSON.\n\n## See also\n\nThe API.\n"


def noted(title: str, text: str = GUIDE, after: str = "def export(kind):\n    pass\n") -> str:
    change = Change(title, None, diff_of("app/export.py", "", after))
    note = note_for(text, change, (), reviewed_files(parse_diff(change.diff)))
    assert note is not None
    assert (note.sources[0].file, note.sources[0].line) == ("app/export.py", 1)
    return text[: note.place] + note.new + text[note.place :]


def test_something_new_gets_a_section_before_the_closing_one() -> None:
    assert noted("Add weekly reports") == GUIDE.replace(
        "## See also", "## Weekly reports\n\nNew: weekly reports.\n\n## See also"
    )


def test_what_a_section_is_about_goes_to_its_end() -> None:
    text = noted("Formats are sorted by their name")
    assert "CSV and JSON.\n\nFormats are sorted by their name.\n\n## See also" in text


def test_an_underlined_heading_is_made_like_its_neighbours() -> None:
    text = ".. _e:\n\nExports\n=======\n\n``csv`` it.\n\nFormats\n~~~~~~~\n\n``json`` too.\n"
    assert "Weekly reports\n" in noted("Add weekly reports", text)
    assert "Weekly reports\n##" not in noted("Add weekly reports", text)


def test_a_change_without_words_makes_no_note() -> None:
    change = Change("x", None, diff_of("a.py", "", "a = 1\n"))
    assert note_for(GUIDE, change, (), reviewed_files(parse_diff(change.diff))) is None


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
ARTICLES = (
    Article("docs/exports.md", "Exports", GUIDE),
    Article("docs/imports.md", "Imports", "How to import.\n"),
)


def test_a_menu_entry_without_an_article_announces_one() -> None:
    diff = diff_of("app/menu.html", MENU, f'{MENU}<a slug="weekly_reports" title="Weekly reports">\n')
    (page,) = announced_pages(reviewed_files(parse_diff(diff)), corpus_of(ARTICLES))
    assert (page.slug, page.title, page.source.line) == ("weekly_reports", "Weekly reports", 3)
    report = write(Change("Tidy up", None, diff), ARTICLES)
    (draft,) = report.proposals
    assert (draft.type, draft.article_id, draft.title) == ("new_article", None, "Weekly reports")
    assert draft.warnings
    assert draft.evidence[0].file == "app/menu.html"


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


def test_much_that_is_new_and_near_no_article_gets_one_of_its_own() -> None:
    (draft,) = [
        p for p in large("Add `weekly_reports` option and new settings").proposals if p.type == "new_article"
    ]
    assert draft.title == "`weekly_reports` option and new settings"
    assert "- `report_0`: Send report 0 to every reader." in draft.text
    assert all(evidence.file == "app/reports.py" for evidence in draft.evidence)


def test_much_that_only_moves_gets_no_article() -> None:
    assert [p for p in large("Refactor the reports").proposals if p.type == "new_article"] == []


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
