"""A new value belongs to one setting: what a sentence, a section or another library says is another thing."""

import pytest

from instep.writer import Article, Change, write
from tests.writer.conftest import Ask, diff_of, text_of

CATALOGUE = (
    'en:\n  reset: "You can reset your password within {} hours."\n  retry: "Try again in {} minutes."\n'
)
PLANS = (
    "free:\n  seats: 3\n  price: 0\npro:\n  seats: {}\n  price: {}\nbusiness:\n  seats: 100\n  price: 99\n"
)
PLANS_TABLE = "| Plan | Seats | Price |\n|---|---|---|\n| Free | 3 | $0 |\n| **Pro** | {} | ${} |\n"


def test_a_word_before_a_number_in_a_sentence_is_no_setting(ask: Ask) -> None:
    files = {"config/locales/en.yml": (CATALOGUE.format(24, 5), CATALOGUE.format(12, 10))}
    text = (
        "You can reset your password within 24 hours.\n\n"
        "Cancel an order within 24 hours. The list is new again in 5 minutes.\n"
    )

    assert text_of(ask(files, text)) == text.replace("password within 24", "password within 12")


def test_thousands_are_one_number(ask: Ask) -> None:
    files = {
        "report.html": (
            "<p>Exports are limited to 50,000 rows.</p>\n",
            "<p>Exports are limited to 75,000 rows.</p>\n",
        )
    }
    text = "Teams are limited to 50 users. Exports are limited to 50,000 rows.\n"

    assert text_of(ask(files, text)) == "Teams are limited to 50 users. Exports are limited to 75,000 rows.\n"


@pytest.mark.parametrize(
    ("path", "before", "after", "text", "expected"),
    [
        pytest.param(
            "variables.tf",
            'variable "backup_days" {\n  description = "How long backups are kept"\n  default     = 30\n}\n',
            'variable "backup_days" {\n  description = "How long backups are kept"\n  default     = 90\n}\n',
            "Deleted projects are kept at most 30 days.\n\n"
            "| Variable | Default |\n|---|---|\n| `backup_days` | `30` |\n",
            "Deleted projects are kept at most 30 days.\n\n"
            "| Variable | Default |\n|---|---|\n| `backup_days` | `90` |\n",
            id="the block around a default names it",
        ),
        pytest.param(
            "application.properties",
            "acme.lock.lockout-minutes=15\n",
            "acme.lock.lockout-minutes=30\n",
            "| Property | Default |\n|---|---|\n| `acme.report.refresh-minutes` | `15` |\n"
            "| `acme.lock.lockout-minutes` | `15` |\n",
            "| Property | Default |\n|---|---|\n| `acme.report.refresh-minutes` | `15` |\n"
            "| `acme.lock.lockout-minutes` | `30` |\n",
            id="a name goes on behind a hyphen",
        ),
        pytest.param(
            "config/limits.php",
            "<?php\nreturn [\n  'max_teams' => 5,\n];\n",
            "<?php\nreturn [\n  'max_teams' => 8,\n];\n",
            "| Setting | Default |\n|---|---|\n| `max_teams` | `5` |\n",
            "| Setting | Default |\n|---|---|\n| `max_teams` | `8` |\n",
            id="an arrow assigns",
        ),
        pytest.param(
            "config/session_store.rb",
            "Rails.application.config.session_store :cookie_store, expire_after: 12.hours\n",
            "Rails.application.config.session_store :cookie_store, expire_after: 8.hours\n",
            "Sessions expire after 12 hours. Links to reset a password expire after 12 hours.\n",
            "Sessions expire after 8 hours. Links to reset a password expire after 12 hours.\n",
            id="a name of measures needs what it measures",
        ),
        pytest.param(
            "src/config.go",
            'Port int `env:"HTTP_PORT" envDefault:"8080"`\nHost string `env:"HTTP_HOST"`\n',
            'Port int `env:"LISTEN_PORT" envDefault:"3000"`\nHost string `env:"HTTP_HOST"`\n',
            "| Variable | Default |\n|---|---|\n| `HTTP_PORT` | `8080` |\n",
            "| Variable | Default |\n|---|---|\n| `LISTEN_PORT` | `3000` |\n",
            id="a setting that is renamed gets its new value, too",
        ),
        pytest.param(
            "package.json",
            '{\n  "name": "sdk",\n  "engines": { "node": ">=16" }\n}\n',
            '{\n  "name": "sdk",\n  "engines": { "node": ">=18" }\n}\n',
            "The SDK needs Node.js 16 or newer (`node >=16`).\n",
            "The SDK needs Node.js 18 or newer (`node >=18`).\n",
            id="a version twice in a sentence",
        ),
        pytest.param(
            "ios/Export/ExportOptions.swift",
            "struct Options {\n    var quality: Int = 80\n}\n",
            "struct Options {\n    var quality: Int = 85\n}\n",
            "Exports have a quality of 80. For scans a quality of 80 is fine.\n",
            "Exports have a quality of 85. For scans a quality of 80 is fine.\n",
            id="one word is that of what its file is about",
        ),
        pytest.param(
            "Makefile",
            "test:\n\tpytest --timeout 15\n",
            "test:\n\tpytest --timeout 30\n",
            "The upload timeout is 15 minutes.\n",
            None,
            id="build files are for developers",
        ),
    ],
)
def test_a_value_stays_with_its_setting(
    ask: Ask, path: str, before: str, after: str, text: str, expected: str | None
) -> None:
    assert text_of(ask({path: (before, after)}, text)) == expected


