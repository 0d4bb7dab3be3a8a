"""The articles that a change flags because they need new text, and those that it does not."""

import pytest

from instep.drafting.writer import Article, Change, Place, Report, Suppressed, Verdict, write
from instep.drafting.writer.writing import NOTHING_SUPPRESSED
from tests.drafting.writer.conftest import Ask, Files, diff_of

EXPORTS = (
    "# Exports\n\nHow to export your projects.\n\n## Formats\n\nAn export is a CSV file or a JSON file.\n\n"
    "## Schedule exports\n\nA scheduled export runs every night and sends the file by email.\n"
)
ARTICLES = (
    Article("exports", "Exports", EXPORTS),
    Article("imports", "Imports", "# Imports\n\nHow to import projects from other services.\n"),
    Article("teams", "Teams", "# Teams\n\nInvite people, and give them a role in your team.\n"),
    Article("billing", "Billing", "# Billing\n\nInvoices come by email at the end of a month.\n"),
    *(Article(f"other-{n}", f"Page {n}", f"# Page {n}\n\nNothing to see here.\n") for n in range(8)),
)
SCHEDULER = (
    "def run_scheduled_export(export, schedule):\n    send_mail(export.file)\n",
    "def run_scheduled_export(export, schedule):\n    if schedule.paused:\n        return\n"
    "    send_mail(export.file)\n",
)
FORM = (
    '<label for="schedule">Schedule the export</label>\n',
    '<label for="schedule">Schedule the export</label>\n'
    '<label for="pause">Pause the scheduled export</label>\n'
    '<p class="help">See https://docs.acme.test/exports</p>\n',
)


def pausing(
    title: str = "Support pausing of scheduled exports", suppressed: Suppressed = NOTHING_SUPPRESSED
) -> Report:
    diff = diff_of("app/exports/schedule.py", *SCHEDULER)
    diff += diff_of("app/templates/exports/schedule.html", *FORM)
    diff += diff_of("tests/test_schedule.py", "", "assert schedule.paused\n")
    return write(Change(title, None, diff), ARTICLES, suppressed)


def concerned(report: Report) -> list[Verdict]:
    return [verdict for verdict in report.reviewed if verdict.verdict == "concerned"]


def test_a_place_names_the_section_the_line_and_the_code() -> None:
    report = pausing()
    (place,), (verdict,) = report.places, concerned(report)
    assert (place.article_id, place.heading, place.line) == ("exports", "Schedule exports", 9)
    assert '<label for="pause">Pause the scheduled export</label>' in [e.excerpt for e in place.evidence]
    assert {evidence.article_line for evidence in place.evidence} == {9}
    assert (verdict.heading, verdict.reason, verdict.evidence) == (
        place.heading,
        place.reason,
        place.evidence,
    )
    assert len(report.reviewed) == len({verdict.article_id for verdict in report.reviewed})
    assert report.summary.startswith("1 article may")


def test_a_place_that_is_held_back_is_not_named_again() -> None:
    (place,) = pausing().places
    again = pausing(suppressed={"exports": [place.statement.key]})
    assert (again.places, concerned(again)) == ((), [])
    assert pausing(suppressed={"teams": [place.statement.key]}).places == (place,)


def test_a_change_that_only_needs_words_makes_no_draft() -> None:
    assert pausing().proposals == ()


@pytest.mark.parametrize(
    "title",
    [
        "refactor(exports): scheduled exports in smaller functions",
        "Extract ExportScheduler from scheduled exports",
        "Fix a race in scheduled exports",
        "Rename scheduled exports in code",
        "Bump dev dependencies of scheduled exports",
        "test: scheduled exports",
    ],
)
def test_a_change_of_the_inside_alone_asks_for_no_words(title: str) -> None:
    report = pausing(title)
    assert (report.places, report.proposals) == ((), ())


@pytest.mark.parametrize(
    "path", ["tests/test_schedule.py", "spec/schedule_spec.rb", ".github/workflows/x.yml"]
)
def test_a_change_that_no_user_sees_concerns_no_article(path: str) -> None:
    diff = diff_of(path, "schedule: export\n", "schedule: pause the scheduled export\n")
    report = write(Change("Schedule exports", None, diff), ARTICLES)
    assert (report.places, report.proposals) == ((), ())


@pytest.mark.parametrize(("stated", "is_drafted"), [(10, True), (25, False)])
def test_an_article_with_a_draft_or_without_need_has_no_place(stated: int, is_drafted: bool) -> None:
    diff = diff_of("app/exports.py", "export_limit = 10\n", "export_limit = 25\n")
    text = f"{EXPORTS}\n`export_limit` is {stated} by default.\n"
    report = write(
        Change("Support a new default of the `export_limit` setting", None, diff),
        [Article("exports", "Exports", text), *ARTICLES[1:]],
    )
    assert ["exports"] * is_drafted == [proposal.article_id for proposal in report.proposals]
    assert "exports" not in [place.article_id for place in report.places]


SETTINGS = "class Settings:\n    data_dir: str = 'data'\n    page_size: int = 20\n    jobs: bool = True\n"
LISTED = (
    "# Settings\n\nRead when it starts.\n\n## All settings\n\n| setting | meaning |\n|---|---|\n"
    "| `data_dir` | The data folder. |\n| `page_size` | Rows of a page. |\n| `jobs` | Whether jobs run. |\n"
)


def place_in_guide(report: Report) -> Place:
    (place,) = [place for place in report.places if place.article_id == "guide"]
    return place


