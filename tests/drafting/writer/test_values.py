"""A new value replaces the old one where an article states it for the same setting, and nowhere else."""

import pytest

from instep.drafting.writer import Report
from tests.drafting.writer.conftest import Ask, text_of
from tests.support.wording import like

STATED = "The setting `max_queue_n` is {} by default.\n"


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        # Separators that appear or disappear with the value.
        ("a.json", '{\n  "max_queue_n": 10\n}\n', '{\n  "max_queue_n": 25,\n  "other": 1\n}\n'),
        ("a.json", '{\n  "max_queue_n": 10,\n  "other": 1\n}\n', '{\n  "max_queue_n": 25\n}\n'),
        ("a.py", 'LIMITS = {\n    "max_queue_n": 10\n}\n', 'LIMITS = {\n    "max_queue_n": 25,\n}\n'),
        ("a.ts", "export const max_queue_n = 10;\n", "export const max_queue_n = 25\n"),
        ("a.ts", "export const max_queue_n = 10\n", "export const max_queue_n = 25;\n"),
        ("a.ts", "const limits = {\n  max_queue_n: 10\n}\n", "const limits = {\n  max_queue_n: 25,\n}\n"),
        ("a.php", "return [\n  'max_queue_n' => 10\n];\n", "return [\n  'max_queue_n' => 25,\n];\n"),
        ("a.rb", "OPTIONS = {\n  max_queue_n: 10\n}\n", "OPTIONS = {\n  max_queue_n: 25,\n}\n"),
        ("schema.sql", "  max_queue_n integer DEFAULT 10\n", "  max_queue_n integer DEFAULT 25,\n"),
        # Comments that appear or disappear with the value.
        ("a.py", "class S:\n    max_queue_n = 10\n", "class S:\n    max_queue_n = 25  # raised\n"),
        ("a.py", "class S:\n    max_queue_n = 10  # jobs\n", "class S:\n    max_queue_n = 25\n"),
        ("a.py", "max_queue_n = 10  # was 5\n", "max_queue_n = 25  # was 10\n"),
        ("a.yaml", "max_queue_n: 10\n", "max_queue_n: 25 # for large teams\n"),
        ("a.toml", "[queue]\nmax_queue_n = 10\n", "[queue]\nmax_queue_n = 25 # raised\n"),
        ("a.ini", "[queue]\nmax_queue_n = 10\n", "[queue]\nmax_queue_n = 25 ; raised\n"),
        (".env.example", "max_queue_n=10\n", "max_queue_n=25 # raised\n"),
        ("run.sh", "max_queue_n=10\n", "max_queue_n=25 # raised\n"),
        ("a.go", "const max_queue_n = 10\n", "const max_queue_n = 25 // raised\n"),
        ("a.c", "static int max_queue_n = 10;\n", "static int max_queue_n = 25; /* raised */\n"),
        ("a.c", "#define max_queue_n 10\n", "#define max_queue_n 25 /* raised */\n"),
        ("a.tf", "max_queue_n = 10\n", "max_queue_n = 25 # raised\n"),
        ("a.tf", "max_queue_n = 10\n", "max_queue_n = 25 // raised\n"),
        ("schema.sql", "  max_queue_n int DEFAULT 10,\n", "  max_queue_n int DEFAULT 25, -- raised\n"),
        ("a.rs", "pub const max_queue_n: u32 = 10;\n", "pub const max_queue_n: u32 = 25; // raised\n"),
        ("a.java", "  int max_queue_n = 10;\n", "  int max_queue_n = 25; // raised\n"),
        # Quotation marks that appear, disappear or change.
        ("a.yaml", "max_queue_n: 10\n", 'max_queue_n: "25"\n'),
        ("a.yaml", "max_queue_n: '10'\n", "max_queue_n: 25\n"),
        ("a.py", "max_queue_n = '10'\n", 'max_queue_n = "25"\n'),
        ("a.py", "max_queue_n = '10'\n", "max_queue_n = 25\n"),
        (".env", "max_queue_n=10\n", 'max_queue_n="25"\n'),
        ("run.sh", "export max_queue_n=10\n", "export max_queue_n='25'\n"),
        ("Dockerfile", "ENV max_queue_n=10\n", 'ENV max_queue_n="25"\n'),
        ("Dockerfile", "ENV max_queue_n 10\n", "ENV max_queue_n=25\n"),
        ("Dockerfile", "ARG max_queue_n=10\n", "ARG max_queue_n=25 # raised\n"),
        ("a.tf", 'max_queue_n = "10"\n', "max_queue_n = 25\n"),
        ("a.ts", "const max_queue_n = '10';\n", 'const max_queue_n = "25";\n'),
        # Annotations that appear or disappear.
        ("a.py", "max_queue_n = 10\n", "max_queue_n: int = 25\n"),
        ("a.py", "max_queue_n: int = 10\n", "max_queue_n: Final[int] = 25\n"),
        ("a.ts", "const max_queue_n = 10;\n", "const max_queue_n: number = 25;\n"),
        ("a.go", "var max_queue_n = 10\n", "var max_queue_n int = 25\n"),
        ("a.c", "int max_queue_n = 10;\n", "static const int max_queue_n = 25;\n"),
        # Arguments that appear or disappear.
        ("a.py", "    max_queue_n: int = Field(10)\n", "    max_queue_n: int = Field(25, ge=1)\n"),
        ("a.py", "x = env.int('max_queue_n', 10)\n", "x = env.int('max_queue_n', default=25)\n"),
        ("a.py", "def run(max_queue_n=10):\n    pass\n", "def run(max_queue_n=25, wait=True):\n    pass\n"),
        # A comment character inside a value or next to it does not start a comment.
        ("a.py", "max_queue_n = 10; url = 'http://a'\n", "max_queue_n = 25; url = 'http://a'\n"),
        (
            "a.tf",
            'variable "max_queue_n" {\n  default = 10\n}\n',
            'variable "max_queue_n" {\n  default = 25 # raised\n}\n',
        ),
    ],
)  # fmt: skip
def test_additions_and_removals_next_to_a_value_do_not_matter(
    ask: Ask, path: str, before: str, after: str
) -> None:
    assert text_of(ask({path: (before, after)}, STATED.format(10))) == STATED.format(25)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.json", '  "max_queue_n": 10\n', '  "max_queue_n": 10,\n'),
        ("a.py", "max_queue_n = 10\n", "max_queue_n = 10  # 25 is too many\n"),
        ("a.py", "max_queue_n = 10  # at most 10\n", "max_queue_n = 10  # at most 25\n"),
        ("a.yaml", "max_queue_n: 10\n", 'max_queue_n: "10"\n'),
        ("a.py", "max_queue_n = 10\n", "max_queue_n: int = 10\n"),
        ("a.py", "max_queue_n = Field(10, ge=1)\n", "max_queue_n = Field(10, ge=25)\n"),
    ],
)
def test_a_value_that_stays_is_no_fact(ask: Ask, path: str, before: str, after: str) -> None:
    assert ask({path: (before, after)}, STATED.format(10)).proposals == ()


