"""`instep check`: each finding with its place, and nothing where all is well."""

import json
from pathlib import Path

import pytest

from instep.platform.core import limits
from tests.support.commands import CommandResult, run_command
from tests.support.limits import SetLimit

ROOT = Path(__file__).parents[3]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which all is well, in which the command runs."""
    monkeypatch.chdir(tmp_path)
    write("index.md", "# Home\n\n[Start](guides/start.md), [by name](guides/start), [all](guides/).\n")
    write("guides/README.md", "---\ntitle: Guides\ndescription: All of them\n---\n[Up](../index.md)\n")
    write(
        "guides/start.md",
        "---\ntitle: Start\nslug: begin\n---\n## Über uns\n\n[Below](#über-uns), [coded](#%C3%BCber-uns),"
        " [home](/index.md#home), [site](/elsewhere/page), [mail](mailto:a@b.test), [web](https://a.test/x#y)\n\n"
        "![A picture](../img/a%20b.png) ![Another](/img/logo.png)\n\n"
        "[Article](/help/acme/articles/begin#über-uns)\n",
    )
    write("img/a b.png", "")
    write("public/img/logo.png", "")
    write("node_modules/x/README.md", "[broken](nowhere.md)")
    write(".git/x.md", "[broken](nowhere.md)")
    return tmp_path


def write(name: str, text: str | bytes) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def check(*arguments: str, **environment: str) -> CommandResult:
    return run_command("check", *(arguments or (".",)), **environment)


def test_a_folder_in_which_all_is_well_ends_with_0(folder: Path) -> None:
    result = check()

    assert (result.code, result.out, result.err) == (0, "", "instep: Checked 3 files: no findings.\n")


def test_our_own_help_has_no_findings() -> None:
    result = check(str(ROOT / "docs"))

    assert result.out == ""


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("# A\n\n[x](nowhere.md)\n", "3: The link nowhere.md leads to no file."),
        ("# A\n\n[x](guides/nowhere/)\n", "3: The link guides/nowhere/ leads to no file."),
        ("# A\n\n[x](/guides/nowhere)\n", "3: The link /guides/nowhere leads to no file."),
        ("# A\n\n[x](/help/acme/articles/none)\n", "3: The link /help/acme/articles/none leads to no file."),
        ("# A\n\n[x](#nothing)\n", "3: There is no heading #nothing in page.md."),
        ("# A\n\n[x](guides/start.md#nothing)\n", "3: There is no heading #nothing in guides/start.md."),
        ("# A\n\n![x](img/none.png)\n", "3: There is no image img/none.png."),
        ("# A\n\n![](img/a%20b.png)\n", "3: The picture has no alternative text: describe it"),
        ("# A\n\n[](index.md)\n", "3: The link "),
        ("# A\n\n```\ncode\n", "3: This code block is never closed"),
        ("Text.\n", "1: The page has no title: add `title`"),
        ("---\ntitle: [a\n---\nText.\n", "3: The front matter is not valid YAML: "),
        ("---\ntitle: a: b\n---\nText.\n", "2: The front matter is not valid YAML: mapping values"),
        ("---\ntitle: 7\n---\nText.\n", "2: `title` must be a text"),
        ("---\ntitle: A\ndescription: [a]\n---\nText.\n", "3: `description` must be a text"),
        ("---\n- a\n---\nText.\n", "2: The front matter must have fields"),
        ("---\ntitle: A\n\nText.\n", "1: The front matter has no end"),
        (b"# \xff\n", "1: The file is not UTF-8"),
        ("---\ntitle: A\n---\n\n[x](nowhere.md)\n", "5: The link nowhere.md leads to no file."),
    ],
)
def test_what_is_wrong_is_told_with_its_place(folder: Path, text: str | bytes, finding: str) -> None:
    write("page.md", text)

    result = check()

    assert result.code == 1
    [line] = result.out.splitlines()
    assert line.startswith(f"page.md:{finding}")
    assert result.err == "instep: Checked 4 files: 1 finding.\n"


def test_one_file_is_checked_among_the_others(folder: Path) -> None:
    write("page.md", "# A\n\n[x](guides/start.md#über-uns) [y](none.md)\n")
    write("other.md", "# A\n\n[x](none.md)\n")

    result = check("page.md")

    assert result.out == "page.md:3: The link none.md leads to no file.\n"
    assert result.err == "instep: Checked 1 file: 1 finding.\n"


def test_in_github_each_finding_is_an_annotation_and_commands_nothing(folder: Path) -> None:
    write("a,b:c.md", "# A\n\n[x](::error::%0Ax.md)\n")

    lines = check(GITHUB_ACTIONS="true").out.splitlines()

    assert lines == [
        "a,b:c.md:3: The link ::error::%0Ax.md leads to no file.",
        "::error file=a%2Cb%3Ac.md,line=3::The link ::error::%250Ax.md leads to no file.",
    ]


def test_programs_read_the_findings_as_json(folder: Path) -> None:
    write("page.md", "# Über\n\n[x](guides/start.md#über)\n")

    result = check(".", "--json", GITHUB_ACTIONS="true")

    assert (result.code, result.err) == (1, "")
    assert json.loads(result.out) == {
        "files": 4,
        "findings": [
            {"path": "page.md", "line": 3, "message": "There is no heading #über in guides/start.md."}
        ],
    }


def test_json_has_no_findings_where_all_is_well(folder: Path) -> None:
    result = check("--json", ".")

    assert (result.code, json.loads(result.out)) == (0, {"files": 3, "findings": []})


@pytest.mark.parametrize(
    "href", ["a" * 5_000, "%00.md", "//[", "https://[", "../" * 50 + "etc/none", "\\u0000", "?a=b", "%"]
)
def test_strange_addresses_are_no_error_of_the_program(folder: Path, href: str) -> None:
    write("page.md", f"# A\n\n[x]({href})\n")

    assert check().code in (0, 1)


def test_what_cant_be_checked_is_refused(folder: Path, set_limit: SetLimit) -> None:
    assert "There is no file or folder none" in check("none").refusal
    Path("empty").mkdir()
    assert "empty holds no Markdown file" in check("empty").refusal
    set_limit("MAX_CHECKED_FILES", 2)
    assert "holds more than 2 Markdown files" in check().refusal


def test_a_file_that_is_too_long_is_told(folder: Path) -> None:
    write("page.md", "# A\n" + "a" * limits.MAX_CONTENT_CHARACTERS)

    assert "page.md:1: The text is longer than an article can be" in check().out


def test_names_are_found_in_any_form_of_unicode(folder: Path) -> None:
    write("mo\u0308bel/u\u0308ber.md", "# About\n")
    write(
        "b.md",
        "# B\n\n[About](m\u00f6bel/%C3%BCber.md) [too](m\u00f6bel/\u00fcber) [not](m\u00f6bel/no.md)\n",
    )

    found = check()

    assert found.code == 1
    assert found.out == "b.md:3: The link m%C3%B6bel/no.md leads to no file.\n"
