"""What a change takes out of the product goes out of the entries about it alone; the rest is pointed out."""

import pytest

from instep.writer import Report
from tests.writer.conftest import Ask, text_of

SETTINGS = (
    'PAGE_SIZE = env("PAGE_SIZE")\nMAX_UPLOAD = env("MAX_UPLOAD")\nTIME_LIMIT = env("TIME_LIMIT")\n',
    'PAGE_SIZE = env("PAGE_SIZE")\nTIME_LIMIT = env("TIME_LIMIT")\n',
)
USE = ("def save(data):\n    check(data, MAX_UPLOAD)\n    keep(data)\n", "def save(data):\n    keep(data)\n")
GONE = {"app/settings.py": SETTINGS, "app/files.py": USE}

TABLE = "# Settings\n\n| Name | Meaning |\n|---|---|\n{}| `TIME_LIMIT` | Seconds. |\n"
ROW = "| `MAX_UPLOAD` | Bytes of a file. |\n"
LIST = "# Settings\n\n- `PAGE_SIZE`: rows of a page\n{}- `TIME_LIMIT`: seconds\n"
ITEM = "- `MAX_UPLOAD`: bytes of a file,\n  with what comes along\n"
TERMS = "# Settings\n\n`PAGE_SIZE`\n:   Rows of a page.\n\n{}`TIME_LIMIT`\n:   Seconds.\n"
TERM = "`MAX_UPLOAD`\n:   Bytes of a file.\n\n"
SECTIONS = "# Settings\n\n## `PAGE_SIZE`\n\nRows of a page.\n\n{}## `TIME_LIMIT`\n\nSeconds.\n"
SECTION = "## `MAX_UPLOAD`\n\nBytes of a file.\n\n    MAX_UPLOAD=10\n\n"
RST = "Settings\n========\n\n{}.. _time:\n\nTIME_LIMIT\n----------\n\nSeconds.\n"
RST_SECTION = ".. _max:\n\nMAX_UPLOAD\n----------\n\nBytes of a file.\n\n"


def reason_of(report: Report) -> str:
    return next(verdict.reason for verdict in report.reviewed if verdict.article_id == "guide")


def is_pointed_out(report: Report, name: str) -> bool:
    return report.proposals == () and f"Mentions `{name}`, which this change removes" in reason_of(report)


@pytest.mark.parametrize(
    ("page", "entry"),
    [(TABLE, ROW), (LIST, ITEM), (TERMS, TERM), (SECTIONS, SECTION), (RST, RST_SECTION)],
    ids=["row", "item", "term", "section", "underlined section"],
)
def test_the_entry_about_a_removed_name_goes_and_nothing_else(ask: Ask, page: str, entry: str) -> None:
    (proposal,) = ask(GONE, page.format(entry)).proposals
    assert proposal.text == page.format("")
    assert (proposal.evidence[0].file, proposal.evidence[0].excerpt) == (
        "app/settings.py",
        'MAX_UPLOAD = env("MAX_UPLOAD")',
    )
    assert "`MAX_UPLOAD`, which the change removes (app/settings.py, line 2)" in proposal.reason


def test_a_definition_is_enough_where_the_title_says_that_it_goes(ask: Ask) -> None:
    before, after = "PAGE_SIZE = 20\nMAX_UPLOAD = 10\n", "PAGE_SIZE = 20\n"
    files, page = {"app/settings.py": (before, after)}, TABLE.format(ROW)

    assert ask(files, page, "Tidy up settings").proposals == ()
    (proposal,) = ask(files, page, "Remove MAX_UPLOAD").proposals

    assert proposal.text == TABLE.format("")


def test_a_section_goes_with_what_it_lists(ask: Ask) -> None:
    listed = (
        "## `MAX_UPLOAD`\n\n| Name | Meaning |\n|---|---|\n| `MAX_UPLOAD` | Bytes. |\n| `None` | Any. |\n\n"
    )
    (proposal,) = ask(GONE, SECTIONS.format(listed)).proposals
    assert proposal.text == SECTIONS.format("")


