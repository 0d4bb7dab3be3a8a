"""An addition is inserted next to its siblings, in their form."""

import pytest

from instep.writer import Article, Change, Report, parse_diff, write
from instep.writer.diffs.change_set import reviewed_files
from instep.writer.facts.additions import additions_of
from instep.writer.inserting.insertions import Insertion, choose_insertions, scored_insertions
from tests.writer.conftest import Ask, diff_of

SETTINGS = (
    'PAGE_SIZE = env.int("PAGE_SIZE", 20)\nMAX_JOBS = env.int("MAX_JOBS", 4)\n',
    'PAGE_SIZE = env.int("PAGE_SIZE", 20)\nMAX_JOBS = env.int("MAX_JOBS", 4)\n'
    '# How many seconds a request may take.\nREQUEST_TIMEOUT = env.int("REQUEST_TIMEOUT", 30)\n',
)


def inserted(
    before: str, after: str, article: str, title: str = "Add a setting"
) -> tuple[str, list[Insertion]]:
    return inserted_from("app/settings.py", before, after, article, title)


def inserted_from(
    path: str, before: str, after: str, article: str, title: str = "Add a setting"
) -> tuple[str, list[Insertion]]:
    change = Change(title, None, diff_of(path, before, after))
    additions = additions_of(reviewed_files(parse_diff(change.diff)))
    guide = Article("guide", "Settings", article)
    insertions = choose_insertions(
        scored_insertions(guide, additions, change, 0, 0.9), additions, change, guide
    )
    text = article
    for insertion in reversed(insertions):
        text = text[: insertion.place] + insertion.new + text[insertion.place :]
    return text, insertions


TABLE = "| Name | Meaning | Default |\n|---|---|---|\n| `PAGE_SIZE` | Rows of a page. | `20` |\n"
LAST = "| `MAX_JOBS` | Jobs at once. | `4` |\n"


def test_a_table_gets_a_row_with_what_the_comment_and_the_default_say() -> None:
    text, insertions = inserted(*SETTINGS, f"# Settings\n\n{TABLE}{LAST}\nMore.\n")
    row = "| `REQUEST_TIMEOUT` | How many seconds a request may take. | `30` |\n"
    assert text == f"# Settings\n\n{TABLE}{LAST}{row}\nMore.\n"
    assert [(insertion.name, insertion.neighbour, insertion.is_complete) for insertion in insertions] == [
        ("REQUEST_TIMEOUT", "MAX_JOBS", True)
    ]
    assert (insertions[0].sources[0].file, insertions[0].sources[0].line) == ("app/settings.py", 4)


@pytest.mark.parametrize(
    ("article", "expected"),
    [
        (
            "- `PAGE_SIZE`: rows of a page that is shown.\n- `MAX_JOBS`: jobs that run at once.\n\nMore.\n",
            "at once.\n- `REQUEST_TIMEOUT`: how many seconds a request may take.\n\nMore.\n",
        ),
        (
            "PAGE_SIZE\n:   Rows of a page.\n\nMAX_JOBS\n:   Jobs at once.\n\nMore.\n",
            "at once.\n\nREQUEST_TIMEOUT\n:   How many seconds a request may take.\n\nMore.\n",
        ),
        (
            "``PAGE_SIZE`` - integer\n    Rows.\n\n``MAX_JOBS`` - integer\n    Jobs.\n\nMore.\n",
            "    Jobs.\n\n``REQUEST_TIMEOUT`` - integer\n    How many seconds a request may take.\n\nMore.\n",
        ),
        (
            "## `PAGE_SIZE` {: #PAGE_SIZE }\n\nDefault: `20`\n\nRows.\n\n"
            "## `MAX_JOBS` {: #MAX_JOBS }\n\nDefault: `4`\n\nJobs.\n\n## Other\n\nMore.\n",
            "Jobs.\n\n## `REQUEST_TIMEOUT` {: #REQUEST_TIMEOUT }\n\nDefault: `30`\n\n"
            "How many seconds a request may take.\n\n## Other\n",
        ),
        (
            ".. _s_PAGE_SIZE:\n\nPAGE_SIZE\n---------\n\nRows.\n\n"
            ".. _s_MAX_JOBS:\n\nMAX_JOBS\n--------\n\nJobs.\n",
            ".. _s_REQUEST_TIMEOUT:\n\nREQUEST_TIMEOUT\n---------------\n\nHow many seconds a request",
        ),
        (
            '<li><a href="#PAGE_SIZE">PAGE_SIZE</a></li>\n'
            '<li><a href="#MAX_JOBS">MAX_JOBS</a></li>\n\nMore.\n',
            '<li><a href="#REQUEST_TIMEOUT">REQUEST_TIMEOUT</a></li>\n\nMore.\n',
        ),
    ],
)
def test_each_form_is_followed(article: str, expected: str) -> None:
    assert expected in inserted(*SETTINGS, article)[0]


