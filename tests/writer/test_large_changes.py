"""The time for a change with thousands of facts is linear in its lines."""

import time

import pytest

from instep.writer.retrieval import retrieval_query
from instep.writer.shapes import Change

COUNT = 3_000
# With quadratic time one of these took a minute and a half.
MAX_SECONDS = 20
FORMS = {
    "constants": ("OLD_LIMIT_{n} = {n}", "NEW_BOUND_{n} = {n}"),
    "texts": ('label_{n} = "Open the {n} settings"', 'label_{n} = "Choose the {n} options"'),
}


def change_of(before: str, after: str) -> Change:
    lines = [f"-{before.format(n=n)}\n" for n in range(COUNT)] + [
        f"+{after.format(n=n)}\n" for n in range(COUNT)
    ]
    head = (
        f"diff --git a/limits.py b/limits.py\n--- a/limits.py\n+++ b/limits.py\n@@ -1,{COUNT} +1,{COUNT} @@\n"
    )
    return Change(title="Rename the limits", body=None, diff=head + "".join(lines))


@pytest.mark.parametrize("form", FORMS)
def test_a_change_of_thousands_of_names_is_read_in_linear_time(form: str) -> None:
    began = time.process_time()

    query = retrieval_query(change_of(*FORMS[form]))

    assert query.names
    assert time.process_time() - began < MAX_SECONDS
