"""A name or label that a change drops is replaced where an article uses it, and nowhere else."""

import re

import pytest

from instep.demo.help import HELP
from instep.drafting.writer import Article, Change, write
from tests.drafting.writer.conftest import Ask, Files, diff_of, renaming, text_of

FLAG = renaming("cli.py", 'option("{}", default=4)', "--max-jobs", "--worker-count")
CODE_OF_FLAG = 'option("--{0}")\nread(key("{0}"))\nkeep(key("{0}"))\n'
FORCE = renaming("cli.py", '@click.option("{}", is_flag=True)', "--force", "--overwrite")


def test_a_renamed_flag_changes_in_prose_table_and_code_and_not_inside_longer_names(ask: Ask) -> None:
    article = (
        "# Run\n\nPass `--max-jobs 4` or --max-jobs=4, not `--max-jobs-per-host`.\n\n"
        "| flag | default |\n|---|---|\n| `--max-jobs` | 4 |\n\n```sh\nrun --max-jobs 8\n```\n"
    )
    report = ask(FLAG, article)
    assert text_of(report) == (
        "# Run\n\nPass `--worker-count 4` or --worker-count=4, not `--max-jobs-per-host`.\n\n"
        "| flag | default |\n|---|---|\n| `--worker-count` | 4 |\n\n```sh\nrun --worker-count 8\n```\n"
    )
    assert report.proposals[0].reason == (
        "Says `--max-jobs` 4 times; the change renames it to `--worker-count` (cli.py, line 2)."
    )
    assert report.summary == "Renamed `--max-jobs` to `--worker-count`; 1 article states it."
    assert [proposal.article_id for proposal in report.proposals] == ["guide"]


def test_a_flag_that_the_code_names_without_dashes_is_renamed_with_its_option(ask: Ask) -> None:
    files = {"cli.py": (CODE_OF_FLAG.format("max-jobs"), CODE_OF_FLAG.format("worker-count"))}
    report = ask(files, "Pass `--max-jobs`, or set `max-jobs` in the file.\n")
    assert text_of(report) == "Pass `--worker-count`, or set `worker-count` in the file.\n"


def test_a_setting_is_renamed_in_each_spelling_of_a_list_of_options(ask: Ask) -> None:
    line = 'Flag{{Name: "{}", Aliases: []string{{"{}"}}, EnvVars: []string{{"{}"}}, Usage: "who may call"}}\n'
    old = ("trusted-proxy-addresses", "trusted_proxy_addresses", "APP_TRUSTED_PROXY_ADDRESSES")
    new = ("trusted-proxy-hosts", "trusted_proxy_hosts", "APP_TRUSTED_PROXY_HOSTS")
    option = "    --{} value, --{} value   who may call [${}]\n"
    files = {name: (line.format(*old), line.format(*new)) for name in ("serve.go", "client.go")}
    report = ask(files, option.format(*old))
    assert text_of(report) == option.format(*new)


@pytest.mark.parametrize(
    ("path", "line", "old", "new", "article", "expected"),
    [
        pytest.param(
            "settings.py", 'HOST = os.environ["{}"]', "APP_SMTP_HOST", "APP_MAIL_HOST",
            "    APP_SMTP_HOST=x\n    APP_SMTP_HOST_2=y\n",
            "    APP_MAIL_HOST=x\n    APP_SMTP_HOST_2=y\n",
            id="variable",
        ),
        pytest.param(
            "config/app.yml", "{}: 60", "ttl_seconds", "expires_after",
            "The `ttl_seconds` key.\n", "The `expires_after` key.\n",
            id="key",
        ),
        pytest.param(
            "routes.ts", "app.get('{}', list)", "/api/users", "/api/accounts",
            "`GET /api/users`, curl https://host/api/users, not /v2/api/users or /api/users/old.\n",
            "`GET /api/accounts`, curl https://host/api/accounts, not /v2/api/users or /api/users/old.\n",
            id="route",
        ),
        pytest.param(
            "Nav.tsx", "<Button>{}</Button>", "Create project", "New workspace",
            "Click **Create project**. Then create projects.\n",
            "Click **New workspace**. Then create projects.\n",
            id="button",
        ),
        pytest.param(
            "Menu.tsx", "<h2>{}</h2>", "Account Settings", "User Settings",
            "Open Account Settings in the menu. Accounts have settings.\n",
            "Open User Settings in the menu. Accounts have settings.\n",
            id="heading",
        ),
        pytest.param(
            "a.py", 'PATH = "{}"', "config/app.yml", "config/application.yml",
            "Edit `config/app.yml`, not `old/config/app.yml`.\n",
            "Edit `config/application.yml`, not `old/config/app.yml`.\n",
            id="path",
        ),
        pytest.param(
            "hooks.py", "def {}(row):", "render_cell", "draw_cell",
            "Call `render_cell`, not `render_cells`.\n", "Call `draw_cell`, not `render_cells`.\n",
            id="function",
        ),
    ],
)  # fmt: skip
def test_a_renamed_thing_changes_in_its_own_spelling_only(
    ask: Ask, path: str, line: str, old: str, new: str, article: str, expected: str
) -> None:
    assert text_of(ask(renaming(path, line, old, new), article, f"Rename {old} to {new}")) == expected