@pytest.mark.parametrize(
    ("path", "before", "after", "article", "expected"),
    [
        pytest.param(
            "settings.py", "page_size: int = 20\n", "page_size: int = 50\n",
            "The `page_size` setting is 20 by default. Up to 20 people can join.\n",
            "The `page_size` setting is 50 by default. Up to 20 people can join.\n",
            id="sentence",
        ),
        pytest.param(
            "settings.py", 'PAGE_SIZE = env.int("PAGE_SIZE", 20)\n', 'PAGE_SIZE = env.int("PAGE_SIZE", 50)\n',
            "| Name | Default |\n|---|---|\n| `PAGE_SIZE` | `20` |\n| `MAX_ITEMS` | `20` |\n",
            "| Name | Default |\n|---|---|\n| `PAGE_SIZE` | `50` |\n| `MAX_ITEMS` | `20` |\n",
            id="row",
        ),
        pytest.param(
            "settings.py", 'PAGE_SIZE = get("PAGE_SIZE", "20")\n', 'PAGE_SIZE = get("PAGE_SIZE", "50")\n',
            "## `PAGE_SIZE`\n\nRows of a page. Default: `20`.\n\n## `OTHER`\n\nDefault: `20`.\n",
            "## `PAGE_SIZE`\n\nRows of a page. Default: `50`.\n\n## `OTHER`\n\nDefault: `20`.\n",
            id="section",
        ),
        pytest.param(
            "limits.go", "const MaxUploadSizeMB = 10\n", "const MaxUploadSizeMB = 25\n",
            "The maximum upload size is 10 MB. The upload size is 10 GB for teams.\n",
            "The maximum upload size is 25 MB. The upload size is 10 GB for teams.\n",
            id="name in words, with its unit",
        ),
        pytest.param(
            "server.js", "const PORT = process.env.PORT || 3000\n", "const PORT = process.env.PORT || 8080\n",
            "It listens on port 3000. It serves 3000 people.\n",
            "It listens on port 8080. It serves 3000 people.\n",
            id="port",
        ),
        pytest.param(
            "setup.py", '    python_requires=">=3.7",\n', '    python_requires=">=3.8",\n',
            "Requires Python 3.7 or higher. Python 3.7 came in 2018.\n",
            "Requires Python 3.8 or higher. Python 3.7 came in 2018.\n",
            id="version",
        ),
        pytest.param(
            "package.json", '"node": ">=16.0.0"\n', '"node": ">=18.0.0"\n',
            "Requires Node.js 16 or later. Node.js 16 is old.\n",
            "Requires Node.js 18 or later. Node.js 16 is old.\n",
            id="version without its zeros",
        ),
        pytest.param(
            "limits.py", "MAX_ROWS = 10_000\n", "MAX_ROWS = 50_000\n",
            "`MAX_ROWS` is at most 10,000. Teams have 10,000 people.\n",
            "`MAX_ROWS` is at most 50,000. Teams have 10,000 people.\n",
            id="thousands",
        ),
        pytest.param(
            "settings.py", "class S:\n    two_factor = False\n    debug_bar = False\n",
            "class S:\n    two_factor = True\n    debug_bar = False\n",
            "- `two_factor` (default: `false`)\n- `debug_bar` (default: `false`)\n",
            "- `two_factor` (default: `true`)\n- `debug_bar` (default: `false`)\n",
            id="true and false",
        ),
        pytest.param(
            "config.yml", "log_level: info\nport: 80\n", "log_level: warn\nport: 80\n",
            "`log_level` (default `info`) says how much. Read for info.\n",
            "`log_level` (default `warn`) says how much. Read for info.\n",
            id="word",
        ),
        pytest.param(
            "cli.py", '@click.option("--workers", default=16, help="How many.")\n',
            '@click.option("--workers", default=32, help="How many.")\n',
            "- `--workers`: How many. Default: `16`.\n- `--port`: Where. Default: `16`.\n",
            "- `--workers`: How many. Default: `32`.\n- `--port`: Where. Default: `16`.\n",
            id="flag",
        ),
        pytest.param(
            "root.go", 'cmd.Flags().Int("workers", 16, "How many.")\n',
            'cmd.Flags().Int("workers", 32, "How many.")\n',
            "| Flag | Default |\n|---|---|\n| `--workers` | `16` |\n",
            "| Flag | Default |\n|---|---|\n| `--workers` | `32` |\n",
            id="flag of a library that names it without dashes",
        ),
        pytest.param(
            "cmd.py", 'add_argument(\n    "--grace-ms",\n    type=int,\n    default=3000,\n)\n',
            'add_argument(\n    "--grace-ms",\n    type=int,\n    default=20000,\n)\n',
            "| `--grace-ms` | Milliseconds. | 3000 |\n| `--port` | Port. | 3000 |\n",
            "| `--grace-ms` | Milliseconds. | 20000 |\n| `--port` | Port. | 3000 |\n",
            id="call of several lines",
        ),
        pytest.param(
            "conf.py", "POLL_INTERVAL = 30\n", "POLL_INTERVAL = 60\n",
            "`POLL_INTERVAL`\n: Seconds. Default: 30.\n\n`OTHER`\n: Seconds. Default: 30.\n",
            "`POLL_INTERVAL`\n: Seconds. Default: 60.\n\n`OTHER`\n: Seconds. Default: 30.\n",
            id="term",
        ),
        pytest.param(
            "plans.toml", "[free]\nstorage_gb = 10\n\n[school]\nstorage_gb = 10\n",
            "[free]\nstorage_gb = 20\n\n[school]\nstorage_gb = 10\n",
            "The Free plan has a storage of 10 GB.\n\nThe School plan has a storage of 10 GB.\n",
            "The Free plan has a storage of 20 GB.\n\nThe School plan has a storage of 10 GB.\n",
            id="owner",
        ),
        pytest.param(
            "variables.tf", 'variable "backup_days" {\n  description = "Backups"\n  default     = 30\n}\n',
            'variable "backup_days" {\n  description = "Backups"\n  default     = 90\n}\n',
            "Drafts stay 30 days.\n\n| Variable | Default |\n|---|---|\n| `backup_days` | `30` |\n",
            "Drafts stay 30 days.\n\n| Variable | Default |\n|---|---|\n| `backup_days` | `90` |\n",
            id="the block around a default names it",
        ),
        pytest.param(
            "application.properties", "acme.lock.lockout-minutes=15\n", "acme.lock.lockout-minutes=30\n",
            "| Name | Default |\n|---|---|\n| `acme.read.fresh-minutes` | `15` |\n"
            "| `acme.lock.lockout-minutes` | `15` |\n",
            "| Name | Default |\n|---|---|\n| `acme.read.fresh-minutes` | `15` |\n"
            "| `acme.lock.lockout-minutes` | `30` |\n",
            id="a name goes on after a hyphen",
        ),
        pytest.param(
            "leave/models.py", "    carry_over_days = models.IntegerField(default=5)\n",
            "    carry_over_days = models.IntegerField(default=10)\n",
            "| `carry_over_days` | 5 |\n| `trial_days` | 5 |\n",
            "| `carry_over_days` | 10 |\n| `trial_days` | 5 |\n",
            id="definition of a field",
        ),
    ],
)  # fmt: skip
def test_a_value_changes_with_its_own_name_only(
    ask: Ask, path: str, before: str, after: str, article: str, expected: str
) -> None:
    assert text_of(ask({path: (before, after)}, article)) == expected


