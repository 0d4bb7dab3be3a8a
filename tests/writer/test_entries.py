"""A new entry has the form of its siblings and says what the code says; the rest is a visible gap."""

import pytest

from instep.writer import parse_diff
from instep.writer.facts.details import details_of
from tests.writer.conftest import diff_of
from tests.writer.test_insertions import inserted_from

VARIABLES = "".join(
    f"### `ACME_{name}`\n\n- Name: `ACME_{name}`\n- Default: `{default}`\n\n{text}\n\n"
    for name, default, text in (
        ("HOST", "localhost", "Sets the host."),
        ("LOG_LEVEL", "info", "Sets how much is logged."),
        ("LOG_FILE", "none", "Sets where the log is kept."),
        ("PORT", "80", "Sets the port."),
        ("TOKEN", "none", "Sets the token of agents."),
    )
)
PLAIN_ITEMS = "".join(f"- `ACME_{name}`\n" for name in ("HOST", "LOG_LEVEL", "LOG_FILE", "PORT", "TOKEN"))


def test_a_section_takes_its_fields_and_text_from_a_call_over_several_lines() -> None:
    before = 'var flags = []cli.Flag{\n\t&cli.StringFlag{\n\t\tName: "host",\n\t},\n}\n'
    after = before.replace(
        "\t},\n}\n",
        '\t},\n\t&cli.BoolFlag{\n\t\tSources: cli.EnvVars("ACME_LOG_QUERIES"),\n\t\tName:    "log-queries",\n'
        '\t\tUsage:   "Whether to log each query",\n\t\tValue:   false,\n\t},\n}\n',
    )
    text, insertions = inserted_from("cmd/flags.go", before, after, VARIABLES)
    entry = (
        "### `ACME_LOG_QUERIES`\n\n- Name: `ACME_LOG_QUERIES`\n- Default: `false`\n\n"
        "Whether to log each query.\n\n"
    )
    assert entry in text
    assert text.index("LOG_FILE") < text.index("LOG_QUERIES") < text.index("PORT")
    assert insertions[0].is_complete


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("app/log.py", '    if os.getenv("ACME_LOG_QUERIES") == "1":'),
        ("app/log.py", '    queries = read(\n        "ACME_LOG_QUERIES",\n    )'),
        ("start.sh", 'queries="${ACME_LOG_QUERIES:-0}"'),
        ("Dockerfile", "ENV ACME_LOG_QUERIES=0"),
        ("docker-compose.yml", "      ACME_LOG_QUERIES: 0"),
        ("docker-compose.yml", "      - ACME_LOG_QUERIES=0"),
        (".env.example", "# ACME_LOG_QUERIES=0"),
        ("chart/values.yaml", "  - name: ACME_LOG_QUERIES\n    value: 'ACME_LOG_QUERIES'"),
        ("src/log.ts", "  const queries = process.env.ACME_LOG_QUERIES;"),
        ("deploy/main.tf", '    "ACME_LOG_QUERIES" = "0"'),
    ],
)
def test_a_variable_is_listed_whatever_uses_it(path: str, line: str) -> None:
    text, _ = inserted_from(path, "begin\nend\n", f"begin\n{line}\nend\n", PLAIN_ITEMS)
    assert "- `ACME_LOG_FILE`\n- `ACME_LOG_QUERIES`\n- `ACME_PORT`\n" in text


def test_a_variable_of_another_prefix_is_not_listed() -> None:
    after = 'begin\n    if os.getenv("OTHER_LOG_QUERIES"):\nend\n'
    assert inserted_from("app/log.py", "begin\nend\n", after, PLAIN_ITEMS)[1] == []


FLAGS = "".join(
    f"* **--{name}:** {text}\n"
    for name, text in (
        ("all", "Lists all rows of it."),
        ("color", "Shows colors in the output."),
        ("format", "Sets the format of rows."),
        ("quiet", "Prints no rows at all."),
        ("sort", "Sets the order of rows."),
    )
)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("cmd/list.go", '\tf.BoolVarP(&opts.Strict, "strict", "s", false, "Stop at the first bad row")'),
        (
            "src/ListCommand.php",
            "    new InputOption('strict', null, Option::NONE, 'Stop at the first bad row'),",
        ),
        ("src/list.rb", '    options.on("--strict", "Stop at the first bad row")'),
        ("src/List.java", '    @Option(names = "--strict", description = "Stop at the first bad row")'),
        ("src/List.cs", '    new Option<bool>("--strict", "Stop at the first bad row"),'),
        ("src/list.rs", '    #[arg(long = "strict", help = "Stop at the first bad row")]'),
        ("app/list.py", '    parser.add_argument("--strict", help="Stop at the first bad row")'),
    ],
)
def test_a_flag_is_listed_with_its_help_text_in_every_language(path: str, line: str) -> None:
    text, _ = inserted_from(path, "begin\nend\n", f"begin\n{line}\nend\n", f"## list\n\n{FLAGS}")
    assert text.endswith("order of rows.\n* **--strict:** Stop at the first bad row.\n")


