"""New options in the help that articles quote, and names beside those that they stand beside in the code."""

import pytest

from instep.writer import Article, Change, write
from tests.writer.conftest import Ask, diff_of, text_of

GO = (
    'f := cmd.Flags()\nf.StringVar(&o.Repo, "repo", "", "`repository` to back up to")\n'
    'f.BoolVar(&o.Quiet, "quiet", false, "do not print progress")\n'
)
HELP = """# Back up

```console
$ acme backup --help
Flags:
      --quiet             do not print progress
  -r, --repo repository   repository to back up to
```
"""


@pytest.mark.parametrize(
    ("definition", "line"),
    [
        (
            'f.DurationVar(&o.Wait, "wait", 0, "wait for a lock, for example 5m")\n',
            "      --wait duration     wait for a lock, for example 5m\n",
        ),
        (
            'f.StringVar(&o.Tag, "tag", "", "add `name` to the snapshot")\n',
            "      --tag name          add name to the snapshot\n",
        ),
        (
            'f.BoolVar(&o.Dry, "dry-run", false, "change nothing")\n',
            "      --dry-run           change nothing\n",
        ),
    ],
)
def test_the_help_of_a_command_gets_a_new_option_in_its_columns(ask: Ask, definition: str, line: str) -> None:
    report = ask({"cmd/backup.go": (GO, GO + definition)}, HELP, "Add an option to acme backup", "Back up")
    neighbour = "      --quiet             do not print progress\n"
    assert text_of(report) == HELP.replace(neighbour, neighbour + line)


def test_the_help_of_a_command_keeps_out_the_options_of_a_new_one(ask: Ask) -> None:
    code = GO + 'f.StringVar(&o.To, "target", "", "where to copy the snapshots")\n'
    assert text_of(ask({"cmd/copy.go": ("", code)}, HELP, "Add acme copy", "Back up")) is None


VARIABLES = 'env["CI_REPO_NAME"] = repo.Name\nenv["CI_REPO_URL"] = repo.URL\n'


def test_a_list_of_variables_gets_the_one_beside_them_in_an_article_of_other_words(ask: Ask) -> None:
    article = (
        "# Reference\n\n| Variable | Meaning | Example |\n|---|---|---|\n"
        "| `CI_REPO_NAME` | what it is called | `tea` |\n| `CI_REPO_URL` | where it is | `/tea` |\n"
    )
    after = VARIABLES + 'env["CI_REPO_OWNER"] = repo.Owner\n'
    report = ask({"metadata.go": (VARIABLES, after)}, article, "Fix the build of forks", "Reference")
    assert text_of(report) == article + "| `CI_REPO_OWNER` | […] | […] |\n"


def test_a_list_of_labels_gets_the_label_that_the_code_gives_a_new_name(ask: Ask) -> None:
    names = {"de": "German", "fr": "French", "hu": "Hungarian"}
    before = "".join(f'  {name}: "{label}",\n' for name, label in names.items())
    article = "# Languages\n\n" + "".join(f"- {label} ({name})\n" for name, label in names.items())
    files = {
        "i18n/locales.ts": (f"const L = {{\n{before}}}\n", f'const L = {{\n{before}  it: "Italian",\n}}\n')
    }
    assert text_of(ask(files, article, "Translate the checkout", "Languages")) == f"{article}- Italian (it)\n"


def test_an_annotation_describes_the_field_below_it(ask: Ask) -> None:
    fields = "class Tower {\n    final String endpoint\n\n    final String workspaceId\n\n"
    added = '    @Description("The longest time to wait for an answer.")\n    final Duration readTimeout\n'
    article = (
        "# Settings\n\n`tower.endpoint`\n: The address of the server.\n\n"
        "`tower.workspaceId`\n: The workspace to use.\n"
    )
    report = ask(
        {"Tower.groovy": (f"{fields}}}\n", f"{fields}{added}}}\n")}, article, "Add a read timeout", "Settings"
    )
    assert text_of(report) == article + "\n`tower.readTimeout`\n: The longest time to wait for an answer.\n"


