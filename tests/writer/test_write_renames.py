"""A name that the change gives up is replaced wherever an article says it, and nowhere else."""

import pytest

from instep.writer import Article, Change, Report, Verdict, write
from tests.writer.conftest import Ask, diff_of


def text_of(report: Report, article: str = "guide") -> str | None:
    return next((p.text for p in report.proposals if p.article_id == article), None)


def verdict_of(report: Report, article: str = "guide") -> Verdict:
    return next(verdict for verdict in report.reviewed if verdict.article_id == article)


FLAG = {"cli.py": ('option("--max-jobs", default=4)\n', 'option("--worker-count", default=4)\n')}


def test_a_renamed_flag_changes_in_prose_table_and_code_and_nowhere_inside_longer_names(ask: Ask) -> None:
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
        "Says `--max-jobs` 4 times; the change renames it to `--worker-count` (cli.py, line 1)."
    )
    assert report.summary == "Renamed `--max-jobs` to `--worker-count`; 1 article states it."
    assert [p.article_id for p in report.proposals] == ["guide"]


@pytest.mark.parametrize(
    ("path", "before", "after", "article", "expected"),
    [
        (
            "settings.py",
            'HOST = os.environ["APP_SMTP_HOST"]\n',
            'HOST = os.environ["APP_MAIL_HOST"]\n',
            "    APP_SMTP_HOST=x\n    APP_SMTP_HOST_2=y\n",
            "    APP_MAIL_HOST=x\n    APP_SMTP_HOST_2=y\n",
        ),
        (
            "config/app.yml",
            "cache:\n  ttl_seconds: 60\n",
            "cache:\n  expires_after: 60\n",
            "The `ttl_seconds` key.\n",
            "The `expires_after` key.\n",
        ),
        (
            "routes.ts",
            "app.get('/api/users', list)\n",
            "app.get('/api/accounts', list)\n",
            "`GET /api/users`, curl https://host/api/users, not /v2/api/users or /api/users/old.\n",
            "`GET /api/accounts`, curl https://host/api/accounts, not /v2/api/users or /api/users/old.\n",
        ),
        (
            "Nav.tsx",
            "<Button>Create project</Button>\n",
            "<Button>New workspace</Button>\n",
            "Click **Create project**. Then create projects.\n",
            "Click **New workspace**. Then create projects.\n",
        ),
        (
            "Menu.tsx",
            "<h2>Account Settings</h2>\n",
            "<h2>User Settings</h2>\n",
            "Open Account Settings in the menu. Accounts have settings.\n",
            "Open User Settings in the menu. Accounts have settings.\n",
        ),
        (
            "cli.py",
            '@app.command("init-db")\n',
            '@app.command("setup-database")\n',
            "Run `tool init-db`. An init-db step.\n",
            "Run `tool setup-database`. An init-db step.\n",
        ),
        (
            "app.py",
            "@app.schedule(cron=2)\n",
            "@app.periodic(cron=2)\n",
            "Use `@app.schedule(cron=1)`. A schedule repeats, bus.schedule(cron=1) too.\n",
            "Use `@app.periodic(cron=1)`. A schedule repeats, bus.schedule(cron=1) too.\n",
        ),
        (
            "a.py",
            'PATH = "config/app.yml"\n',
            'PATH = "config/application.yml"\n',
            "Edit `config/app.yml`.\n",
            "Edit `config/application.yml`.\n",
        ),
    ],
)
def test_a_renamed_thing_changes_in_its_own_spelling_only(
    ask: Ask, path: str, before: str, after: str, article: str, expected: str | None
) -> None:
    assert text_of(ask({path: (before, after)}, article)) == expected


def test_a_moved_address_keeps_its_page(ask: Ask) -> None:
    files = {"s.py": ("# https://docs.acme.dev/en/3.1/ref/x/\n", "# https://docs.acme.dev/en/4.0/ref/x/\n")}
    article = (
        "See [mail](https://docs.acme.dev/en/3.1/topics/mail/) and [old](https://docs.acme.dev/en/3.10/).\n"
    )
    assert text_of(ask(files, article)) == article.replace("en/3.1/t", "en/4.0/t")