def test_what_goes_by_the_alphabet_goes_on_so() -> None:
    rows = "".join(
        f"| `{name}` | Text of it. | `1` |\n" for name in ("A_KEY", "MAX_JOBS", "PAGE_SIZE", "Z_KEY")
    )
    head = "| Name | Meaning | Default |\n|---|---|---|\n"
    text, insertions = inserted(*SETTINGS, f"{head}{rows}")
    assert [insertion.neighbour for insertion in insertions] == ["PAGE_SIZE"]
    assert text.index("REQUEST_TIMEOUT") < text.index("Z_KEY")


def test_variables_of_the_environment_may_have_a_prefix() -> None:
    before = "page_size: int = 20\nmax_jobs: int = 4\n"
    after = f"{before}request_timeout: int = 30  # Seconds that a request may take\n"
    head = "| Variable | Meaning |\n|---|---|\n| `ACME_PAGE_SIZE` | Rows. |\n| `ACME_MAX_JOBS` | Jobs. |\n"
    text, _ = inserted(before, after, head)
    assert text == f"{head}| `ACME_REQUEST_TIMEOUT` | Seconds that a request may take. |\n"


def test_nothing_is_listed_twice_or_among_strangers() -> None:
    listed = f"{TABLE}{LAST}| `REQUEST_TIMEOUT` | Seconds. | `30` |\n"
    assert inserted(*SETTINGS, listed)[1] == []
    assert inserted(*SETTINGS, "| Pet | Name |\n|---|---|\n| `cat` | Tom |\n| `dog` | Rex |\n")[1] == []


def test_a_name_that_the_code_does_not_explain_gets_a_gap_for_a_person_to_fill() -> None:
    before, after = (side.replace("# How many seconds a request may take.\n", "") for side in SETTINGS)
    text, insertions = inserted(before, after, f"{TABLE}{LAST}", title="Time out")
    assert text.splitlines()[-1].split("|")[2].strip() == "[…]"
    assert text.endswith("| `30` |\n")
    assert insertions[0].is_complete is False


def test_entries_that_differ_in_one_word_tell_the_next_one() -> None:
    names = ("SLACK", "ZULIP", "DISCORD")
    before = "".join(f'{name}_ENABLED = env.bool("{name}_ENABLED", True)\n' for name in names)
    after = f'{before}# PagerTree\nPAGERTREE_ENABLED = env.bool("PAGERTREE_ENABLED", True)\n'
    sections = "".join(
        f"## `{name}_ENABLED`\n\nTurns the {name.capitalize()} integration on or off.\n\n" for name in names
    )
    text, _ = inserted(before, after, sections, title="Add the PagerTree integration")
    assert text.endswith("## `PAGERTREE_ENABLED`\n\nTurns the PagerTree integration on or off.\n")


def test_a_new_parameter_gets_its_term_under_the_heading_of_its_function() -> None:
    before = "def render(row, column):\n    pass\n\n\ndef load(row, column):\n    pass\n"
    article = (
        "render(row, column)\n-------------------\n\n``row`` - dict\n    The row.\n\n"
        "``column`` - string\n    It.\n\n"
        "other(table)\n------------\n\n``table`` - string\n    The table of it.\n\n"
        "``user`` - dict\n    Who asks.\n"
    )
    after = before.replace("render(row, column)", "render(row, column, table)")
    text, _ = inserted(before, after, article, title="render() gets the table")
    assert "    It.\n\n``table`` - string\n    The table of it.\n\nother(" in text


def ask(title: str, article: str, files: dict[str, tuple[str, str]]) -> Report:
    diff = "".join(diff_of(path, *sides) for path, sides in files.items())
    others = [Article(f"other-{n}", f"Page {n}", f"# Page {n}\n\nNothing here.\n") for n in range(8)]
    return write(Change(title, None, diff), [Article("guide", "Settings", article), *others])


FILES = {
    "app/settings.py": SETTINGS,
    "tests/test_settings.py": ("", "assert settings.REQUEST_TIMEOUT == 30\n"),
}


