"""A new value replaces the old one where an article says it of the same name."""

import pytest

from tests.writer.conftest import Ask, text_of


@pytest.mark.parametrize(
    ("path", "before", "after", "article", "expected"),
    [
        (
            "settings.py",
            "page_size: int = 20\n",
            "page_size: int = 50\n",
            "The `page_size` setting is 20 by default. Up to 20 people can join.\n",
            "The `page_size` setting is 50 by default. Up to 20 people can join.\n",
        ),
        (
            "settings.py",
            'PAGE_SIZE = env.int("PAGE_SIZE", 20)\n',
            'PAGE_SIZE = env.int("PAGE_SIZE", 50)\n',
            "| Name | Default |\n|---|---|\n| `PAGE_SIZE` | `20` |\n| `MAX_ITEMS` | `20` |\n",
            "| Name | Default |\n|---|---|\n| `PAGE_SIZE` | `50` |\n| `MAX_ITEMS` | `20` |\n",
        ),
        (
            "settings.py",
            'PAGE_SIZE = get("PAGE_SIZE", "20")\n',
            'PAGE_SIZE = get("PAGE_SIZE", "50")\n',
            "## `PAGE_SIZE`\n\nRows of a page. Default: `20`.\n\n## `OTHER`\n\nDefault: `20`.\n",
            "## `PAGE_SIZE`\n\nRows of a page. Default: `50`.\n\n## `OTHER`\n\nDefault: `20`.\n",
        ),
        (
            "limits.go",
            "const MaxUploadSizeMB = 10\n",
            "const MaxUploadSizeMB = 25\n",
            "The maximum upload size is 10 MB. The upload size is 10 GB for teams.\n",
            "The maximum upload size is 25 MB. The upload size is 10 GB for teams.\n",
        ),
        (
            "server.js",
            "const PORT = process.env.PORT || 3000\n",
            "const PORT = process.env.PORT || 8080\n",
            "It listens on port 3000. It serves 3000 people.\n",
            "It listens on port 8080. It serves 3000 people.\n",
        ),
        (
            "setup.py",
            '    python_requires=">=3.7",\n',
            '    python_requires=">=3.8",\n',
            "Requires Python 3.7 or higher. Python 3.7 came in 2018.\n",
            "Requires Python 3.8 or higher. Python 3.7 came in 2018.\n",
        ),
        (
            "settings.py",
            "ENABLE_CACHE = True\n",
            "ENABLE_CACHE = False\n",
            "`ENABLE_CACHE` (default: `True`) is True to its word.\n",
            None,
        ),
        (
            "app.py",
            'headers["Access-Control-Allow-Headers"] = "Authorization"\n',
            'headers["Access-Control-Allow-Headers"] = "Authorization, Content-Type"\n',
            "    Access-Control-Allow-Headers: Authorization\n\nAuthorization is a header.\n",
            "    Access-Control-Allow-Headers: Authorization, Content-Type\n\nAuthorization is a header.\n",
        ),
        (
            "cmd.py",
            'add_argument(\n    "--grace-ms",\n    type=int,\n    default=3000,\n)\n',
            'add_argument(\n    "--grace-ms",\n    type=int,\n    default=20000,\n)\n',
            "| `--grace-ms` | Milliseconds until it is stuck. | 3000 |\n| `--port` | Port. | 3000 |\n",
            "| `--grace-ms` | Milliseconds until it is stuck. | 20000 |\n| `--port` | Port. | 3000 |\n",
        ),
        (
            "models.py",
            "max_features_allowed = IntegerField(\n    default=400\n)\n",
            "max_features_allowed = IntegerField(\n    default=1000\n)\n",
            "Limits:\n\n- **400** features per project\n- **400** people per project\n",
            "Limits:\n\n- **1000** features per project\n- **400** people per project\n",
        ),
        (
            "go.mod",
            "go 1.15\n",
            "go 1.18\n",
            "Building requires Go version 1.15. Ready to go 1.15 miles? It requires libgo 1.15.\n",
            "Building requires Go version 1.18. Ready to go 1.15 miles? It requires libgo 1.15.\n",
        ),
        (
            "pyproject.toml",
            'requires-python = ">=3.7"\n',
            'requires-python = ">=3.8"\n',
            "It uses Python 3.7+ type hints, which were not there before.\n",
            None,
        ),
        (
            "view.py",
            'shape = args.get("_shape", "arrays")\n',
            'shape = args.get("_shape", "objects")\n',
            "- `?_shape=arrays`: the default.\n- `?_shape=objects`: objects.\n",
            None,
        ),
        (
            "actions.py",
            'Action(\n    name="debug-permissions",\n)\n',
            'Action(\n    name="create-table",\n)\nAction(\n    name="debug-permissions",\n)\n',
            "Pass `Action` a name: `debug-permissions`.\n",
            None,
        ),
        (
            "app.js",
            "import acme from 'acme'\n",
            "import acme from '@acme/acme'\n",
            "const acme = require('acme')\n",
            None,
        ),
        (
            "data.json",
            '  "enabled": false\n',
            '  "enabled": true\n',
            "`handler = Flag(enabled=false)`, a default_handler.\n",
            None,
        ),
    ],
)
def test_a_value_changes_beside_its_name_only(
    ask: Ask, path: str, before: str, after: str, article: str, expected: str | None
) -> None:
    assert text_of(ask({path: (before, after)}, article)) == expected