@pytest.mark.parametrize(
    ("old", "new", "article", "expected"),
    [
        (
            "page_limit",
            "entry_limit",
            "A `page_limit` is a page_limit.\n",
            "An `entry_limit` is an entry_limit.\n",
        ),
        ("entry_limit", "page_limit", "It has an `entry_limit`.\n", "It has a `page_limit`.\n"),
        ("page_limit", "user_limit", "It has a `page_limit`.\n", "It has a `user_limit`.\n"),
        ("page_limit", "row_limit", "It has a `page_limit`.\n", "It has a `row_limit`.\n"),
    ],
)
def test_the_indefinite_article_agrees_with_the_new_name(
    ask: Ask, old: str, new: str, article: str, expected: str
) -> None:
    files = {"a.py": (f"def {old}(): ...\n", f"def {new}(): ...\n")}
    assert text_of(ask(files, article)) == expected


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("messages/en.properties", "list.title = Page Limit\n"),
        ("locales/en.yml", "  title: Page Limit\n"),
        ("locales/en.json", '  "title": "Page Limit",\n'),
        ("locales/en.arb", '  "listTitle": "Page Limit",\n'),
        ("en.lproj/List.strings", '"list.title" = "Page Limit";\n'),
        ("locales/en.xliff", "<source>Page Limit</source>\n"),
        ("web/list.vue", "<h2>Page Limit</h2>\n"),
    ],
)
def test_a_label_changes_with_its_catalogue_or_template(ask: Ask, path: str, line: str) -> None:
    files = {path: (line, line.replace("Limit", "Size"))}
    article = "Open **Lists > Page Limit**.\n\n![The field Page Limit of a list](list.png)\n"
    assert text_of(ask(files, article)) == article.replace("Page Limit", "Page Size")


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
    files = {"a.py": ("def page_limit(): ...\n", "def page_size(): ...\n")}
    article = "See [`page_limit`](https://example.com/page_limit).\n"
    assert text_of(ask(files, article)) == "See [`page_size`](https://example.com/page_limit).\n"


def test_a_link_within_the_article_follows_its_heading(ask: Ask) -> None:
    files = {"a.py": ("def page_limit(): ...\n", "def page_size(): ...\n")}
    article = "See [below](#page_limit) and [there](other.md#page_limit).\n\n## page_limit\n"
    assert text_of(ask(files, article)) == (
        "See [below](#page_size) and [there](other.md#page_limit).\n\n## page_size\n"
    )


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("guide.md#page-limit-of-a-list", "guide.md#page-size-of-a-list"),
        (
            "https://help.acme.test/articles/guide#h-page-limit-of-a-list",
            "https://help.acme.test/articles/guide#h-page-size-of-a-list",
        ),
        ("https://other.test/articles/guide#page-limit-of-a-list", None),
        ("other.md#page-limit-of-a-list", None),
        ("guide.md#another-heading", None),
    ],
)
def test_a_link_from_another_article_follows_a_renamed_heading(link: str, expected: str | None) -> None:
    change = Change(
        "Tidy up",
        None,
        diff_of(
            "a.py", 'button("Page Limit")\ntitle("Page Limit")\n', 'button("Page Size")\ntitle("Page Size")\n'
        ),
    )
    guide = Article(
        "guide.md", "Guide", "## Page Limit of a list\n\nSet it.\n", "https://help.acme.test/articles/guide"
    )
    other = Article(
        "start.md", "Start", f"See [the list]({link}).\n", "https://help.acme.test/articles/start"
    )
    texts = {proposal.article_id: proposal.text for proposal in write(change, [guide, other]).proposals}
    assert texts["guide.md"].startswith("## Page Size of a list")
    assert texts.get("start.md") == (f"See [the list]({expected}).\n" if expected else None)