def test_a_plan_is_found_in_tables_and_sentences(ask: Ask) -> None:
    files = {"config/plans.yml": (PLANS.format(10, 15), PLANS.format(25, 19))}
    text = PLANS_TABLE + "\nPro has {} seats. Each person opens up to 10 tabs.\n"

    proposal = ask(files, text.format(10, 15, 10)).proposals[0]

    assert proposal.text == text.format(25, 19, 25)
    assert proposal.is_certain


def test_a_name_with_another_unit_stays_beside_values_that_are_not_converted(ask: Ask) -> None:
    options = (
        "export interface Options {{\n  {}?: number;\n}}\nexport const defaults: Options = {{ {}: {} }};\n"
    )
    files = {
        "src/client.ts": (
            options.format("timeoutMs", "timeoutMs", 30_000),
            options.format("timeoutSeconds", "timeoutSeconds", 30),
        )
    }
    text = (
        "| Option | Default |\n|---|---|\n| `timeoutMs` | `30000` |\n\n"
        "```js\nnew Client({ timeoutMs: 10000 });\n```\n"
    )

    [proposal] = ask(files, text).proposals

    assert proposal.text == text.replace("`timeoutMs` | `30000`", "`timeoutSeconds` | `30`")
    assert any("`timeoutMs` is still in the text" in warning for warning in proposal.warnings)


def test_functions_are_renamed_in_the_library_of_their_language(ask: Ask) -> None:
    files = {
        "sdk/python/client.py": (
            "class Client:\n    def list_users(self, limit=50):\n        pass\n",
            "class Client:\n    def list_members(self, limit=100):\n        pass\n",
        )
    }
    python = "```python\nclient.list_users()\n```\n"
    ruby = "```ruby\nclient.list_users(limit: 50)\n```\n\nCall `list_users`.\n"

    assert text_of(ask(files, python)) == python.replace("users", "members")
    assert text_of(ask(files, ruby)) is None
    assert text_of(ask(files, python + ruby)) == (python + ruby).replace("users()", "members()").replace(
        "Call `list_users`", "Call `list_members`"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Open **Admin > Team settings > Access**.\n", "Open **Admin > Organization settings > Access**.\n"),
        ("Open **Team settings > Access**.\n", "Open **Organization settings > Access**.\n"),
        ("Open **Admin → Team settings**.\n", "Open **Admin → Organization settings**.\n"),
        ("In Notion, open **Team settings**.\n", None),
        ("Click **Team settings** in GitHub's menu.\n", None),
        ("Open **Team settings** > *Safari*.\n", "Open **Organization settings** > *Safari*.\n"),
    ],
)
def test_labels_are_ours_in_menus_and_not_those_of_other_products(
    ask: Ask, text: str, expected: str | None
) -> None:
    files = {
        "src/locales/en.json": (
            '{\n  "nav.team": "Team settings",\n  "nav.access": "Access"\n}\n',
            '{\n  "nav.team": "Organization settings",\n  "nav.access": "Access"\n}\n',
        )
    }

    assert text_of(ask(files, text)) == expected


def test_a_product_that_works_inside_another_one_has_its_buttons_there() -> None:
    change = Change(
        "New label",
        None,
        diff_of("locales/en.json", '{"save": "Save settings"}\n', '{"save": "Update settings"}\n'),
    )
    articles = [
        Article(str(number), f"Page {number}", "In WordPress, open **Acme** and click **Save settings**.\n")
        for number in range(5)
    ]

    assert len(write(change, articles).proposals) == len(articles)


