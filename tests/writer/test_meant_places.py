"""An edit reaches what the change is about, and nothing that only looks like it."""

import pytest

from instep.writer import Article, Change, Report, write
from tests.writer.conftest import Ask, diff_of, text_of

Files = dict[str, tuple[str, str]]
FLAG: Files = {
    "cli.py": (
        '@click.option("--force", is_flag=True, help="Overwrite changes.")\n',
        '@click.option("--overwrite", is_flag=True, help="Overwrite changes.")\n',
    )
}
PLANS = (
    '{{\n  "free": {{\n    "storageGb": {},\n    "seats": 3\n  }},\n'
    '  "school": {{\n    "storageGb": 10\n  }}\n}}\n'
)
FORM = "<Form>\n  <Button>Save</Button>\n  <Button>{}</Button>\n</Form>\n"
DISCARD: Files = {"src/InvoiceForm.tsx": (FORM.format("Cancel"), FORM.format("Discard"))}


@pytest.mark.parametrize(
    ("path", "before", "after", "article", "expected"),
    [
        (
            "limits.py",
            "MAX_ROWS = 10\n",
            "MAX_ROWS = 25\n",
            "A preview has up to 10 rows. An export has up to 10,000 rows, or 1\u202f010 rows of text.\n",
            "A preview has up to 25 rows. An export has up to 10,000 rows, or 1\u202f010 rows of text.\n",
        ),
        (
            "limits.py",
            "MAX_ROWS = 10_000\n",
            "MAX_ROWS = 50_000\n",
            "An export has at most 10,000 rows.\n",
            "An export has at most 50,000 rows.\n",
        ),
        (
            "settings.rb",
            "DEFAULT_REGION = 'us-east-1'\n",
            "DEFAULT_REGION = 'eu-west-1'\n",
            "The default region is `us-east-1`.\n\n- `us-east-1`: Virginia\n\nThe region us-east-1 is old.\n",
            "The default region is `eu-west-1`.\n\n- `us-east-1`: Virginia\n\nThe region us-east-1 is old.\n",
        ),
        (
            "settings.py",
            'model: str = "acme-4o-mini"\n',
            'model: str = "acme-4.1-mini"\n',
            "The `model` is by default `acme-4o-mini`.\n\n| Model |\n|---|\n| acme-4o-mini |\n",
            "The `model` is by default `acme-4.1-mini`.\n\n| Model |\n|---|\n| acme-4o-mini |\n",
        ),
        (
            "settings.py",
            "class Settings:\n    two_factor = False\n    debug_bar = False\n",
            "class Settings:\n    two_factor = True\n    debug_bar = False\n",
            "`two_factor` (default: `false`), `debug_bar` (default: `false`)\n\nOr `two_factor=false`.\n",
            None,
        ),
        (
            "settings.py",
            "class Settings:\n    two_factor = False\n    debug_bar = False\n",
            "class Settings:\n    two_factor = True\n    debug_bar = False\n",
            "- `two_factor` (default: `false`)\n- `debug_bar` (default: `false`)\n\nOr `two_factor=false`.\n",
            "- `two_factor` (default: `true`)\n- `debug_bar` (default: `false`)\n\nOr `two_factor=false`.\n",
        ),
        (
            "settings.py",
            'MODEL = "acme-4o"\n',
            'MODEL = "acme-5"\n',
            "The default model is acme-4o. See https://acme.com/models/acme-4o.\n\n    ask --model acme-4o\n",
            "The default model is acme-5. See https://acme.com/models/acme-4o.\n\n    ask --model acme-4o\n",
        ),
        (
            "routes.js",
            "router.get('/v1/users/:id', show)\n",
            "router.get('/v1/members/:id', show)\n",
            "`GET /v1/users/u_1`, `/v1/users/all`, `/v1/users/{id}`, `/v1/users/{id}/tags`\n",
            "`GET /v1/members/u_1`, `/v1/users/all`, `/v1/members/{id}`, `/v1/users/{id}/tags`\n",
        ),
        (
            "plans.json",
            PLANS.format(10),
            PLANS.format(20),
            "The Free plan has a storage limit of 10 GB.\n\nThe School plan has a storage limit of 10 GB.\n",
            "The Free plan has a storage limit of 20 GB.\n\nThe School plan has a storage limit of 10 GB.\n",
        ),
        (
            "plans.toml",
            "[free]\nstorage_gb = 10\n\n[school]\nstorage_gb = 10\n",
            "[free]\nstorage_gb = 20\n\n[school]\nstorage_gb = 10\n",
            "| Plan | Storage |\n|---|---|\n| Free | 10 GB |\n| School | 10 GB |\n\nStorage, Free: 10 GB\n",
            "| Plan | Storage |\n|---|---|\n| Free | 20 GB |\n| School | 10 GB |\n\nStorage, Free: 20 GB\n",
        ),
        (
            "routes.js",
            "router.get('/v1/customers', list)\nrouter.post('/v1/customers', make)\n",
            "router.get('/v1/accounts', list)\nrouter.post('/v1/accounts', make)\n",
            "`https://api.acme.com/v1/customers`\n\n[Ours](https://api.acme.com/v1/customers), "
            "[theirs](https://docs.github.com/v1/customers)\n",
            "`https://api.acme.com/v1/accounts`\n\n[Ours](https://api.acme.com/v1/accounts), "
            "[theirs](https://docs.github.com/v1/customers)\n",
        ),
    ],
)
def test_places_that_look_alike_stay(
    ask: Ask, path: str, before: str, after: str, article: str, expected: str | None
) -> None:
    assert text_of(ask({path: (before, after)}, article)) == expected