def test_a_plain_word_that_the_title_renames_changes_among_the_same_words_only(ask: Ask) -> None:
    old = '<a href="https://host/acme/blob/master/a">\nClone the master branch.\nname = master(1)\n'
    files = {"a.html": (old, old.replace("master", "main"))}
    article = (
        "Check out the master branch, as a [master](https://host/acme/blob/master/b) would.\n\n"
        "See [theirs](https://host/other/blob/master/b).\n"
    )
    expected = article.replace("the master", "the main").replace("acme/blob/master", "acme/blob/main")
    assert text_of(ask(files, article, title="Rename master to main")) == expected
    assert text_of(ask(files, article, title="Tidy up")) is None


def test_a_word_spelled_better_is_the_same_word_everywhere(ask: Ask) -> None:
    old = "# A canceled job.\n# No canceled job.\n"
    files = {"a.py": (old, old.replace("canceled", "cancelled"))}
    assert (
        text_of(ask(files, "Some are canceled.\n", title="Replace canceled with cancelled"))
        == "Some are cancelled.\n"
    )


@pytest.mark.parametrize(
    ("path", "before", "after", "article"),
    [
        (
            "form.rb",
            "def semantic_errors(*names)\n",
            "def sorted_children(parent, column)\n",
            "Call `semantic_errors`.\n",
        ),
        (
            "data/flags.json",
            '{"name": "Acme Server"}\n',
            '{"name": "Acme Website"}\n',
            "Ask the Acme Server.\n",
        ),
        (
            "menu.py",
            "    auth_required=True,\n",
            "    staff_only=True,\n",
            "| `auth_required` | signed in |\n",
        ),
        ("log.js", 'log.warn("late")\n', 'log.trace("late")\n', "Write `log.warn(text)`.\n"),
        (
            "help.py",
            "# https://example.org/list.json\n",
            "# https://example.org/mine.json\n",
            "Try https://example.org/list.json here.\n",
        ),
        (
            "tests/test_menu.py",
            'get("/admin/posts")\n',
            'get("/admin/users")\n',
            "Open `/admin/posts`.\n",
        ),
        (
            "setup.sh",
            "echo PYTHON=/usr/bin/python3.10\n",
            "echo PYTHON=/usr/bin/python3.12\n",
            "Set `/usr/bin/python3.10`.\n",
        ),
        (
            "admin.py",
            "    app.jobs.retry_failed_job(1)\n",
            "    app.jobs.retry_any_job(1)\n",
            "Call `retry_failed_job`.\n",
        ),
    ],
    ids=[
        "another function",
        "a label in data",
        "an argument that is chosen",
        "another call",
        "sample address",
        "sample path",
        "path of the system",
        "another method",
    ],
)
def test_lines_that_take_something_else_rename_nothing(
    ask: Ask, path: str, before: str, after: str, article: str
) -> None:
    assert text_of(ask({path: (before, after)}, article)) is None


def test_the_title_of_an_article_follows_its_text(ask: Ask) -> None:
    report = ask(FLAG, "Pass `--max-jobs`.\n", name="Using --max-jobs")
    assert report.proposals[0].title == "Using --worker-count"


def test_an_ambiguous_rename_is_left_alone_with_a_reason(ask: Ask) -> None:
    files = {
        "a.py": ("x = load_user(1)\n", "x = load_account(1)\n"),
        "b.py": ("y = load_user(2)\n", "y = load_profile(2)\n"),
    }
    report = ask(files, "Call `load_user`.\n")
    assert report.proposals == ()
    assert verdict_of(report).verdict == "no_edit"
    assert "the change replaces `load_user` by different names" in verdict_of(report).reason


def test_a_name_that_lives_on_is_left_alone(ask: Ask) -> None:
    before = "x = load_user(1)\n# pad\n# pad\nz = load_user(3)\n"
    report = ask({"a.py": (before, before.replace("load_user(1)", "load_account(1)"))}, "Call `load_user`.\n")
    assert report.proposals == ()
    assert "unchanged lines still use `load_user`" in verdict_of(report).reason


def test_a_rename_that_only_a_test_shows_is_left_alone(ask: Ask) -> None:
    report = ask({"tests/test_a.py": ("call(old_name=1)\n", "call(new_name=1)\n")}, "Pass `old_name`.\n")
    assert report.proposals == ()
    assert "only tests or internal files show it" in verdict_of(report).reason


