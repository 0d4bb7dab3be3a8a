"""New names in the code and their siblings, also in very large files."""

import pytest

from instep.drafting.writer import parse_diff
from instep.drafting.writer.diffs.change_set import reviewed_files
from instep.drafting.writer.facts.additions import Addition, additions_of
from tests.drafting.writer.conftest import diff_of
from tests.support.growth import grows_linearly


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
    def make(count: int) -> str:
        return "".join(line.format(number) for number in range(count))

    assert len(additions(path, make(400))) == 300
    assert grows_linearly(lambda code: additions(path, code), make, 4_000)


def test_the_names_that_a_large_file_has_first_are_taken() -> None:
    found = additions("config/keys.yml", "".join(f"key_{number}:\n" for number in range(400)))
    assert [addition.name for addition in found] == [f"key_{number}" for number in range(300)]


def test_siblings_are_of_the_same_definition() -> None:
    code = "first:\n  size: 1\n  color: red\nsecond:\n  width: 2\n  nested:\n    depth: 3\n  height: 4\n"
    by_name = {addition.name: addition for addition in additions("config/shapes.yml", code)}
    assert by_name["color"].new_siblings == ("size",)
    assert by_name["height"].new_siblings == ("nested", "width")