def test_a_new_name_has_its_place_in_the_list_of_its_siblings(ask: Ask) -> None:
    after = SETTINGS.replace("    jobs", "    retention_days: int = 30\n    jobs")

    report = ask({"app/settings.py": (SETTINGS, after)}, LISTED, "Add the setting retention_days", "Settings")

    place = place_in_guide(report)
    assert (place.heading, LISTED.splitlines()[place.line - 1][:2]) == ("All settings", "| ")
    for name in ("`page_size`", "`retention_days`", "app/settings.py, line 4"):
        assert name in place.reason
    assert [evidence.excerpt.strip() for evidence in place.evidence] == ["retention_days: int = 30"]
    assert report.proposals == ()


@pytest.mark.parametrize(
    "text",
    [
        LISTED + "| `retention_days` | Days. |\n",
        LISTED + "\n## More\n\n- `page_size`: rows\n- `retention_days`: days\n",
    ],
    ids=["this list", "another list"],
)
def test_a_new_name_that_the_article_lists_already_has_no_place(ask: Ask, text: str) -> None:
    after = SETTINGS.replace("    jobs", "    retention_days: int = 30\n    jobs")
    report = ask({"app/settings.py": (SETTINGS, after)}, text, "Add the setting retention_days", "Settings")
    assert (report.places, report.proposals) == ((), ())


def test_a_name_that_is_gone_has_its_place_where_the_article_says_it(ask: Ask) -> None:
    files: Files = {
        "app/settings.py": (
            'PAGE_SIZE = env("PAGE_SIZE")\nMAX_UPLOAD = env("MAX_UPLOAD")\n',
            'PAGE_SIZE = env("PAGE_SIZE")\n',
        ),
        "app/files.py": ("def save(data):\n    check(data, MAX_UPLOAD)\n", "def save(data):\n    pass\n"),
    }
    text = "# Uploads\n\nFiles are kept.\n\n## Limits\n\nSet `MAX_UPLOAD` to the bytes of a file.\n"

    report = ask(files, text, "Remove the setting MAX_UPLOAD", "Uploads")

    place = place_in_guide(report)
    assert (place.heading, place.line) == ("Limits", 7)
    assert "`MAX_UPLOAD`" in place.reason
    assert "app/settings.py, line 2" in place.reason
    assert [(row.article_id, row.name) for row in report.stale_mentions] == [("guide", "MAX_UPLOAD")]
    assert report.proposals == ()


def test_a_text_that_may_mean_the_same_has_its_place(ask: Ask) -> None:
    before = "x = load_user(1)\ny = load_user(2)\n"
    files: Files = {"app/api.py": (before, "x = load_account(1)\ny = load_profile(2)\n")}
    text = "# Load people\n\nIn the API, call `load_user` to load a user.\n"

    report = ask(files, text, "Add load_account and load_profile to the API", "Load users")

    place = place_in_guide(report)
    assert place.line == 3
    assert "`load_user`" in place.reason
    assert report.proposals == ()


@pytest.mark.parametrize(
    "files",
    [
        {"app/limits.py": ("a = 1\n", 'a = 1\nMAX_UPLOAD = env("MAX_UPLOAD")\n')},
        {"app/other.py": ("a = 1\nuse(MAX_UPLOAD)\n", "a = 2\nuse(MAX_UPLOAD)\n")},
    ],
    ids=["moved", "used elsewhere"],
)
def test_a_name_that_lives_on_is_not_gone(ask: Ask, files: Files) -> None:
    gone: Files = {"app/settings.py": ('A = 1\nMAX_UPLOAD = env("MAX_UPLOAD")\n', "A = 1\n")}
    report = ask(gone | files, "Set `MAX_UPLOAD` to the bytes of a file.\n", "Move MAX_UPLOAD")
    assert report.stale_mentions == ()
    assert report.proposals == ()


HELPER = "def page_size():\n    return 20\n\n\n"
NEW_NAMES: dict[str, tuple[str, Files]] = {
    "setting with a comment": (
        LISTED,
        {"a.py": (SETTINGS, SETTINGS + "    # How long orders stay.\n    retention_days: int = 30\n")},
    ),
    "setting without a word about it": (
        LISTED,
        {"a.py": (SETTINGS, SETTINGS + "    secret: str | None = None\n")},
    ),
    "constant": (LISTED, {"a.py": ("T = 5\n", "T = 5\n# Tokens of an answer.\nMAX_TOKENS = 256\n")}),
    "setting of a test": (LISTED, {"tests/a.py": (SETTINGS, SETTINGS + "    test_mode: bool = True\n")}),
    "helper": (LISTED, {"a.py": (HELPER, f'{HELPER}def pages():\n    """How many pages there are."""\n')}),
    "member of a sentence": (
        "You can upload photos as JPG, PNG or GIF in all plans.\n",
        {"a.py": ('FORMATS = ["jpg", "png", "gif"]\n', 'FORMATS = ["jpg", "png", "gif", "heic"]\n')},
    ),
    "entry of an upgrade guide": (
        "# Upgrade\n\n- `data_dir` is new.\n- `page_size` is 20 now.\n- `jobs` went.\n",
        {"a.py": (SETTINGS, SETTINGS + "    retention_days: int = 30\n")},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NEW_NAMES)
def test_new_names_are_left_to_people(ask: Ask, name: str) -> None:
    """No entry, wordless row, comment or code of the change is copied into the article."""
    text, files = NEW_NAMES[name]
    assert ask(files, text, "Add it to the settings", "Settings").proposals == ()


def test_a_place_has_no_hidden_characters_of_the_change() -> None:
    diff = diff_of("app/exp\u202eorts/schedule.py", *SCHEDULER) + diff_of("app/exports/schedule.html", *FORM)
    place = write(
        Change("Support pausing of scheduled exports", None, diff.replace("Pause the", "Pause\u3164 the")),
        ARTICLES,
    ).places[0]
    assert not {"\u202e", "\u3164"} & {
        *place.reason,
        *(c for e in place.evidence for c in e.file + e.excerpt),
    }