def test_a_refactoring_that_no_article_mentions_drafts_nothing(ask: Ask) -> None:
    report = ask({"a.py": ("total_sum = 1\n", "grand_sum = 1\n")}, "Sums are quick.\n")
    assert report.proposals == ()
    assert report.summary == "No article states what this changes."


def test_a_sentence_that_tells_of_the_rename_is_left_alone(ask: Ask) -> None:
    assert text_of(ask(FLAG, "`--max-jobs` is now `--worker-count`.\n")) is None


def test_a_changelog_keeps_its_history(ask: Ask) -> None:
    assert text_of(ask(FLAG, "Added `--max-jobs`.\n", name="Changelog")) is None


def test_a_removed_name_is_pointed_out_without_a_draft(ask: Ask) -> None:
    report = ask({"a.py": ("export_csv()\nkeep()\n", "keep()\n")}, "Use `export_csv`.\n")
    assert report.proposals == ()
    assert "of which this change takes a use out (a.py, line 1)" in verdict_of(report).reason


def test_front_matter_is_left_alone(ask: Ask) -> None:
    files = {"cli.py": ('option("--max-jobs")\n', 'option("--worker-count")\n')}
    matter = "---\r\nslug: --max-jobs\r\n---\r\n"
    (proposal,) = ask(files, f"{matter}Use `--max-jobs`.\r\n").proposals
    assert proposal.text == f"{matter}Use `--worker-count`.\r\n"


def test_a_subcommand_is_renamed_where_the_title_and_its_definition_say_so(ask: Ask) -> None:
    files = {
        "cli/ModuleInfo.groovy": ("class ModuleInfo {\n    return 'info'\n}\n", ""),
        "cli/ModuleView.groovy": ("", "class ModuleView {\n    return 'view'\n}\n"),
    }
    article = "# Modules\n\nRun `acme module info core`. The module information is cached.\n"
    report = ask(files, article, "Rename `module info` subcommand to `module view`")
    assert text_of(report) == article.replace("module info core", "module view core")
    assert text_of(ask(files, article, "Show more in `module info`")) is None


def test_a_repository_that_moves_takes_all_addresses_below_it_along(ask: Ask) -> None:
    files = {
        "lib/admin.rb": (
            "# See https://github.com/ada/acme_admin/blob/main/docs/setup.md#keys\n",
            "# See https://github.com/acmehq/acme-admin/blob/main/docs/setup.md#keys\n",
        )
    }
    article = "# Help\n\n[Issues](https://github.com/ada/acme_admin/issues/7) and [tools](https://github.com/ada/tools).\n"
    assert text_of(ask(files, article)) == article.replace("ada/acme_admin", "acmehq/acme-admin")


def test_repositories_of_a_build_file_move_with_another_one_of_their_owner(ask: Ask) -> None:
    article = (
        "# Help\n\nSee [forms](https://github.com/ada/forms) and [admin](https://github.com/ada/admin).\n"
    )
    gems = {"Gemfile": ("gem 'forms', github: 'ada/forms'\n", "gem 'forms', github: 'acmehq/forms'\n")}
    code = {"lib/admin.rb": ("# https://github.com/ada/admin\n", "# https://github.com/acmehq/admin\n")}

    assert text_of(ask(gems | code, article)) == article.replace("/ada/", "/acmehq/")
    assert text_of(ask(gems, article)) is None


def test_a_name_that_becomes_a_word_is_renamed_only_where_it_stands_as_in_the_code(ask: Ask) -> None:
    files = {
        "config/template.rb": (
            "# config.allow_comments = false\n# config.menu = true\n",
            "# config.comments = false\n# config.menu = true\n",
        ),
        "lib/settings.rb": ("setting :allow_comments, true\n", "setting :comments, true\n"),
    }
    article = (
        "# Comments\n\n```ruby\nconfig.allow_comments = false\nadmin.allow_comments = true\n```\n\n"
        "Users with `allow_comments` rights may comment.\n"
    )
    assert text_of(ask(files, article)) == article.replace(".allow_comments", ".comments")
