"""Names that are alike by chance: what looks like an entry of a list and is none, and what surely is one."""

from instep.writer import Article, Change, write
from tests.writer.conftest import Ask

VARIABLES = """# Environment

| variable | default | meaning |
|---|---|---|
| `ACME_MODEL` | not set | Which model answers. |
| `ACME_SECONDS` | `60` | How long an answer may take. |
| `OPENAI_API_KEY` | not set | The key. |
| `OPENAI_BASE_URL` | `https://api.example.com` | The address. |
| `CLAUDE_API_KEY` | not set | The other key. |
| `CLAUDE_BASE_URL` | `https://api.example.org` | The other address. |
"""
SETTINGS = """# Settings

| setting | default | meaning |
|---|---|---|
| `ACME_DATA_DIR` | `data` | The data folder. |
| `ACME_SITE_URL` | `http://127.0.0.1` | The public address. |
| `ACME_PAGE_SIZE` | `20` | How many rows a page has. |
| `ACME_JOBS` | `true` | Whether the server runs jobs. |
| `ACME_POOL` | `10` | How many connections there may be. |
"""
FIELDS = """# Send an order

| field | | |
|---|---|---|
| `title` | required | up to 200 characters |
| `kind` | required | `order` or `return` |
| `url` | optional | where it came from |
"""


def test_a_constant_of_the_code_is_no_variable_of_the_environment(ask: Ask) -> None:
    before = "import re\n\nTIMEOUT = 5\n"
    after = before + "# How many tokens of the model one answer may have.\nMAX_MODEL_TOKENS = 256\n"
    report = ask(
        {"model.py": (before, after)}, VARIABLES, "Add a bound for tokens of the model", "Environment"
    )
    assert report.proposals == ()


def test_a_new_setting_is_listed_wherever_its_siblings_are(ask: Ask) -> None:
    before = """class Settings:
    data_dir: str = Field("data", description="the data folder")
    page_size: int = Field(20, ge=1, description="rows of a page")
    jobs: bool = Field(True, description="whether the server runs jobs")
"""
    after = before.replace(
        "    jobs",
        '    retention_days: int = Field(\n        1_000, ge=1, description="days of orders; then they go"\n'
        '    )\n    secret: str | None = Field(None, description="signs what is sent to the shop")\n    jobs',
    )
    [draft] = ask({"app/settings.py": (before, after)}, SETTINGS, "Look at the weather").proposals
    assert "| `ACME_RETENTION_DAYS` | `1000` | Days of orders; then they go. |" in " ".join(
        draft.text.split("\n")
    ).replace("  ", "")
    assert "| `ACME_SECRET` | […]" in " ".join(draft.text.split())


def test_a_helper_is_no_setting(ask: Ask) -> None:
    before = (
        "def data_dir(settings):\n    return settings.data\n\n\ndef page_size(settings):\n    return 20\n"
    )
    after = (
        before
        + '\n\ndef page_size_of(settings):\n    """How many rows a page of orders has."""\n    return 20\n'
    )
    assert ask({"app/settings.py": (before, after)}, SETTINGS, "Add paging of orders").proposals == ()


def test_a_list_that_lacks_most_siblings_lists_something_else(ask: Ask) -> None:
    before = (
        "class Options:\n    kind: str\n    title: str\n    wait: bool\n    retries: int\n    folder: str\n"
    )
    after = before.replace("    wait", "    paths: str  # The folders that an order is sent from.\n    wait")
    report = ask({"cli.py": (before, after)}, FIELDS, "Send an order of paths", "Send an order")
    assert report.proposals == ()


def test_common_words_in_a_new_file_are_no_siblings() -> None:
    code = ["class Shown:", "    title: str", "    kind: str", "    weight: int  # How heavy the order is."]
    head = "diff --git a/shown.py b/shown.py\nnew file mode 100644\n--- /dev/null\n+++ b/shown.py\n"
    diff = f"{head}@@ -0,0 +1,4 @@\n" + "".join(f"+{line}\n" for line in code)
    articles = [
        Article("fields", "Send an order", FIELDS),
        Article("other", "Other", "# Other\n\nNothing.\n"),
    ]
    assert write(Change("Add the weight of an order", None, diff), articles).proposals == ()


