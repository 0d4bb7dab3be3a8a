"""The time for a change is linear in its lines and in the lines of the articles."""

import pytest

from instep.drafting.writer.retrieval import retrieval_query
from instep.drafting.writer.shapes import Article, Change
from instep.drafting.writer.writing import write
from tests.support.growth import grows_linearly

FORMS = {
    "constants": ("OLD_LIMIT_{n} = {n}", "NEW_BOUND_{n} = {n}"),
    "texts": ('label_{n} = "Open the {n} settings"', 'label_{n} = "Choose the {n} options"'),
}


def diff_of(removed: list[str], added: list[str]) -> str:
    head = f"--- a/limits.py\n+++ b/limits.py\n@@ -1,{len(removed)} +1,{len(added)} @@\n"
    return head + "".join(f"-{line}\n" for line in removed) + "".join(f"+{line}\n" for line in added)


def change_of(before: str, after: str, count: int) -> Change:
    diff = diff_of(*([form.format(n=n) for n in range(count)] for form in (before, after)))
    return Change(title="Rename the limits", body=None, diff=diff)


@pytest.mark.parametrize("form", FORMS)
def test_a_change_of_thousands_of_names_is_read_in_linear_time(form: str) -> None:
    assert retrieval_query(change_of(*FORMS[form], 9)).subject
    assert grows_linearly(retrieval_query, lambda count: change_of(*FORMS[form], count), 1_000)


def test_a_table_of_thousands_of_rows_is_read_in_linear_time() -> None:
    limits = [f"limit_{n}_size = " for n in range(5)]
    change = Change("Raise limits", None, diff_of([f"{x}10" for x in limits], [f"{x}25" for x in limits]))
    head = f"# Limits\n\n{' '.join(limits)}\n\n| name | default |\n|---|---|\n"

    def make(count: int) -> Article:
        return Article("1", "Limits", head + "".join(f"| a{n:05} | 10 |\n" for n in range(count)))

    assert not write(change, [make(100)]).proposals
    assert grows_linearly(lambda article: write(change, [article]), make, 8_000)


def test_thousands_of_commands_with_one_flag_are_edited_in_linear_time() -> None:
    change = Change(
        "Rename --page-size to --items-per-page",
        None,
        diff_of(['parser.add_argument("--page-size")'], ['parser.add_argument("--items-per-page")']),
    )

    def make(count: int) -> Article:
        commands = "tool run --page-size 20\n" * count
        return Article("1", "Commands", f"# Commands\n\n```bash\n{commands}```\n")

    assert "--page-size" not in write(change, [make(500)]).proposals[0].text
    assert grows_linearly(lambda article: write(change, [article]), make, 2_000)