def test_flags_commands_and_routes_go_too(ask: Ask) -> None:
    files = {
        "cli.py": (
            'option("--max-jobs")\noption("--retry-all")\ncommand("purge-jobs")\n'
            'use("--retry-all", "purge-jobs")\n',
            'option("--max-jobs")\n',
        ),
        "urls.py": (
            'route("/v1/jobs")\nroute("/v1/old-jobs")\ncall("/v1/old-jobs")\n',
            'route("/v1/jobs")\n',
        ),
    }
    page = "- `--max-jobs`: how many\n{}\n- `/v1/jobs`: all\n{}\n## `purge`\n\nX.\n\n{}## `stop-jobs`\n\nY.\n"
    text = page.format(
        "- `--retry-all`: all again\n", "- `/v1/old-jobs`: old ones\n", "## `purge-jobs`\n\nAll.\n\n"
    )
    (proposal,) = ask(files, text).proposals
    assert proposal.text == page.format("", "", "")


def test_the_name_of_a_deleted_file_goes(ask: Ask) -> None:
    page = "- `docker-compose.yml`: to run\n{}- `setup.cfg`: the rest\n"
    files = {"docker-compose.dev.yml": ("services: {}\n", "")}
    diff = ask(files, page.format("- `docker-compose.dev.yml`: to develop\n"))
    assert diff.proposals == () or diff.proposals[0].text == page.format("")


@pytest.mark.parametrize(
    "text",
    [
        "# Uploads\n\nSet `MAX_UPLOAD` to what you need.\n",
        LIST.format("- `MAX_UPLOAD` and `TIME_LIMIT`: what uploads may take\n"),
        LIST.format("- `MAX_UPLOAD` is read when the server starts\n"),
        TABLE.format("| `MAX_UPLOAD`, `MAX_UPLOAD_TIME` | Of a file. |\n"),
        SECTIONS.format("## `MAX_UPLOAD` and `TIME_LIMIT`\n\nOf a file.\n\n"),
        SECTIONS.format("## `MAX_UPLOAD`\n\nBytes.\n\n### Larger files\n\nAsk us.\n\n"),
        "## `MAX_UPLOAD`\n\nBytes of a file.\n",
    ],
    ids=[
        "prose",
        "two in an item",
        "a sentence",
        "two in a row",
        "two in a heading",
        "with parts",
        "the only one",
    ],
)
def test_what_is_not_about_the_name_alone_is_pointed_out_and_stays(ask: Ask, text: str) -> None:
    assert is_pointed_out(ask(GONE, text), "MAX_UPLOAD")


@pytest.mark.parametrize(
    "files",
    [
        GONE | {"app/limits.py": ("a = 1\n", 'a = 1\nMAX_UPLOAD = env("MAX_UPLOAD")\n')},
        GONE | {"app/other.py": ("a = 1\nuse(MAX_UPLOAD)\n", "a = 2\nuse(MAX_UPLOAD)\n")},
    ],
    ids=["moved", "used elsewhere"],
)
def test_a_name_that_lives_on_stays(ask: Ask, files: dict[str, tuple[str, str]]) -> None:
    assert ask(files, TABLE.format(ROW)).proposals == ()


def test_a_renamed_name_is_renamed_and_not_removed(ask: Ask) -> None:
    files = {
        path: (before, before.replace("MAX_UPLOAD", "UPLOAD_LIMIT")) for path, (before, _) in GONE.items()
    }
    (proposal,) = ask(files, TABLE.format(ROW)).proposals
    assert proposal.text == TABLE.format(ROW.replace("MAX_UPLOAD", "UPLOAD_LIMIT"))