def test_a_default_is_stated_as_the_siblings_state_theirs() -> None:
    items = "".join(
        f"- `{name}`: how many {text} there are. Defaults to `{default}`.\n"
        for name, text, default in (
            ("MAX_JOBS", "jobs", 4),
            ("MAX_ROWS", "rows", 20),
            ("MAX_USERS", "users", 5),
        )
    )
    before = "MAX_JOBS = 4\nMAX_ROWS = 20\n"
    after = f"{before}# How many pages are shown.\nMAX_PAGES = 7\n"
    text, _ = inserted_from("app/settings.py", before, after, items)
    assert "- `MAX_PAGES`: how many pages are shown. Defaults to `7`.\n" in text


def test_no_value_of_a_neighbour_is_copied() -> None:
    table = (
        "| Name | Type | Unit | Meaning |\n|---|---|---|---|\n"
        "| `idle_time` | integer | seconds | How long it waits. |\n"
        "| `page_size` | integer | rows | How much is shown. |\n"
    )
    before = "idle_time: int = 4\npage_size: int = 20\n"
    after = f"{before}show_all: bool = True  # Shows the whole table at once\n"
    text, insertions = inserted_from("app/settings.py", before, after, table)
    assert text.endswith("| `show_all` | boolean | […] | Shows the whole table at once. |\n")
    assert insertions[0].is_complete is False


def test_an_entry_of_gaps_alone_stands_where_the_name_surely_belongs() -> None:
    table = "| Name | Meaning |\n|---|---|\n" + "".join(
        f"| `{name}` | Sets it. |\n" for name in ("log_file", "log_level", "log_format", "log_rows")
    )
    before = "log_file = read(1)\nlog_level = read(2)\nlog_format = read(3)\nlog_rows = read(4)\n"
    after = f"{before}log_queries = read(5)\n"
    text, insertions = inserted_from("app/log.py", before, after, table, title="Add log_queries")
    assert "| `log_queries` | […]" in text
    assert insertions[0].is_complete is False


def test_gaps_stand_at_one_place_and_beside_entries_that_say_something() -> None:
    def table_of(prefix: str) -> str:
        rows = "".join(f"| `{prefix}_{name}` | Sets it. |\n" for name in ("file", "level", "form", "rows"))
        return f"| Name | Meaning |\n|---|---|\n{rows}\n"

    def code_of(prefix: str) -> str:
        names = "".join(f"    {prefix}_{name} = read(1)\n" for name in ("file", "level", "form", "rows"))
        return f"class {prefix.title()}:\n{names}"

    before = f"{code_of('log')}\n\n{code_of('job')}"
    after = before.replace("\n\n\n", "\n    log_queries = read(2)\n\n\n", 1).replace(
        "class Job:\n", "class Job:\n    # How long a job may take.\n    job_time = read(3)\n"
    )
    text, insertions = inserted_from(
        "app/all.py", before, after, table_of("log") + table_of("job"), title="Add log_queries and job_time"
    )
    assert [insertion.name for insertion in insertions] == ["job_time"]
    assert "| `job_time` | How long a job may take. |" in text


def test_a_heading_of_several_names_is_no_form_for_one() -> None:
    sections = "## `alpha_source` / `alpha`\n\nFirst.\n\n## `beta_source` / `beta`\n\nSecond.\n\n"
    before = "alpha_source = read(1)\nbeta_source = read(2)\n"
    after = f"{before}# The third source.\ngamma_source = read(3)\n"
    assert inserted_from("app/sources.py", before, after, sections, title="Add gamma_source")[1] == []


def test_the_next_member_of_a_list_is_no_default() -> None:
    hunk = (
        parse_diff(diff_of("a.py", "", 'KEYS = ["idle_time", "page_size", "show_all"]\n')).files[0].hunks[0]
    )
    assert details_of("page_size", 0, hunk).default == ""
    hunk = (
        parse_diff(diff_of("a.py", "", 'KEYS = [\n    "page_size",\n    "show_all",\n]\n')).files[0].hunks[0]
    )
    assert details_of("page_size", 1, hunk).default == ""


