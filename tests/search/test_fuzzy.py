"""Words that a misspelled word was probably meant to be."""

import pytest

from instep.search.index.segment import TermDictionary
from instep.search.query.fuzzy import fuzzy_matches


@pytest.mark.parametrize(
    ("word", "form", "edits"),
    [
        ("invoce", "invoice", 1),
        ("invoicee", "invoice", None),
        ("inovice", "invoice", 1),
        ("imvoice", "invoice", 1),
        ("imvoicd", "invoice", None),
        ("subscritpion", "subscription", 1),
        ("subscritpon", "subscription", 2),
        ("munchen", "münchen", 1),
        # The first letter must be right; short words and numbers are not corrected.
        ("unvoice", "invoice", None),
        ("tema", "team", None),
        ("12345", "12346", None),
    ],
)
def test_a_correction_is_within_few_edits(word: str, form: str, edits: int | None) -> None:
    forms = TermDictionary.of(sorted((form, "other", "zebra"), key=str.encode))

    assert fuzzy_matches(word, forms) == ([] if edits is None else [(forms.find(form), edits)])