@pytest.mark.parametrize("title", ["Tidy up", "Rename Create projects to New workspaces"])
def test_a_label_that_no_title_renames_becomes_a_place(ask: Ask, title: str) -> None:
    files = renaming("Nav.tsx", "<Button>{}</Button>", "Create project", "New workspace")
    report = ask(files, "Click **Create project**.\n", title)

    assert text_of(report) is None
    assert [place.article_id for place in report.places] == ["guide"]


@pytest.mark.parametrize(
    ("path", "before", "after", "article"),
    [
        ("cli.py", 'option("--max-jobs")\n', 'option("--worker-count")\n', "Pass `--max-jobs`.\n"),
        ("app.py", 'env("APP_SMTP_HOST")\n', 'env("APP_MAIL_HOST")\n', "Set `APP_SMTP_HOST`.\n"),
        ("locales/en.json", '"a": "Save draft"\n', '"a": "Keep draft"\n', "Click **Save draft**.\n"),
    ],
)
def test_one_line_is_enough_to_point_at_what_it_gives_up(
    ask: Ask, path: str, before: str, after: str, article: str
) -> None:
    report = ask({path: (before, after)}, article)
    drafted = {row.article_id for row in report.proposals}
    assert drafted | {row.article_id for row in report.places} == {"guide"}


@pytest.mark.parametrize("title", ["Tidy up", "Rename --max-jobs to --worker-count", "Rename Max jobs"])
def test_a_title_that_says_the_rename_takes_nothing_away(ask: Ask, title: str) -> None:
    assert text_of(ask(FLAG, "Pass `--max-jobs`.\n", title)) == "Pass `--worker-count`.\n"


def test_a_variable_of_a_field_is_renamed_if_the_title_says_so(ask: Ask) -> None:
    files = {"config.py": ("    page_limit: int = 3\n", "    entry_limit: int = 3\n")}
    article = "Set `ACME_PAGE_LIMIT`.\n"
    report = ask(files, article, "Rename ACME_PAGE_LIMIT to ACME_ENTRY_LIMIT")

    assert text_of(report) == "Set `ACME_ENTRY_LIMIT`.\n"
    assert text_of(ask(files, article, "Tidy up")) is None


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("messages/en.properties", "{}.title = Page Limit\n"),
        ("locales/en.yml", "  {}: Page Limit\n"),
        ("locales/en.json", '  "{}": "Page Limit",\n'),
        ("lib/l10n/app_en.arb", '  "{}": "Page Limit",\n'),
        ("en.lproj/List.strings", '"{}.title" = "Page Limit";\n'),
        ("locales/en.xliff", '<source id="{}">Page Limit</source>\n'),
        ("app/src/main/res/values/strings.xml", '<string name="{}">Page Limit</string>\n'),
        ("web/list.vue", '<h2 id="{}">Page Limit</h2>\n'),
        ("src/menu.ts", "{{ id: '{}', label: 'Page Limit' }},\n"),
        ("Settings/List.swift", 'NavigationLink("Page Limit", destination: {}())\n'),
        ("lib/list.dart", "child: {}(Text('Page Limit')),\n"),
    ],
)
def test_a_label_changes_with_its_catalogue_or_template(ask: Ask, path: str, line: str) -> None:
    before = "".join(line.format(key) for key in ("lists", "menu", "search"))
    files = {path: (before, before.replace("Limit", "Size"))}
    article = "Open **Lists > Page Limit**.\n\n![The field Page Limit of a list](list.png)\n"
    report = ask(files, article, "Rename Page Limit to Page Size")
    assert text_of(report) == article.replace("Page Limit", "Page Size")