def test_the_draft_names_its_ground_and_the_line_it_stands_on() -> None:
    report = ask("Add the REQUEST_TIMEOUT setting", f"# Settings\n\n{TABLE}{LAST}", FILES)
    (draft,) = report.proposals
    assert draft.reason == (
        "Lists `MAX_JOBS`, and not `REQUEST_TIMEOUT` which the change adds (app/settings.py, line 4)."
    )
    assert draft.text.splitlines()[(draft.evidence[0].article_line or 0) - 1].startswith(
        "| `REQUEST_TIMEOUT`"
    )
    assert draft.warnings == ()
    assert report.summary.startswith("Added `REQUEST_TIMEOUT`")


def test_what_the_change_does_decides_and_not_only_its_title() -> None:
    (draft,) = ask("Fix a typo in a log line", f"# Settings\n\n{TABLE}{LAST}", FILES).proposals
    assert "`REQUEST_TIMEOUT`" in draft.text


def test_what_is_added_to_tests_alone_gets_no_entry() -> None:
    files = {"tests/settings.py": SETTINGS}
    assert ask("Fix a typo in a log line", f"# Settings\n\n{TABLE}{LAST}", files).proposals == ()


def test_ten_articles_at_most_get_entries() -> None:
    articles = [Article(f"s{n}", f"Settings {n}", f"# Settings {n}\n\n{TABLE}{LAST}") for n in range(14)]
    diff = "".join(diff_of(path, *sides) for path, sides in FILES.items())
    report = write(Change("Add the setting `REQUEST_TIMEOUT`", None, diff), articles)
    assert len(report.proposals) <= 10


@pytest.mark.parametrize(
    "bait",
    [
        "![x](https://evil.test/p.png)",
        "[here](https://evil.test)",
        "<img src=x>",
        "{{ secret }}",
        "a \u202e b",
    ],
)
def test_a_comment_brings_no_markup_into_an_article(bait: str) -> None:
    after = SETTINGS[1].replace("may take.", f"may take, see {bait} for more.")
    text, _ = inserted(SETTINGS[0], after, f"{TABLE}{LAST}")
    assert "evil" not in text
    assert bait not in text


VARIABLES = "| Variable | Default |\n|---|---|\n| `ACME_LOG_LEVEL` | `info` |\n| `ACME_PORT` | `8080` |\n"
READING = 'LOG_LEVEL = os.getenv("ACME_LOG_LEVEL", "info")\nPORT = os.getenv("ACME_PORT", 8080)\n'


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("config.py", 'LOG_FORMAT = os.getenv("ACME_LOG_FORMAT", "text")'),
        ("config.py", 'LOG_FORMAT = env("ACME_LOG_FORMAT", "text")'),
        ("config.js", 'const LOG_FORMAT = process.env.ACME_LOG_FORMAT || "text";'),
        ("config.rb", 'LOG_FORMAT = ENV["ACME_LOG_FORMAT"] || "text"'),
        ("compose.yml", "      LOG_FORMAT: ${ACME_LOG_FORMAT:-text}"),
    ],
)
def test_a_variable_and_the_name_that_it_is_assigned_to_are_one_entry(path: str, line: str) -> None:
    text, _ = inserted_from(path, READING, f"{READING}{line}\n", VARIABLES)
    assert text == f"{VARIABLES}| `ACME_LOG_FORMAT` | `text` |\n"


def test_an_article_that_lists_the_variable_does_not_get_the_name_that_it_is_assigned_to() -> None:
    listed = f"{VARIABLES}| `ACME_LOG_FORMAT` | `text` |\n"
    after = f'{READING}LOG_STYLE = os.getenv("ACME_LOG_FORMAT", "text")\n'
    assert inserted_from("config.py", READING, after, listed)[1] == []


def test_a_list_of_assigned_names_gets_the_assigned_name_with_the_default_of_the_variable() -> None:
    names = VARIABLES.replace("ACME_", "")
    before = "LOG_LEVEL: ${ACME_LOG_LEVEL:-info}\nPORT: ${ACME_PORT:-8080}\n"
    text, _ = inserted_from("compose.yml", before, f"{before}LOG_FORMAT: ${{ACME_LOG_FORMAT:-text}}\n", names)
    assert text == f"{names}| `LOG_FORMAT` | `text` |\n"


FLAGS = (
    'func main() {\n\tflag.IntVar(&w, "workers", 4, "number of workers")\n'
    '\tflag.StringVar(&h, "host", "localhost", "host to listen on")\n'
)