def test_the_prefix_of_a_variable_that_is_only_guessed_gets_no_entry_of_gaps() -> None:
    table = "| Name | Meaning |\n|---|---|\n" + "".join(
        f"| `ACME_{name}` | Sets it. |\n" for name in ("LOG_FILE", "LOG_LEVEL", "LOG_FORMAT", "LOG_ROWS")
    )
    before = "LOG_FILE = 1\nLOG_LEVEL = 2\nLOG_FORMAT = 3\nLOG_ROWS = 4\n"
    after = f'{before}LOG_BASE = make("x")\n'
    assert inserted_from("app/log.py", before, after, table, title="Add LOG_BASE")[1] == []


def test_a_name_is_listed_below_the_path_of_its_siblings() -> None:
    terms = "".join(
        f"`acme.batch.{name}`\n: {text}\n\n"
        for name, text in (
            ("jobRole", "The role of jobs."),
            ("logsGroup", "The group of logs."),
            ("retryMode", "The mode."),
        )
    )
    before = "  jobRole = opts.jobRole\n  logsGroup = opts.logsGroup\n  retryMode = opts.retryMode\n"
    after = f"{before}  // The queue of all jobs.\n  jobQueue = opts.jobQueue\n"
    text, _ = inserted_from("src/BatchConfig.java", before, after, terms, title="Add a job queue")
    assert "`acme.batch.jobQueue`\n: The queue of all jobs.\n" in text


def test_an_entry_of_gaps_alone_is_none_elsewhere() -> None:
    items = "- `idle_time`: how long it waits.\n- `page_size`: how much is shown.\n"
    before = "idle_time = read(1)\npage_size = read(2)\n"
    assert inserted_from("app/settings.py", before, f"{before}show_all = read(3)\n", items)[1] == []


@pytest.mark.parametrize(
    "line",
    ['ENGINES = ["duck", "fox", "heron", "owl"]', 'type Engine = "duck" | "fox" | "heron" | "owl";'],
)
def test_a_new_member_of_a_list_in_one_line_is_an_entry(line: str) -> None:
    items = "- `duck`\n- `fox`\n- `owl`\n"
    before = line.replace('"heron", ', "").replace('"heron" | ', "")
    text, _ = inserted_from("app/engines.ts", f"{before}\n", f"{line}\n", items, title="Add heron")
    assert text == "- `duck`\n- `fox`\n- `heron`\n- `owl`\n"


def test_the_label_that_code_gives_a_name_is_an_entry() -> None:
    before = "  da: 'Danish',\n  fi: 'Finnish',\n"
    items = "- Danish (da)\n- Finnish (fi)\n\nMore.\n"
    text, _ = inserted_from("app/names.ts", before, f"{before}  sv: 'Swedish',\n", items, title="Add Swedish")
    assert text == "- Danish (da)\n- Finnish (fi)\n- Swedish (sv)\n\nMore.\n"


def test_a_label_may_say_more_in_a_parenthesis_and_the_list_of_codes_may_stand_before() -> None:
    before = "CODES = [\n  'da',\n  'fi',\n]\nNAMES = {\n  da: 'Danish (Denmark)',\n  fi: 'Finnish',\n}\n"
    after = before.replace("  'fi',\n", "  'fi',\n  'sv',\n").replace("h',\n}", "h',\n  sv: 'Swedish',\n}")
    items = "- Danish (da)\n- Finnish (fi)\n"
    text, _ = inserted_from("app/names.ts", before, after, items, title="Add Swedish")
    assert text == "- Danish (da)\n- Finnish (fi)\n- Swedish (sv)\n"


def test_what_went_wrong_is_no_description() -> None:
    before = "begin\nend\n"
    after = 'begin\n    raise Wrong("--strict", "The rows cannot be read like that")\nend\n'
    assert inserted_from("app/list.py", before, after, FLAGS)[1] == []


def test_the_title_of_the_change_is_no_text() -> None:
    before = 'HOST = env("ACME_HOST")\nPORT = env("ACME_PORT")\n'
    after = f'{before}LOG_QUERIES = env("ACME_LOG_QUERIES")\n'
    title = "Add ACME_LOG_QUERIES to log each query that takes long"
    text, _ = inserted_from("app/settings.py", before, after, VARIABLES, title=title)
    assert "takes long" not in text