@pytest.mark.parametrize(
    "other",
    [
        "**Team settings** is now **Organization settings**.",
    ],
)
def test_labels_are_ours_in_menus_and_not_those_of_other_products(ask: Ask, other: str) -> None:
    files = renaming("locales/en.json", '"nav": "{}"', "Team settings", "Organization settings")
    text = "1. Open **Admin > Team settings > Access**.\n\n{}\n"

    report = ask(files, text.format(other), "Rename Team settings to Organization settings")

    assert text_of(report) == text.format(other).replace("Admin > Team", "Admin > Organization")


def test_the_word_of_a_button_stays_in_articles_about_other_pages() -> None:
    form = "<Form>\n  <Button>Save</Button>\n  <Button>{}</Button>\n</Form>\n"
    diff = diff_of("src/InvoiceForm.tsx", form.format("Cancel"), form.format("Discard"))
    others = ("Upload an avatar", "Delete a project", "Connect Slack", "Import contacts")
    articles = [
        Article(name, name, f"# {name}\n\nOpen {name.lower()} and click **Cancel**.\n")
        for name in (*others, "Invoices")
    ]

    edited = {proposal.article_id for proposal in write(Change("Invoices", None, diff), articles).proposals}

    assert not edited & set(others)


def test_flags_of_other_programs_stay(ask: Ask) -> None:
    commands = (
        "    acme pull --force\n    acme push\n    acme up\n    $ sudo git push \\\n      --force origin\n"
    )
    text = f"{commands}\nUse `--force` or `docker rm --force`.\n"

    [proposal] = ask(FORCE, text).proposals

    assert proposal.text == text.replace("pull --force", "pull --overwrite").replace(
        "Use `--force`", "Use `--overwrite`"
    )
    assert any("another program" in warning for warning in proposal.warnings)


def test_a_moved_address_keeps_its_page(ask: Ask) -> None:
    files = {"s.py": ("# https://docs.acme.dev/en/3.1/ref/x/\n", "# https://docs.acme.dev/en/4.0/ref/x/\n")}
    article = (
        "See [mail](https://docs.acme.dev/en/3.1/topics/mail/) and [old](https://docs.acme.dev/en/3.10/).\n"
    )
    assert text_of(ask(files, article)) == article.replace("en/3.1/t", "en/4.0/t")


def test_a_host_that_lives_on_moves_only_at_the_addresses_that_the_change_shows(ask: Ask) -> None:
    old = "".join(
        f'get("https://acme.old.dev/{name}")\n' for name in ("files/a", "files/b", "install", "key")
    )
    new = old.replace(".old.", ".new.")
    article = "Get <https://acme.old.dev/install> first. See [the manual](https://acme.old.dev/manual).\n"
    report = ask({"get.py": (old, f'{new}see("https://acme.old.dev/manual")\n')}, article)
    assert text_of(report) == article.replace("old.dev/install", "new.dev/install")
    assert text_of(ask({"get.py": (old, new)}, article)) == article.replace(".old.", ".new.")


def test_a_link_keeps_its_address_when_only_a_name_in_it_changes(ask: Ask) -> None:
    files = renaming("a.py", "def {}(): ...", "page_limit", "page_size")
    article = "See [`page_limit`](https://acme.dev/page_limit).\n"
    assert text_of(ask(files, article)) == "See [`page_size`](https://acme.dev/page_limit).\n"


def test_a_repository_that_moves_takes_all_addresses_below_it_along(ask: Ask) -> None:
    files = {
        "lib/admin.rb": (
            "# See https://github.com/ada/acme_admin/blob/main/docs/setup.md#keys\n",
            "# See https://github.com/acmehq/acme-admin/blob/main/docs/setup.md#keys\n",
        )
    }
    article = (
        "# Help\n\n[Issues](https://github.com/ada/acme_admin/issues/7), [more](https://github.com/ada/t).\n"
    )
    assert text_of(ask(files, article)) == article.replace("ada/acme_admin", "acmehq/acme-admin")