@pytest.mark.parametrize(
    ("form", "default", "expected"),
    [
        ("- {} (default `{}`)", "10", "- largest body in MB (default `10`)"),
        ("- {} (default `{}`)", "defaultBody", "- largest body in MB (default […])"),
        ("- {} (default: {})", "10", "- largest body in MB (default: 10)"),
        ("- {}, default is `{}`", "10", "- largest body in MB, default is `10`"),
        ("- {} [default={}]", "10", "- largest body in MB [default=10]"),
        ("- {}. Defaults to `{}`.", "10", "- largest body in MB. Defaults to `10`."),
        ("(default `{1}`) - {0}", "10", "(default `10`) - largest body in MB"),
        ("(default `{1}`) - {0}", "defaultBody", "(default […]) - largest body in MB"),
        ("- {}", "10", "- largest body in MB"),
    ],
)
def test_an_item_states_its_default_as_its_neighbours_do(form: str, default: str, expected: str) -> None:
    article = (
        f"* `--workers` {form.format('number of workers', 4)}\n"
        f"* `--host` {form.format('host to listen on', 'localhost')}\n"
    )
    line = f'\tflag.IntVar(&m, "max-body", {default}, "largest body in MB")\n'
    text, insertions = inserted_from("cmd/main.go", FLAGS + "}\n", f"{FLAGS}{line}}}\n", article)
    assert text == f"{article}* `--max-body` {expected}\n"
    assert insertions[0].is_complete is ("[…]" not in expected)


def test_no_gap_asks_for_a_default_that_a_neighbour_does_without() -> None:
    article = "* `--workers` - number of workers (default `4`)\n* `--host` - host to listen on\n"
    line = '\tflag.IntVar(&m, "max-body", defaultBody, "largest body in MB")\n'
    text, _ = inserted_from("cmd/main.go", FLAGS + "}\n", f"{FLAGS}{line}}}\n", article)
    assert text == f"{article}* `--max-body` - largest body in MB\n"


def test_a_row_is_padded_only_where_the_cells_of_a_column_have_one_width() -> None:
    ragged = (
        "| Name | Meaning | Default |\n|---|---|---|\n"
        "| `PAGE_SIZE` | Rows. | `20` |\n| `MAX_JOBS_OF_ALL_WORKERS` | Jobs at once. | `4` |\n"
    )
    row = "| `REQUEST_TIMEOUT` | How many seconds a request may take. | `30` |\n"
    before, after = (side.replace("MAX_JOBS", "MAX_JOBS_OF_ALL_WORKERS") for side in SETTINGS)
    assert inserted(before, after, ragged)[0] == ragged + row
    aligned = (
        "| Name              | Meaning                              | Default |\n"
        "|-------------------|--------------------------------------|---------|\n"
        "| `PAGE_SIZE`       | How many rows a page of a table has. | `20`    |\n"
        "| `MAX_JOBS`        | How many jobs may run at once.       | `4`     |\n"
    )
    row = "| `REQUEST_TIMEOUT` | How many seconds a request may take. | `30`    |\n"
    assert inserted(*SETTINGS, aligned)[0] == aligned + row


def test_a_name_is_listed_with_those_that_one_line_takes_apart_with_it(ask: Ask) -> None:
    types = "export type Toast = {\n  /** How many. */\n  limit?: number\n{}}\n"
    field = (
        "  /**\n   * The place on the screen.\n   * @default 'bottom'\n   */\n  position?:\n    | 'bottom'\n"
    )
    use = "const { duration, expand, limit%s } = config.toast\n"
    files = {
        "src/types.ts": (types.replace("{}", ""), types.replace("{}", field)),
        "src/toast.ts": (use % "", use % ", position"),
    }
    table = (
        "# Toast\n\n| Option | Description | Default |\n|---|---|---|\n| `duration` | How long. | `4000` |\n"
        "| `expand` | All at once. | `false` |\n| `limit` | How many. | `5` |\n"
    )

    report = ask(files, table, "Make the position of a toast configurable", "Toast")

    row = "| `position` | The place on the screen. | `bottom` |\n"
    assert [proposal.text for proposal in report.proposals] == [table + row]


def test_a_parameter_is_described_by_its_doc_string(ask: Ask) -> None:
    code = (
        'class ObjectVar:\n    """\n    :param model: The class (optional)\n{}    """\n\n'
        "    def __init__(self, model, query=None{}, *args, **kwargs):\n        pass\n"
    )
    doc = "    :param selector: Include a widget that assists\n        people with the choice (optional)\n"
    files = {"app/scripts.py": (code.format("", ""), code.format(doc, ", selector=False"))}
    text = (
        "# ObjectVar\n\nObjectVar takes:\n\n* `model` - The class of the object\n"
        "* `query` - A dictionary of query parameters to use (optional)\n"
    )

    report = ask(files, text, "Allow a selector for ObjectVar", "ObjectVar")

    entry = "* `selector` - Include a widget that assists people with the choice (optional)\n"
    assert [proposal.text for proposal in report.proposals] == [text + entry]
