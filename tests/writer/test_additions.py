"""What counts as new in the code, also in very large files, and what the code says of it."""

import time

import pytest

from instep.writer import parse_diff
from instep.writer.diffs.change_set import reviewed_files
from instep.writer.facts.additions import Addition, additions_of
from tests.writer.conftest import diff_of


def additions(path: str, code: str) -> tuple[Addition, ...]:
    return additions_of(reviewed_files(parse_diff(diff_of(path, "", code))))


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("locales/fr.json", '  "page_{0}.title": "Texte numéro {0} de la page",\n'),
        ("config/keys.yml", "key_{0}: {0}\n"),
        ("app/config.py", 'KEY_{0} = os.getenv("ACME_KEY_{0}", "{0}")\n'),
    ],
)
def test_the_time_for_a_new_file_grows_with_its_lines_only(path: str, line: str) -> None:
    code = "".join(line.format(number) for number in range(4_000))
    start = time.process_time()
    assert len(additions(path, code)) == 300
    assert time.process_time() - start < 5


def test_the_names_that_a_large_file_has_first_are_taken_with_all_that_it_says_of_them() -> None:
    keys = "".join(f"key_{number}:\n" for number in range(400))
    found = additions("config/keys.yml", f"{keys}key_0: 7\nkey_1000: 8\n")
    assert [addition.name for addition in found] == [f"key_{number}" for number in range(300)]
    assert found[0].value == "7"
    assert [sibling.name for sibling in found[299].after[:2]] == ["key_300", "key_301"]


def test_siblings_and_context_are_of_the_same_definition() -> None:
    code = "first:\n  size: 1\n  color: red\nsecond:\n  width: 2\n  nested:\n    depth: 3\n  height: 4\n"
    by_name = {addition.name: addition for addition in additions("config/shapes.yml", code)}
    assert [sibling.name for sibling in by_name["color"].before] == ["size"]
    assert by_name["color"].after == ()
    assert [sibling.name for sibling in by_name["height"].before] == ["nested", "width"]
    assert (by_name["depth"].context.strip(), by_name["height"].context) == ("nested:", "second:")


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("config.js", 'const format = process.env.ACME_LOG_FORMAT ?? "text";'),
        ("config.js", 'const format = process.env["ACME_LOG_FORMAT"] || "text";'),
        ("config.ts", 'export const format = parse(process.env.ACME_LOG_FORMAT ?? "text");'),
        ("config.rb", 'format = ENV.fetch("ACME_LOG_FORMAT", "text")'),
        ("config.rb", 'format = ENV.fetch("ACME_LOG_FORMAT") { "text" }'),
        ("config.rb", 'format = ENV["ACME_LOG_FORMAT"] || "text"'),
        ("config.py", 'format = os.environ.get("ACME_LOG_FORMAT") or "text"'),
        ("config.php", '$format = getenv("ACME_LOG_FORMAT") ?: "text";'),
        ("compose.yml", "  FORMAT: ${ACME_LOG_FORMAT:-text}"),
    ],
)
def test_what_the_code_takes_without_a_value_is_the_default(path: str, line: str) -> None:
    defaults = {addition.name: addition.details.default for addition in additions(path, f"{line}\n")}
    assert defaults["ACME_LOG_FORMAT"] == "text"


@pytest.mark.parametrize(
    "value",
    [
        'process.env.ACME_LOG_FORMAT ?? "log" + suffix;',
        'process.env.ACME_LOG_FORMAT ?? process.env.LOG_FORMAT ?? "text";',
        'process.env.ACME_LOG_FORMAT === "text";',
    ],
)
def test_what_the_code_computes_is_no_default(value: str) -> None:
    found = additions("config.js", f"const format = {value}\n")
    assert {addition.details.default for addition in found if addition.name == "ACME_LOG_FORMAT"} == {""}