@pytest.mark.parametrize(
    ("path", "before", "after", "article"),
    [
        pytest.param(
            "a.py", "raise Error(status_code=404)\n", "raise Error(status_code=405)\n",
            "The `status_code` is 404 by default.\n", id="a value of one call",
        ),
        pytest.param(
            "a.py", "page_size = 20\n", "page_size = 50\n",
            "`page_size` accepts 20 to 100 and is 20 by default.\n", id="a range from the default on",
        ),
        pytest.param(
            "a.py", "page_size = 20\n", "page_size = 50\n",
            "```js\nlist({ workers: 20, page_size: 30 })\n```\n", id="another argument of the line",
        ),
        pytest.param(
            "a.py", "page_size = 20\n", "page_size = 50\n",
            "```python\nworkers = 20\npage_size = 30\n```\n", id="another line of the example",
        ),
        pytest.param(
            "a.py", "page_size = 20\n", "page_size = 50\n",
            "`workers` is 20 and `page_size` is 30.\n", id="another name of the sentence",
        ),
        pytest.param(
            "a.py", "key = random_bytes(16)\n", "key = random_bytes(12)\n",
            "Take a random string, at least 16 characters long.\n", id="another unit",
        ),
        pytest.param(
            "a.py", "if page_size > 20:\n", "if page_size > 50:\n",
            "The `page_size` is 20 by default.\n", id="a comparison",
        ),
        pytest.param(
            "a.py", "page_size = 20\n\n\n\n\n\n\n\npage_size = 20\n",
            "page_size = 50\n\n\n\n\n\n\n\npage_size = 80\n",
            "The `page_size` is 20 by default.\n", id="two new values",
        ),
        pytest.param(
            "app.js", "import acme from 'acme'\n", "import acme from '@acme/acme'\n",
            "const acme = require('acme')\n", id="an import",
        ),
        pytest.param(
            "data.json", '  "enabled": false\n', '  "enabled": true\n',
            "`handler = Flag(enabled=false)`, a default_handler.\n", id="a call of its own",
        ),
        pytest.param(
            "Makefile", "test:\n\tpytest --timeout 15\n", "test:\n\tpytest --timeout 30\n",
            "The upload timeout is 15 minutes.\n", id="a file to build with",
        ),
        pytest.param(
            "package.json", '{\n  "dependencies": {\n    "react": "18.2.0"\n  }\n}\n',
            '{\n  "dependencies": {\n    "react": "18.3.1"\n  }\n}\n',
            "The widget works with React 18.2.0 or later.\n", id="what the product is built with",
        ),
        pytest.param(
            "pyproject.toml", 'requires-python = ">=3.7"\n', 'requires-python = ">=3.8"\n',
            "It uses Python 3.7+ type hints, which were not there before.\n", id="history",
        ),
        pytest.param(
            "config/plans.yml",
            "starter:\n  max_clients: 5\ngrowth:\n  max_clients: 5\n",
            "starter:\n  max_clients: 10\ngrowth:\n  max_clients: 5\n",
            "On Growth you have up to 5 max clients.\n", id="another owner",
        ),
        pytest.param(
            "tests/test_a.py", "page_size = 20\n", "page_size = 50\n",
            "The `page_size` is 20 by default.\n", id="a test",
        ),
        pytest.param(
            "src/config.php", "return [\n    'install-mode' => 'auto',\n];\n",
            "return [\n    'install-mode' => 'dist',\n];\n",
            "## install-mode\n\nDefaults to `auto` before 2.0, to `dist` since.\n", id="both values",
        ),
    ],
)  # fmt: skip
def test_values_with_another_meaning_stay(ask: Ask, path: str, before: str, after: str, article: str) -> None:
    assert ask({path: (before, after)}, article).proposals == ()