def test_what_a_table_says_of_its_entries_is_no_entry(ask: Ask) -> None:
    text = "# Checks\n\n| code | level | meaning |\n|---|---|---|\n" + "".join(
        f"| `{name}` | warning | it is {name} |\n"
        for name in ("short_text", "vague_link", "no_title", "open_code")
    )
    before = 'CHECKS = [\n    "short_text",\n    "vague_link",\n    "no_title",\n    "open_code",\n]\n'
    after = before.replace("]", '    # The level of a check.\n    "warning",\n]')
    assert ask({"checks.py": (before, after)}, text, "Add a check with a warning", "Checks").proposals == ()


def test_a_row_is_copied_only_where_it_has_as_many_cells(ask: Ask) -> None:
    text = (
        FIELDS
        + "\n## Answer\n\n| field | |\n|---|---|\n| `status` | open or done |\n| `id` | of the order |\n"
    )
    before = "class Order:\n    title: str\n    kind: str\n    url: str\n"
    after = before.replace("    kind", "    status: str\n    kind")
    drafts = ask({"order.py": (before, after)}, text, "Add status to order", "Send an order").proposals
    assert all("| `status` | open or done |\n| `kind`" not in draft.text for draft in drafts)


def test_a_flag_for_another_program_is_no_flag_of_this_one(ask: Ask) -> None:
    text = "# Options\n\n" + "".join(
        f"- `--{name}`: sets the {name}.\n" for name in ("scope", "user", "limit", "name", "json")
    )
    before = 'TOOLS = [\n    ("one", ["one", "run"]),\n]\n'
    after = before.replace(
        "]\n", '    ("lint", ["lint", "--extends", "strict", path]),  # What the linter extends.\n]\n'
    )
    assert (
        ask({"tools.py": (before, after)}, text, "Add the option extends of the linter", "Options").proposals
        == ()
    )


def test_the_variable_of_a_setting_stays_when_a_parameter_is_renamed(ask: Ask) -> None:
    before = "def reserve(tokens: int, per_day: int) -> bool:\n    return tokens < per_day\n"
    after = before.replace("per_day", "tokens_per_day")
    text = "Set `ACME_TOKENS_PER_DAY` to the most tokens of a day.\n"
    assert ask({"budget.py": (before, after)}, text, "Rename a parameter").proposals == ()


def test_the_next_member_of_a_list_is_no_default(ask: Ask) -> None:
    fields = "    data_dir: str\n    page_size: int\n    pool: int\n"
    before = f'class Settings:\n{fields}\n\nSECRETS = {{"pool", "jobs"}}\n'
    more = fields.replace("    pool", "    site_key: str  # Signs what is sent to the shop.\n    pool")
    members = "".join(f'    "{name}",\n' for name in ("pool", "site_key", "other_key", "jobs"))
    after = f"class Settings:\n{more}\n\nSECRETS = {{\n{members}}}\n"
    [draft] = ask({"settings.py": (before, after)}, SETTINGS, "Sign what is sent").proposals
    [row] = [line for line in draft.text.splitlines() if "ACME_SITE_KEY" in line]
    assert "other_key" not in row
    assert "[…]" in row


def test_a_setting_without_a_value_says_so_like_its_siblings(ask: Ask) -> None:
    text = SETTINGS + "| `ACME_MODEL` | not set | The model. |\n| `ACME_ALLOW` | empty | Hosts. |\n"
    before = """class Settings:
    pool: int = Field(10, ge=1)
    model: str | None = Field(None, description="the model")
    allow: str = Field("", description="hosts")
"""
    after = (
        before
        + """    files: str | None = Field(None, description="the folder of all pictures")
    proxies: str = Field("", description="who may tell the address")
"""
    )
    [draft] = ask({"app/settings.py": (before, after)}, text, "Keep pictures").proposals
    rows = {" ".join(line.split()) for line in draft.text.splitlines()}
    assert "| `ACME_FILES` | not set | The folder of all pictures. |" in rows
    assert "| `ACME_PROXIES` | empty | Who may tell the address. |" in rows


def test_a_row_that_leaves_most_open_is_no_draft(ask: Ask) -> None:
    text = FIELDS.replace("| field | | |", "| field | on create | on update |").replace(
        "|---|---|---|", "|---|---|---|---|"
    )
    text = text.replace("| field | on create | on update |", "| field | create | update | |")
    text = text.replace("required |", "required | no |").replace("optional |", "optional | optional |")
    before = "class Order:\n    title: str\n    kind: str\n    url: str\n"
    after = before + "    weight: int  # How heavy the order is.\n"
    assert (
        ask({"order.py": (before, after)}, text, "Add the weight of an order", "Send an order").proposals
        == ()
    )