@pytest.mark.parametrize("title", ["Rename Members to People", "Update navigation labels"])
def test_a_title_that_says_the_rename_takes_nothing_away(ask: Ask, title: str) -> None:
    nav = '{{\n  "nav": {{"members": "{}"}},\n  "members": {{"invite": "Invite {}"}}\n}}\n'
    files = {"src/i18n/en/nav.json": (nav.format("Members", "members"), nav.format("People", "people"))}

    proposed = text_of(ask(files, "1. Open **Members**.\n2. Click **Invite members**.\n", title))

    assert proposed == "1. Open **People**.\n2. Click **Invite people**.\n"


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("lib/l10n/app_en.arb", '{{\n  "tabSaved": "{}"\n}}\n'),
        (
            "app/src/main/res/values/strings.xml",
            '<resources>\n  <string name="tab">{}</string>\n</resources>\n',
        ),
        ("locale/en/LC_MESSAGES/django.po", 'msgid "tab"\nmsgstr "{}"\n'),
    ],
)
def test_catalogues_of_apps_name_tabs(ask: Ask, path: str, line: str) -> None:
    files = {path: (line.format("Favorites"), line.format("Saved"))}

    assert text_of(ask(files, "Open the **Favorites** tab.\n")) == "Open the **Saved** tab.\n"


def test_a_read_me_does_not_speak_for_the_rest_of_an_article(ask: Ask) -> None:
    code = '@api_host = "https://api.acme.dev"\n@open_timeout = {}\n'
    example = '```ruby\nAcme.configure do |client|\n  client.api_host = "https://api.acme.{}"\nend\n```\n'
    files = {
        "lib/acme/configuration.rb": (code.format(5), code.format(10)),
        "README.md": (example.format("dev"), example.format("com")),
    }
    text = "| Option | Default |\n|---|---|\n| `open_timeout` | `{}` |\n\n" + example

    assert text_of(ask(files, text.format(5, "dev"))) == text.format(10, "com")


def test_an_address_of_the_company_moves_with_its_links(ask: Ask) -> None:
    files = {
        "config/site.yml": (
            "support_email: help@acme.io\nsales_email: sales@acme.io\n",
            "support_email: support@acme.com\nsales_email: sales@acme.io\n",
        )
    }
    text = "Write to [help@acme.io](mailto:help@acme.io), not to sales@acme.io.\n"

    assert text_of(ask(files, text)) == text.replace("help@acme.io", "support@acme.com")
    sample = {"config/site.yml": ("sample: jane@example.com\n", "sample: joan@example.com\n")}
    assert text_of(ask(sample, "Invite jane@example.com.\n")) is None


def test_a_label_in_code_is_known_by_its_key(ask: Ask) -> None:
    files = {
        "src/menu.ts": ("{ label: 'Delete account', run: del },\n", "{ label: 'Close account', run: del },\n")
    }

    assert text_of(ask(files, "Choose **Delete account**.\n")) == "Choose **Close account**.\n"


def test_a_share_with_a_fraction_is_found_by_its_unit(ask: Ask) -> None:
    fees = "CARD_FEE_PERCENT = {}\nACH_FEE_PERCENT = 0.8\n"
    files = {
        "src/fees.py": (fees.format(2.9), fees.format(2.7)),
        "web/pricing.html": (f"<td>{2.9}% + 30¢</td>\n", f"<td>{2.7}% + 30¢</td>\n"),
    }
    text = "# Fees\n\nWe charge 2.9% + 30¢ per card payment, 0.8% for ACH and 12.9% for nothing.\n"

    [proposal] = ask(files, text, "Payments: lower the card fee", "Fees").proposals

    assert proposal.text == text.replace("charge 2.9%", "charge 2.7%")
    assert not proposal.is_certain


def test_a_reviewer_is_told_of_the_same_quantity_in_another_sentence(ask: Ask) -> None:
    files = {
        "locales/en.json": (
            '{\n  "locked": "Your account is locked for 15 minutes."\n}\n',
            '{\n  "locked": "Your account is locked for 30 minutes."\n}\n',
        )
    }
    text = "You see *Your account is locked for 15 minutes.*\n\nA 15-minute link follows.\n"

    [proposal] = ask(files, text).proposals

    assert proposal.text == text.replace("locked for 15", "locked for 30")
    assert proposal.warnings == ("“15-minute” is still in line 3: check whether it means the same.",)