@pytest.mark.parametrize(
    ("path", "before", "after", "article", "expected"),
    [
        (
            "cli.py",
            '@click.option("--workers", default=16, help="How many.")\n',
            '@click.option("--workers", default=32, help="How many.")\n',
            "- `--workers`: How many. Default: `16`.\n- `--port`: Where. Default: `16`.\n",
            "- `--workers`: How many. Default: `32`.\n- `--port`: Where. Default: `16`.\n",
        ),
        (
            "cli.py",
            'parser.add_argument("-w", "--workers", type=int, default=16, help="How many.")\n',
            'parser.add_argument("-w", "--workers", type=int, default=32, help="How many.")\n',
            "| Flag | Default |\n|---|---|\n| `--workers` | `16` |\n",
            "| Flag | Default |\n|---|---|\n| `--workers` | `32` |\n",
        ),
        (
            "root.go",
            'cmd.Flags().Int("workers", 16, "How many.")\n',
            'cmd.Flags().Int("workers", 32, "How many.")\n',
            "| Flag | Default |\n|---|---|\n| `--workers` | `16` |\n",
            "| Flag | Default |\n|---|---|\n| `--workers` | `32` |\n",
        ),
        (
            "root.go",
            'cmd.Flags().Bool("force", false, "Overwrite.")\n',
            'cmd.Flags().Bool("overwrite", false, "Overwrite.")\n',
            "    acme deploy --force\n",
            "    acme deploy --overwrite\n",
        ),
        (
            "package.json",
            '"node": ">=16.0.0"\n',
            '"node": ">=18.0.0"\n',
            "Requires Node.js 16 or later.\n",
            "Requires Node.js 18 or later.\n",
        ),
        (
            "config.yml",
            "log_level: info\nport: 80\n",
            "log_level: warn\nport: 80\n",
            "`log_level` (default `info`)\n",
            "`log_level` (default `warn`)\n",
        ),
        (
            "conf.py",
            "POLL_INTERVAL = 30\n",
            "POLL_INTERVAL = 60\n",
            "`POLL_INTERVAL`\n: Seconds between polls. Default: 30.\n\n`OTHER`\n: Seconds. Default: 30.\n",
            "`POLL_INTERVAL`\n: Seconds between polls. Default: 60.\n\n`OTHER`\n: Seconds. Default: 30.\n",
        ),
        (
            "locales/en.json",
            '  "upload.big": "File is too big. The maximum is 25 MB."\n',
            '  "upload.big": "This file is too large. Files can be up to 50 MB."\n',
            "If you see “File is too big. The maximum is 25 MB.”, make it smaller.\n",
            "If you see “This file is too large. Files can be up to 50 MB.”, make it smaller.\n",
        ),
        (
            "api.py",
            'raise ApiError("limited", "Too many requests. Try again later.")\n',
            'raise ApiError("limited", "You have sent more than you may. Wait a minute.")\n',
            "| `limited` | Too many requests. Try again later. |\n",
            "| `limited` | You have sent more than you may. Wait a minute. |\n",
        ),
        (
            "shortcuts.ts",
            "  { keys: 'Ctrl+K', action: 'search' },\n",
            "  { keys: 'Ctrl+Shift+F', action: 'search' },\n",
            "| Ctrl+K | Search |\n\nPress **Ctrl+K**, not Ctrl+Kanji.\n",
            "| Ctrl+Shift+F | Search |\n\nPress **Ctrl+Shift+F**, not Ctrl+Kanji.\n",
        ),
        (
            "server.go",
            'port := flag.Int("port", 8080, "port to listen on")\n',
            'port := flag.Int("port", 9090, "port to listen on")\n',
            "Open <http://localhost:8080>. The default port is 8080. Row 8080.\n\n    GET localhost:8080/\n",
            "Open <http://localhost:9090>. The default port is 9090. Row 8080.\n\n    GET localhost:9090/\n",
        ),
        (
            "locales/en.yml",
            "  role_admin: Administrator\n",
            "  role_admin: Owner\n",
            "An **Administrator** may invite people.\n",
            "An **Owner** may invite people.\n",
        ),
    ],
)
def test_everyday_forms_of_code_are_read(
    ask: Ask, path: str, before: str, after: str, article: str, expected: str
) -> None:
    assert text_of(ask({path: (before, after)}, article)) == expected