def test_a_name_that_grows_by_a_word_may_live_on(ask: Ask) -> None:
    new = ("a = 1\n", 'a = 1\n\n\nMAX_UPLOAD_SIZE = size(env("MAX_UPLOAD_SIZE"))\n')
    report = ask(GONE | {"app/sizes.py": new}, TABLE.format(ROW))
    assert is_pointed_out(report, "MAX_UPLOAD")
    assert "`MAX_UPLOAD_SIZE` may take its place" in reason_of(report)


def test_a_definition_without_a_use_is_pointed_out(ask: Ask) -> None:
    before, after = ("page_size: int\nmax_upload: int\n", "page_size: int\n")
    assert is_pointed_out(
        ask({"app/settings.py": (before, after)}, "- `max_upload`: a\n- `b_c`: d\n"), "max_upload"
    )


def test_a_local_variable_is_no_part_of_the_product(ask: Ask) -> None:
    before = "def f():\n    max_upload = 1\n    return max_upload\n"
    report = ask({"app/a.py": (before, "def f():\n    return 1\n")}, "- `max_upload`: a\n- `b_c`: d\n")
    assert report.proposals == ()


def test_a_name_that_many_articles_list_is_left_to_people() -> None:
    from instep.writer import Article, Change, write
    from tests.writer.conftest import diff_of

    diff = "".join(diff_of(path, *sides) for path, sides in GONE.items())
    articles = [Article(f"a{n}", f"Page {n}", TABLE.format(ROW)) for n in range(5)]
    assert write(Change("Tidy up", None, diff), articles).proposals == ()


def test_what_the_draft_still_says_of_a_removed_name_is_a_warning(ask: Ask) -> None:
    (proposal,) = ask(GONE, TABLE.format(ROW) + "\nRaise `MAX_UPLOAD` for films.\n").proposals
    assert "Raise `MAX_UPLOAD` for films." in proposal.text
    assert any("Mentions `MAX_UPLOAD` in line 7" in warning for warning in proposal.warnings)


def test_an_entry_of_a_flag_of_a_library_goes_with_its_short_and_negated_spellings(ask: Ask) -> None:
    files = {
        "src/Command/Dump.php": (
            "new InputOption('pretty', null, InputOption::VALUE_NONE, 'Indent the output.'),\n"
            "new InputOption('colors', 'c', InputOption::VALUE_NEGATABLE, 'Color the output.'),\n"
            "$writer->setColors($input->getOption('colors'));\n",
            "new InputOption('pretty', null, InputOption::VALUE_NONE, 'Indent the output.'),\n",
        ),
    }
    page = "# Dump\n\n* **--pretty:** Indents the output.\n{}* **--quiet:** Prints nothing.\n"
    (proposal,) = ask(files, page.format("* **--colors / --no-colors / -c:** Colors the output.\n")).proposals
    assert proposal.text == page.format("")
    assert is_pointed_out(ask(files, page.format("* **--colors / --paint:** Colors it.\n")), "--colors")


def test_a_flag_that_all_commands_lose_goes_though_its_word_is_that_of_a_setting(ask: Ask) -> None:
    lines = "$this->addOption('fall-back', null, 0, 'Go.');\n$this->addOption('quiet', 'q', 0, 'Silence.');\n"
    files = {f"cli/{name}.php": (lines, lines.split("\n", 1)[1]) for name in ("add", "list", "move")}
    files["config.php"] = (
        "'fall-back' => true,\n'quiet' => false,\n",
        "'fall-back' => false,\n'quiet' => false,\n",
    )
    section = "## {}\n\n* **--quiet:** Silence.\n* **--fall-back:** Fall back.\n* **--help:** Help.\n\n"
    text = "# Commands\n\n" + "".join(section.format(name) for name in ("add", "list", "move"))

    assert text_of(ask(files, text)) == text.replace("* **--fall-back:** Fall back.\n", "")
    assert text_of(ask(files, text + section.format("sync"))) is None