def test_the_reason_says_name_values_and_place(ask: Ask) -> None:
    report = ask(
        {"settings.py": ("x = 1\npage_size = 20\n", "x = 1\npage_size = 50\n")},
        "`page_size` is 20 by default.\n",
    )
    assert (
        report.proposals[0].reason
        == "States `page_size` as `20`; the change makes it `50` (settings.py, line 2)."
    )
    assert report.summary == "Changed `page_size` from `20` to `50`; 1 article states it."


def test_a_value_of_one_call_is_no_fact(ask: Ask) -> None:
    files = {"a.py": ("raise Error(status_code=404)\n", "raise Error(status_code=405)\n")}
    assert text_of(ask(files, "The `status_code` is 404 by default.\n")) is None


def test_a_number_of_bytes_is_no_number_of_characters(ask: Ask) -> None:
    files = {"a.py": ("key = random_bytes(16)\n", "key = random_bytes(12)\n")}
    assert text_of(ask(files, "Take a random string, at least 16 characters long.\n")) is None


def test_a_value_in_a_comparison_is_no_fact(ask: Ask) -> None:
    files = {"a.py": ("if page_size > 20:\n", "if page_size > 50:\n")}
    assert text_of(ask(files, "The `page_size` is 20 by default.\n")) is None


def test_a_reworded_sentence_is_replaced_where_it_is_quoted_in_full(ask: Ask) -> None:
    old = "Choose the workspace that receives invoices"
    new = "Choose the organization that receives invoices"
    article = "The form asks: {}. Choose the workspace.\n"
    report = ask({"form.html": (f"<p>{old}</p>\n", f"<p>{new}</p>\n")}, article.format(_broken(old)))
    assert text_of(report) == article.format(_broken(new))


def test_the_backticks_of_a_help_text_are_not_in_its_output(ask: Ask) -> None:
    old, new = (f'flag("verbose", "be verbose (repeat it, or level=`n`, up to {n})")\n' for n in (3, 2))
    article = "    -v n  be verbose (repeat it, or level=n, up to 3)\n"
    assert text_of(ask({"cmd.go": (old, new)}, article)) == article.replace("3", "2")


def test_a_text_that_moves_when_another_is_put_before_it_is_not_reworded(ask: Ask) -> None:
    line = '    @Describe("%s", "%s")\n'
    run = line % ("run", "The workspace in which to save the run.")
    before = f"{run}    String run\n"
    after = (
        f"{line % ('read', 'How long a request may take in all.')}    Duration read\n{run}    String run\n"
    )

    assert (
        text_of(ask({"Options.java": (before, after)}, "The workspace in which to save the run.\n")) is None
    )


def test_a_sentence_that_only_loses_a_part_stays_true_of_others(ask: Ask) -> None:
    old = "Exit status is 0 if the command was successful, and 1 if not."
    new = "Exit status is 0 if the command was successful."
    files = {"a.py": (f'help = "{old}"\n', f'help = "{new}"\n')}
    assert text_of(ask(files, f"{old}\n")) is None


def _broken(text: str) -> str:
    return text.replace(" that", "\nthat")


def test_a_setting_that_gets_two_different_values_is_left_alone(ask: Ask) -> None:
    files = {
        "a.py": ("page_size = 20\n", "page_size = 50\n"),
        "b.py": ("page_size = 20\n", "page_size = 80\n"),
    }
    assert text_of(ask(files, "The `page_size` is 20 by default.\n")) is None


def test_a_diff_brings_no_link_picture_or_hidden_character_into_an_article(ask: Ask) -> None:
    old = "Choose the workspace that receives invoices"
    for bait in (
        "![x](https://evil.test/p.png)",
        "[here](https://evil.test)",
        "<img src=x>",
        "invoices\u202e",
    ):
        new = old.replace("workspace", f"workspace {bait}")
        assert text_of(ask({"form.py": (f'title = "{old}"\n', f'title = "{new}"\n')}, f"{old}.\n")) is None


def test_a_default_in_an_annotation_is_that_of_the_field_below_it(ask: Ask) -> None:
    arguments = (
        "struct Args {{\n    #[arg(long, default_value_t = {})]\n    /// How many threads\n"
        "    max_threads: usize,\n    #[arg(long, default_value_t = 4)]\n    max_files: usize,\n}}\n"
    )
    text = "- `--max-threads N`: how many threads (default: 4)\n- `--max-files N`: files (default: 4)\n"

    [proposal] = ask({"src/cli.rs": (arguments.format(4), arguments.format(8))}, text).proposals

    assert proposal.text == text.replace("threads (default: 4)", "threads (default: 8)")