def test_flags_of_other_programs_stay(ask: Ask) -> None:
    commands = "    acme pull --force\n    $ sudo git push \\\n      --force origin\n"
    text = f"{commands}\nUse `--force` or `docker rm --force`.\n"

    [proposal] = ask(FLAG, text).proposals

    assert proposal.text == text.replace("pull --force", "pull --overwrite").replace(
        "Use `--force`", "Use `--overwrite`"
    )
    assert "another program" in proposal.warnings[0]


def test_a_widespread_program_may_be_the_product(ask: Ask) -> None:
    assert text_of(ask(FLAG, "Run `git push --force`.\n")) == "Run `git push --overwrite`.\n"


def dialogs(change: Files, *names: str) -> Report:
    """What the writer makes of a help center whose articles each name a button."""
    articles = [
        Article(name, name, f"# {name}\n\nOpen {name.lower()} and click **Cancel**.\n") for name in names
    ]
    return write(
        Change("Invoices", None, diff_of(*next((path, *sides) for path, sides in change.items()))), articles
    )


def test_the_word_of_a_button_stays_in_articles_about_other_pages() -> None:
    others = ("Upload an avatar", "Delete a project", "Connect Slack", "Import contacts")

    edited = [proposal.article_id for proposal in dialogs(DISCARD, *others, "Invoices").proposals]

    assert not set(edited) & set(others)


def test_the_word_of_a_button_that_one_article_has_is_likely_that_button() -> None:
    [proposal] = dialogs(DISCARD, "Invoices").proposals

    assert "click **Discard**" in proposal.text
    assert not proposal.is_certain


def test_a_line_of_a_test_alone_renames_nothing(ask: Ask) -> None:
    line = "    headers = {'%s': key}\n"

    assert (
        text_of(ask({"tests/test_api.py": (line % "X-Api-Key", line % "X-Auth-Key")}, "Send `X-Api-Key`.\n"))
        is None
    )
