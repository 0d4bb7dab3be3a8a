"""`instep check`: each finding with its location, and no findings for a valid folder."""

import json
from pathlib import Path

import pytest

from instep.platform.core import limits
from tests.support.commands import CommandResult, run_command
from tests.support.limits import SetLimit
from tests.support.wording import like

ROOT = Path(__file__).parents[3]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A valid folder, which is the command's working directory."""
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
        ("# A\n\n[x](nowhere.md)\n", "3:…nowhere.md…"),
        ("# A\n\n[x](guides/nowhere/)\n", "3:…guides/nowhere/…"),
        ("# A\n\n[x](/guides/nowhere)\n", "3:…/guides/nowhere…"),
        ("# A\n\n[x](/help/acme/articles/none)\n", "3:…/help/acme/articles/none…"),
        ("# A\n\n[x](#nothing)\n", "3:…heading #nothing…page.md…"),
        ("# A\n\n[x](guides/start.md#nothing)\n", "3:…heading #nothing…guides/start.md…"),
        ("# A\n\n![x](img/none.png)\n", "3:…image…img/none.png…"),
        ("# A\n\n![](img/a%20b.png)\n", "3:…alternative text…"),
        ("# A\n\n[](index.md)\n", "3:…link…"),
        ("# A\n\n```\ncode\n", "3:…code block…"),
        ("Text.\n", "1:…`title`…"),
        ("---\ntitle: [a\n---\nText.\n", "3:…not valid YAML…"),
        ("---\ntitle: a: b\n---\nText.\n", "2:…not valid YAML…"),
        ("---\ntitle: 7\n---\nText.\n", "2:…`title`…"),
        ("---\ntitle: A\ndescription: [a]\n---\nText.\n", "3:…`description`…"),
        ("---\n- a\n---\nText.\n", "2:…fields…"),
        ("---\ntitle: A\n\nText.\n", "1:…not closed…"),
        (b"# \xff\n", "1:…UTF-8…"),
        ("---\ntitle: A\n---\n\n[x](nowhere.md)\n", "5:…nowhere.md…"),
    ],
)
def test_findings_name_their_file_and_line(folder: Path, text: str | bytes, finding: str) -> None:
    write("page.md", text)

    result = check()

    assert result.code == 1
    [line] = result.out.splitlines()
    assert line == like(f"page.md:{finding}")
    assert result.err == "instep: Checked 4 files: 1 finding.\n"


def test_a_style_is_checked_in_the_language_of_the_front_matter(folder: Path) -> None:
    write(
        "style.json",
        '{"terms": [{"term": "melden", "neverSay": ["post"], "locale": "de"}], "avoidWords": ["x y"]}',
    )
    write("page.md", "---\ntitle: A\nlocale: de\n---\n\npost `x y`\n")
    write("other.md", "# A\n\npost x y\n")

    result = check(".", "--style", "style.json")
    refused = check(".", "--style", "page.md")

    assert result.out.splitlines() == [like("other.md:3:…x y…avoided word…"), like("page.md:6:…melden…term…")]
    assert (refused.code, refused.err) == (1, like("instep: page.md is not a style:…\n"))


def test_one_file_is_checked_among_the_others(folder: Path) -> None:
    write("page.md", "# A\n\n[x](guides/start.md#über-uns) [y](none.md)\n")
    write("other.md", "# A\n\n[x](none.md)\n")

    result = check("page.md")

    assert result.out == like("page.md:3:…none.md…\n")
    assert result.err == "instep: Checked 1 file: 1 finding.\n"


def test_in_github_each_finding_is_an_annotation_and_commands_nothing(folder: Path) -> None:
    write("a,b:c.md", "# A\n\n[x](::error::%0Ax.md)\n")

    lines = check(GITHUB_ACTIONS="true").out.splitlines()

    assert lines == [
        like("a,b:c.md:3:…::error::%0Ax.md…"),
        like("::error file=a%2Cb%3Ac.md,line=3::…::error::%250Ax.md…"),
    ]


def test_programs_read_the_findings_as_json(folder: Path) -> None:
    write("page.md", "# Über\n\n[x](guides/start.md#über)\n")

    result = check(".", "--json", GITHUB_ACTIONS="true")

    assert (result.code, result.err) == (1, "")
    assert json.loads(result.out) == {
        "files": 4,
        "findings": [{"path": "page.md", "line": 3, "message": like("…#über…guides/start.md…")}],
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


def test_folder_that_cant_be_checked_is_refused(folder: Path, set_limit: SetLimit) -> None:
    assert "folder none" in check("none").refusal
    Path("empty").mkdir()
    assert "no Markdown" in check("empty").refusal
    set_limit("MAX_CHECKED_FILES", 2)
    assert "2 Markdown files" in check().refusal


def test_a_file_that_is_too_long_is_told(folder: Path) -> None:
    write("page.md", "# A\n" + "a" * limits.MAX_CONTENT_CHARACTERS)

    assert "page.md:1:" in check().out


def test_names_are_found_in_any_form_of_unicode(folder: Path) -> None:
    write("mo\u0308bel/u\u0308ber.md", "# About\n")
    write(
        "b.md",
        "# B\n\n[About](m\u00f6bel/%C3%BCber.md) [too](m\u00f6bel/\u00fcber) [not](m\u00f6bel/no.md)\n",
    )

    found = check()

    assert found.code == 1
    assert found.out == like("b.md:3:…m%C3%B6bel/no.md…\n")