@pytest.mark.parametrize(
    ("before", "after", "text", "expected"),
    [
        (
            '["jpg", "png", "gif"]',
            '["jpg", "png", "gif", "heic"]',
            "JPG, PNG or GIF",
            "JPG, PNG, GIF or HEIC",
        ),
        ('["jpg", "png", "bmp"]', '["jpg", "png"]', "`jpg`, `png`, and `bmp`", "`jpg` and `png`"),
        ('["jpg", "png", "gif"]', '["jpg", "png", "gif", "heic"]', "JPG, PNG, GIF or TIFF", None),
    ],
)
def test_a_sentence_that_names_a_whole_list_gets_its_new_members(
    ask: Ask, before: str, after: str, text: str, expected: str | None
) -> None:
    article = f"# Photos\n\nYou can upload photos as {text} in all plans.\n"
    files = {"uploads/formats.py": (f"PHOTO_FORMATS = {before}\n", f"PHOTO_FORMATS = {after}\n")}
    report = ask(files, article, "Change the formats of photos to upload", "Photos")
    assert text_of(report) == (article.replace(text, expected) if expected else None)


def test_a_set_of_labels_gets_its_new_one_in_a_list_of_them(ask: Ask) -> None:
    line = '<Radio value="{}" label="{}" />\n'
    labels = {"card": "Credit card", "transfer": "Bank transfer", "cash": "Cash"}
    before = "".join(line.format(*item) for item in labels.items())
    files = {"shop/Methods.tsx": (before, before + line.format("debit", "Direct debit"))}
    text = "# Ways to pay\n\n- Credit card\n- Bank transfer\n- Cash\n"

    assert text_of(ask(files, text, "Add SEPA to the checkout", "Ways to pay")) == text + "- Direct debit\n"


def test_an_annotation_may_list_the_names_of_an_option(ask: Ask) -> None:
    option = "    @Parameter(names=['{}'], description = '{}')\n    String {}\n"
    before = option.format("--profile", "The profile to run with.", "profile") + option.format(
        "--revision", "The revision to run.", "revision"
    )
    added = option.format("--user-secret", "The secret of a user.", "userSecret")
    files = {"cli/Launch.groovy": (f"class Launch {{\n{before}}}\n", f"class Launch {{\n{before}{added}}}\n")}
    text = "# Launch\n\n`--profile`\n: The profile to run with.\n\n`--revision`\n: The revision to run.\n"

    report = ask(files, text, "Add --user-secret to launch", "Launch")

    assert text_of(report) == text + "\n`--user-secret`\n: The secret of a user.\n"


def test_a_variable_that_the_title_names_goes_into_the_longest_list_of_its_kind() -> None:
    server = "".join(f"- `ACME_{n}`: sets it.\n" for n in ("HOST", "LOG", "PORT", "SECRET", "URL", "ZONE"))
    agent = "".join(f"- `ACME_{n}`: sets it.\n" for n in ("HOST", "NAME", "POOL", "TOKEN", "URL"))
    articles = [Article("server", "Server", server), Article("agent", "Agent", agent)]
    files = {"src/output.ts": ("start();\n", "start();\nconst json = process.env.ACME_JSON_LINES;\n")}
    diff = "".join(diff_of(path, *sides) for path, sides in files.items())

    def edited(title: str) -> list[tuple[str | None, str]]:
        return [(row.article_id, row.text) for row in write(Change(title, None, diff), articles).proposals]

    expected = server.replace("- `ACME_LOG`", "- `ACME_JSON_LINES`\n- `ACME_LOG`")
    assert edited("Print lines of JSON (ACME_JSON_LINES)") == [("server", expected)]
    assert edited("Print lines of JSON") == []


def test_the_form_of_a_name_alone_gives_it_one_place(ask: Ask) -> None:
    """Other commands list options of the same form, in a list of another kind."""
    names = ("-cache", "-entry", "-latest", "-name", "-offline", "-resume")
    terms = "".join(f"`{name}`\n: Says {name[1:]} to the run.\n\n" for name in names)
    items = "".join(f"- `{name}`\n" for name in names)
    text = f"# Launch\n\n## Launch a run\n\n{terms}## Launch elsewhere\n\n{items}"
    option = "    @Parameter(names = ['-quick'], description = 'Runs without checks.')\n    boolean quick\n"
    files = {"cli/LaunchRun.groovy": ("class LaunchRun {\n}\n", f"class LaunchRun {{\n{option}}}\n")}

    edited = text_of(ask(files, text, "Add -quick to launch a run", "Launch"))

    assert edited == text.replace("`-resume`\n: ", "`-quick`\n: Runs without checks.\n\n`-resume`\n: ")