def test_the_reason_says_name_values_and_place(ask: Ask) -> None:
    report = ask(
        {"settings.py": ("x = 1\npage_size = 20\n", "x = 1\npage_size = 50\n")},
        "`page_size` is 20 by default.\n",
    )
    assert report.proposals[0].reason == like("States `page_size`…`20`…`50` (settings.py, line 2).")
    assert report.summary == "Changed `page_size` from `20` to `50`; 1 article states it."


def reworded(ask: Ask, old: str, new: str, article: str) -> Report:
    """Change a text in two files, so that it is no coincidence, and ask about an article that quotes it."""
    files = dict.fromkeys(("app/form.py", "app/dialog.py"), (f'title = "{old}"\n', f'title = "{new}"\n'))
    return ask(files, article)


def test_a_reworded_sentence_is_replaced_across_the_line_breaks_of_the_article(ask: Ask) -> None:
    old, new = (f"Choose the {name} that receives all invoices" for name in ("workspace", "organization"))
    article = "The form asks: {}. Choose the workspace.\n"
    before = article.format(old.replace(" that", "\nthat"))

    assert text_of(reworded(ask, old, new, before)) == article.format(new)


def test_a_sentence_is_reworded_if_each_of_its_lines_stays_a_line(ask: Ask) -> None:
    comment = (
        "# The server uses the X-Forwarded-For header to determine {} of the visitor\n"
        "# instead of the remote address of the connection, unless a proxy is in between.\n"
    )
    lines = {
        name: (comment.format("the address"), comment.format("the IP address")) for name in ("a.yml", "b.yml")
    }
    text = "The server uses the X-Forwarded-For header to determine {} of the visitor\n"
    assert text_of(ask(lines, text.format("the address"))) == text.format("the IP address")


