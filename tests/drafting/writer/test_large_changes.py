"""The time for a change is linear in its lines and in those of the articles."""

import time

import pytest

from instep.drafting.writer.retrieval import retrieval_query
from instep.drafting.writer.shapes import Article, Change
from instep.drafting.writer.writing import write

COUNT = 3_000
# With quadratic time one of these took a minute and a half.
MAX_SECONDS = 20
FORMS = {
    "constants": ("OLD_LIMIT_{n} = {n}", "NEW_BOUND_{n} = {n}"),
    "texts": ('label_{n} = "Open the {n} settings"', 'label_{n} = "Choose the {n} options"'),
}


def diff_of(removed: list[str], added: list[str]) -> str:
    head = f"--- a/limits.py\n+++ b/limits.py\n@@ -1,{len(removed)} +1,{len(added)} @@\n"
    return head + "".join(f"-{line}\n" for line in removed) + "".join(f"+{line}\n" for line in added)


def change_of(before: str, after: str) -> Change:
    diff = diff_of(*([form.format(n=n) for n in range(COUNT)] for form in (before, after)))
    return Change(title="Rename the limits", body=None, diff=diff)


@pytest.mark.parametrize("form", FORMS)
def test_a_change_of_thousands_of_names_is_read_in_linear_time(form: str) -> None:
    began = time.process_time()

    query = retrieval_query(change_of(*FORMS[form]))

    assert query.names
    assert time.process_time() - began < MAX_SECONDS


def test_a_table_of_45_000_rows_is_read_in_linear_time() -> None:
    rows = "".join(f"| a{n:05} | 10 |\n" for n in range(45_000))
    limits = [f"limit_{n}_size = " for n in range(5)]
    change = Change("Raise limits", None, diff_of([f"{x}10" for x in limits], [f"{x}25" for x in limits]))
    began = time.process_time()

    text = f"# Limits\n\n{' '.join(limits)}\n\n| name | default |\n|---|---|\n{rows}"
    report = write(change, [Article("1", "Limits", text)])

    assert not report.proposals
    assert time.process_time() - began < MAX_SECONDS


def test_5_000_commands_with_one_flag_are_edited_in_linear_time() -> None:
    commands = "tool run --page-size 20\n" * 5_000
    change = Change(
        "Rename --page-size to --items-per-page",
        None,
        diff_of(['parser.add_argument("--page-size")'], ['parser.add_argument("--items-per-page")']),
    )
    began = time.process_time()

    report = write(change, [Article("1", "Commands", f"# Commands\n\n```bash\n{commands}```\n")])

    assert "--page-size" not in report.proposals[0].text
    assert time.process_time() - began < MAX_SECONDS