def test_a_label_of_one_button_is_edited_where_the_change_edits_more() -> None:
    lines = (
        "<resources>\n  <data>{}</data>\n  <data>Save automatically every {} minutes</data>\n</resources>\n"
    )
    change = Change(
        "Preferences",
        None,
        diff_of("Properties/Resources.resx", lines.format("Options…", 10), lines.format("Preferences…", 5)),
    )
    menu = "Choose **Tools > Options…** and untick **Save automatically every 10 minutes**.\n"
    articles = [
        Article("saving", "Automatic saving", menu),
        Article("print", "Paper", "Click **Options…** beside the printer.\n"),
        *(Article(f"other-{number}", f"Page {number}", "Nothing to see.\n") for number in range(8)),
    ]

    texts = {row.article_id: row.text for row in write(change, articles).proposals}

    assert (
        texts["saving"]
        == "Choose **Tools > Preferences…** and untick **Save automatically every 5 minutes**.\n"
    )


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("leave/models.py", "    carry_over_days = models.IntegerField(default={})\n"),
        ("db/schema.rb", "    t.integer :carry_over_days, default: {}\n"),
        ("lib/leave/policy.ex", "    field :carry_over_days, :integer, default: {}\n"),
    ],
)
def test_the_default_in_a_definition_of_a_field_is_its_value(ask: Ask, path: str, line: str) -> None:
    text = "| Setting | Default |\n|---|---|\n| Carry over days | {} |\n| Trial days | 5 |\n"

    assert text_of(ask({path: (line.format(5), line.format(10))}, text.format(5))) == text.format(10)


def test_the_plan_of_a_paragraph_is_that_of_its_sentences(ask: Ask) -> None:
    plans = "starter:\n  max_clients: {}\ngrowth:\n  max_clients: 5\n  max_users: 5\n"
    files = {"config/plans.yml": (plans.format(5), plans.format(10))}
    text = "On Growth you invite your accountant. Accountants work with up to 5 clients.\n"

    assert text_of(ask(files, text)) is None


def test_libraries_that_a_product_is_built_with_are_no_requirements(ask: Ask) -> None:
    package = '{{\n  "dependencies": {{\n    "react": "{}"\n  }}\n}}\n'
    files = {"package.json": (package.format("18.2.0"), package.format("18.3.1"))}

    assert text_of(ask(files, "The widget works with React 18.2.0 or later.\n")) is None


def test_a_migration_that_renames_a_column_does_not_keep_its_old_name(ask: Ask) -> None:
    fields = "properties:\n  {}:\n    type: string\n  email:\n    type: string\n"
    files = {
        "openapi.yaml": (fields.format("optin_ip"), fields.format("consent_ip")),
        "migrations/7.sql": ("", "alter table people rename column optin_ip to consent_ip;\n"),
    }

    assert (
        text_of(ask(files, "| `optin_ip` | string |\n|---|---|\n"))
        == "| `consent_ip` | string |\n|---|---|\n"
    )


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("Settings/SecurityView.swift", 'NavigationLink("{}", destination: Lock())\n'),
        ("lib/security.dart", "child: Text('{}'),\n"),
        ("ui/Security.kt", 'Text("{}")\n'),
    ],
)
def test_texts_of_native_interfaces_are_labels(ask: Ask, path: str, line: str) -> None:
    files = {path: (line.format("Passcode"), line.format("App lock"))}

    assert text_of(ask(files, "Go to **Settings > Passcode**.\n")) == "Go to **Settings > App lock**.\n"


def test_the_nearest_of_similar_lines_is_the_other_version_of_one(ask: Ask) -> None:
    event = "WebhookEvent::Booking{}\n"
    files = {
        "app/events.php": (event.format("Canceled"), event.format("Cancelled") + event.format("Rescheduled"))
    }

    assert text_of(ask(files, "`WebhookEvent::BookingCanceled`\n")) == "`WebhookEvent::BookingCancelled`\n"


def test_an_article_that_is_concerned_repeats_a_part_of_a_message() -> None:
    messages = '{{\n  "free": "Free shipping on all orders of ${} or more in your country."\n}}\n'
    change = Change(
        "Free shipping from $75",
        None,
        diff_of("messages/en.json", messages.format(50), messages.format(75)),
    )
    shipping = (
        "# Free shipping\n\nShipping is free on orders of $50 or more. A gift card holds $50 or more.\n"
    )
    articles = [
        Article("shipping", "How do I get free shipping?", shipping),
        *(Article(f"other-{number}", f"Page {number}", "Nothing to see here.\n") for number in range(8)),
    ]

    [proposal] = write(change, articles).proposals

    assert proposal.text == shipping.replace("orders of $50", "orders of $75")
    assert not proposal.is_certain