def test_a_line_of_a_sentence_that_is_wrapped_in_other_places_is_not_replaced_alone(ask: Ask) -> None:
    before = (
        "# If set, the server uses the X-Forwarded-For header to determine the visitor IP address\n"
        "# instead of the remote address of the connection. Do not set it without a proxy.\n"
    )
    after = (
        "# If set, the server uses the X-Forwarded-For header (or another proxy header) to determine\n"
        "# the visitor IP address instead of the remote address of the connection. Do not set it\n"
        "# without a proxy.\n"
    )
    sentence = (
        "If set, the server uses the X-Forwarded-For header to determine the visitor IP address "
        "instead of the remote address of the connection.\n"
    )
    assert not ask({"server.yml": (before, after)}, sentence).proposals


@pytest.mark.parametrize(
    "bait",
    ["![x](https://evil.test/p.png)", "[here](https://evil.test)", "<img src=x>", "invoices\u202e"],
)
def test_a_diff_brings_no_link_picture_or_hidden_character_into_an_article(ask: Ask, bait: str) -> None:
    old = "Choose the workspace that receives all invoices"
    report = reworded(ask, old, old.replace("workspace", f"workspace {bait}"), f"{old}.\n")
    assert report.proposals == ()


def test_a_sentence_that_only_loses_a_part_stays_true(ask: Ask) -> None:
    old = "Exit status is 0 if the command was successful, and 1 if not."
    report = reworded(ask, old, "Exit status is 0 if the command was successful.", f"{old}\n")
    assert report.proposals == ()


def test_a_read_me_does_not_speak_for_the_rest_of_an_article(ask: Ask) -> None:
    code = "page_size = {}\n"
    example = '```ruby\nAcme.configure do |client|\n  client.api_host = "https://api.acme.{}"\nend\n```\n'
    files = {
        "lib/settings.py": (code.format(5), code.format(10)),
        "README.md": (example.format("dev"), example.format("com")),
    }
    text = "`page_size` is {} by default.\n\n" + example

    assert text_of(ask(files, text.format(5, "dev"))) == text.format(10, "com")