@pytest.mark.parametrize(
    ("path", "before", "after", "article"),
    [
        pytest.param(
            "form.rb", "def semantic_errors(*names)\n", "def sorted_children(parent, column)\n",
            "Call `semantic_errors`.\n", id="another function",
        ),
        pytest.param(
            "data/flags.json", '{"name": "Acme Server"}\n', '{"name": "Acme Website"}\n',
            "Ask the Acme Server.\n", id="a label in data",
        ),
        pytest.param(
            "menu.py", "    auth_required=True,\n", "    staff_only=True,\n",
            "| `auth_required` | signed in |\n", id="an argument that is chosen",
        ),
        pytest.param(
            "log.js", 'log.warn("late")\n', 'log.trace("late")\n', "Write `log.warn(text)`.\n",
            id="another call",
        ),
        pytest.param(
            "tests/test_menu.py", 'get("/admin/posts")\n' * 3, 'get("/admin/users")\n' * 3,
            "Open `/admin/posts`.\n", id="a test",
        ),
        pytest.param(
            "admin.py", "    app.jobs.retry_failed_job(1)\n", "    app.jobs.retry_any_job(1)\n",
            "Call `retry_failed_job`.\n", id="another method",
        ),
        pytest.param(
            "app.py", "x = load_user(1)\ny = load_user(2)\n", "x = load_account(1)\ny = load_profile(2)\n",
            "Call `load_user`.\n", id="two new names",
        ),
        pytest.param(
            "app.py", "x = load_user(1)\n# a\n# b\n# c\ny = load_user(2)\n",
            "x = load_account(1)\n# a\n# b\n# c\ny = load_user(2)\n",
            "Call `load_user`.\n", id="a name that lives on",
        ),
        pytest.param(
            "go.mod", "\texample.com/traces v1.28.0 // indirect\n" * 2,
            "\texample.com/traces v1.29.0 // indirect\n" * 2,
            "```yaml\nimage: acme/app:v1.28.0\n```\n", id="the version of a dependency",
        ),
        pytest.param(
            "go.mod", "\texample.com/traces v1.28.0-rc.1\n" * 2, "\texample.com/traces v1.29.0-rc.1\n" * 2,
            "```yaml\nimage: acme/app:v1.28.0-rc.1\n```\n", id="the pre-release of a dependency",
        ),
        pytest.param(
            "help.go", "  app user add ann   # Add the user ann\n" * 2,
            "  app user add ann            # Add the user ann\n" * 2,
            "    app user add ann   # Add the user ann\n", id="spaces in a line of help",
        ),
    ],
)  # fmt: skip
def test_lines_that_take_something_else_rename_nothing(
    ask: Ask, path: str, before: str, after: str, article: str
) -> None:
    assert ask({path: (before, after)}, article).proposals == ()


def test_the_title_of_an_article_follows_its_text(ask: Ask) -> None:
    report = ask(FLAG, "Pass `--max-jobs`.\n", name="Using --max-jobs")
    assert report.proposals[0].title == "Using --worker-count"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("`--max-jobs` is now `--worker-count`.\n", "Guide"),
        ("Added `--max-jobs`.\n", "Changelog"),
        ("## 2.1.0 (2024-03-01)\n\n- Added `--max-jobs`.\n", "Release notes"),
    ],
)
def test_statements_about_the_past_stay(ask: Ask, text: str, name: str) -> None:
    report = ask(FLAG, text, name=name)
    assert report.proposals == ()
    assert report.places == ()


def test_front_matter_is_left_alone(ask: Ask) -> None:
    matter = "---\r\nslug: --max-jobs\r\n---\r\n"
    (proposal,) = ask(FLAG, f"{matter}Use `--max-jobs`.\r\n").proposals
    assert proposal.text == f"{matter}Use `--worker-count`.\r\n"


def test_a_migration_that_renames_a_column_does_not_keep_its_old_name(ask: Ask) -> None:
    files: Files = {
        **renaming("openapi.yaml", "  {}: string", "optin_ip", "consent_ip"),
        "migrations/7.sql": ("", "alter table people rename column optin_ip to consent_ip;\n"),
    }
    text = "| `{}` | string |\n|---|---|\n"

    assert text_of(ask(files, text.format("optin_ip"))) == text.format("consent_ip")


def test_the_variable_of_a_setting_stays_when_a_parameter_is_renamed(ask: Ask) -> None:
    before = "def reserve(tokens: int, per_day: int) -> bool:\n    return tokens < per_day\n"
    text = "Set `ACME_TOKENS_PER_DAY` to the most tokens of a day.\n"
    report = ask({"budget.py": (before, before.replace("per_day", "tokens_per_day"))}, text, "Rename")
    assert report.proposals == ()


def test_the_drafts_in_the_help_are_those_of_their_diffs() -> None:
    page = (HELP / "05-review/03-how-the-writer-decides.md").read_text()
    shown = [block.splitlines() for block in re.findall(r"```diff\n(.+?)\n```", page, re.DOTALL)][:6]
    for code, (before, after) in zip(shown[::2], shown[1::2], strict=True):
        diff = "\n".join(["--- a/app.py", "+++ b/app.py", "@@ -1 +1 @@", *code, ""])
        change = Change("Rename --page-size to --items-per-page", None, diff)
        (draft,) = write(change, [Article("guide", "Guide", before[1:])]).proposals
        assert draft.text == after[1:]
